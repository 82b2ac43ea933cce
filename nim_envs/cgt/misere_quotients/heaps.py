"""Misère quotients: finite tables that give the winner of misère play of any sum of heaps.

Two positions are *indistinguishable* if, for every sum of the game's heaps added to both, they have
the same winner. The classes of positions form a commutative monoid, the misère quotient. If it is
finite, the element of a position of any number of heaps determines who wins.

References:
    T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
    Combinatorial Theory A* 115 (2008), 593-622.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tqdm import tqdm

from nim_envs.cgt.misere_quotients.periods import QuotientPeriod, may_be_periodic, periodic_from
from nim_envs.cgt.misere_quotients.search import LARGEST_ORDER, QuotientSearch
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.games.octal_codes import HeapGame, heap_game
from nim_envs.typing import IntArray
from nim_envs.validation import checked_integer

Heaps = tuple[int, ...]

LARGEST_UNPERIODIC = 500
"""Largest heap up to which a period is sought."""

PROGRESS_DELAY = 1.0
"""Seconds before a progress bar appears."""


@dataclass(frozen=True, eq=False, repr=False)
class MisereQuotient:
    """The misère quotient of the heaps of a game: up to some size, or of all sizes.

    Its elements are numbered from 0, the class of the empty position.

    Attributes:
        game: rule of the heaps.
        largest: objects in the largest heap added.
        elements: the element of a single heap of each size from 0 to ``largest``.
        products: the class of the sum of positions of two classes, ``(order, order)``.
        lost: the elements of the P-positions.
        representatives: a position of each class.
        period: period of the elements of all heaps; ``None`` if none is proven.
    """

    game: HeapGame
    largest: int
    elements: tuple[int, ...]
    products: IntArray
    lost: frozenset[int]
    representatives: tuple[Heaps, ...]
    period: QuotientPeriod | None

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.products)

    def __repr__(self) -> str:
        """Return a line without the tables."""
        return (
            f"MisereQuotient(game={self.game.name!r}, largest={self.largest}, "
            f"order={self.order}, period={self.period})"
        )

    def element(self, heaps: Sequence[int]) -> int:
        """Return the element of a position.

        Args:
            heaps: objects in each heap, at most ``largest`` if no period is proven.

        Raises:
            InvalidPositionError: a heap is larger, negative or not an integer.
        """
        element = 0
        for heap in checked_heaps(heaps):
            if heap > self.largest:
                if self.period is None:
                    raise InvalidPositionError(
                        f"the quotient is of heaps of 0 to {self.largest}, not {heap}"
                    )
                heap = int(self.period.folded(heap))
            element = int(self.products[element, self.elements[heap]])
        return element

    def is_winning(self, heaps: Sequence[int]) -> bool:
        """Return whether the player to move wins misère play with correct play.

        Raises:
            InvalidPositionError: a heap is larger than ``largest`` and no period is proven, or
                negative or not an integer.
        """
        return self.element(heaps) not in self.lost

    def winning_moves(self, heaps: Sequence[int]) -> list[tuple[int, Heaps]]:
        """Return the moves to a P-position.

        Args:
            heaps: objects in each heap.

        Returns:
            For each move the index of its heap in ``heaps``, and the heaps that it leaves.

        Raises:
            InvalidPositionError: as :meth:`is_winning`.
        """
        position = checked_heaps(heaps)
        rests = [
            self.element(position[:place] + position[place + 1 :]) for place in range(len(position))
        ]
        return [
            (place, option)
            for place, heap in enumerate(position)
            for option in self.game.options(heap)
            if self.products[rests[place], self.element(option)] in self.lost
        ]


def misere_quotient(
    game: HeapGame | str,
    largest: int | None = None,
    *,
    limit: int = LARGEST_ORDER,
    progress: bool = False,
) -> MisereQuotient:
    """Return the misère quotient of the heaps of ``game``, with proof.

    Each heap added refines the classes of sums as far as necessary, without a search of positions;
    see :func:`nim_envs.cgt.misere_quotients.refinement.refine`. Separate code then proves the
    result: the empty position is won, and any other is lost exactly if none of its options is.

    No further heaps are added once the theorem on periodic quotients proves that the quotient is
    that of all heaps; see :mod:`nim_envs.cgt.misere_quotients.periods`.

    Args:
        game: a heap game, or the name of one.
        largest: the largest heap; ``None``: all heaps.
        limit: most elements.
        progress: whether to show a progress bar on the standard error.

    Raises:
        InvalidGameError: ``game`` is not a heap game; ``largest`` is not an integer of at
            least 0, or ``None`` in a game whose digits repeat or that leaves unequal heaps.
        SearchTooLargeError: the quotient has more elements than ``limit``, or is infinite; or the
            quotient of all heaps was wanted and no period was found.

    Example:
        >>> quotient = misere_quotient("nim", 3)
        >>> quotient
        MisereQuotient(game='0.(3)', largest=3, order=6, period=None)
        >>> quotient.order, quotient.is_winning([3, 2, 1] * 100), quotient.is_winning([1] * 99)
        (6, False, False)
        >>> kayles = misere_quotient("kayles")
        >>> kayles.order, kayles.period, kayles.is_winning([10**9, 10**12])
        (40, QuotientPeriod(start=71, length=12), False)
    """
    search = HeapQuotients([game], limit)
    search.extend(largest, progress=progress)
    return search.quotient(search.games[0])


class HeapQuotients:
    """The misère quotient of sums of heaps of one or more games, heap by heap.

    If :meth:`extend` is interrupted or exceeds the limit, earlier results stay.

    Args:
        games: heap games, or their names; sums may mix their heaps.
        limit: most elements.
        search: a search to add the heaps to, which may have other parts; by default a new one.

    Example:
        >>> search = HeapQuotients(["kayles", "dawsons_kayles"])
        >>> search.extend(7)
        >>> search.quotient(search.games[0]).order
        12
    """

    def __init__(
        self,
        games: Iterable[HeapGame | str],
        limit: int = LARGEST_ORDER,
        search: QuotientSearch | None = None,
    ) -> None:
        self.games = tuple(map(heap_game, games))
        self.search = QuotientSearch(limit) if search is None else search
        # Index of the part by heap size; None for heaps without a move.
        self.parts: dict[HeapGame, list[int | None]] = {game: [] for game in self.games}

    @property
    def largest(self) -> int:
        """The largest heap up to which the quotient is known for all games."""
        return min(map(len, self.parts.values())) - 1

    def extend(
        self, largest: int | Mapping[HeapGame, int] | None, *, progress: bool = False
    ) -> None:
        """Add heaps up to ``largest``, or until a period gives the classes of all heaps.

        Args:
            largest: the largest heap, of all games or of each; ``None``: all heaps.
            progress: whether to show a progress bar on the standard error.

        Raises:
            InvalidGameError: ``largest`` is not an integer of at least 0, or ``None`` in a game
                whose digits repeat or that leaves unequal heaps.
            SearchTooLargeError: the quotient has too many elements; or ``largest`` is ``None``,
                and no period was found.
        """
        last = self._last(largest)
        names = " + ".join(game.name for game in self.games)
        first = min(map(len, self.parts.values()))
        heaps = range(first, max(last.values()) + 1)
        hidden = None if progress else True
        for heap in tqdm(heaps, names, unit="heap", delay=PROGRESS_DELAY, disable=hidden):
            if all(len(self.parts[game]) > last[game] or self.period(game) for game in self.games):
                return
            for game, parts in self.parts.items():
                if len(parts) == heap <= last[game]:
                    try:
                        self.add_next(game)
                    except SearchTooLargeError as error:
                        raise SearchTooLargeError(
                            f"misère play of {names} with heaps up to {heap}: {error}; heaps up to "
                            f"{heap - 1} have a quotient of order {self.search.order}"
                        ) from None
        if largest is None and not all(self.period(game) for game in self.games):
            raise SearchTooLargeError(
                f"the misère quotient of {names} with heaps up to {LARGEST_UNPERIODIC}, which is "
                f"the limit, has order {self.search.order}, and no period of it is "
                "proven"
            )

    def _last(self, largest: int | Mapping[HeapGame, int] | None) -> dict[HeapGame, int]:
        """Return the largest wanted heap of each game."""
        if isinstance(largest, Mapping):
            return {game: checked_integer("largest", largest[game], 0) for game in self.games}
        if largest is not None:
            return dict.fromkeys(self.games, checked_integer("largest", largest, 0))
        for game in self.games:
            if not may_be_periodic(game):
                raise InvalidGameError(
                    f"the theorem on periodic quotients is not about {game.name}: say up to "
                    "which heap its quotient is wanted"
                )
        return dict.fromkeys(self.games, LARGEST_UNPERIODIC)

    def add_next(self, game: HeapGame) -> None:
        """Add the next larger heap of a game.

        Raises:
            SearchTooLargeError: the quotient has too many elements.
        """
        parts = self.parts[game]
        options = [self.word(game, option) for option in game.options(len(parts))]
        parts.append(self.search.add(options) if options else None)

    def word(self, game: HeapGame, heaps: Sequence[int]) -> Heaps:
        """Return heaps of a game as parts of the search."""
        parts = (self.parts[game][heap] for heap in heaps)
        return tuple(part for part in parts if part is not None)

    def elements(self, game: HeapGame) -> tuple[int, ...]:
        """Return the element of each heap of a game that was added."""
        of_parts = self.search.refined.classes.elements
        return tuple(0 if part is None else of_parts[part] for part in self.parts[game])

    def period(self, game: HeapGame) -> QuotientPeriod | None:
        """Return the proven period of a game's heaps, if there is one."""
        return periodic_from(game, self.elements(game))

    def quotient(self, game: HeapGame) -> MisereQuotient:
        """Return the quotient of the heaps added so far, with the elements of heaps of ``game``.

        Its products are those of sums of all games. It has no representatives if there is more
        than one game.

        Raises:
            SearchTooLargeError: it has more elements than the limit.
        """
        quotient = self.search.quotient()
        parts = self.parts[game]
        sizes = {part: heap for heap, part in reversed(list(enumerate(parts))) if part is not None}
        only = len(self.games) == 1 and len(sizes) == len(quotient.elements)
        elements = tuple(0 if part is None else quotient.elements[part] for part in parts)
        return MisereQuotient(
            game=game,
            largest=len(parts) - 1,
            elements=elements,
            products=quotient.products,
            lost=frozenset(quotient.lost.nonzero()[0].tolist()),
            representatives=tuple(
                tuple(sorted(sizes[part] for part in word)) for word in quotient.representatives
            )
            if only
            else (),
            period=periodic_from(game, elements),
        )


def checked_heaps(heaps: Sequence[int]) -> Heaps:
    """Return heaps as a tuple of integers.

    Raises:
        InvalidPositionError: these are not heaps.
    """
    try:
        return tuple(checked_integer("a heap", heap, 0) for heap in heaps)
    except (InvalidGameError, TypeError) as error:
        raise InvalidPositionError(
            f"a position is a list of heaps, not {heaps!r}: {error}"
        ) from None
