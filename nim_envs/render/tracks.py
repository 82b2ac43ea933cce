"""Running totals as tracks of numbered squares, or as a line when there are too many."""

from __future__ import annotations

import math

from nim_envs.render.canvas import (
    FAINT,
    GREY,
    INK,
    LIMIT,
    LINE,
    OBJECT,
    WHITE,
    WINNING,
    Canvas,
    mixed,
    player_color,
)
from nim_envs.render.geometry import Area
from nim_envs.render.panel import Panel
from nim_envs.render.scene import Scene
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray

SMALLEST_SQUARE = 15.0
LARGEST_SQUARE = 54.0


class TrackPanel(Panel):
    """Totals one below the other, each a track from 0 to the largest total that can occur.

    A click on a square adds the number that leads there.

    Args:
        rules: rules of the whole game.
        indices: components that are an :class:`AdditionTotal`.
        area: place in the picture.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.cells = dict(zip(indices, area.grid(len(indices), 1), strict=True))

    def total(self, component: int) -> AdditionTotal:
        """Return the component's rules."""
        total = self.rules.components[component]
        assert isinstance(total, AdditionTotal)
        return total

    def arrangement(self, component: int) -> tuple[int, float]:
        """Return the squares in a row, and their side; a side of 0 means a line."""
        room, states = self._room(component), self.total(component).states
        best = (states, 0.0)
        for rows in range(1, states + 1):
            columns = math.ceil(states / rows)
            side = min(LARGEST_SQUARE, room.width / columns, room.height / rows)
            # One long row is easiest to read, so more rows must pay.
            if side > 1.3 * best[1]:
                best = (columns, side)
            if side == LARGEST_SQUARE:
                break
        return best if best[1] >= SMALLEST_SQUARE else (states, 0.0)

    def _room(self, component: int) -> Area:
        return self.cells[component].shrunk(4, 30, 4, 8)

    def places(self, component: int) -> list[Area]:
        """Return the squares of all totals; none where they do not fit."""
        columns, side = self.arrangement(component)
        if not side:
            return []
        room, states = self._room(component), self.total(component).states
        rows = math.ceil(states / columns)
        left = room.center.x - min(columns, states) * side / 2
        top = room.center.y - rows * side / 2
        return [
            Area(left + total % columns * side, top + total // columns * side, side, side)
            for total in range(states)
        ]

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return the action that leads to the square at the point."""
        component = self.component_at(point)
        if component is None:
            return None
        state = int(position[component])
        places = self.places(component)
        if not places:
            return self._nearest(component, state, point)
        for option, successor in enumerate(self.total(component).table[state].tolist()):
            if successor >= 0 and places[successor].contains(point):
                return self.rules.action(component, option)
        return None

    def _nearest(self, component: int, state: int, point: tuple[float, float]) -> int | None:
        line = self.line(component)
        if not line.shrunk(-8, -30, -8, -30).contains(point):
            return None
        wanted = (point[0] - line.x) / line.width * (self.total(component).states - 1)
        return self.nearest_action(component, state, wanted)

    def line(self, component: int) -> Area:
        """Return the place of the bar that replaces a track of too many squares."""
        room = self._room(component)
        return Area(room.x + 12, room.center.y - 9, room.width - 24, 18)

    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw the tracks; the squares that the last move passed have its player's colour."""
        for component, cell in self.cells.items():
            total = self.total(component)
            text = f"{total.kind} {scene.state(component)}, limit {total.n}"
            canvas.text(text, (cell.center.x, cell.y + 16), 21, INK)
            if self.arrangement(component)[1]:
                self._draw_squares(canvas, scene, component)
            else:
                self._draw_line(canvas, scene, component)

    def _draw_squares(self, canvas: Canvas, scene: Scene, component: int) -> None:
        pointed = self.pointed_successor(scene, component)
        winning = self.winning_successors(scene, component)
        limit = self.total(component).n
        state, before = scene.state(component), scene.state_before(component)
        last = player_color(scene.last_mover)
        places = self.places(component)
        side = places[0].width
        for number, place in enumerate(places):
            gap = max(1, 0.05 * side)
            box = place.shrunk(gap, gap, gap, gap)
            color = FAINT if number <= limit else LIMIT
            ink = GREY
            if before < number < state or (number == before and before != state):
                color = mixed(last, WHITE, 0.72)
            if number == state:
                color, ink = OBJECT, WHITE
            elif number == pointed:
                color, ink = mixed(player_color(scene.mover), WHITE, 0.25), WHITE
            elif number in winning:
                color, ink = WINNING, WHITE
            canvas.box(box, color, radius=0.18 * side)
            if side >= 20 or number == state or number % 10 == 0:
                size = canvas.fitting(str(number), 0.8 * side, min(26, 0.58 * side))
                canvas.text(str(number), place.center, size, ink)

    def _draw_line(self, canvas: Canvas, scene: Scene, component: int) -> None:
        pointed = self.pointed_successor(scene, component)
        total, line = self.total(component), self.line(component)
        state, before = scene.state(component), scene.state_before(component)

        def x_of(number: int) -> float:
            return line.x + line.width * number / max(1, total.states - 1)

        def part(low: int, high: int) -> Area:
            return Area(x_of(low), line.y, x_of(high) - x_of(low), line.height)

        canvas.box(line, FAINT, radius=4)
        canvas.box(part(total.n, total.states - 1), LIMIT, radius=4)
        if state:
            canvas.box(part(0, state), OBJECT, radius=4)
        if before < state:
            last = player_color(scene.last_mover)
            canvas.box(part(before, state), mixed(last, WHITE, 0.3), radius=4)
        if pointed is not None:
            mover = player_color(scene.mover)
            canvas.box(part(state, pointed), mixed(mover, WHITE, 0.4), radius=4)
            canvas.text(str(pointed), (x_of(pointed), line.y - 14), 18, mover)
        for number in self.winning_successors(scene, component):
            canvas.box(Area(x_of(number) - 2, line.y - 6, 4, line.height + 12), WINNING, radius=2)
            canvas.text(str(number), (x_of(number), line.y - 16), 17, WINNING)
        canvas.box(Area(x_of(total.n) - 1, line.y - 4, 2, line.height + 8), LINE)
        for number, anchor in ((0, 0.0), (total.n, 1.0)):
            canvas.text(str(number), (x_of(number), line.bottom + 15), 17, GREY, (anchor, 0.5))
