"""Genus of heaps: their Grundy value and their misère Grundy values with heaps of 2 added.

References:
    J. H. Conway, *On Numbers and Games*, ch. 12; *Winning Ways*, ch. 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import xor

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.octal_codes import HeapGame, heap_game
from nim_envs.rules.validation import checked_integer
from nim_envs.theory.nimbers import mex
from nim_envs.theory.quotients.heaps import HeapQuotients
from nim_envs.theory.quotients.refinement import (
    Limits,
    TooManyClassesError,
    Word,
    refine,
)
from nim_envs.theory.quotients.search import LARGEST_ORDER, QuotientSearch

MOST_GUESSES = 300
"""Guesses after which a misère Grundy value is given up."""


@dataclass(frozen=True)
class Genus:
    """The genus of a position.

    Attributes:
        normal: its Grundy value.
        misere: its misère Grundy values with 0, 1, 2, ... Nim heaps of 2 added. After those
            listed the last two alternate for ever; they differ by a nim-sum with 2.

    Example:
        >>> str(Genus(0, (1, 2, 0)))
        '0^120'
    """

    normal: int
    misere: tuple[int, ...]

    @property
    def is_tame(self) -> bool:
        """Whether some position of Nim has this genus."""
        of_nim: list[tuple[int, ...]] = [(self.normal, self.normal ^ 2)]
        if self.normal <= 1:  # of heaps of at most 1, or with a larger one beside
            of_nim.append((1 - self.normal, self.normal ^ 2, self.normal))
        return self.misere in of_nim

    def __str__(self) -> str:
        """Return the usual symbol, the misère values as a superscript."""
        separator = "" if max(self.misere) < 10 else ","
        return f"{self.normal}^{separator.join(map(str, self.misere))}"


def heap_genera(
    game: HeapGame | str, largest: int, *, limit: int = LARGEST_ORDER
) -> tuple[Genus | None, ...]:
    """Return the genus of each heap from 0 to ``largest``; ``None`` where it was not found.

    A misère Grundy value is the mex of those of the options, and 1 without a move. Positions of
    value 0 are the P-positions; those of value ``v`` are then, one value after the other, those
    not of a smaller value of which no option has value ``v``. Each value is thus a property that
    refines the classes of a misère quotient, with Nim heaps of 2 among its parts. It is not found
    where these classes are too many, or perhaps infinitely many.

    Args:
        game: a heap game, or the name of one.
        largest: the largest heap.
        limit: most classes of positions.

    Raises:
        InvalidGameError: ``game`` is not a heap game, or ``largest`` is not an integer of at
            least 0.

    Example:
        >>> [str(genus) for genus in heap_genera("kayles", 6)]
        ['0^120', '1^031', '2^20', '3^31', '1^031', '4^146', '3^31']
    """
    rule = heap_game(game) if isinstance(game, str) else game
    largest = checked_integer("largest", largest, 0)
    search = QuotientSearch(limit)
    one = search.add([()])
    two = search.add([(), (one,)])
    heaps = HeapQuotients([rule], search=search)
    values = _MisereValues(search, two)
    normal: list[int] = []
    found: list[Genus | None] = []
    for heap in range(largest + 1):
        options = rule.options(heap)
        normal.append(mex(reduce(xor, (normal[left] for left in option), 0) for option in options))
        try:
            heaps.extend({rule: heap})
        except SearchTooLargeError:
            found += [None] * (largest + 1 - heap)
            break
        misere = values.of(heaps.word(rule, (heap,)))
        found.append(None if misere is None else Genus(normal[heap], misere))
    return tuple(found)


class _MisereValues:
    """Misère Grundy values of positions, with heaps of 2 added.

    Args:
        search: the quotient of all parts so far.
        two: the part that is a Nim heap of 2.
    """

    def __init__(self, search: QuotientSearch, two: int) -> None:
        self._search, self._two = search, two
        # With more parts, what was too much before is too much again.
        self._most: int | None = None
        self._begin()

    def _begin(self) -> None:
        """Start with the classes of the search, of which only those of value 0 are known."""
        refined = self._search.refined
        self._known_of, self._classes = refined.classes.products, refined.classes
        self._values, self._value = np.where(refined.lost, 0, -1), 0

    def of(self, word: Word) -> tuple[int, ...] | None:
        """Return the values of a position with 0, 1, 2, ... heaps of 2 added."""
        base = self._search.refined.classes
        if self._known_of is not base.products or self._classes.order != base.order:
            self._begin()
        else:
            self._classes = base  # the same classes, with those of more parts
        while True:
            wanted = self._with_twos(self._classes.of(word))
            if (self._values[wanted] >= 0).all():
                return self._until_it_alternates(wanted)
            if self._value + 1 == self._most:
                return None
            self._value += 1
            try:
                limits = Limits(self._search.limit, MOST_GUESSES)
                refined = refine(self._classes, self._values >= 0, limits)
            except (TooManyClassesError, SearchTooLargeError):
                self._most = self._value
                self._value -= 1
                return None
            self._classes = refined.classes
            self._values = np.where(refined.lost, self._value, self._values[refined.coarser])

    def _with_twos(self, element: int) -> list[int]:
        """Return the class with 0, 1, 2, ... heaps of 2 added, up to the last new one."""
        seen: list[int] = []
        while element not in seen:
            seen.append(element)
            element = self._with_two(element)
        return seen

    def _with_two(self, element: int) -> int:
        classes = self._classes
        return int(classes.products[element, classes.elements[self._two]])

    def _until_it_alternates(self, elements: list[int]) -> tuple[int, ...]:
        """Return the values of classes, without the repetitions at the end."""
        cycle = elements[elements.index(self._with_two(elements[-1])) :]
        sequence = self._values[elements + cycle * 2].tolist()
        last = len(sequence) - 1
        while last and sequence[last] == sequence[last - 1] ^ 2:
            last -= 1
        return tuple(sequence[: last + 2])
