"""The game on which a policy is scored, and its encoding, from a game or an environment."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from nim_envs.encoding import Encoding
from nim_envs.game import Game


class ScoredGame(NamedTuple):
    """A game and the encoding of its observations; ``None``: these are positions, int64."""

    game: Game
    encoding: Encoding | None


def scored_game(env_or_game: Any) -> ScoredGame:
    """Return the game to score on and the encoding of its observations.

    Args:
        env_or_game: a game, or an environment of this package: turn-based, Gymnasium or batched,
            possibly wrapped or in a vector environment of Gymnasium or Stable-Baselines3.

    Raises:
        TypeError: neither.
    """
    if isinstance(env_or_game, Game):
        return ScoredGame(env_or_game, None)
    env = getattr(env_or_game, "unwrapped", env_or_game)
    game, encoding = getattr(env, "game", None), getattr(env, "encoding", None)
    if game is None and hasattr(env, "get_attr"):
        # A vector of environments, which may be in other processes.
        with suppress(AttributeError):
            (game, *_), (encoding, *_) = env.get_attr("game"), env.get_attr("encoding")
    if not isinstance(game, Game) or not isinstance(encoding, Encoding):
        raise TypeError(
            "a policy is scored on a nim_envs.Game, or an environment of nim_envs, wrapped or not; "
            f"not on {env_or_game!r}"
        )
    return ScoredGame(game, encoding)
