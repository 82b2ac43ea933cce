"""Moves of heap games, read bit by bit from the heap before and after the move."""

from dataclasses import dataclass

from nim_envs.validation import checked_integer


@dataclass(frozen=True)
class MoveRelation:
    """The moves that leave a heap smaller by 1 to ``max_take``, as a finite automaton.

    It reads one bit of the heap before and one of the heap after the move at a time, the highest
    first. Its state is the difference of the bits so far, 0 at the start; the bits are those of a
    move if it is positive at the end.

    Args:
        max_take: most objects that one move may take; ``None``: no bound, as in Nim.

    Raises:
        InvalidGameError: ``max_take`` is not an integer of at least 1.

    Example:
        >>> relation, taken = MoveRelation(3), 0
        >>> for bit, bit_left in ((1, 0), (0, 1), (0, 1), (1, 0)):
        ...     taken = relation.step(taken, bit, bit_left)
        >>> taken, relation.in_words
        (3, 'take 1 to 3 objects from one heap')
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

    def step(self, taken: int, bit: int, bit_left: int) -> int | None:
        """Return the state after one more bit of the heap before and after the move.

        Args:
            taken: state so far.
            bit: bit of the heap before the move, 0 or 1.
            bit_left: bit of the heap after the move.

        Returns:
            The next state; ``None`` if these bits cannot be completed to a move.
        """
        taken = 2 * taken + bit - bit_left
        if self.max_take is None:
            taken = min(taken, 1)  # it only matters that it is positive
        elif taken > self.max_take:
            return None  # the remaining bits cannot make up for a 1 in this column
        return None if taken < 0 else taken
