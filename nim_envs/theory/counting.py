"""Perft: count the plays of a game, the usual test of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nim_envs.rules.rules import Rules


def perft(rules: Rules, depth: int, position: Sequence[int] | None = None) -> int:
    """Return the number of sequences of exactly ``depth`` legal moves.

    Args:
        rules: moves and initial position.
        depth: number of moves.
        position: position to start from; the initial position by default.

    Returns:
        The exact number, however large.

    Raises:
        InvalidPositionError: ``position`` is not a position of this game.

    Example:
        >>> from nim_envs.rules import nim
        >>> [perft(nim(heaps=(1, 2)), depth) for depth in range(5)]
        [1, 3, 5, 3, 0]
    """
    return sum(_frontier(rules, depth, position)[0].values())


def count_games(rules: Rules, position: Sequence[int] | None = None) -> int:
    """Return the number of distinct complete games: sequences of moves to a terminal position.

    Args:
        rules: moves and initial position.
        position: position to start from; the initial position by default.

    Raises:
        InvalidPositionError: ``position`` is not a position of this game.

    Example:
        >>> from nim_envs.rules import nim
        >>> count_games(nim(heaps=(5,), max_take=3))
        13
    """
    return _frontier(rules, None, position)[1]


def _frontier(
    rules: Rules, depth: int | None, position: Sequence[int] | None
) -> tuple[Counter[tuple[int, ...]], int]:
    """Count sequences of ``depth`` moves by their last position, and shorter complete games."""
    start = rules.checked_positions(rules.initial if position is None else position)
    sequences: Counter[tuple[int, ...]] = Counter({tuple(start.tolist()): 1})
    ended = 0
    moves_made = 0
    while sequences and moves_made != depth:
        following: Counter[tuple[int, ...]] = Counter()
        for state, count in sequences.items():
            here = np.array(state, dtype=np.int64)
            actions = np.flatnonzero(rules.action_mask(here))
            if not len(actions):
                ended += count
                continue
            after = rules.step(np.broadcast_to(here, (len(actions), len(here))), actions)
            for successor in after.tolist():
                following[tuple(successor)] += count
        sequences = following
        moves_made += 1
    return sequences, ended
