"""Boards: squares, what fills them, and the moves that a click on one chooses."""

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from nim_envs.graph import Part
from nim_envs.render import palette
from nim_envs.render.geometry import Area, square
from nim_envs.render.palette import Color, mixed, paler, player_color
from nim_envs.render.panels import Layout, Panel
from nim_envs.render.scene import PartView
from nim_envs.render.shapes import Drawing
from nim_envs.typing import BoolArray, IntArray, Position

LARGEST_SQUARE = 110.0
"""Largest side of a square in pixels."""

LABEL = 26.0
"""Height of the line below a board."""

UNCLEAR = 0.15
"""Moves whose middles are as near to a click, to this share of a square, are listed."""

BOX = 96.0
"""Largest width of the box of a coordinate, in pixels."""

CROWN = ((0, 1), (0, 0.3), (0.25, 0.62), (0.5, 0.1), (0.75, 0.62), (1, 0.3), (1, 1))
"""Corners of a queen's crown, as shares of its width and height."""


class Squares(Layout):
    """A part drawn as squares, some of which are filled.

    ``leaving`` is the share of white in the mover's colour, on squares that the selected move
    clears; ``marks_whole_moves``: a winning move is marked on all squares that it needs.

    A click on a square chooses the move that leads to it or that takes it and as little else as
    possible.
    """

    round = writes_coordinates = True
    numbered = marks_whole_moves = False
    leaving = 0.25
    smallest = 7.0
    """Smallest side of a square in pixels."""

    def __init__(self, part: Part, cell: Area) -> None:
        super().__init__(part, cell)
        self.area = self.room(cell)
        self.side: float
        self.squares: list[Area]
        self._place()

    @staticmethod
    def room(cell: Area) -> Area:
        """Return the place of the squares in a cell."""
        return cell.shrunk(8, 8, 8, 8 + LABEL)

    @classmethod
    def number_of_squares(cls, fields: tuple[int, ...]) -> int:
        """Return the number of squares for coordinates with this many values each."""
        return len(fields)

    @abstractmethod
    def _place(self) -> None:
        """Set ``side`` and ``squares``."""

    @abstractmethod
    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return which squares are filled: ``(..., fields)`` to ``(..., squares)``."""

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the squares by which each option is chosen, ``(n, squares)``: it changes them."""
        return np.asarray(self.filled(after) != self.filled(before))

    def pale(self, here: Position) -> BoolArray:
        """Return the squares whose content no move can take, ``(squares,)``."""
        return np.zeros(len(self.squares), dtype=np.bool_)

    def colors(self, view: PartView) -> list[Color]:
        """Return the colour of each square where it is filled."""
        colors = [palette.OBJECT] * len(self.squares)
        for index in np.flatnonzero(self.pale(view.here)):
            colors[index] = paler(palette.OBJECT, 0.55)
        for index in np.flatnonzero(self._filled(view.here) & ~self._filled(view.before)):
            colors[index] = paler(player_color(view.last_mover), 0.3)
        # Filled to the end, such as the poisoned square of a bar of chocolate.
        if self.part.ends[0]:
            for index in np.flatnonzero(self._filled(self.part.position(0))):
                colors[index] = mixed(palette.PLAYERS[1], palette.LIMIT, 0.4)
        return colors

    def _filled(self, here: Position) -> BoolArray:
        return self.filled(np.array(here))

    def filled_before(self, view: PartView) -> BoolArray:
        """Return which squares were filled before the last move, ``(squares,)``."""
        return self._filled(view.before)

    def draw_lines(self, drawing: Drawing) -> None:
        """Draw what is below the squares."""

    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw the squares; what the last move changed has the colour of its player."""
        filled: list[bool] = self._filled(view.here).tolist()
        before: list[bool] = self.filled_before(view).tolist()
        after = filled if view.pointed is None else self._filled(view.pointed).tolist()
        colors, mover = self.colors(view), player_color(view.mover)
        self.draw_lines(drawing)
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

    def draw_marks(self, drawing: Drawing, view: PartView) -> None:
        """Mark each winning move: where a click chooses it, or else on all squares it changes."""
        options, chosen_by = self._moves(view.here)
        for option in view.winning:
            places = np.flatnonzero(chosen_by[np.searchsorted(options, option)]).tolist()
            if not self.marks_whole_moves:
                alone = (
                    [index]
                    for index in places
                    if self._options_on(options, chosen_by, index, self.squares[index].center)
                    == [option]
                )
                places = next(alone, places)
            self.mark(drawing, places)

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

    def draw_label(self, drawing: Drawing, view: PartView) -> None:
        """Write the name below a board and, but of cells and pieces, its coordinates."""
        text, width = view.name, self.cell.width - 8
        if self.writes_coordinates:
            now = self.written(view.here)
            names = self.part.picture.names or ("",) * len(now)
            values = [f"{name} {value}".strip() for name, value in zip(names, now, strict=True)]
            text += f": {', '.join(values)}"
        stays = view.here == view.before
        color = palette.INK if stays else player_color(view.last_mover, palette.INK)
        size = drawing.fitting(text, width, 19)
        text = drawing.shortened(text, width, size)
        drawing.text(text, (self.cell.center.x, self.cell.bottom - LABEL / 2), size, color)

    def written(self, here: Position) -> Position:
        """Return the coordinates that are written below the board."""
        return here

    def _moves(self, here: Position) -> tuple[IntArray, BoolArray]:
        """Return the legal options, ``(n,)``, and the squares of each, ``(n, squares)``."""
        options, after = self.legal_options(here)
        return options, self.pointed_at(options, np.array(here), after)

    def options_at(self, here: Position, point: tuple[float, float]) -> list[int]:
        """Return the legal options between which a click at a point does not decide, best first."""
        on = [index for index, place in enumerate(self.squares) if place.contains(point)]
        return self._options_on(*self._moves(here), on[0], point) if on else []

    def _options_on(
        self, options: IntArray, chosen_by: BoolArray, index: int, point: tuple[float, float]
    ) -> list[int]:
        """Return the options that a click on a square chooses between; one where it decides."""
        rows = np.flatnonzero(chosen_by[:, index])
        if not len(rows):
            return []
        sizes = chosen_by[rows].sum(axis=1)
        rows = rows[sizes == sizes.min()]
        centers = np.array([each.center for each in self.squares])
        middles = np.array([centers[chosen_by[row]].mean(axis=0) for row in rows])
        distances = np.hypot(*(middles - point).T)
        return [*map(int, options[rows[distances <= distances.min() + UNCLEAR * self.side]])]

    def _grid(self, rows: int, columns: int) -> list[Area]:
        """Set the side and return squares row by row, from the top, in the middle of the area."""
        self.side = min(self.area.width / columns, self.area.height / rows, LARGEST_SQUARE)
        left = self.area.center.x - columns * self.side / 2
        top = self.area.center.y - rows * self.side / 2
        return Area(left, top, columns * self.side, rows * self.side).grid(rows, columns)


class Piece(Squares):
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

    def colors(self, view: PartView) -> list[Color]:
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
        if self.part.words.kind == "queen":
            drawing.polygon(
                [(inside.x + x * inside.width, inside.y + y * inside.height) for x, y in CROWN],
                color,
            )
        else:
            drawing.disc(inside, color)


class Rows(Squares):
    """Rows of squares, filled from the left, the first row on top."""

    round = False

    @classmethod
    def number_of_squares(cls, fields: tuple[int, ...]) -> int:
        """Return the number of squares, or a little more."""
        return len(fields) * max(fields)

    def _place(self) -> None:
        self.count, self.longest = len(self.fields), max(1, max(self.fields) - 1)
        self.squares = self._grid(self.count, self.longest)

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return as many squares of each row as its coordinate says."""
        filled = np.arange(self.longest) < coordinates[..., : self.count, np.newaxis]
        return filled.reshape(*coordinates.shape[:-1], len(self.squares))


