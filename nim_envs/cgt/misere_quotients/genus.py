"""Genus of heaps: the Grundy value, and misère Grundy values with Nim heaps of 2 added.

References:
    J. H. Conway, *On Numbers and Games*, ch. 12; *Winning Ways*, ch. 13. W. L. Sibert and J. H.
    Conway, "Mathematical Kayles", *International Journal of Game Theory* 20 (1992), 237-246: misère
    Kayles solved. D. T. Allemang, "Generalized genus sequences for misère octal games", the same
    30 (2001), 539-556: the genus of further games.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from nim_envs.cgt.misere_quotients.heaps import HeapQuotients
from nim_envs.cgt.misere_quotients.refinement import Limits, TooManyClassesError, refine
from nim_envs.cgt.misere_quotients.search import LARGEST_ORDER, QuotientSearch
from nim_envs.errors import SearchTooLargeError
from nim_envs.games.octal_codes import HeapGame, heap_game
from nim_envs.validation import checked_integer

MOST_GUESSES = 300
"""Most guesses in the computation of a misère Grundy value."""


@dataclass(frozen=True)
class Genus:
    """The genus of a position.

    Attributes:
        normal: Grundy value.
        misere: misère Grundy values with 0, 1, 2, ... Nim heaps of 2 added. After those listed, the
            last two alternate for ever; each is the nim-sum of the other and 2.

    Example:
        >>> str(Genus(0, (1, 2, 0)))
        '0^120'
    """

    normal: int
    misere: tuple[int, ...]

    @property
    def is_tame(self) -> bool:
        """Whether a position of Nim has this genus."""
        of_nim: list[tuple[int, ...]] = [(self.normal, self.normal ^ 2)]
        if self.normal <= 1:  # heaps of at most 1, or also a larger one
            of_nim.append((1 - self.normal, self.normal ^ 2, self.normal))
        return self.misere in of_nim

    def __str__(self) -> str:
        """Return the usual symbol, with the misère values as a superscript."""
        separator = "" if max(self.misere) < 10 else ","
        return f"{self.normal}^{separator.join(map(str, self.misere))}"


def heap_genera(
    game: HeapGame | str, largest: int, *, limit: int = LARGEST_ORDER
) -> tuple[Genus | None, ...]:
    """Return the genus of each heap from 0 to ``largest``; ``None`` where it was not found.

    The misère Grundy value is the mex of the options' values, or 1 if there is no move. P-positions
    have value 0. Values are found in ascending order: a position has value ``v`` if it has no
    smaller one and no option of value ``v``. So each value is a property that refines the classes
    of a misère quotient, with Nim heaps of 2 among its parts. A genus is not found if there are too
    many classes, perhaps infinitely many.

    Args:
        game: a heap game, or the name of one.
        largest: objects in the largest heap.
        limit: most classes of positions.

    Raises:
        InvalidGameError: ``game`` is not a heap game, or ``largest`` is not an integer of at
            least 0.

    Example:
        >>> [str(genus) for genus in heap_genera("kayles", 6)]
        ['0^120', '1^031', '2^20', '3^31', '1^031', '4^146', '3^31']
    """
    rule = heap_game(game)
    largest = checked_integer("largest", largest, 0)
    from nim_envs.cgt.sequences import grundy_sequence

    normal = grundy_sequence(rule, largest + 1).tolist()
    genera: list[Genus | None] = [None] * (largest + 1)
    # First all heaps in one quotient; then each heap not found, in a quotient without larger ones.
    together = _Genera(rule, normal, limit)
    together.add_up_to(largest)
    for heap in range(together.largest + 1):
        genera[heap] = together.of(heap)
    alone = _Genera(rule, normal, limit)
    for heap in range(together.largest + 1):
        if genera[heap] is None:
            alone.add_up_to(heap)
            genera[heap] = alone.of(heap)
            if genera[heap] is None:
                break  # Larger heaps only add classes.
    return tuple(genera)


class _Genera:
    """Genera of single heaps, from the classes of sums of heaps and Nim heaps of 2."""

    def __init__(self, game: HeapGame, normal: list[int], limit: int) -> None:
        self._game = game
        self._normal = normal
        self._search = QuotientSearch(limit)
        one = self._search.add([()])
        self._two = self._search.add([(), (one,)])
        self._heaps = HeapQuotients([game], search=self._search)

    @property
    def largest(self) -> int:
        """The largest heap that was added."""
        return self._heaps.largest

    def add_up_to(self, largest: int) -> None:
        """Add heaps up to ``largest``, or until the quotient is too large."""
        with suppress(SearchTooLargeError):
            while self.largest < largest:
                self._heaps.add_next(self._game)
        # Of the classes of the search, only value 0 is known.
        refined = self._search.refined
        self._classes, self._values = refined.classes, np.where(refined.lost, 0, -1)
        # Values up to ``_value`` are known; ``_last_value`` is the last that can be found, or -1.
        self._value, self._last_value = 0, -1

    def of(self, heap: int) -> Genus | None:
        """Return the genus of a heap that was added, if found."""
        word = self._heaps.word(self._game, (heap,))
        while True:
            wanted = self._with_twos(self._classes.of(word))
            if (self._values[wanted] >= 0).all():
                return Genus(self._normal[heap], self._until_it_alternates(wanted))
            if self._value == self._last_value:
                return None
            try:
                limits = Limits(self._search.limit, MOST_GUESSES)
                refined = refine(self._classes, self._values >= 0, limits)
            except (TooManyClassesError, SearchTooLargeError):
                self._last_value = self._value
                return None
            self._value += 1
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
        """Return the values of classes up to where the last two begin to alternate."""
        cycle = elements[elements.index(self._with_two(elements[-1])) :]
        sequence = self._values[elements + cycle * 2].tolist()
        last = len(sequence) - 1
        while last and sequence[last] == sequence[last - 1] ^ 2:
            last -= 1
        return tuple(sequence[: last + 2])
