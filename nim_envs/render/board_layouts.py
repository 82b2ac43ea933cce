"""The squares of a component with coordinates: where they are, what fills them, how they look."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from nim_envs.render.canvas import FAINT, LIMIT, LINE, WINNING, Canvas, Color
from nim_envs.render.geometry import Area, square
from nim_envs.rules.component import Component
from nim_envs.typing import BoolArray, IntArray

SMALLEST_SQUARE, LARGEST_SQUARE = 7.0, 64.0
"""Sides of squares in pixels; where they would be smaller, coordinates are shown as numbers."""

LIMIT_NAME = "limit"
"""Name of a last coordinate that says how many coins may be taken."""

CROWN = ((0, 1), (0, 0.3), (0.25, 0.62), (0.5, 0.1), (0.75, 0.62), (1, 0.3), (1, 1))
"""Corners of a queen's crown, as shares of its width and height."""


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
        self.component = component
        self.fields = component.coordinate_system.fields
        self.area = area
        self.side: float
        self.squares: list[Area]
        self._place()

    round = True
    """Whether what fills a square is round."""

    moves_piece = False
    """Whether a move carries a piece to another square, in place of filling or clearing squares."""

    writes_coordinates = True
    """Whether the coordinates are written below the board."""

    edges: tuple[tuple[int, int], ...] = ()
    """Pairs of squares that are joined by a line."""

    numbered = False
    """Whether the numbers of the squares are written on them."""

    @classmethod
    def number_of_squares(cls, fields: tuple[int, ...]) -> int:
        """Return the number of squares for coordinates with this many values each."""
        return len(fields) * max(fields)

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

    def pale(self, coordinates: IntArray) -> BoolArray:
        """Return the squares whose content no move can take, ``(squares,)``."""
        return np.zeros(len(self.squares), dtype=np.bool_)

    def draw_ground(self, canvas: Canvas, number: int, place: Area) -> None:
        """Draw an empty square."""
        gap = 0.05 * self.side
        radius = self.side if self.round else 0.12 * self.side
        canvas.box(place.shrunk(gap, gap, gap, gap), FAINT, radius=radius)

    def draw_filled(self, canvas: Canvas, place: Area, color: Color) -> None:
        """Draw what fills a square."""
        gap = max(1.0, 0.05 * self.side)
        inside = place.shrunk(gap, gap, gap, gap)
        if self.round:
            canvas.disc(inside, color)
        else:
            canvas.box(inside, color, radius=0.12 * self.side)

    def mark(self, canvas: Canvas, places: list[int]) -> None:
        """Mark a winning move on its squares."""
        size = max(5.0, 0.28 * self.side)
        for place in places:
            canvas.disc(square(self.squares[place].center, size), WINNING)

    def _grid(self, rows: int, columns: int) -> list[Area]:
        """Set the side and return squares row by row, from the top, in the middle of the area."""
        self.side = min(self.area.width / columns, self.area.height / rows, LARGEST_SQUARE)
        left = self.area.center.x - columns * self.side / 2
        top = self.area.center.y - rows * self.side / 2
        return Area(left, top, columns * self.side, rows * self.side).grid(rows, columns)


