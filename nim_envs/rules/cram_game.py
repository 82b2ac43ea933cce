"""Cram: a move covers two neighbouring cells of a board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.cell_sets import CellSets
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import BoolArray
from nim_envs.validation import checked_integer


@dataclass(frozen=True)
class CramBoard(CellSets):
    """A board of cells; an option covers two neighbouring ones with a domino.

    The options are the horizontal dominoes, row by row, then the vertical ones. The coordinates are
    the cells, row by row, 1 where one is covered; see :class:`nim_envs.rules.cell_sets.CellSets`.

    Args:
        rows: number of rows; at least 1.
        columns: number of columns; at least 1, and 2 if there is one row.

    Raises:
        InvalidGameError: one cell alone, or too many to number sets of them.
    """

    rows: int
    columns: int

    kind = "board"

    def __post_init__(self) -> None:
        if self.cells < 2:
            raise InvalidGameError("a board must have at least 2 cells, for a domino to fit in")
        self._check_cells()

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    def standard_part(self, part: int) -> int:
        """Return the smallest of the sets that are ``part`` moved, mirrored or turned.

        Moved to the corner of the last cell, where sets have the smallest numbers.
        """
        columns = self.columns
        lines: list[int] = []  # rows and columns from the last one on
        rest = part
        while rest:
            rest, line = divmod(rest, 1 << columns)
            if line or lines:
                lines.append(line)
        while not any(line & 1 for line in lines):
            lines = [line >> 1 for line in lines]
        height, width = len(lines), max(lines).bit_length()
        images = _mirrored(lines, width)
        if height <= columns and width <= self.rows:
            turned = [
                sum((line >> column & 1) << row for row, line in enumerate(lines))
                for column in range(width)
            ]
            images += _mirrored(turned, height)
        return min(sum(line << columns * row for row, line in enumerate(image)) for image in images)

    @property
    def board(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @cached_property
    def words(self) -> DominoWords:
        """The two cells of a domino."""
        return DominoWords(self._dominoes)

    @cached_property
    def _dominoes(self) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
        """The two cells of each option, as pairs of row and column."""
        rows, columns = range(self.rows), range(self.columns)
        horizontal = [((row, one), (row, one + 1)) for row in rows for one in columns[:-1]]
        vertical = [((one, column), (one + 1, column)) for one in rows[:-1] for column in columns]
        return (*horizontal, *vertical)

    @cached_property
    def cells_of_options(self) -> tuple[BoolArray, BoolArray]:
        """The cells of each domino, twice: those that must be free are those that it takes."""
        covered = np.zeros((len(self._dominoes), self.cells), dtype=np.bool_)
        for option, domino in enumerate(self._dominoes):
            for row, column in domino:
                covered[option, row * self.columns + column] = True
        return covered, covered


@dataclass(frozen=True)
class DominoWords(MoveWords):
    """Moves in words, by the two cells of a domino.

    Args:
        dominoes: the two cells of each option, as pairs of row and column.
    """

    dominoes: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    move = (
        "cover two free neighbouring cells, each named (row, column); a board is given row by "
        "row, 0 for a free cell and 1 for any other"
    )

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        one, other = self.dominoes[option]
        return f"cover {one} and {other}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return row and column of the one cell and of the other."""
        one, other = self.dominoes[option]
        return (*one, *other)


def _mirrored(lines: list[int], width: int) -> list[list[int]]:
    """Return the four mirror images of rows of bits, ``width`` bits each."""
    reversed_bits = [int(f"{line:0{width}b}"[::-1], 2) for line in lines]
    return [lines, lines[::-1], reversed_bits, reversed_bits[::-1]]


def cram(rows: int, columns: int) -> Rules:
    """Rules of Cram: cover two free neighbouring cells of a board with a domino.

    Both players may place it horizontally or vertically.

    In normal play, with an even number of rows and of columns, the second player wins by answering
    each domino with its image under point reflection in the centre. If one of the numbers is even,
    the first player wins: by the domino in the centre, then by such answers. If both are odd and
    greater than 1, no rule is known. One row of *n* cells is Dawson's Kayles with a heap of *n*.
    The Grundy value of two rows is 0 if the number of columns is even, else 1.

    Args:
        rows: number of rows; at least 1.
        columns: number of columns; at least 1, and 2 if there is one row. At most 61 cells.

    Raises:
        InvalidGameError: not integers of at least 1, one cell alone, or too many cells.

    References:
        M. Gardner, "Mathematical games", *Scientific American* 230 (1974), no. 2; *Winning Ways*,
        ch. 15; M. Schneider, *Das Spiel Juvavum* (2009); J. Lemoine and S. Viennot, "Nimbers are
        inevitable", *Theoretical Computer Science* 462 (2012), 70-79.

    Example:
        >>> rules = cram(rows=2, columns=3)
        >>> rules.fields, rules.num_positions, rules.describe_action(5)
        ((2, 2, 2, 2, 2, 2), 18, 'board 0: cover (0, 1) and (1, 1)')
        >>> rules.coordinates(rules.step(np.array([0]), np.array(5))).reshape(2, 3).tolist()
        [[0, 1, 0], [0, 1, 0]]
    """
    board = CramBoard(
        checked_integer("rows", rows, minimum=1), checked_integer("columns", columns, minimum=1)
    )
    return Rules("cram", (board,), initial=(0,))
