"""Arrays for the observations of a batch, in memory that is used again."""

from __future__ import annotations

import weakref

import numpy as np

from nim_envs.envs.vector.tables import WORD_BYTES, WordArray

REUSED_BYTES = 1 << 22
"""Bytes of an array from which on its memory is used again. The operating system takes large pieces
of memory back and fills them with zeros before they are given out anew, which takes longer than
writing observations to them."""

MOST_FREE_PIECES = 2


class RowMemory:
    """New arrays of rows, in the memory of earlier ones that nothing refers to any more.

    Args:
        games: number of rows of an array.
        words: 64-bit words of a row.
    """

    def __init__(self, games: int, words: int) -> None:
        self._shape = games, words
        self._free: list[memoryview] = []

    def new_rows(self) -> WordArray:
        """Return an array uint64 ``(games, words)`` with any contents."""
        games, words = self._shape
        if games * words * WORD_BYTES < REUSED_BYTES:
            return np.empty(self._shape, dtype=np.uint64)
        memory = self._free.pop() if self._free else np.empty(games * words, dtype=np.uint64).data
        # NumPy lets a view of a view refer to the first array. That is this one, as its memory is
        # given as a memoryview and not as an array: so it lives as long as any of its views.
        owner = np.frombuffer(memory, dtype=np.uint64)
        weakref.finalize(owner, _give_back, self._free, memory).atexit = False
        return owner.reshape(self._shape)


def _give_back(free: list[memoryview], memory: memoryview) -> None:
    """Add ``memory`` to ``free``, unless enough is free already."""
    if len(free) < MOST_FREE_PIECES:
        free.append(memory)
