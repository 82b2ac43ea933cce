"""Misère quotients: who wins misère play of any sum of a game's heaps, in one finite table.

Two positions are *indistinguishable* if, whatever sum of the game's heaps is added to both, the
same player wins. The classes of positions are a commutative monoid, the misère quotient; where it
is finite, the element of a position of any number of heaps says who wins.

References:
    T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
    Combinatorial Theory A* 115 (2008), 593-622.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.rules.convention import Convention
from nim_envs.rules.octal_codes import HeapGame
from nim_envs.rules.validation import checked_integer
from nim_envs.theory.heap_search import LARGEST_MEMO, Heaps, HeapSearch, checked_heaps

LARGEST_ORDER = 512
"""Default limit of the elements of a quotient."""


@dataclass(frozen=True)
class MisereQuotient:
    """The misère quotient of the heaps of a game up to some size.

    Its elements are the numbers from 0, the class of the empty position.

    Attributes:
        game: the game.
        largest: the largest heap.
        elements: the element of a single heap of each size from 0 to ``largest``.
        times: ``times[element][heap]`` is the element of a position of class ``element`` and one
            more heap.
        lost: the elements of the P-positions.
        representatives: a position of each class.
    """

    game: HeapGame
    largest: int
    elements: tuple[int, ...]
    times: tuple[tuple[int, ...], ...]
    lost: frozenset[int]
    representatives: tuple[Heaps, ...]

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.times)

    def element(self, heaps: Sequence[int]) -> int:
        """Return the element of a position.

        Args:
            heaps: objects in each heap, ``largest`` at most.

        Raises:
            InvalidPositionError: a heap is larger, negative or not an integer.
        """
        element = 0
        for heap in checked_heaps(heaps):
            if heap > self.largest:
                raise InvalidPositionError(
                    f"the quotient is of heaps of 0 to {self.largest}, not {heap}"
                )
            element = self.times[element][heap]
        return element

    def is_winning(self, heaps: Sequence[int]) -> bool:
        """Return whether the player to move wins misère play with correct play.

        Raises:
            InvalidPositionError: a heap is larger than ``largest``, negative or not an integer.
        """
        return self.element(heaps) not in self.lost

    @cached_property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """The table of products: ``products[x][y]`` is the class of a sum of positions."""
        rows = []
        for x in range(self.order):
            row = []
            for position in self.representatives:
                element = x
                for heap in position:
                    element = self.times[element][heap]
                row.append(element)
            rows.append(tuple(row))
        return tuple(rows)


def misere_quotient(
    game: HeapGame | str,
    largest: int,
    *,
    limit: int = LARGEST_ORDER,
    memo_limit: int = LARGEST_MEMO,
) -> MisereQuotient:
    """Return the misère quotient of the heaps of ``game`` up to ``largest``, with proof.

    The quotient is guessed from outcomes that an exhaustive search finds, and the guess is then
    proven, or refuted by a position that shows how to guess better (after D. Angluin, "Learning
    regular sets from queries and counterexamples", *Information and Computation* 75 (1987),
    87-106). The proof is that the guessed outcomes obey the rule that makes the
    outcomes: a position other than the empty one is lost where no option is, and the empty one
    is won. The elements of a position and of its options together take finitely many values, the
    *transition algebra* of Plambeck and Siegel, of which those with the fewest options suffice.

    Args:
        game: a heap game, or the name of one.
        largest: the largest heap.
        limit: most elements.
        memo_limit: most positions in the table of the search.

    Raises:
        InvalidGameError: ``game`` is not a heap game, or ``largest`` is not an integer of at
            least 0.
        SearchTooLargeError: the quotient has more elements than ``limit``, or is infinite; or the
            table of the search would be too large.

    Example:
        >>> quotient = misere_quotient("nim", 3)
        >>> quotient.order, quotient.is_winning([3, 2, 1] * 100), quotient.is_winning([1] * 99)
        (6, False, False)
    """
    largest = checked_integer("largest", largest, 0)
    search = _Search(game, memo_limit)
    guess = _Guess(search, limit)
    for heap in range(1, largest + 1):
        if search.heap_options(heap):
            guess.add_heap(heap)
            while (refuted := guess.refutation()) is not None:
                guess.learn(refuted)
        search.proven = guess.quotient(heap)
    return guess.quotient(largest)


class _Search(HeapSearch):
    """A search in misère play that stops where a quotient already proven gives the outcome."""

    def __init__(self, game: HeapGame | str, limit: int) -> None:
        super().__init__(game, Convention.MISERE, limit)
        self.proven: MisereQuotient | None = None

    def known(self, position: Heaps) -> bool | None:
        proven = self.proven
        if proven is None or (position and position[-1] > proven.largest):
            return self._winning.get(position)
        element = 0
        for heap in position:
            element = proven.times[element][heap]
        return element not in proven.lost


class _Guess:
    """A quotient guessed from outcomes: its classes are those that some tests distinguish."""

    def __init__(self, search: HeapSearch, limit: int) -> None:
        self.search = search
        self.limit = limit
        self.heaps: list[int] = []
        self.tests: list[Heaps] = [()]
        self.rows: dict[Heaps, tuple[bool, ...]] = {}
        self.representatives: list[Heaps] = []
        self.times: list[dict[int, int]] = []
        self.rebuild()

    def add_heap(self, heap: int) -> None:
        """Take positions with heaps of one more size into account."""
        self.heaps.append(heap)
        self.rebuild()

    def rebuild(self) -> None:
        """Find the classes, with more tests until those do not contradict each other."""
        self.close()
        while (test := self.contradiction()) is not None:
            self.tests.append(test)
            self.close()

    def row(self, position: Heaps) -> tuple[bool, ...]:
        """Return who wins a position with each of the tests added."""
        row = self.rows.get(position, ())
        if len(row) < len(self.tests):
            row += tuple(self.search.wins(position + test) for test in self.tests[len(row) :])
            self.rows[position] = row
        return row

    def close(self) -> None:
        """Find the classes that the tests distinguish, and their products with single heaps."""
        numbers = {self.row(()): 0}
        self.representatives, self.times = [()], []
        for position in self.representatives:  # which grows meanwhile
            following = {}
            for heap in self.heaps:
                longer = tuple(sorted((*position, heap)))
                following[heap] = numbers.setdefault(self.row(longer), len(numbers))
                if following[heap] == len(self.representatives):
                    self.representatives.append(longer)
            self.times.append(following)
            if len(numbers) > self.limit:
                raise SearchTooLargeError(
                    f"the misère quotient of {self.search.game.name} with heaps up to "
                    f"{self.heaps[-1]} has more than {self.limit} elements, which is the limit"
                )

    def contradiction(self) -> Heaps | None:
        """Return a new test where adding two heaps leads to another class in the other order."""
        for element, position in enumerate(self.representatives):
            for heap, other in combinations(self.heaps, 2):
                after = self.product(element, (heap, other))
                otherwise = self.product(element, (other, heap))
                if after == otherwise:
                    continue
                # Some test distinguishes the two classes, and gives one a wrong outcome.
                first, second = (self.row(self.representatives[x]) for x in (after, otherwise))
                number = [one != two for one, two in zip(first, second, strict=True)].index(True)
                test = self.tests[number]
                right = self.search.wins((*position, heap, other, *test)) == first[number]
                return (heap if right else other, *test)
        return None

    def product(self, element: int, position: Heaps) -> int:
        """Return the class of a position of class ``element`` and ``position`` together."""
        for heap in position:
            element = self.times[element][heap]
        return element

    def refutation(self) -> Heaps | None:
        """Return a position whose outcome is guessed wrongly; ``None``: there is none, by proof."""
        lost = {x for x, position in enumerate(self.representatives) if not self.row(position)[0]}
        options = {heap: self.search.heap_options(heap) for heap in self.heaps}
        after_option = {
            (element, heap): frozenset(self.product(element, option) for option in options[heap])
            for element in range(len(self.times))
            for heap in self.heaps
        }
        # No lost position has a lost option.
        for (element, heap), reached in after_option.items():
            if self.times[element][heap] in lost and reached & lost:
                return self.wrong((*self.representatives[element], heap))
        # Every other one has: of the positions of a class those with the fewest options are
        # enough, as what is added to a position adds to all of them alike.
        fewest: list[dict[frozenset[int], Heaps]] = [{} for _ in self.times]
        fewest[0][frozenset()] = ()
        waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        while waiting:
            element, reached = waiting.pop()
            example = fewest[element].get(reached)
            if example is None:
                continue
            for heap in self.heaps:
                after = self.times[element][heap]
                now = after_option[element, heap].union(self.times[x][heap] for x in reached)
                position = (*example, heap)
                if after not in lost and not now & lost:
                    return self.wrong(position)
                if any(known <= now for known in fewest[after]):
                    continue
                fewest[after] = {
                    known: other for known, other in fewest[after].items() if not now <= known
                }
                fewest[after][now] = position
                waiting.append((after, now))
        return None

    def wrong(self, position: Heaps) -> Heaps:
        """Return ``position`` or an option of it, whichever has an outcome not as guessed."""
        canonical = self.search.canonical(position)
        for one in (canonical, *self.search.options(canonical)):
            representative = self.representatives[self.product(0, one)]
            if self.search.wins(one) != self.search.wins(representative):
                return one
        raise AssertionError(f"the guess agrees with the rules at {position}")

    def learn(self, position: Heaps) -> None:
        """Add the test that a position whose outcome is guessed wrongly brings to light.

        Heap by heap the position is replaced by the representative of its class; at some heap that
        changes who wins, and what is left of the position is the test.
        """
        element, rest = 0, position
        truth = self.search.wins(position)
        while True:
            heap, rest = rest[0], rest[1:]
            element = self.times[element][heap]
            if self.search.wins(self.representatives[element] + rest) != truth:
                self.tests.append(rest)
                self.rebuild()
                return

    def quotient(self, largest: int) -> MisereQuotient:
        """Return the guess, once it is proven."""
        times = tuple(
            tuple(following.get(heap, element) for heap in range(largest + 1))
            for element, following in enumerate(self.times)
        )
        game = self.search.game
        assert isinstance(game, HeapGame)  # this search was made for one
        return MisereQuotient(
            game=game,
            largest=largest,
            elements=times[0],
            times=times,
            lost=frozenset(
                x for x, position in enumerate(self.representatives) if not self.row(position)[0]
            ),
            representatives=tuple(self.representatives),
        )
