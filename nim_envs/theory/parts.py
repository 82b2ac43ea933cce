"""Grundy values of boards by the parts into which their free cells fall."""

from __future__ import annotations

from collections.abc import Iterator

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.cell_sets import CellSets
from nim_envs.theory.nimbers import mex

LARGEST_PARTS = 2**23
"""Most parts, up to mirroring and shifting, whose values are stored."""

REMEMBERED_PARTS = 2**22
"""Parts whose equals are remembered; they are forgotten together where there are more."""


class FreeParts:
    """Grundy values of sets of free cells, each computed when it is first needed.

    Two free cells are joined if a move that needs one of them takes the other. The parts of a set
    are joined neither directly nor through other free cells, so every move is made in one of them:
    the value of the set is the nim-sum of the values of its parts. Parts that are equal up to
    :meth:`nim_envs.rules.cell_sets.CellSets.standard_part` share their value.

    Sets of cells are integers with a bit for each cell, in Python's integers of any size.

    Args:
        board: the cells and the moves.
        limit: most parts whose values are stored.

    Example:
        >>> from nim_envs.rules import cram
        >>> board = cram(rows=3, columns=3).components[0]
        >>> FreeParts(board).value(0b111_111_111)
        0
    """

    def __init__(self, board: CellSets, limit: int = LARGEST_PARTS) -> None:
        self._board = board
        self._limit = limit
        needed, taken = (sets.tolist() for sets in board.sets_of_options)
        self._moves: list[tuple[int, int]] = list(zip(needed, taken, strict=True))
        self._joined: dict[int, int] = {1 << cell: 0 for cell in range(board.cells)}
        for needs, takes in self._moves:
            for cell in _cells(needs):
                self._joined[cell] |= takes
            for cell in _cells(takes):
                self._joined[cell] |= needs
        self._values: dict[int, int] = {0: 0}
        self._value_of_equals: dict[int, int] = {}

    def value(self, free: int) -> int:
        """Return the Grundy value of a set of free cells.

        Raises:
            SearchTooLargeError: there are more parts than the limit.
        """
        total = 0
        for part in self.parts(free):
            total ^= self._value_of_part(part)
        return total

    def parts(self, free: int) -> Iterator[int]:
        """Yield the parts of a set of free cells."""
        joined = self._joined
        while free:
            part = new = free & -free
            while new:
                reached = 0
                while new:
                    cell = new & -new
                    new ^= cell
                    reached |= joined[cell]
                new = reached & free & ~part
                part |= new
            free ^= part
            yield part

    def _value_of_part(self, part: int) -> int:
        known = self._value_of_equals.get(part)
        if known is not None:
            return known
        standard = self._board.standard_part(part)
        value = self._values.get(standard)
        if value is None:
            if len(self._values) >= self._limit:
                raise SearchTooLargeError(
                    f"the free cells of a {self._board.kind} of {self._board.cells} cells fall "
                    f"into more than {self._limit} different parts, which is the limit"
                )
            reached = {
                self.value(part & ~takes) for needs, takes in self._moves if not needs & ~part
            }
            value = self._values[standard] = mex(reached)
        if len(self._value_of_equals) >= REMEMBERED_PARTS:
            self._value_of_equals.clear()
        self._value_of_equals[part] = value
        return value


def _cells(cells: int) -> Iterator[int]:
    """Yield the cells of a set, each as a set of its own."""
    while cells:
        cell = cells & -cells
        cells ^= cell
        yield cell
