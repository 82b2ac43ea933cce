"""Sums of generators, written as numbers of copies."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from agents.base import HypothesisError
from agents.research.quotients.parts import Parts
from nim_envs.cgt.misere_quotients.parts import Word

Counts = npt.NDArray[np.uint8]
"""``(generators,)`` or ``(n, generators)``: copies of each generator in a sum."""

MOST = 255
"""Most copies of a generator in a sum."""


class Generators:
    """Parts that generate all sums up to equivalence, given equations between sums.

    An equation says that a single part, which is then no generator, is a sum of earlier ones; or
    that a number of copies of a part is a smaller number of them.

    Attributes:
        chosen: the generators, ascending.
    """

    def __init__(self, parts: Parts, last: int, equations: Mapping[Word, Word]) -> None:
        self._alike = {left[0]: right for left, right in equations.items() if len(left) == 1}
        self.chosen = [part for part in range(last + 1) if part not in self._alike]
        self._column = {part: column for column, part in enumerate(self.chosen)}
        size = len(self.chosen)
        self._columns = np.arange(size)
        self._single = np.eye(size, dtype=np.int64)
        self._folded = np.tile(np.arange(MOST + 1, dtype=np.uint8), (size, 1))
        for left, right in equations.items():
            if len(left) > 1 and left[0] in self._column:
                counts, period = np.arange(len(right), MOST + 1), len(left) - len(right)
                folded = len(right) + (counts - len(right)) % period
                self._folded[self._column[left[0]], len(right) :] = folded
        self._lengths = np.array([parts.lengths[part] for part in self.chosen])
        self._after = [self._moves(parts, part) for part in self.chosen]

    def _moves(self, parts: Parts, part: int) -> npt.NDArray[np.int64]:
        """Return the change in the numbers of copies by each move in a generator."""
        left = [self._added(word) for word in parts.options[part]]
        after = np.unique(np.array(left, dtype=np.int64), axis=0)
        return np.asarray(after - self._single[self._column[part]])

    def _added(self, word: Word) -> npt.NDArray[np.int64]:
        copies = np.zeros(len(self.chosen), dtype=np.int64)
        waiting = list(word)
        while waiting:
            part = waiting.pop()
            if part in self._column:
                copies[self._column[part]] += 1
            else:
                waiting += self._alike[part]
        return copies

    def folded(self, copies: npt.NDArray[np.int64]) -> Counts:
        """Return the smallest equivalent numbers of copies, ``(..., generators)``."""
        try:
            return self._folded[self._columns, copies]
        except IndexError:
            raise HypothesisError(f"more than {MOST} copies of a state matter") from None

    def of(self, word: Word) -> Counts:
        """Return a sum of parts as numbers of copies of the generators."""
        return self.folded(self._added(word))

    def options(self, position: bytes) -> list[bytes]:
        """Return the options of a sum of generators; sums are the bytes of their copies."""
        copies = np.frombuffer(position, dtype=np.uint8).astype(np.int64)
        after = [copies + self._after[column] for column in np.flatnonzero(copies).tolist()]
        if not after:
            return []
        data, size = self.folded(np.concatenate(after)).tobytes(), len(copies)
        return list(
            dict.fromkeys(data[place : place + size] for place in range(0, len(data), size))
        )

    def word(self, copies: npt.NDArray[np.integer]) -> Word:
        """Return a sum of generators as its parts."""
        return tuple(np.repeat(self.chosen, copies).tolist())

    def length(self, copies: npt.NDArray[np.integer]) -> int:
        """Return the number of moves in the longest play of a sum of generators."""
        return int(copies @ self._lengths)
