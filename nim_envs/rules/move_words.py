"""Moves in words, and as the numbers that a person types."""

from __future__ import annotations


class MoveWords:
    """Words for the options of a component; a subclass says more than the option's index.

    Example:
        >>> MoveWords().describe(3), MoveWords().numbers(3, state=8)
        ('option 3', (3,))
    """

    @property
    def move(self) -> str:
        """A move in words, such as ``"take any number of objects"``."""
        return "choose an option by its number"

    @property
    def is_generic(self) -> bool:
        """Whether ``move`` does not say what a move is."""
        return type(self).move is MoveWords.move

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        return f"option {option}"

    def describe_removal(self, option: int, state: int) -> str:
        """Return a description of parts that are removed after ``option``; ``""`` if none are."""
        return ""

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the numbers that a person types to choose the move ``option`` at ``state``."""
        return (option,)
