"""The game of an environment, and whether two games are the same."""

from __future__ import annotations

from typing import Any

from nim_envs import Game


def game_of(env: Any) -> Game | None:
    """Return the game of an environment of ``nim_envs``, wrapped or not; else ``None``."""
    game = getattr(env.unwrapped, "game", None)
    return game if isinstance(game, Game) else None


def own_game(env: Any, learner: type) -> Game:
    """Return the game of an environment, for a learner that chooses its own games.

    Args:
        env: an environment of ``nim_envs``, wrapped or not.
        learner: class of the learner, for the message.

    Raises:
        TypeError: ``env`` is another environment.
    """
    game = game_of(env)
    if game is None:
        raise TypeError(
            f"{learner.__name__} chooses its own games by the rules: it needs an environment of "
            f"nim_envs, not {env!r}"
        )
    return game


def same_game(one: Game, other: Game) -> bool:
    """Return whether two games have the same rules and convention; their starts may differ."""
    return (one.rules, one.convention) == (other.rules, other.convention)
