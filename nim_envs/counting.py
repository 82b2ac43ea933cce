"""Perft: count the plays of a game, the usual test of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nim_envs.game import Game


def perft(game: Game, depth: int, position: Sequence[int] | None = None) -> int:
    """Return the number of sequences of exactly ``depth`` legal moves, however large.

    Args:
        game: the game.
        depth: number of moves.
        position: position to start from; the initial one by default.

    Raises:
        InvalidPositionError: ``position`` is not one position of the game.

    Example:
        >>> from nim_envs.games import nim
        >>> [perft(nim(heaps=(1, 2)), depth) for depth in range(5)]
        [1, 3, 5, 3, 0]
    """
    return sum(_sequences(game, depth, position)[0].values())


def count_games(game: Game, position: Sequence[int] | None = None) -> int:
    """Return the number of distinct complete games, sequences of moves to a position without one.

    Arguments and errors are those of :func:`perft`.

    Example:
        >>> from nim_envs.games import nim
        >>> count_games(nim(heaps=(5,), max_take=3))
        13
    """
    return _sequences(game, None, position)[1]


def _sequences(
    game: Game, depth: int | None, position: Sequence[int] | None
) -> tuple[Counter[Any], int]:
    """Count sequences of ``depth`` moves by their last state, and shorter complete games."""
    board: Any = game.board
    sequences = Counter({game.checked_state(game.start if position is None else position): 1})
    ended = made = 0
    while sequences and made != depth:
        following: Counter[Any] = Counter()
        for state, count in sequences.items():
            actions = board.actions(state)
            ended += 0 if actions else count
            for action in actions:
                following[board.move(state, action)] += count
        sequences, made = following, made + 1
    return sequences, ended
