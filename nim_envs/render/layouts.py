"""Layouts of components: squares, what fills them, and the moves that a click on one chooses."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.render import palette
from nim_envs.render.geometry import Area, square
from nim_envs.render.numbers import draw_tile, tile
from nim_envs.render.palette import Color, mixed, paler, player_color
from nim_envs.render.scene import ComponentView
from nim_envs.render.shapes import Drawing
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.typing import BoolArray, IntArray

SMALLEST_SQUARE, LARGEST_SQUARE = 7.0, 110.0
"""Sides of squares in pixels; where they would be smaller, coordinates are shown as numbers."""

LABEL = 26.0
"""Height of the line below a board."""

UNCLEAR = 0.15
"""Moves whose middles are as near to a click, to this share of a square, are listed."""

LIMIT_NAME = "limit"
"""Name of a last coordinate that says how many coins may be taken."""

CROWN = ((0, 1), (0, 0.3), (0.25, 0.62), (0.5, 0.1), (0.75, 0.62), (1, 0.3), (1, 1))
"""Corners of a queen's crown, as shares of its width and height."""


class Moves(NamedTuple):
    """The legal moves of a component in a state."""

    options: IntArray  # (n,)
    squares: BoolArray  # by which each is chosen, (n, squares)


class Layout(ABC):
    """Draws one component in its cell, and maps places to its moves.

    Args:
        component: any component.
        cell: place in the picture, its label included.
    """

    def __init__(self, component: Component, cell: Area) -> None:
        self.component = component
        self.cell = cell

    @abstractmethod
    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the component."""

    @abstractmethod
    def options_at(self, state: int, point: tuple[float, float]) -> list[int]:
        """Return the legal options between which a click at a point does not decide, best first."""

    def legal_options(self, state: int) -> tuple[IntArray, IntArray]:
        """Return the legal options in a state and the states that they lead to, ``(n,)`` each."""
        successors = self.component.successors(np.array(state, dtype=np.int64))
        (options,) = np.nonzero(successors != NO_MOVE)
        return options, successors[options]

    def nearest_option(self, state: int, successor: float) -> list[int]:
        """Return the legal option that leads to the state nearest to a number, if there is one."""
        options, successors = self.legal_options(state)
        if not len(options):
            return []
        return [int(options[np.argmin(np.abs(successors - successor))])]


class BoardLayout(Layout):
    """A component drawn as squares, some of which are filled.

    A click on a square chooses the move that leads to it or that takes it and as little else as
    possible.

    Args:
        component: a component; without coordinates, its state is the only one.
        cell: place in the picture, its label included.

    Attributes:
        area: place of the squares.
        side: side of a square, in pixels.
        squares: place of each square.
    """

    def __init__(self, component: Component, cell: Area) -> None:
        super().__init__(component, cell)
        self.fields = component.coordinate_system.fields
        self.area = self.room(cell)
        self.side: float
        self.squares: list[Area]
        self._place()
        # A picture of the same position is often drawn again, with another move selected.
        self._moves: LimitedCache[int, Moves] = LimitedCache(8)
        self._filled: LimitedCache[int, BoolArray] = LimitedCache(8)

    round = True
    """Whether what fills a square is round."""

    leaving = 0.25
    """Share of white in the mover's colour, on squares that the selected move clears."""

    writes_coordinates = True
    """Whether the coordinates are written below the board."""

    edges: tuple[tuple[int, int], ...] = ()
    """Pairs of squares that are joined by a line."""

    numbered = False
    """Whether the indices of the squares are written on them."""

    marks_whole_moves = False
    """Whether a winning move is marked on all squares that it needs, where one would do."""

    @staticmethod
    def room(cell: Area) -> Area:
        """Return the place of the squares in a cell."""
        return cell.shrunk(8, 8, 8, 8 + LABEL)

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

    def colors(self, view: ComponentView) -> list[Color]:
        """Return the colour of each square where it is filled."""
        colors = [palette.OBJECT] * len(self.squares)
        for index in np.flatnonzero(self.pale(self.coordinates(view.state))):
            colors[index] = paler(palette.OBJECT, 0.55)
        for index in np.flatnonzero(self.filled_at(view.state) & ~self.filled_at(view.before)):
            colors[index] = paler(player_color(view.last_mover), 0.3)
        # Filled to the end, such as the poisoned square of a bar of chocolate.
        if self.component.is_terminal(np.array(0)):
            for index in np.flatnonzero(self.filled_at(0)):
                colors[index] = mixed(palette.PLAYERS[1], palette.LIMIT, 0.4)
        return colors

    def coordinates(self, state: int) -> IntArray:
        """Return the coordinates of a state."""
        return self.component.coordinate_system.of(np.array(state, dtype=np.int64))

    def filled_at(self, state: int) -> BoolArray:
        """Return which squares are filled in a state, ``(squares,)``."""
        return self._filled.get_or_create(state, lambda: self.filled(self.coordinates(state)))

    def filled_before(self, view: ComponentView) -> BoolArray:
        """Return which squares were filled before the last move, ``(squares,)``."""
        return self.filled_at(view.before)

    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the squares; what the last move changed has the colour of its player."""
        filled: list[bool] = self.filled_at(view.state).tolist()
        before: list[bool] = self.filled_before(view).tolist()
        after = filled if view.pointed is None else self.filled_at(view.pointed).tolist()
        colors, mover = self.colors(view), player_color(view.mover)
        for one, other in self.edges:
            drawing.line(self.squares[one].center, self.squares[other].center, palette.LINE, 2)
        for index, place in enumerate(self.squares):
            self.draw_ground(drawing, index, place)
            if filled[index]:
                color = colors[index] if after[index] else paler(mover, self.leaving)
                self.draw_filled(drawing, place, color)
            elif after[index]:
                self.draw_filled(drawing, place, paler(mover, 0.25))
            elif before[index]:
                self.draw_emptied(drawing, place, player_color(view.last_mover))
            if self.numbered:
                self.draw_number(drawing, index, palette.WHITE if filled[index] else palette.GREY)
        self.draw_marks(drawing, view)
        self.draw_label(drawing, view)

    def draw_ground(self, drawing: Drawing, index: int, place: Area) -> None:
        """Draw an empty square."""
        radius = self.side if self.round else 0.12 * self.side
        drawing.box(place.inset(0.05 * self.side), palette.FAINT, radius=radius)

    def draw_filled(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw what fills a square."""
        inside = place.inset(max(1.0, 0.05 * self.side))
        if self.round:
            drawing.disc(inside, color)
        else:
            drawing.box(inside, color, radius=0.12 * self.side)

    def draw_emptied(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw where something stood before the last move, in the mover's colour."""
        inside = place.inset(max(1.5, 0.08 * self.side))
        width = max(1.5, 0.05 * self.side)
        if self.round:
            drawing.disc(inside, paler(color, 0.2), width)
        else:
            drawing.box(inside, paler(color, 0.2), 0.12 * self.side, width)

    def draw_number(self, drawing: Drawing, index: int, ink: Color) -> None:
        """Write the index of a square on it."""
        drawing.text(str(index), self.squares[index].center, min(28, 0.5 * self.side), ink)

    def draw_marks(self, drawing: Drawing, view: ComponentView) -> None:
        """Mark each winning move: where a click chooses it, or else on all squares it changes."""
        for option in view.winning:
            moves = self.moves(view.state)
            (row,) = np.nonzero(moves.options == option)[0].tolist()
            chosen_by = np.nonzero(moves.squares[row])[0].tolist()
            if not self.marks_whole_moves:
                chosen_by = next(
                    (
                        [index]
                        for index in chosen_by
                        if self._options_on(view.state, index, self.squares[index].center)
                        == [option]
                    ),
                    chosen_by,
                )
            self.mark(drawing, chosen_by)

    def mark(self, drawing: Drawing, places: list[int]) -> None:
        """Mark a winning move on its squares, by discs with a rim that stands out on any ground."""
        for index in places:
            place = self.squares[index]
            if self.numbered:
                self.draw_filled(drawing, place, palette.WINNING)
                self.draw_number(drawing, index, palette.WHITE)
                continue
            size = max(5.0, 0.36 * self.side)
            drawing.disc(square(place.center, 1.25 * size), palette.WHITE)
            drawing.disc(square(place.center, size), palette.WINNING)

    def draw_label(self, drawing: Drawing, view: ComponentView) -> None:
        """Write the name below a board and, but of cells and pieces, its coordinates."""
        text, cell = view.name, self.cell
        if self.writes_coordinates:
            now = self.written(self.coordinates(view.state))
            names = self.component.coordinate_system.names or ("",) * len(now)
            values = [f"{name} {value}".strip() for name, value in zip(names, now, strict=True)]
            text += f": {', '.join(values)}"
        color = (
            palette.INK if view.state == view.before else player_color(view.last_mover, palette.INK)
        )
        size = drawing.fitting(text, cell.width - 8, 19)
        text = drawing.shortened(text, cell.width - 8, size)
        drawing.text(text, (cell.center.x, cell.bottom - LABEL / 2), size, color)

    def written(self, coordinates: IntArray) -> IntArray:
        """Return the coordinates that are written below the board."""
        return coordinates

    def moves(self, state: int) -> Moves:
        """Return the legal moves in a state."""
        return self._moves.get_or_create(state, lambda: self._moves_in(state))

    def _moves_in(self, state: int) -> Moves:
        options, successors = self.legal_options(state)
        after = self.component.coordinate_system.of(successors)
        return Moves(options, self.pointed_at(options, self.coordinates(state), after))

    def options_at(self, state: int, point: tuple[float, float]) -> list[int]:
        """Return the legal options between which a click at a point does not decide, best first."""
        on = [index for index, place in enumerate(self.squares) if place.contains(point)]
        return self._options_on(state, on[0], point) if on else []

    def _options_on(self, state: int, index: int, point: tuple[float, float]) -> list[int]:
        """Return the options that a click on a square chooses between; one where it decides."""
        moves = self.moves(state)
        (options,) = np.nonzero(moves.squares[:, index])
        if not len(options):
            return []
        sizes = moves.squares[options].sum(axis=1)
        options = options[sizes == sizes.min()]
        centers = np.array([each.center for each in self.squares])
        middles = np.array([centers[moves.squares[move]].mean(axis=0) for move in options])
        distances = np.hypot(*(middles - point).T)
        near = options[distances <= distances.min() + UNCLEAR * self.side]
        return [int(moves.options[move]) for move in near]

    def _grid(self, rows: int, columns: int) -> list[Area]:
        """Set the side and return squares row by row, from the top, in the middle of the area."""
        self.side = min(self.area.width / columns, self.area.height / rows, LARGEST_SQUARE)
        left = self.area.center.x - columns * self.side / 2
        top = self.area.center.y - rows * self.side / 2
        return Area(left, top, columns * self.side, rows * self.side).grid(rows, columns)


class PieceLayout(BoardLayout):
    """A board with one piece, or a strip: the first coordinate to the right, the second upwards."""

    leaving = 0.6

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

    def colors(self, view: ComponentView) -> list[Color]:
        """Return the colour of the piece, whatever its square."""
        return [palette.OBJECT] * len(self.squares)

    def draw_ground(self, drawing: Drawing, index: int, place: Area) -> None:
        """Draw a dark or a light square; the corner to which pieces move stands out."""
        ranks = (*self.fields, 1)[1]
        dark = (index // ranks + index % ranks) % 2 == 0
        drawing.box(place, palette.LIMIT if index == 0 else palette.LINE if dark else palette.FAINT)

    def draw_filled(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw a queen's crown or a disc."""
        inside = place.inset(0.2 * self.side)
        if self.component.kind == "queen":
            corners = [
                (inside.x + x * inside.width, inside.y + y * inside.height) for x, y in CROWN
            ]
            drawing.polygon(corners, color)
        else:
            drawing.disc(inside, color)


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

    def draw_ground(self, drawing: Drawing, index: int, place: Area) -> None:
        """Draw a line below each stack."""
        if index % self.height == 0:
            drawing.box(Area(place.x, place.bottom, self.wide * self.side, 2), palette.LINE)


class CellsLayout(BoardLayout):
    """The cells of a board; without a board, nodes on a circle."""

    writes_coordinates = False
    marks_whole_moves = True

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
        count = len(self.fields)
        radius = 0.42 * min(self.area.width, self.area.height)
        self.side = min(LARGEST_SQUARE, 1.4 * radius * math.sin(math.pi / max(count, 3)))
        self.numbered = self.side >= 20
        turns = 2 * math.pi * np.arange(count) / count
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

    def draw_marks(self, drawing: Drawing, view: ComponentView) -> None:
        """Join the two cells of the last move and of the selected one; mark the winning moves."""
        if self.component.coordinate_system.board is not None:
            mover = paler(player_color(view.mover), 0.25)
            last = paler(player_color(view.last_mover), 0.3)
            after = view.state if view.pointed is None else view.pointed
            for one, other, color in ((view.before, view.state, last), (view.state, after, mover)):
                covered = np.flatnonzero(self.filled_at(other) & ~self.filled_at(one))
                if len(covered) == 2:
                    drawing.box(self._between(covered.tolist(), 0.5, 0.9), color)
        super().draw_marks(drawing, view)

    def _between(self, pair: list[int], length: float, width: float) -> Area:
        """Return the bar across the border of two neighbouring cells; sizes in sides of squares."""
        (x, y), (right, bottom) = (self.squares[index].center for index in pair)
        across = self.side * (length if right > x else width)
        down = self.side * (length if bottom > y else width)
        return Area((x + right - across) / 2, (y + bottom - down) / 2, across, down)

    def mark(self, drawing: Drawing, places: list[int]) -> None:
        """Mark a winning move by a bar across the border of its two cells, or on each cell."""
        if len(places) != 2 or self.component.coordinate_system.board is None:
            super().mark(drawing, places)
            return
        # Bars of pairs that share a cell do not meet.
        for length, width, color in ((0.56, 0.26, palette.WHITE), (0.5, 0.2, palette.WINNING)):
            drawing.box(self._between(places, length, width), color, radius=width * self.side / 2)


class PiecesLayout(BoardLayout):
    """Two players' pieces on a board: cells 1 of ``player_0``, 2 of ``player_1``, 0 empty.

    Coordinates beyond the cells, such as the player to move, stand below the board. A click on a
    square chooses the move that puts a piece there; any square a move that changes none.
    """

    @classmethod
    def number_of_squares(cls, fields: tuple[int, ...]) -> int:
        """Return the number of coordinates, at least that of cells."""
        return len(fields)

    def _place(self) -> None:
        board = self.component.coordinate_system.board
        assert board is not None
        self.squares = self._grid(math.prod(board[:-1]), board[-1])
        self.writes_coordinates = len(self.fields) > len(self.squares)

    def pieces(self, coordinates: IntArray) -> IntArray:
        """Return the cells: ``(..., fields)`` to ``(..., squares)``."""
        return coordinates[..., : len(self.squares)]

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return the cells that are not 0."""
        return np.asarray(self.pieces(coordinates) > 0)

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the squares where each option puts a piece, or else those that it changes."""
        changed = self.pieces(after) != self.pieces(before)
        placed = changed & self.filled(after)
        chosen = np.where(placed.any(axis=1, keepdims=True), placed, changed)
        return np.asarray(chosen | ~chosen.any(axis=1, keepdims=True))

    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the squares and pieces; squares that the last move changed are tinted."""
        now, before, after = (
            self.pieces(self.coordinates(state)).tolist()
            for state in (
                view.state,
                view.before,
                view.state if view.pointed is None else view.pointed,
            )
        )
        tint = paler(player_color(view.last_mover), 0.7)
        for index, place in enumerate(self.squares):
            ground = palette.FAINT if now[index] == before[index] else tint
            drawing.box(place.inset(0.03 * self.side), ground, radius=0.08 * self.side)
            piece = after[index] or now[index]
            if piece:
                color = palette.PLAYERS[piece - 1]
                pale = 0.0 if now[index] == after[index] else 0.5
                self.draw_piece(drawing, place, piece, paler(color, pale))
        self.draw_marks(drawing, view)
        self.draw_label(drawing, view)

    @abstractmethod
    def draw_piece(self, drawing: Drawing, place: Area, piece: int, color: Color) -> None:
        """Draw a piece, 1 or 2, on a square."""

    def written(self, coordinates: IntArray) -> IntArray:
        """Return the coordinates beyond the cells."""
        return coordinates[len(self.squares) :]


class CrossesLayout(PiecesLayout):
    """Crosses of ``player_0`` and circles of ``player_1``."""

    def draw_piece(self, drawing: Drawing, place: Area, piece: int, color: Color) -> None:
        """Draw a cross, 1, or a circle, 2."""
        inside, width = place.inset(0.2 * self.side), max(1.5, 0.11 * self.side)
        if piece == 2:
            drawing.disc(inside, color, width)
            return
        drawing.line((inside.x, inside.y), (inside.right, inside.bottom), color, width)
        drawing.line((inside.x, inside.bottom), (inside.right, inside.y), color, width)


class DiscsLayout(PiecesLayout):
    """Discs in the colours of the players."""

    def draw_piece(self, drawing: Drawing, place: Area, piece: int, color: Color) -> None:
        """Draw a disc."""
        drawing.disc(place.inset(0.13 * self.side), color)


LAYOUTS: dict[str, type[BoardLayout]] = {
    "piece": PieceLayout,
    "rows": RowsLayout,
    "coins": CoinsLayout,
    "cells": CellsLayout,
    "crosses": CrossesLayout,
    "discs": DiscsLayout,
}
"""The layout of each ``picture`` of a component."""


class TileLayout(Layout):
    """A component shown as numbers; a click does not decide between its legal moves."""

    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the tile."""
        draw_tile(drawing, view, tile(self.component, self.cell))

    def options_at(self, state: int, point: tuple[float, float]) -> list[int]:
        """Return all legal options."""
        options: list[int] = self.legal_options(state)[0].tolist()
        return options


def board_layout(component: Component, cell: Area) -> BoardLayout | TileLayout:
    """Return the layout of a component in a cell: as numbers where squares would be too small."""
    system = component.coordinate_system
    kind = LAYOUTS.get(system.picture or "")
    if kind is None:
        return TileLayout(component, cell)
    area = kind.room(cell)
    # More squares than pixels allow need not be laid out to be too small.
    if kind.number_of_squares(system.fields) * SMALLEST_SQUARE**2 > area.width * area.height:
        return TileLayout(component, cell)
    layout = kind(component, cell)
    return layout if layout.side >= SMALLEST_SQUARE else TileLayout(component, cell)
