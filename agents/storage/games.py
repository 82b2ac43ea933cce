"""The game of an environment, and whether two games are the same."""

from __future__ import annotations

from typing import Any

from nim_envs import Game


def game_of(env: Any) -> Game | None:
    """Return the game of an environment of ``nim_envs``, wrapped or not; ``None`` of others."""
    game = getattr(env.unwrapped, "game", None)
    return game if isinstance(game, Game) else None


def own_game(env: Any, learner: type) -> Game:
    """Return the game of an environment, for a learner that chooses its own games.

    Args:
        env: an environment of ``nim_envs``.
        learner: its class, for the message.

    Raises:
        TypeError: it is another environment.
    """
    game = game_of(env)
    if game is None:
        raise TypeError(
            f"{learner.__name__} chooses its own games by the rules: it needs an environment of "
            f"nim_envs, not {env!r}"
        )
    return game


def same_game(one: Game, other: Game) -> bool:
    """Return whether two games are alike in rules and convention, wherever they start."""
    return (one.rules, one.convention) == (other.rules, other.convention)