class PieceLayout(BoardLayout):
    """A board with one piece, or a strip: the first coordinate to the right, the second upwards."""

    moves_piece = True

    @classmethod
    def number_of_squares(cls, fields: tuple[int, ...]) -> int:
        """Return the product of the numbers of files and ranks."""
        return math.prod(fields)

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

    def draw_ground(self, canvas: Canvas, number: int, place: Area) -> None:
        """Draw a dark or a light square; the corner to which pieces move stands out."""
        ranks = (*self.fields, 1)[1]
        dark = (number // ranks + number % ranks) % 2 == 0
        canvas.box(place, LIMIT if number == 0 else LINE if dark else FAINT)

    def draw_filled(self, canvas: Canvas, place: Area, color: Color) -> None:
        """Draw a queen's crown or a disc."""
        gap = 0.2 * self.side
        inside = place.shrunk(gap, gap, gap, gap)
        if self.component.kind == "queen":
            corners = [
                (inside.x + x * inside.width, inside.y + y * inside.height) for x, y in CROWN
            ]
            canvas.polygon(corners, color)
        else:
            canvas.disc(inside, color)


class RowsLayout(BoardLayout):
    """Rows of squares, filled from the left, the first row on top."""

    round = False

    def _place(self) -> None:
        self.squares = self._grid(len(self.fields), max(1, max(self.fields) - 1))

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return as many squares of each row as its coordinate says."""
        numbers = np.arange(len(self.squares) // len(self.fields))
        filled = numbers < coordinates[..., np.newaxis]
        return filled.reshape(*coordinates.shape[:-1], len(self.squares))


class CoinsLayout(BoardLayout):
    """Stacks of coins, filled from below; a last coordinate named ``"limit"`` has no stack.

    Attributes:
        height: coins in the highest stack.
        wide: coins beside each other in a stack, which stands in rows where it would be too high.
    """

    @cached_property
    def limited(self) -> bool:
        """Whether the last coordinate is a limit on the coins that may be taken."""
        return self.component.coordinate_system.names[-1:] == (LIMIT_NAME,)

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
        return filled.reshape(*coordinates.shape[:-1], len(self.squares))

    def pale(self, coordinates: IntArray) -> BoolArray:
        """Return all but the coins that a move may take: none where there is no limit."""
        numbers = np.tile(np.arange(self.height), self.stacks)
        heights = np.repeat(coordinates[: self.stacks], self.height)
        least = heights - coordinates[-1] if self.limited else np.zeros_like(heights)
        return np.asarray((numbers < least) | (heights <= numbers))

    def draw_ground(self, canvas: Canvas, number: int, place: Area) -> None:
        """Draw a line below each stack."""
        if number % self.height == 0:
            canvas.box(Area(place.x, place.bottom, self.wide * self.side, 2), LINE)


class CellsLayout(BoardLayout):
    """The cells of a board; without a board, nodes on a circle."""

    writes_coordinates = False

    @classmethod
    def number_of_squares(cls, fields: tuple[int, ...]) -> int:
        """Return the number of cells."""
        return len(fields)

    def _place(self) -> None:
        board = self.component.coordinate_system.board
        self.round = board is None
        self.edges = tuple(getattr(self.component, "edges", ()))
        if board is not None:
            self.squares = self._grid(math.prod(board[:-1]), board[-1])
            return
        number = len(self.fields)
        radius = 0.42 * min(self.area.width, self.area.height)
        self.side = min(LARGEST_SQUARE, 1.4 * radius * math.sin(math.pi / max(number, 3)))
        self.numbered = self.side >= 20
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

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return the cells that are not 0."""
        return np.asarray(coordinates > 0)

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the cells that each option needs, where the component says so."""
        needed = getattr(self.component, "cells_of_options", None)
        if needed is None:
            return super().pointed_at(options, before, after)
        return np.asarray(needed[0][options])

    def mark(self, canvas: Canvas, places: list[int]) -> None:
        """Mark a winning move by a line through its cells, or by a dot on a single one."""
        if len(places) == 1:
            super().mark(canvas, places)
        else:
            ends = self.squares[places[0]].center, self.squares[places[-1]].center
            canvas.line(*ends, WINNING, max(2.0, 0.12 * self.side))


LAYOUTS: dict[str, type[BoardLayout]] = {
    "piece": PieceLayout,
    "rows": RowsLayout,
    "coins": CoinsLayout,
    "cells": CellsLayout,
}
"""The layout of each ``picture`` of a component."""


def board_layout(component: Component, area: Area) -> BoardLayout | None:
    """Return the layout of a component in an area; ``None`` where it is to be shown as numbers."""
    system = component.coordinate_system
    kind, fields = LAYOUTS.get(system.picture or ""), system.fields
    if kind is None:
        return None
    # More squares than pixels allow need not be laid out to be too small.
    if kind.number_of_squares(fields) * SMALLEST_SQUARE**2 > area.width * area.height:
        return None
    layout = kind(component, area)
    return layout if layout.side >= SMALLEST_SQUARE else None