class Coins(Rows):
    """Stacks of coins, filled from below; a last coordinate named ``"limit"`` has no stack."""

    round = True

    def _place(self) -> None:
        self.limited = self.part.picture.names[-1:] == ("limit",)
        self.count = len(self.fields) - self.limited
        self.longest = max(1, max(self.fields[: self.count]) - 1)
        room = self.area.width / self.count
        # Coins stand beside each other where a stack would be too high.
        self.wide = min(
            range(1, self.longest + 1),
            key=lambda wide: -min(room / (wide + 0.5), self.area.height / -(-self.longest // wide)),
        )
        rows = -(-self.longest // self.wide)
        self.side = min(room / (self.wide + 0.5), self.area.height / rows, LARGEST_SQUARE)
        self.squares = [
            Area(
                column.center.x + (coin % self.wide - self.wide / 2) * self.side,
                column.bottom - (coin // self.wide + 1) * self.side,
                self.side,
                self.side,
            )
            for column in self.area.side_by_side([1.0] * self.count)
            for coin in range(self.longest)
        ]

    def pale(self, here: Position) -> BoolArray:
        """Return all but the coins that a move may take: none where there is no limit."""
        numbers = np.tile(np.arange(self.longest), self.count)
        heights = np.repeat(here[: self.count], self.longest)
        least = heights - here[-1] if self.limited else np.zeros_like(heights)
        return np.asarray((numbers < least) | (heights <= numbers))

    def draw_ground(self, drawing: Drawing, index: int, place: Area) -> None:
        """Draw a line below each stack."""
        if index % self.longest == 0:
            drawing.box(Area(place.x, place.bottom, self.wide * self.side, 2), palette.LINE)


class Cells(Squares):
    """The cells of a board; without a board, nodes on a circle, joined by their edges."""

    writes_coordinates = False
    marks_whole_moves = True

    def _place(self) -> None:
        board = self.part.picture.board
        self.round = board is None
        if board is not None:
            self.squares = self._grid(math.prod(board[:-1]), board[-1])
            return
        count, center = len(self.fields), self.area.center
        radius = 0.42 * min(self.area.width, self.area.height)
        self.side = min(LARGEST_SQUARE, 1.4 * radius * math.sin(math.pi / max(count, 3)))
        self.numbered = self.side >= 20
        turns = (2 * math.pi * np.arange(count) / count).tolist()
        self.squares = [
            square(
                (center.x + radius * math.sin(turn), center.y - radius * math.cos(turn)), self.side
            )
            for turn in turns
        ]

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return the cells that are not 0."""
        return np.asarray(coordinates > 0)

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the cells that each option changes; of nodes, the one with its number."""
        if self.part.picture.style == "nodes":
            return np.asarray(np.arange(len(self.squares)) == options[:, np.newaxis])
        return super().pointed_at(options, before, after)

    def draw_lines(self, drawing: Drawing) -> None:
        """Draw the edges between nodes."""
        for one, other in self.part.picture.edges:
            drawing.line(self.squares[one].center, self.squares[other].center, palette.LINE, 2)

    def draw_marks(self, drawing: Drawing, view: PartView) -> None:
        """Join the two cells of the last move and of the selected one; mark the winning moves."""
        if not self.round:
            mover = paler(player_color(view.mover), 0.25)
            last = paler(player_color(view.last_mover), 0.3)
            after = view.here if view.pointed is None else view.pointed
            for one, other, color in ((view.before, view.here, last), (view.here, after, mover)):
                covered = np.flatnonzero(self._filled(other) & ~self._filled(one)).tolist()
                if len(covered) == 2:
                    drawing.box(self._between(covered, 0.5, 0.9), color)
        super().draw_marks(drawing, view)

    def _between(self, pair: list[int], length: float, width: float) -> Area:
        """Return the bar across the border of two neighbouring cells; sizes in sides of squares."""
        (x, y), (right, bottom) = (self.squares[index].center for index in pair)
        across = self.side * (length if right > x else width)
        down = self.side * (length if bottom > y else width)
        return Area((x + right - across) / 2, (y + bottom - down) / 2, across, down)

    def mark(self, drawing: Drawing, places: list[int]) -> None:
        """Mark a winning move by a bar across the border of its two cells, or on each cell."""
        if len(places) != 2 or self.round:
            super().mark(drawing, places)
            return
        # Bars of pairs that share a cell do not meet.
        for length, width, color in ((0.56, 0.26, palette.WHITE), (0.5, 0.2, palette.WINNING)):
            drawing.box(self._between(places, length, width), color, radius=width * self.side / 2)


class Pieces(Squares):
    """Two players' pieces on a board: cells 1 of ``player_0``, 2 of ``player_1``, 0 empty.

    They are crosses and circles, or discs. Coordinates beyond the cells, such as the player to
    move, stand below the board. A click on a square chooses the move that puts a piece there; any
    square a move that changes none.
    """

    def _place(self) -> None:
        board = self.part.picture.board
        assert board is not None
        self.squares = self._grid(math.prod(board[:-1]), board[-1])
        self.writes_coordinates = len(self.fields) > len(self.squares)

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return the cells that are not 0."""
        return np.asarray(coordinates[..., : len(self.squares)] > 0)

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the squares where each option puts a piece, or else those that it changes."""
        cells = len(self.squares)
        changed = after[:, :cells] != before[:cells]
        placed = changed & self.filled(after)
        chosen = np.where(placed.any(axis=1, keepdims=True), placed, changed)
        return np.asarray(chosen | ~chosen.any(axis=1, keepdims=True))

    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw the squares and pieces; squares that the last move changed are tinted."""
        now, before = view.here, view.before
        after = now if view.pointed is None else view.pointed
        tint = paler(player_color(view.last_mover), 0.7)
        for index, place in enumerate(self.squares):
            ground = palette.FAINT if now[index] == before[index] else tint
            drawing.box(place.inset(0.03 * self.side), ground, radius=0.08 * self.side)
            piece = after[index] or now[index]
            if piece:
                pale = 0.0 if now[index] == after[index] else 0.5
                self._draw_piece(drawing, place, piece, paler(palette.PLAYERS[piece - 1], pale))
        self.draw_marks(drawing, view)
        self.draw_label(drawing, view)

    def _draw_piece(self, drawing: Drawing, place: Area, piece: int, color: Color) -> None:
        """Draw a piece, 1 or 2, on a square."""
        if self.part.picture.style == "discs":
            drawing.disc(place.inset(0.13 * self.side), color)
            return
        inside, width = place.inset(0.2 * self.side), max(1.5, 0.11 * self.side)
        if piece == 2:
            drawing.disc(inside, color, width)
            return
        drawing.line((inside.x, inside.y), (inside.right, inside.bottom), color, width)
        drawing.line((inside.x, inside.bottom), (inside.right, inside.y), color, width)

    def written(self, here: Position) -> Position:
        """Return the coordinates beyond the cells."""
        return here[len(self.squares) :]


class Tile(Layout):
    """The coordinates in boxes; a click does not decide between the legal moves."""

    def options_at(self, here: Position, point: tuple[float, float]) -> list[int]:
        """Return all legal options."""
        options: list[int] = self.legal_options(here)[0].tolist()
        return options

    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw each coordinate in a box, and the name; of the mover's colour after its move."""
        values, names = view.here, self.part.picture.names or ("",) * len(self.fields)
        width = min(max(180.0, len(values) * BOX), self.cell.width - 8)
        height = min(120.0, self.cell.height - 8)
        center, moved = self.cell.center, view.before != view.here
        place = Area(center.x - width / 2, center.y - height / 2, width, height)
        color = palette.FAINT
        if moved and view.last_mover is not None:
            color = paler(palette.PLAYERS[view.last_mover], 0.75)
        drawing.box(place, color, radius=8)
        if view.winning:
            drawing.box(place, palette.WINNING, radius=8, line_width=3)
        boxes = place.shrunk(6, 0.1 * height, 6, 0.34 * height).grid(1, len(values))
        for name, value, box in zip(names, values, boxes, strict=True):
            if len(values) > 1:
                drawing.box(box.shrunk(2, 0, 2, 0), palette.PANEL, radius=5)
            text = str(value)
            number = box.shrunk(0, 0, 0, 0.3 * box.height) if name and box.height >= 40 else box
            size = drawing.fitting(text, 0.9 * box.width, 0.42 * height)
            drawing.text(text, number.center, min(size, 0.9 * number.height), palette.INK)
            if number is not box:
                below = box.center.x, box.bottom - 0.16 * box.height
                drawing.text(name, below, 13, palette.GREY)
        if height >= 50:
            label = view.name
            if moved:
                label += f", was {', '.join(map(str, view.before))}"
            small = drawing.fitting(label, 0.9 * width, 17)
            drawing.text(label, (place.center.x, place.y + 0.83 * height), small, palette.GREY)


BOARDS: dict[str | None, type[Squares]] = {
    "piece": Piece,
    "rows": Rows,
    "coins": Coins,
    "cells": Cells,
    "nodes": Cells,
    "crosses": Pieces,
    "discs": Pieces,
}
"""The layout of each style of a part's picture that is a board."""


def board_layout(part: Part, cell: Area) -> Layout:
    """Return the layout of a part in a cell: a tile where squares would be too small."""
    kind = BOARDS.get(part.picture.style)
    return Tile(part, cell) if kind is None else squares_or(Tile, kind, part, cell)


def squares_or(other: type[Layout], kind: type[Squares], part: Part, cell: Area) -> Layout:
    """Return a part as squares, or in another layout where these would be too small."""
    area = kind.room(cell)
    # More squares than pixels allow need not be laid out to be too small.
    if kind.number_of_squares(part.fields) * kind.smallest**2 > area.width * area.height:
        return other(part, cell)
    layout = kind(part, cell)
    return layout if layout.side >= kind.smallest else other(part, cell)


class NumberPanel(Panel):
    """Parts as numbers in boxes."""

    def __init__(self, parts: Sequence[Part], indices: list[int], area: Area) -> None:
        super().__init__(parts, indices, area)
        # A cell for each part, a little wider than high as far as the area allows.
        rows = max(1, round(math.sqrt(len(indices) * area.height * 1.3 / area.width)))
        cells = area.grid(rows, math.ceil(len(indices) / rows))
        for index, cell in zip(indices, cells, strict=False):
            self.layouts[index] = board_layout(parts[index], cell)


class BoardPanel(NumberPanel):
    """Boards beside each other."""

    share = 1.6
