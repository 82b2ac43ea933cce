"""A quotient of sums: classes, how they add up, and which are lost."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from agents.research.quotients.parts import Parts
from nim_envs.cgt.misere_quotients.parts import Word
from nim_envs.typing import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Quotient:
    """Classes of sums of the first parts of a game: a finite commutative monoid."""

    parts: Parts  # all parts of the game; the first ones have a class
    products: IntArray  # (n, n): class of the sum of two classes; 0 is the empty sum's
    elements: tuple[int, ...]  # class of each of the first parts
    lost: BoolArray  # (n,): whether each class is lost for the player to move
    _after_move: list[IntArray] = field(default_factory=list, repr=False)

    @property
    def order(self) -> int:
        """Number of classes."""
        return len(self.products)

    def of(self, word: Sequence[int]) -> int:
        """Return the class of a sum of parts."""
        element = 0
        for part in word:
            element = int(self.products[element, self.elements[part]])
        return element

    def after_move(self, part: int) -> IntArray:
        """Return the classes of the options of a part that has a class, or of the next part."""
        while len(self._after_move) <= part:
            words = self.parts.options[len(self._after_move)]
            classes = sorted({self.of(word) for word in words})
            self._after_move.append(np.array(classes, dtype=np.int64))
        return self._after_move[part]

    def with_next(self, element: int) -> Quotient:
        """Return the quotient in which the next part has the class ``element``."""
        elements = (*self.elements, element)
        return Quotient(self.parts, self.products, elements, self.lost, self._after_move)

    @cached_property
    def words(self) -> list[Word]:
        """For each class, a sum with the shortest play."""
        steps: dict[int, int] = {}  # for each class, the first part, which has the shortest play
        for part, element in enumerate(self.elements):
            steps.setdefault(element, part)
        words = self.words_of(list(steps.values()))
        return [words[element] for element in range(self.order)]

    def words_of(self, parts: Sequence[int]) -> dict[int, Word]:
        """Return, for each class that ``parts`` generate, a sum of them with the shortest play."""
        lengths = self.parts.lengths
        words: dict[int, Word] = {}
        waiting: list[tuple[int, int, Word, int]] = [(0, 0, (), 0)]
        while waiting:
            length, size, word, element = heapq.heappop(waiting)
            if element in words:
                continue
            words[element] = word
            for part in parts:
                after = int(self.products[element, self.elements[part]])
                if after not in words:
                    longer = tuple(sorted((*word, part)))
                    heapq.heappush(waiting, (length + lengths[part], size + 1, longer, after))
        return words

    @cached_property
    def options(self) -> list[list[int]]:
        """For each of ``words``, the classes of its options."""
        classes = []
        for word in self.words:
            after: set[int] = set()
            for place, part in enumerate(word):
                rest = self.of(word[:place] + word[place + 1 :])
                after.update(self.products[rest, self.after_move(part)].tolist())
            classes.append(sorted(after))
        return classes

    def powers(self, element: int) -> tuple[int, int]:
        """Return the least ``a`` and ``p`` such that ``a`` and ``a + p`` copies have one class."""
        seen: dict[int, int] = {}
        power = 0
        while power not in seen:
            seen[power] = len(seen)
            power = int(self.products[power, element])
        return seen[power], len(seen) - seen[power]
