"""The game of an environment, and games in words."""

import hashlib
from typing import Any

from nim_envs import Game


def game_of(env: Any) -> Game | None:
    """Return the game of an environment of ``nim_envs``, wrapped or not; else ``None``."""
    game = getattr(env.unwrapped, "game", None)
    return game if isinstance(game, Game) else None


def required_game(env: Any, learner: type) -> Game:
    """Return the game of an environment, for a learner that chooses its own games."""
    game = game_of(env)
    if game is None:
        raise TypeError(
            f"{learner.__name__} chooses its own games by the rules: it needs an environment of "
            f"nim_envs, not {env!r}"
        )
    return game


def same_game(one: Game, other: Game) -> bool:
    """Return whether two games have the same moves and winners; their starts may differ."""
    if (one.parts, one.misere) == (other.parts, other.misere):
        return True
    return digest_of_moves(one) == digest_of_moves(other)


def digest_of_moves(game: Game) -> str:
    """Return a digest of the positions, moves and winners of a game."""
    digest = hashlib.sha256(repr((len(game.parts), game.misere)).encode())
    for part in game.parts:
        for array in (part.coordinates, part.after, part.second, part.outcome):
            if array is not None:
                digest.update(repr((array.shape, array.dtype)).encode() + array.tobytes())
    return digest.hexdigest()[:16]


def scored_positions(game: Game) -> str:
    """Return the name of the positions that scores count."""
    return "positions that are not lost" if game.has_outcome else "N-positions"
