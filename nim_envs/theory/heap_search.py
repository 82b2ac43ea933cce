"""Exhaustive search of sums of heaps, in normal or misère play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.games.octal_codes import heap_game
from nim_envs.rules.convention import Convention
from nim_envs.validation import checked_integer

Heaps = tuple[int, ...]

LARGEST_MEMO = 5_000_000
"""Default limit on the number of positions in the table of a search."""

WORK_OF_VISIT, WORK_OF_OPTION = 14, 16
"""Work of visiting a position, and of making an option, besides 1 for each of its parts."""

WORK_UNIT = 18
"""Work in a reported unit, somewhat less than a microsecond, as for misère quotients."""

WORK_AT_A_TIME = 1_000 * WORK_UNIT
"""Work between two yields of a search."""


class PartRule(Protocol):
    """The options of one part of a sum, parts being numbered; a heap game is such a rule."""

    @property
    def name(self) -> str:
        """Name of the game."""
        ...

    def options(self, heap: int, /) -> list[tuple[int, ...]]:
        """Return the options of a part, each as the tuple of parts left."""
        ...


class HeapSearch:
    """Exhaustive search of sums of heaps of one game, with a table of visited positions.

    A position is stored as its heaps in ascending order. Heaps without a move are left out, as they
    do not change who wins. The search uses no theorem, so it can test theorems, and it solves games
    without one, such as misère Kayles.

    Args:
        game: a heap game or its name, or another rule on numbered parts.
        convention: normal or misère play.
        limit: most positions in the table.

    Example:
        >>> search = HeapSearch("kayles", Convention.MISERE)
        >>> search.is_winning((1, 1)), search.is_winning((2, 3))
        (True, True)
        >>> search.winning_moves((2, 3))
        [(1, (2,))]
    """

    def __init__(
        self, game: PartRule | str, convention: Convention, limit: int = LARGEST_MEMO
    ) -> None:
        self.game = heap_game(game) if isinstance(game, str) else game
        if not isinstance(convention, Convention):
            raise InvalidGameError(
                f"convention must be one of {list(Convention)}, not {convention!r}"
            )
        self.convention = convention
        self.limit = limit
        self._winning: dict[Heaps, bool] = {(): not convention.last_mover_wins}
        self._options: dict[int, list[Heaps]] = {}

    def canonical(self, heaps: Sequence[int]) -> Heaps:
        """Return the heaps that have a move, in ascending order."""
        return tuple(sorted(heap for heap in heaps if self.heap_options(heap)))

    def heap_options(self, heap: int) -> list[Heaps]:
        """Return the options of one heap, each in canonical form."""
        if heap not in self._options:
            # Smaller heaps first: the canonical form of an option needs the options of its heaps,
            # which are smaller even where a heap is split without taking anything.
            self._options[heap] = []
            options = [self.canonical(option) for option in self.game.options(heap)]
            self._options[heap] = list(dict.fromkeys(options))
        return self._options[heap]

    def options(self, position: Heaps) -> Iterator[Heaps]:
        """Yield the options of a position; both in canonical form."""
        for place, heap in enumerate(position):
            if place and position[place - 1] == heap:
                continue
            rest = position[:place] + position[place + 1 :]
            for option in self.heap_options(heap):
                yield tuple(sorted(rest + option))

    def is_winning(self, heaps: Sequence[int]) -> bool:
        """Return whether the player to move wins with correct play.

        Args:
            heaps: objects in each heap.

        Raises:
            InvalidPositionError: these are not heaps.
            SearchTooLargeError: the table would need more positions than the limit.
        """
        return self.wins(checked_heaps(heaps))

    def wins(self, heaps: Sequence[int]) -> bool:
        """Return :meth:`is_winning` without checking ``heaps``."""
        position = self.canonical(heaps)
        for _ in self.steps(position):
            pass
        return self._winning[position]

    def winning_moves(self, heaps: Sequence[int]) -> list[tuple[int, Heaps]]:
        """Return the moves to a P-position.

        Args:
            heaps: objects in each heap.

        Returns:
            For each move the index of its heap in ``heaps``, and the heaps that it leaves.

        Raises:
            InvalidPositionError: these are not heaps.
            SearchTooLargeError: the table would need more positions than the limit.
        """
        position = checked_heaps(heaps)
        return [
            (place, option)
            for place, heap in enumerate(position)
            for option in self.game.options(heap)
            if not self.wins(position[:place] + option + position[place + 1 :])
        ]

    def forget(self) -> None:
        """Empty the table of results and free its memory."""
        self._winning = {(): self._winning[()]}

    def steps(self, position: Heaps) -> Iterator[int]:
        """Search a position in canonical form, without recursion, until it is known.

        Args:
            position: heaps, each with a move, ascending.

        Yields:
            At intervals and at the end, the work since the last yield: a weighted count of
            positions visited and options made, in units of somewhat less than a microsecond.
        """
        work = 0
        stack: list[tuple[Heaps, Iterator[Heaps]]] = []
        if position not in self._winning:
            stack.append((position, self.options(position)))
        while stack:
            here, options = stack[-1]
            looked = 0
            for option in options:
                looked += 1
                winning = self._winning.get(option)
                if winning is None:
                    # Return to this option first, once it is known.
                    stack[-1] = here, chain([option], options)
                    stack.append((option, self.options(option)))
                    break
                if not winning:
                    self._winning[here] = True
                    stack.pop()
                    break
            else:
                self._winning[here] = False
                stack.pop()
            if len(self._winning) > self.limit:
                raise SearchTooLargeError(
                    f"the search of {list(position)} in {self.game.name} needs a table "
                    f"of more than {self.limit} positions, which is the limit"
                )
            work += WORK_OF_VISIT + looked * (WORK_OF_OPTION + len(here))
            if work >= WORK_AT_A_TIME:
                yield work // WORK_UNIT
                work = 0
        yield work // WORK_UNIT


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
