"""Running totals as tracks of numbered squares, or as a line where there are too many."""

from __future__ import annotations

import math

from nim_envs.render import palette
from nim_envs.render.geometry import Area
from nim_envs.render.layouts import Layout, PieceLayout
from nim_envs.render.palette import paler, player_color
from nim_envs.render.panels import LayoutPanel
from nim_envs.render.scene import ComponentView
from nim_envs.render.shapes import Drawing
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.component import Component
from nim_envs.rules.rules import Rules

SMALLEST_SQUARE = 15.0
LARGEST_SQUARE = 64.0


def track_room(cell: Area) -> Area:
    """Return the place of a track in its cell, below the label."""
    return cell.shrunk(4, 30, 4, 8)


def draw_track_label(drawing: Drawing, view: ComponentView, cell: Area) -> None:
    """Write the total and its limit above a track."""
    text = f"{view.component.kind} {view.state}, limit {_limit(view.component)}"
    drawing.text(text, (cell.center.x, cell.y + 16), 21, palette.INK)


def _limit(component: Component) -> int:
    assert isinstance(component, AdditionTotal)
    return component.n


class TrackLayout(PieceLayout):
    """Squares from 0 to the largest total that can occur, in rows from the top.

    A click on a square adds the number that leads there.
    """

    room = staticmethod(track_room)

    def _place(self) -> None:
        room, states = self.area, self.component.states
        columns, self.side = states, 0.0
        for rows in range(1, states + 1):
            side = min(LARGEST_SQUARE, room.width / math.ceil(states / rows), room.height / rows)
            # One long row is easiest to read, so more rows must pay.
            if side > 1.3 * self.side:
                columns, self.side = math.ceil(states / rows), side
            if side == LARGEST_SQUARE:
                break
        left = room.center.x - columns * self.side / 2
        top = room.center.y - math.ceil(states / columns) * self.side / 2
        self.squares = [
            Area(
                left + total % columns * self.side,
                top + total // columns * self.side,
                self.side,
                self.side,
            )
            for total in range(states)
        ]

    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the track; the squares that the last move passed have its player's colour."""
        draw_track_label(drawing, view, self.cell)
        limit, side = _limit(self.component), self.side
        gap = max(1, 0.05 * side)
        for total, place in enumerate(self.squares):
            color, ink = palette.FAINT if total <= limit else palette.LIMIT, palette.GREY
            if view.before <= total < view.state:
                color = paler(player_color(view.last_mover), 0.72)
            if total == view.state:
                color, ink = palette.OBJECT, palette.WHITE
            elif total == view.pointed:
                color, ink = paler(player_color(view.mover), 0.25), palette.WHITE
            elif total in view.wins:
                color, ink = palette.WINNING, palette.WHITE
            drawing.box(place.inset(gap), color, radius=0.18 * side)
            if side >= 20 or total == view.state or total % 10 == 0:
                size = drawing.fitting(str(total), 0.8 * side, min(26, 0.58 * side))
                drawing.text(str(total), place.center, size, ink)


class TrackLine(Layout):
    """A line from 0 to the largest total; a click chooses the move that leads nearest to it."""

    @property
    def line(self) -> Area:
        """Place of the line."""
        room = track_room(self.cell)
        return Area(room.x + 12, room.center.y - 9, room.width - 24, 18)

    def options_at(self, state: int, point: tuple[float, float]) -> list[int]:
        """Return the option whose result is nearest to the point."""
        line = self.line
        if not line.shrunk(-8, -30, -8, -30).contains(point):
            return []
        share = (point[0] - line.x) / line.width
        return self.nearest_option(state, share * (self.component.states - 1))

    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the line up to the total, with its limit, the last move and the winning moves."""
        draw_track_label(drawing, view, self.cell)
        line, limit, last = self.line, _limit(self.component), self.component.states - 1

        def x_of(total: int) -> float:
            return line.x + line.width * total / max(1, last)

        def part(low: int, high: int) -> Area:
            return Area(x_of(low), line.y, x_of(high) - x_of(low), line.height)

        drawing.box(line, palette.FAINT, radius=4)
        drawing.box(part(limit, last), palette.LIMIT, radius=4)
        if view.state:
            drawing.box(part(0, view.state), palette.OBJECT, radius=4)
        if view.before < view.state:
            color = paler(player_color(view.last_mover), 0.3)
            drawing.box(part(view.before, view.state), color, radius=4)
        if view.pointed is not None:
            mover = player_color(view.mover)
            drawing.box(part(view.state, view.pointed), paler(mover, 0.4), radius=4)
            drawing.text(str(view.pointed), (x_of(view.pointed), line.y - 14), 18, mover)
        for total in view.wins:
            mark = Area(x_of(total) - 2, line.y - 6, 4, line.height + 12)
            drawing.box(mark, palette.WINNING, radius=2)
            drawing.text(str(total), (x_of(total), line.y - 16), 17, palette.WINNING)
        drawing.box(Area(x_of(limit) - 1, line.y - 4, 2, line.height + 8), palette.LINE)
        for total, anchor in ((0, 0.0), (limit, 1.0)):
            drawing.text(
                str(total), (x_of(total), line.bottom + 15), 17, palette.GREY, (anchor, 0.5)
            )


class TrackPanel(LayoutPanel):
    """Totals one below the other.

    Args:
        rules: rules of the whole game.
        indices: components that are an :class:`AdditionTotal`.
        area: place in the picture.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.cells = dict(zip(indices, area.grid(len(indices), 1), strict=True))
        self.layouts = {
            index: _track(rules.components[index], cell) for index, cell in self.cells.items()
        }


def _track(component: Component, cell: Area) -> Layout:
    """Return the track of a total, or a line where its squares would be too small."""
    # More squares than pixels allow need not be laid out to be too small.
    room = track_room(cell)
    if component.states * SMALLEST_SQUARE**2 > room.width * room.height:
        return TrackLine(component, cell)
    track = TrackLayout(component, cell)
    return track if track.side >= SMALLEST_SQUARE else TrackLine(component, cell)
