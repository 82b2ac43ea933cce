"""Moves of heap games, read bit by bit from the heap before and after the move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.research.column_automata.automaton import as_heaps
from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.game import Game
from nim_envs.games import heaps as games
from nim_envs.graph import Part
from nim_envs.typing import BoolArray, IntArray
from nim_envs.validation import checked_integer


class Difference(NamedTuple):
    """Bounds on the objects taken, after some bits of the heap before and after the move.

    With the most significant bits first, ``least`` and ``most`` are both the difference of the bits
    so far; with the least significant first, they bound the difference of the remaining bits.
    """

    least: int
    most: int | None


@dataclass(frozen=True)
class MoveRelation:
    """The moves that leave a heap smaller by 1 to ``max_take``, as a finite automaton.

    It reads one bit of the heap before and one of the heap after the move at a time, in either
    order. Its states are made when needed.

    Args:
        max_take: most objects that one move may take; ``None``: no bound, as in Nim.

    Raises:
        InvalidGameError: ``max_take`` is not an integer of at least 1.

    Example:
        >>> relation = MoveRelation(3)
        >>> relation.allows(9, 6), relation.allows(9, 5), relation.in_words
        (True, False, 'take 1 to 3 objects from one heap')
        >>> state = relation.start(most_significant_first=True)
        >>> for bit, bit_left in ((1, 0), (0, 1), (0, 1), (1, 0)):
        ...     state = relation.step(state, bit, bit_left, most_significant_first=True)
        >>> relation.accepts(state, most_significant_first=True)
        True
    """

    max_take: int | None = None

    def __post_init__(self) -> None:
        if self.max_take is not None:
            object.__setattr__(self, "max_take", checked_integer("max_take", self.max_take, 1))

    @property
    def in_words(self) -> str:
        """A move in words."""
        if self.max_take is None:
            return "take any number of objects from one heap"
        objects = "1 object" if self.max_take == 1 else f"1 to {self.max_take} objects"
        return f"take {objects} from one heap"

    def allows(self, heap: int, left: int) -> bool:
        """Return whether a move from ``heap`` objects may leave ``left``."""
        return 0 <= left < heap and (self.max_take is None or heap - left <= self.max_take)

    def start(self, most_significant_first: bool) -> Difference:
        """Return the state before any bit is read."""
        return Difference(0, 0) if most_significant_first else Difference(1, self.max_take)

    def step(
        self, state: Difference, bit: int, bit_left: int, most_significant_first: bool
    ) -> Difference | None:
        """Return the state after one more bit of the heap before and after the move.

        Args:
            state: state so far.
            bit: bit of the heap before the move, 0 or 1.
            bit_left: bit of the heap after the move.
            most_significant_first: which bits are read first.

        Returns:
            The next state; ``None`` if these bits cannot be completed to a move.
        """
        least, most = state
        taken = bit - bit_left
        if most_significant_first:
            so_far = 2 * least + taken
            if self.max_take is None:
                so_far = min(so_far, 1)  # it only matters that it is positive
            elif so_far > self.max_take:
                return None  # the remaining bits cannot make up for a 1 in this column
            return None if so_far < 0 else Difference(so_far, so_far)
        least = -((taken - least) // 2)  # halves, rounded up
        most = None if most is None else (most - taken) // 2
        return None if most is not None and least > most else Difference(least, most)

    def accepts(self, state: Difference, most_significant_first: bool) -> bool:
        """Return whether the bits read so far are those of a move."""
        if most_significant_first:
            return state.least >= 1
        return state.least <= 0 and (state.most is None or state.most >= 0)


@dataclass(frozen=True)
class HeapReading:
    """A game's positions read as heaps; a move takes objects from one of them.

    Args:
        relation: moves in one heap.
        limits: for each part the limit of a running total, which is read as the distance until
            it is exceeded; ``None``: a heap, read as it is.
    """

    relation: MoveRelation
    limits: tuple[int | None, ...]

    def heaps(self, positions: IntArray | Sequence[int]) -> IntArray:
        """Return the heaps of positions, ``(..., parts)`` to the same shape.

        Integers may be of any size; where no part is a total, so may the number of heaps.

        Raises:
            InvalidPositionError: not integers of at least 0, or not one for each part.
        """
        states = self._checked(positions)
        if not self._totals.any():
            return states
        return np.where(self._totals, np.maximum(self._offsets - states, 0), states)

    def positions(self, heaps: IntArray | Sequence[int]) -> IntArray:
        """Return positions with these heaps, as :meth:`heaps` takes them.

        For an empty heap a total is the smallest that ends the game.

        Raises:
            InvalidPositionError: as :meth:`heaps`, or a heap is larger than that of total 0.
        """
        sizes = self._checked(heaps)
        if not self._totals.any():
            return sizes
        if (self._totals & (sizes > self._offsets)).any():
            raise InvalidPositionError(
                f"of totals at most {self._offsets.tolist()} objects are left, not {sizes.tolist()}"
            )
        return np.where(self._totals, self._offsets - sizes, sizes)

    def _checked(self, states: IntArray | Sequence[int]) -> IntArray:
        array = as_heaps(states)
        if self._totals.any() and array.shape[-1] != len(self.limits):
            raise InvalidPositionError(
                f"a position has {len(self.limits)} parts, one for each total, not "
                f"{array.shape[-1]}"
            )
        return array

    @property
    def _totals(self) -> BoolArray:
        """Whether each part is a running total."""
        return np.array([limit is not None for limit in self.limits])

    @property
    def _offsets(self) -> IntArray:
        """Size of the heap for total 0, by part; 0 for a heap."""
        return np.array([0 if limit is None else limit + 1 for limit in self.limits])


def heap_reading(game: Game) -> HeapReading:
    """Return the reading of the positions of a game as heaps.

    Heaps of Nim, of bounded Nim and of subtraction games with all amounts from 1 to some bound are
    read as they are. A total ``t`` of the addition game with limit ``n`` is read as a heap of
    ``n + 1 - t`` objects, at least 0, from which a move takes 1 to ``k``.

    Raises:
        InvalidGameError: a part is no such heap, or two of them have different moves.

    Example:
        >>> from nim_envs.games import addition, nim
        >>> heap_reading(nim(heaps=(3, 4, 5))).relation
        MoveRelation(max_take=None)
        >>> reading = heap_reading(addition(k=3, n=10))
        >>> reading.relation, reading.heaps([[0], [10], [12]]).tolist()
        (MoveRelation(max_take=3), [[11], [1], [0]])
    """
    bounds: set[int] = set()
    whole = 0  # the largest heap that one move may take whole
    limits: list[int | None] = []
    for index, part in enumerate(game.parts):
        constructor, arguments = part.made_by or (None, ())
        if constructor is games.total:
            most, limit = arguments
            bounds.add(most)
            limits.append(limit)
            continue
        limits.append(None)
        most = _most_taken(index, part, game.name)
        if most < part.num_positions - 1:
            bounds.add(most)
        else:
            whole = max(whole, most)
    if len(bounds) > 1 or (bounds and whole > min(bounds)):
        raise InvalidGameError(
            "all heaps that are read bit by bit must have the same moves, but of some at most "
            f"{min(bounds)} objects may be taken, and of others {max(bounds | {whole})}"
        )
    return HeapReading(MoveRelation(min(bounds) if bounds else None), tuple(limits))


def _most_taken(index: int, part: Part, game: str) -> int:
    """Return the most objects that a move may take from a full heap that loses 1 to that many."""
    name = f"{part.words.kind} {index} of {game}"
    if part.made_by is None or part.made_by[0] is not games.heap:
        why = (
            "splits" if part.second is not None else "is given as a table of options, not as a heap"
        )
        raise InvalidGameError(
            "what is read bit by bit must be a heap from which a move takes 1 to some number of "
            f"objects, or a running total, but {name} {why}"
        )
    amounts: tuple[int, ...] = part.made_by[1][1]
    if amounts and amounts[-1] != len(amounts):
        raise InvalidGameError(
            "what is read bit by bit must be a heap from which a move takes any number of "
            f"objects from 1 to some number, but {name} allows "
            f"{', '.join(map(str, amounts[:12]))}"
        )
    return len(amounts)
