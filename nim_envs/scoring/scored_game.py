"""The game on which a policy is scored, and what lies between, from a game or an environment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from inspect import getattr_static
from typing import Any, NamedTuple

from nim_envs.encoding import Encoding
from nim_envs.game import Game

INNER = ("env", "venv", "aec_env", "par_env")
"""Attributes that hold a wrapped environment; vector environments have several in ``envs``, or
functions that make them in ``env_fns``."""


class ScoredGame(NamedTuple):
    """A game, how its positions are shown, and the layers between it and a policy.

    Attributes:
        game: the game.
        encoding: encoding of the observations; ``None``: these are positions, int64.
        stacks: the layers of each environment of one game, outermost first, and the innermost
            environment; none for a game.
    """

    game: Game
    encoding: Encoding | None
    stacks: Sequence[Sequence[Any]] = ()


def scored_game(env_or_game: Any) -> ScoredGame:
    """Return the game to score on and the encoding of its observations.

    Args:
        env_or_game: a game, or an environment of this package: turn-based, Gymnasium or batched,
            possibly wrapped or in a vector environment of Gymnasium or Stable-Baselines3.

    Raises:
        TypeError: neither; or a vector environment of several games.
    """
    if isinstance(env_or_game, Game):
        return ScoredGame(env_or_game, None)
    stacks = _stacks(env_or_game)
    game, encoding = _game_and_encoding(stacks[0][-1])
    if not isinstance(game, Game) or not isinstance(encoding, Encoding):
        raise TypeError(
            "a policy is scored on a nim_envs.Game, or an environment of nim_envs, wrapped or not; "
            f"not on {env_or_game!r}"
        )
    for stack in stacks[1:]:
        other, other_encoding = _game_and_encoding(stack[-1])
        if other != game or (other_encoding.name, other_encoding.space) != (
            encoding.name,
            encoding.space,
        ):
            raise TypeError(f"{env_or_game!r} holds environments of several games or encodings")
    return ScoredGame(game, encoding, stacks)


def _stacks(env: Any) -> list[list[Any]]:
    """Return the layers of every environment of one game, outermost first."""
    inside = _inside(env)
    return [[env, *below] for each in inside for below in _stacks(each)] if inside else [[env]]


def _inside(env: Any) -> list[Any]:
    """Return the environments that an environment holds."""
    attributes = getattr(env, "__dict__", {})
    for name in INNER:
        if name in attributes:
            return [attributes[name]]
    if "envs" in attributes:
        return list(attributes["envs"])
    # Environments in other processes: the same functions make them here.
    return [make() for make in dict.fromkeys(attributes.get("env_fns", ()))]


def _game_and_encoding(env: Any) -> tuple[Any, Any]:
    """Return the game and the encoding of an innermost environment, or of those elsewhere.

    Stable-Baselines3 has vectors of environments in other processes, and tells what wraps them.
    """
    names = ("game", "encoding")
    if all(getattr_static(env, name, None) is not None for name in names):
        return env.game, env.encoding
    if hasattr(env, "get_attr") and hasattr(env, "env_is_wrapped"):
        with suppress(AttributeError):
            (game, *_), (encoding, *_) = (env.get_attr(name) for name in names)
            return game, encoding
    return None, None
