"""Positions to check, and an exhaustive search of small boards by the rules' own steps."""

from __future__ import annotations

import numpy as np

from nim_envs.errors import ConformanceError
from nim_envs.rules.convention import AnyConvention
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray, ValueArray

LARGEST_BOARD = 1 << 18
"""Most (position, action) pairs of boards that are checked completely."""


def spread(count: int, most: int) -> IntArray:
    """Return the integers below ``count``, or ``most`` of them evenly spread, with both ends."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


class Play:
    """All positions of a small board and all moves between them, as ``rules.step`` makes them.

    Its results use nothing but the rules, position by position: no theorem, no sum.

    Args:
        rules: rules of the game.

    Attributes:
        rules: rules of the game.
        positions: ``(n, components)``, in mixed-radix order.
        sources: row of ``positions`` before each move, ``(moves,)``.
        actions: action of each move, ``(moves,)``.
        targets: row of ``positions`` after each move, ``(moves,)``.
        lengths: number of moves of the longest play from each position, ``(n,)``.
        moves: the moves, as indices of ``sources``, by ``lengths`` of their source, from 1 on.

    Raises:
        ConformanceError: a move leads to no position, or the moves form a cycle.

    Example:
        >>> from nim_envs.rules import Convention, nim
        >>> Play(nim(heaps=(1, 1))).values(Convention.NORMAL).tolist()
        [-1, 1, 1, -1]
    """

    def __init__(self, rules: Rules) -> None:
        self.rules, self.positions = rules, rules.lattice()
        count = len(self.positions)
        self.sources, self.actions = np.nonzero(rules.action_mask(self.positions))
        after = rules.step(self.positions[self.sources], self.actions)
        outside = np.asarray(((after < 0) | (after >= np.array(rules.shape))).any(axis=-1))
        inside = np.where(outside[:, np.newaxis], 0, after)
        indices = rules.indices(self.positions)
        reached = rules.indices(inside)
        self.targets = np.minimum(np.searchsorted(indices, reached), count - 1)
        outside |= indices[self.targets] != reached
        if outside.any():
            move = int(outside.argmax())
            before = self.positions[self.sources[move]].tolist()
            raise ConformanceError(
                f"action {self.actions[move]} at {before} leads to {after[move].tolist()}, which "
                "is not a position"
            )
        self.lengths = np.full(count, -1)
        unknown, length = np.ones(count, dtype=np.bool_), 0
        while unknown.any():
            waiting = np.zeros(count, dtype=np.bool_)
            waiting[self.sources[unknown[self.targets]]] = True
            ready = unknown & ~waiting
            if not ready.any():
                start = self.positions[unknown.argmax()].tolist()
                raise ConformanceError(f"the moves form a cycle: play from {start} need not end")
            self.lengths[ready] = length
            unknown &= ~ready
            length += 1
        order = np.argsort(self.lengths[self.sources], kind="stable")
        ends = np.bincount(self.lengths[self.sources], minlength=length).cumsum()
        self.moves = np.split(order, ends)[1:-1]

    def values(self, convention: AnyConvention) -> ValueArray:
        """Return the value of every position to the player to move, int8 ``(n,)``: 1, 0 or -1.

        By backward induction over the moves, from the values at the ends.
        """
        return self.values_from(self.end_values(convention))

    def end_values(self, convention: AnyConvention) -> ValueArray:
        """Return the values of the positions without moves, in their order, int8 ``(ends,)``."""
        return convention.end_values(self.rules, self.positions[self.lengths == 0])

    def values_from(self, end_values: ValueArray) -> ValueArray:
        """Return the value of every position to the player to move, int8 ``(n,)``.

        Args:
            end_values: those of the positions without moves, int8 ``(ends,)``: 1, 0 or -1.
        """
        values = np.full(len(self.positions), -1, dtype=np.int8)
        values[self.lengths == 0] = end_values
        for moves in self.moves:
            np.maximum.at(values, self.sources[moves], -values[self.targets[moves]])
        return values
