"""Legal moves in compressed rows; their size is the number of moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.typing import Int32Array, IntArray

MOVE_BYTES = 2 * np.dtype(np.int32).itemsize
"""Bytes of a move: its option and the state after it."""


class MoveRows(NamedTuple):
    """The moves of numbered states, those of one state after those of another.

    Attributes:
        firsts: number of the first move of each state, and last the number of all moves, int64
            ``(states + 1,)``.
        options: option of each move, ascending at each state, int32 ``(moves,)``.
        after: state after each move, int32 ``(moves,)``.
    """

    firsts: IntArray
    options: Int32Array
    after: Int32Array

    @classmethod
    def of(
        cls,
        states: int,
        sources: npt.NDArray[np.integer],
        options: npt.NDArray[np.integer],
        after: npt.NDArray[np.integer],
    ) -> MoveRows:
        """Return moves in any order as rows.

        Args:
            states: number of states.
            sources: state before each move, ``(moves,)``.
            options: option of each move, ``(moves,)``; no two are alike at a state.
            after: state after each move, ``(moves,)``.

        Example:
            >>> rows = MoveRows.of(3, np.array([2, 1, 2]), np.array([1, 0, 0]), np.array([0, 0, 1]))
            >>> rows.firsts.tolist(), rows.options.tolist(), rows.after.tolist()
            ([0, 0, 1, 3], [0, 0, 1], [0, 1, 0])
        """
        num_options = int(options.max(initial=0)) + 1
        order = np.argsort(sources.astype(np.int64) * num_options + options)  # no two are equal
        counts = np.bincount(sources, minlength=states)
        return cls(
            np.concatenate([[0], np.cumsum(counts)]),
            options[order].astype(np.int32, copy=False),
            after[order].astype(np.int32, copy=False),
        )

    @property
    def counts(self) -> IntArray:
        """Number of moves of each state, ``(states,)``."""
        return np.diff(self.firsts)

    @property
    def sources(self) -> Int32Array:
        """State before each move, int32 ``(moves,)``."""
        return np.repeat(np.arange(len(self.firsts) - 1, dtype=np.int32), self.counts)

    def at(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Return the moves of ``states``, ``(n,)``.

        Returns:
            For each move the index in ``states`` of its state, ascending, and its own index.
        """
        counts = self.firsts[states + 1] - self.firsts[states]
        ends = np.cumsum(counts)
        index = np.repeat(np.arange(len(states)), counts)
        shift = self.firsts[states] - (ends - counts)
        return index, np.arange(len(index)) + shift[index]


def by_option(options: npt.NDArray[np.integer], num_options: int) -> Iterator[tuple[int, IntArray]]:
    """Yield each option that occurs, ascending, with the indices where it does, ascending.

    Args:
        options: options below ``num_options``, ``(n,)``.
        num_options: number of options.
    """
    # A stable sort of 16-bit integers is a radix sort.
    small = options.astype(np.uint16) if num_options <= 1 << 16 else options
    order = np.argsort(small, kind="stable")
    distinct, starts = np.unique(options[order], return_index=True)
    ends = [*starts[1:].tolist(), len(order)]
    for option, first, end in zip(distinct.tolist(), starts.tolist(), ends, strict=False):
        yield option, order[first:end]
