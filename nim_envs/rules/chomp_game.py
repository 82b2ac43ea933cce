"""Chomp: a move bites a square off a bar, with all squares below it and to its right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component
from nim_envs.rules.coordinate_system import NO_STATE, CoordinateSystem, inside_box
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes, check_states, checked_integer


@dataclass(frozen=True)
class ChocolateBar(Component):
    """A bar of squares; option ``row * columns + column`` bites at a square of it.

    A bite at (row, column) eats that square and all others from its row and its column on. The
    square (0, 0) is poisoned, and biting at it is never legal. The coordinates are the numbers of
    squares left in each row; no row is longer than the one above it.

    Args:
        rows: number of rows; at least 2.
        columns: number of columns; at least 1.

    Raises:
        InvalidGameError: there are too many states to number.
        SearchTooLargeError: the rows are too long for a table of binomial coefficients.
    """

    rows: int
    columns: int

    kind = "bar"

    def __post_init__(self) -> None:
        check_states(f"a bar of {self.rows} rows and {self.columns} columns", self.states)
        check_bytes(
            f"binomial coefficients for {self.rows} rows of {self.columns} columns",
            self.rows * (self.columns + 1) * np.dtype(np.int64).itemsize,
        )

    @property
    def states(self) -> int:
        """Number of states: all bars that bites can leave, in the order of their coordinates."""
        return math.comb(self.rows + self.columns, self.rows) - 1

    @property
    def options(self) -> int:
        """Number of option slots: the squares."""
        return self.rows * self.columns

    @cached_property
    def coordinate_system(self) -> BarRows:
        """The squares left in each row."""
        return BarRows(self.rows, self.columns)

    @cached_property
    def words(self) -> BarWords:
        """Squares by row and column."""
        return BarWords(self.columns)

    def successors(self, states: IntArray) -> IntArray:
        """Return the bar after each bite, or ``NO_MOVE`` where the square is gone or poisoned."""
        lengths = self.coordinate_system.of(states)
        row, column = np.divmod(np.arange(self.options), self.columns)
        there = lengths[..., row] > column
        eaten = np.arange(self.rows) >= row[:, np.newaxis]  # (options, rows)
        now = lengths[..., np.newaxis, :]
        left = np.where(eaten, np.minimum(now, column[:, np.newaxis]), now)
        # The poisoned square would leave the bar without squares, whose number is NO_MOVE too.
        return np.where(there, self.coordinate_system.states_of(left), NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of squares left but the poisoned one."""
        return np.asarray(self.coordinate_system.of(states).sum(axis=-1) - 1)

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the bite at the first square that is gone, or ``NO_OPTION``."""
        rows = self.coordinate_system
        now, left = np.broadcast_arrays(rows.of(np.asarray(before)), rows.of(np.asarray(after)))
        row = (left < now).argmax(axis=-1)[..., np.newaxis]
        column = np.take_along_axis(left, row, axis=-1)
        bitten = np.where(np.arange(self.rows) >= row, np.minimum(now, column), now)
        legal = (bitten == left).all(axis=-1) & (left != now).any(axis=-1)
        return np.where(legal, (row * self.columns + column)[..., 0], NO_OPTION)


class BarRows(CoordinateSystem):
    """The squares left in each row of a bar, none of which is longer than the one above it.

    Args:
        rows: number of rows.
        columns: number of columns.
    """

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__((columns + 1,) * rows, picture="rows")
        self._rows, self._columns = rows, columns

    @cached_property
    def _smaller(self) -> IntArray:
        """Number of bars equal in the rows above, but shorter in this row, by row and its length.

        Shape ``(rows, columns + 1)``.
        """
        # Entries are binomial coefficients, length + rows - 1 over rows: by Pascal's rule a row of
        # them is the running sum of the next one, and the last row is the length itself.
        smaller = np.ones((self._rows + 1, self._columns + 1), dtype=np.int64)
        smaller[-1, 0] = 0
        for row in reversed(range(self._rows)):
            np.cumsum(smaller[row + 1], out=smaller[row])
        return smaller[:-1]

    def of(self, states: IntArray) -> IntArray:
        """Return the squares left in each row: ``(...)`` to ``(..., rows)``."""
        rest = np.array(states, dtype=np.int64) + 1  # state 0 follows on the bar without squares
        lengths = np.empty((*rest.shape, self._rows), dtype=np.int64)
        for row, smaller in enumerate(self._smaller):
            lengths[..., row] = np.searchsorted(smaller, rest, side="right") - 1
            rest -= smaller[lengths[..., row]]
        return lengths

    def states_at(self, coordinates: IntArray) -> IntArray:
        """Return the states with these rows; -1 where one grows, or all are empty."""
        given = np.asarray(coordinates, dtype=np.int64)
        inside = inside_box(given, self.fields) & (np.diff(given, axis=-1) <= 0).all(axis=-1)
        lengths = np.where(inside[..., np.newaxis], given, 0)
        return np.where(inside, self.states_of(lengths), NO_STATE)

    def states_of(self, lengths: IntArray) -> IntArray:
        """Return the states with rows ``(..., rows)``; -1 for the bar without squares."""
        return np.asarray(self._smaller[np.arange(self._rows), lengths].sum(axis=-1) - 1)


@dataclass(frozen=True)
class BarWords(MoveWords):
    """Bites in words, by the row and the column of the square.

    Args:
        columns: number of columns.
    """

    columns: int

    move = (
        "bite at a square (row, column), but not at (0, 0), which removes all squares from "
        "that row and column on; a bar is given by the number of squares in each row"
    )

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        return f"bite at {divmod(option, self.columns)}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the row and the column of the square."""
        return divmod(option, self.columns)


def chomp(rows: int, columns: int) -> Rules:
    """Rules of Chomp: bite a square off a bar, with all squares below it and to its right.

    The square (0, 0), above and to the left of all others, is poisoned. No move eats it, so in
    normal play whoever is left with it alone has lost.

    In normal play the first player wins on every rectangle of two squares or more, by strategy
    stealing: biting off the last square wins, or some answer to it does, which the first player
    could have made at once. No general rule for the winning move is known. On a square bar it is
    (1, 1). A bar of two rows is lost exactly if the first one is longer by one square.

    Args:
        rows: number of rows; at least 2, as one row is a heap of Nim.
        columns: number of columns; at least 2.

    Raises:
        InvalidGameError: not integers of at least 2, or too many bars to number.
        SearchTooLargeError: rows that are too long.

    References:
        D. Gale, "A curious Nim-type game", *American Mathematical Monthly* 81 (1974), 876-879;
        F. Schuh, "Spel van delers", *Nieuw Tijdschrift voor Wiskunde* 39 (1952), 299-304.

    Example:
        >>> rules = chomp(rows=3, columns=4)
        >>> rules.fields, rules.num_positions, rules.coordinates(np.array(rules.initial)).tolist()
        ((5, 5, 5), 34, [4, 4, 4])
        >>> after = rules.step(np.array(rules.initial), np.array(6))
        >>> rules.describe_action(6), rules.coordinates(after).tolist()
        ('bar 0: bite at (1, 2)', [4, 2, 2])
    """
    bar = ChocolateBar(
        checked_integer("rows", rows, minimum=2), checked_integer("columns", columns, minimum=2)
    )
    return Rules("chomp", (bar,), initial=(bar.states - 1,))
