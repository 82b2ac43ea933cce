"""Running totals as tracks of numbered squares, or as a line where there are too many."""

import math
from collections.abc import Sequence

import numpy as np

from nim_envs.graph import Part
from nim_envs.render import palette
from nim_envs.render.boards import Piece, squares_or
from nim_envs.render.geometry import Area
from nim_envs.render.palette import paler, player_color
from nim_envs.render.panels import Panel
from nim_envs.render.scene import PartView
from nim_envs.render.shapes import Drawing
from nim_envs.typing import Position

LARGEST_SQUARE = 64.0


def limit_of(part: Part) -> int:
    """Return the largest total with a move."""
    return int(np.flatnonzero(~part.ends)[-1])


class Track(Piece):
    """Squares from 0 to the largest total that can occur, in rows from the top.

    A click on a square adds the number that leads there.
    """

    smallest = 15.0

    @staticmethod
    def room(cell: Area) -> Area:
        """Return the place of a track in its cell, below the label."""
        return cell.shrunk(4, 30, 4, 8)

    def _place(self) -> None:
        room, totals = self.area, self.part.num_positions
        columns, self.side = totals, 0.0
        for rows in range(1, totals + 1):
            side = min(LARGEST_SQUARE, room.width / math.ceil(totals / rows), room.height / rows)
            # One long row is easiest to read, so more rows must pay.
            if side > 1.3 * self.side:
                columns, self.side = math.ceil(totals / rows), side
            if side == LARGEST_SQUARE:
                break
        left = room.center.x - columns * self.side / 2
        top = room.center.y - math.ceil(totals / columns) * self.side / 2
        self.squares = [
            Area(
                left + total % columns * self.side,
                top + total // columns * self.side,
                self.side,
                self.side,
            )
            for total in range(totals)
        ]

    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw the track; the squares that the last move passed have its player's colour."""
        self.draw_label(drawing, view)
        (here,), (before,), limit, side = view.here, view.before, limit_of(self.part), self.side
        for total, place in enumerate(self.squares):
            color, ink = palette.FAINT if total <= limit else palette.LIMIT, palette.GREY
            if before <= total < here:
                color = paler(player_color(view.last_mover), 0.72)
            if total == here:
                color, ink = palette.OBJECT, palette.WHITE
            elif (total,) == view.pointed:
                color, ink = paler(player_color(view.mover), 0.25), palette.WHITE
            elif (total,) in view.wins:
                color, ink = palette.WINNING, palette.WHITE
            drawing.box(place.inset(max(1, 0.05 * side)), color, radius=0.18 * side)
            if side >= 20 or total == here or total % 10 == 0:
                size = drawing.fitting(str(total), 0.8 * side, min(26, 0.58 * side))
                drawing.text(str(total), place.center, size, ink)

    def draw_label(self, drawing: Drawing, view: PartView) -> None:
        """Write the total and its limit above a track."""
        text = f"{view.part.words.kind} {view.here[0]}, limit {limit_of(view.part)}"
        drawing.text(text, (self.cell.center.x, self.cell.y + 16), 21, palette.INK)


class TrackLine(Track):
    """A line from 0 to the largest total; a click chooses the move that leads nearest to it."""

    def _place(self) -> None:
        self.line = Area(self.area.x + 12, self.area.center.y - 9, self.area.width - 24, 18)

    def options_at(self, here: Position, point: tuple[float, float]) -> list[int]:
        """Return the option whose result is nearest to the point."""
        line = self.line
        if not line.shrunk(-8, -30, -8, -30).contains(point):
            return []
        share = (point[0] - line.x) / line.width
        return self.nearest_option(here, share * (self.part.num_positions - 1))

    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw the line up to the total, with its limit, the last move and the winning moves."""
        self.draw_label(drawing, view)
        line, limit, last = self.line, limit_of(self.part), self.part.num_positions - 1
        (here,), (before,) = view.here, view.before

        def x_of(total: int) -> float:
            return line.x + line.width * total / max(1, last)

        def piece(low: int, high: int) -> Area:
            return Area(x_of(low), line.y, x_of(high) - x_of(low), line.height)

        drawing.box(line, palette.FAINT, radius=4)
        drawing.box(piece(limit, last), palette.LIMIT, radius=4)
        if here:
            drawing.box(piece(0, here), palette.OBJECT, radius=4)
        if before < here:
            color = paler(player_color(view.last_mover), 0.3)
            drawing.box(piece(before, here), color, radius=4)
        if view.pointed is not None:
            (pointed,), mover = view.pointed, player_color(view.mover)
            drawing.box(piece(here, pointed), paler(mover, 0.4), radius=4)
            drawing.text(str(pointed), (x_of(pointed), line.y - 14), 18, mover)
        for (total,) in view.wins:
            mark = Area(x_of(total) - 2, line.y - 6, 4, line.height + 12)
            drawing.box(mark, palette.WINNING, radius=2)
            drawing.text(str(total), (x_of(total), line.y - 16), 17, palette.WINNING)
        drawing.box(Area(x_of(limit) - 1, line.y - 4, 2, line.height + 8), palette.LINE)
        for total, anchor in ((0, 0.0), (limit, 1.0)):
            drawing.text(
                str(total), (x_of(total), line.bottom + 15), 17, palette.GREY, (anchor, 0.5)
            )


class TrackPanel(Panel):
    """Totals one below the other."""

    def __init__(self, parts: Sequence[Part], indices: list[int], area: Area) -> None:
        super().__init__(parts, indices, area)
        for index, cell in zip(indices, area.grid(len(indices), 1), strict=True):
            self.layouts[index] = squares_or(TrackLine, Track, parts[index], cell)
