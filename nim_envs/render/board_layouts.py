"""Where the squares of a component with coordinates are, and which of them a state fills."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from nim_envs.render.geometry import Area, square
from nim_envs.rules.component import BoolArray, Component, IntArray

SMALLEST_SQUARE, LARGEST_SQUARE = 7.0, 64.0
"""Sides of squares in pixels; where they would be smaller, coordinates are shown as numbers."""

LIMIT = "limit"
"""Name of a last coordinate that says how many coins may be taken."""


class BoardLayout(ABC):
    """The squares of one component.

    Args:
        component: a component with coordinates.
        area: place in the picture.

    Attributes:
        side: side of a square, in pixels.
        squares: place of each square.
    """

    def __init__(self, component: Component, area: Area) -> None:
        assert component.fields is not None
        self.component = component
        self.fields = component.fields
        self.area = area
        self.side: float
        self.squares: list[Area]
        self._place()

    round = True
    """Whether what fills a square is round."""

    @abstractmethod
    def _place(self) -> None:
        """Set ``side`` and ``squares``."""

    @abstractmethod
    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return which squares are filled: ``(..., fields)`` to ``(..., squares)``."""

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the squares by which each option is chosen: those that it changes.

        Args:
            options: legal options, ``(n,)``.
            before: coordinates before the move, ``(fields,)``.
            after: coordinates after each option, ``(n, fields)``.

        Returns:
            ``(n, squares)``.
        """
        return np.asarray(self.filled(after) != self.filled(before))

    def _grid(self, rows: int, columns: int) -> list[Area]:
        """Set the side and return squares row by row, from the top, in the middle of the area."""
        self.side = min(self.area.width / columns, self.area.height / rows, LARGEST_SQUARE)
        left = self.area.center.x - columns * self.side / 2
        top = self.area.center.y - rows * self.side / 2
        return Area(left, top, columns * self.side, rows * self.side).grid(rows, columns)


class PieceLayout(BoardLayout):
    """A board with one piece, or a strip: the first coordinate to the right, the second upwards."""

    def _place(self) -> None:
        columns, rows = (*self.fields, 1)[:2]
        grid = self._grid(rows, columns)
        self.squares = [
            grid[(rows - 1 - rank) * columns + file]
            for file in range(columns)
            for rank in range(rows)
        ]

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return the square of the piece."""
        place = np.ravel_multi_index(tuple(np.moveaxis(coordinates, -1, 0)), self.fields)
        return np.asarray(np.arange(len(self.squares)) == place[..., np.newaxis])

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the square that each option leads to."""
        return self.filled(after)


class RowsLayout(BoardLayout):
    """Rows of squares, filled from the left, the first row on top."""

    round = False

    def _place(self) -> None:
        self.squares = self._grid(len(self.fields), max(1, max(self.fields) - 1))

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return as many squares of each row as its coordinate says."""
        numbers = np.arange(len(self.squares) // len(self.fields))
        filled = numbers < coordinates[..., np.newaxis]
        return filled.reshape(*coordinates.shape[:-1], -1)


class CoinsLayout(BoardLayout):
    """Stacks of coins, filled from below; a last coordinate named ``"limit"`` has no stack.

    Attributes:
        height: coins in the highest stack.
        wide: coins beside each other in a stack, which stands in rows where it would be too high.
    """

    @cached_property
    def limited(self) -> bool:
        """Whether the last coordinate is a limit on the coins that may be taken."""
        return self.component.coordinate_names[-1:] == (LIMIT,)

    @property
    def stacks(self) -> int:
        """Number of stacks."""
        return len(self.fields) - self.limited

    def _place(self) -> None:
        self.height = max(1, max(self.fields[: self.stacks]) - 1)
        room = self.area.width / self.stacks
        self.wide = min(
            range(1, self.height + 1),
            key=lambda wide: -min(room / (wide + 0.5), self.area.height / -(-self.height // wide)),
        )
        rows = -(-self.height // self.wide)
        columns = self.area.side_by_side([1.0] * self.stacks)
        self.side = min(room / (self.wide + 0.5), self.area.height / rows, LARGEST_SQUARE)
        self.squares = [
            Area(
                column.center.x + (coin % self.wide - self.wide / 2) * self.side,
                column.bottom - (coin // self.wide + 1) * self.side,
                self.side,
                self.side,
            )
            for column in columns
            for coin in range(self.height)
        ]

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return as many coins of each stack as its coordinate says."""
        heights = coordinates[..., : self.stacks, np.newaxis]
        filled = np.arange(self.height) < heights
        return filled.reshape(*coordinates.shape[:-1], -1)

    def within_limit(self, coordinates: IntArray) -> BoolArray:
        """Return the coins that a move may take, ``(squares,)``: all where there is no limit."""
        numbers = np.tile(np.arange(self.height), self.stacks)
        heights = np.repeat(coordinates[: self.stacks], self.height)
        least = heights - coordinates[-1] if self.limited else np.zeros_like(heights)
        return np.asarray((least <= numbers) & (numbers < heights))


class CellsLayout(BoardLayout):
    """The cells of a board; without a board, nodes on a circle."""

    def _place(self) -> None:
        board = self.component.board
        self.round = board is None
        if board is not None:
            self.squares = self._grid(math.prod(board[:-1]), board[-1])
            return
        number = len(self.fields)
        radius = 0.42 * min(self.area.width, self.area.height)
        self.side = min(LARGEST_SQUARE, 1.4 * radius * math.sin(math.pi / max(number, 3)))
        turns = 2 * math.pi * np.arange(number) / number
        self.squares = [
            square(
                (
                    self.area.center.x + radius * math.sin(turn),
                    self.area.center.y - radius * math.cos(turn),
                ),
                self.side,
            )
            for turn in turns.tolist()
        ]

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of cells that are joined by a line."""
        return tuple(getattr(self.component, "edges", ()))

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return the cells that are not 0."""
        return np.asarray(coordinates > 0)

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the cells that each option needs, where the component says so."""
        needed = getattr(self.component, "cells_of_options", None)
        if needed is None:
            return super().pointed_at(options, before, after)
        return np.asarray(needed[0][options])


LAYOUTS: dict[str, type[BoardLayout]] = {
    "piece": PieceLayout,
    "rows": RowsLayout,
    "coins": CoinsLayout,
    "cells": CellsLayout,
}
"""The layout of each ``picture`` of a component."""


def board_layout(component: Component, area: Area) -> BoardLayout | None:
    """Return the layout of a component in an area; ``None`` where it is to be shown as numbers."""
    kind = LAYOUTS.get(component.picture or "")
    fields = component.fields
    if kind is None or fields is None:
        return None
    # More squares than pixels allow need not be laid out to be too small.
    squares = math.prod(fields) if kind is PieceLayout else len(fields) * max(fields)
    if kind is not CellsLayout and squares * SMALLEST_SQUARE**2 > area.width * area.height:
        return None
    layout = kind(component, area)
    return layout if layout.side >= SMALLEST_SQUARE else None
