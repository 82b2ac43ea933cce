"""Moves of heap games, read bit by bit from the heap before and after the move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
