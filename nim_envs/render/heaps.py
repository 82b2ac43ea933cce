"""Heaps of objects, drawn as discs, or as bars where the discs would be too small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.render.canvas import (
    FAINT,
    GREY,
    INK,
    LINE,
    OBJECT,
    PLAYER_COLORS,
    WHITE,
    WINNING,
    Canvas,
    Color,
    mixed,
    player_color,
)
from nim_envs.render.geometry import Area, square
from nim_envs.render.panel import Panel
from nim_envs.render.scene import Scene
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray

SMALLEST_DISC = 8.0
LARGEST_DISC = 0.155
"""Largest size of an object, as a share of the whole height."""
WIDEST_BAR = 64.0
WIDE = 60.0
"""Least width of a heap's place at which its label names the component."""


@dataclass(frozen=True)
class HeapLayout:
    """Places of heaps and their objects.

    Args:
        area: place of all heaps.
        indices: the heaps to show.
        largest: objects in the largest one, at least 1.
    """

    area: Area
    indices: tuple[int, ...]
    largest: int

    @cached_property
    def arrangement(self) -> tuple[int, int, float]:
        """Rows of heaps, objects side by side in a heap, and the side of an object's place."""
        best, highest = (1, 1, 0.0), 0.0
        for rows in range(1, len(self.indices) + 1):
            width = self.area.width / math.ceil(len(self.indices) / rows)
            height = self.area.height / rows - _label_height(width) - 8
            if height <= 0:
                break
            for columns in range(1, min(self.largest, int(width // SMALLEST_DISC) or 1) + 1):
                side = min(
                    LARGEST_DISC * self.area.height,
                    0.86 * width / columns,
                    height / math.ceil(self.largest / columns),
                )
                # One row of heaps of one column each is easiest to read: others score less.
                score = side * (0.7 if columns > 1 else 1.0) * (0.8 if rows > 1 else 1.0)
                if score > 1.02 * highest:
                    best, highest = (rows, columns, side), score
        return best

    @property
    def columns(self) -> int:
        """Objects side by side in a heap."""
        return self.arrangement[1]

    @property
    def side(self) -> float:
        """Side of the place of an object."""
        return self.arrangement[2]

    @property
    def counted(self) -> bool:
        """Whether objects are drawn one by one."""
        return self.side >= SMALLEST_DISC

    @cached_property
    def cells(self) -> dict[int, Area]:
        """The place of each heap, its label included."""
        rows = self.arrangement[0]
        grid = self.area.grid(rows, math.ceil(len(self.indices) / rows))
        return dict(zip(self.indices, grid, strict=False))

    @property
    def cell_width(self) -> float:
        """Width of each heap's place."""
        return next(iter(self.cells.values())).width

    def room(self, component: int) -> Area:
        """Return the place of a heap's objects, above its label."""
        return self.cells[component].shrunk(0, 8, 0, _label_height(self.cell_width))

    def place(self, component: int, number: int) -> Area:
        """Return the place of object ``number``, counted from 0 at the bottom."""
        room = self.room(component)
        row, column = divmod(number, self.columns)
        return Area(
            room.center.x - self.side * self.columns / 2 + column * self.side,
            room.bottom - (row + 1) * self.side,
            self.side,
            self.side,
        )

    @property
    def bar_width(self) -> float:
        """Width of the bars that stand for heaps too large to draw."""
        return min(WIDEST_BAR, 0.5 * self.cell_width)

    def bar(self, component: int, low: int, high: int) -> Area:
        """Return the part of a heap's bar from ``low`` to ``high`` objects."""
        room = self.room(component)
        scale = room.height / self.largest
        return Area(
            room.center.x - self.bar_width / 2,
            room.bottom - high * scale,
            self.bar_width,
            (high - low) * scale,
        )


def _label_height(width: float) -> float:
    return 46.0 if width >= WIDE else 38.0


class HeapPanel(Panel):
    """Heaps side by side, to one scale; objects are numbered from the bottom, row by row.

    A click on an object takes it and all those above it.

    Args:
        rules: rules of the whole game.
        indices: components whose state is a number of objects.
        area: place in the picture.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.layout = self.layout_of(np.array(rules.initial))

    def layout_of(self, *positions: IntArray) -> HeapLayout:
        """Return the layout of heaps in a picture of the positions."""
        largest = max(self.rules.components[index].states - 1 for index in self.indices)
        return HeapLayout(self.area, tuple(self.indices), max(1, largest))

    def component_at(self, point: tuple[float, float]) -> int | None:
        """Return the heap whose cell holds the point."""
        return next(
            (index for index, cell in self.layout.cells.items() if cell.contains(point)), None
        )

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return the action that takes the object at the point and those above it."""
        component = self.component_at(point)
        if component is None:
            return None
        state = int(position[component])
        if not self.layout.counted:
            return self._nearest(component, state, point)
        for number in range(state):
            if self.layout.place(component, number).contains(point):
                return self._leaving(component, state, number)
        return None

    def _leaving(self, component: int, state: int, left: int) -> int | None:
        """The action that leaves ``left`` objects, if it is legal."""
        successors = self.rules.state_options[component][state].successors
        (options,) = np.nonzero(successors == left)
        return self.rules.action(component, int(options[0])) if len(options) else None

    def _nearest(self, component: int, state: int, point: tuple[float, float]) -> int | None:
        """The action whose result is nearest to the point of a bar."""
        whole = self.layout.bar(component, 0, state)
        if not whole.shrunk(-8, -8, -8, -8).contains(point):
            return None
        room = self.layout.room(component)
        left = (room.bottom - point[1]) * self.layout.largest / room.height
        return self.nearest_action(component, state, left)

    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw the heaps with their numbers; objects taken by the last move are rings."""
        positions = [scene.position] if scene.previous is None else [scene.previous, scene.position]
        self.layout = self.layout_of(*positions)
        for component, cell in self.layout.cells.items():
            pointed = self.pointed_successor(scene, component)
            kept = scene.state(component) if pointed is None else pointed
            if self.layout.counted:
                self._draw_objects(canvas, scene, component, kept)
            else:
                self._draw_bar(canvas, scene, component, kept)
            self.draw_label(canvas, scene, component, cell)

    def marked(self, scene: Scene, component: int) -> list[int]:
        """Return the objects to mark in a heap: the numbers that winning moves leave."""
        return self.winning_successors(scene, component)

    def gone(self, scene: Scene, component: int) -> int:
        """Return the number of objects of a heap that the last move took."""
        return max(0, scene.state_before(component) - scene.state(component))

    def color(self, scene: Scene, component: int) -> Color:
        """Return the colour of a heap's objects."""
        return OBJECT

    def label_color(self, scene: Scene, component: int) -> Color:
        """Return the colour of a heap's number of objects."""
        return INK

    def draw_label(self, canvas: Canvas, scene: Scene, component: int, cell: Area) -> None:
        """Write the number of objects and the index below a heap."""
        color = self.label_color(scene, component)
        wide = cell.width >= WIDE
        room = self.layout.room(component)
        half = min(
            0.46 * cell.width,
            max(self.layout.side * self.layout.columns, self.layout.bar_width, 24) / 2 + 6,
        )
        canvas.box(
            Area(room.center.x - half, room.bottom, 2 * half, 3),
            LINE if color == INK else color,
            radius=1.5,
        )
        number = str(scene.state(component))
        size = canvas.fitting(number, 0.94 * cell.width, 25 if wide else 20)
        canvas.text(number, (room.center.x, room.bottom + 15), size, color)
        name = f"{self.rules.components[component].kind} {component}" if wide else str(component)
        canvas.text(
            name, (room.center.x, room.bottom + (33 if wide else 28)), 17 if wide else 14, GREY
        )

    def _draw_objects(self, canvas: Canvas, scene: Scene, component: int, kept: int) -> None:
        state, lefts = scene.state(component), self.marked(scene, component)
        for number in range(state + self.gone(scene, component)):
            slot = self.layout.place(component, number)
            if number >= state:
                color = mixed(player_color(scene.last_mover), WHITE, 0.35)
                self.draw_object(canvas, slot, color, filled=False)
            elif number >= kept:
                color = mixed(player_color(scene.mover), WHITE, 0.25)
                self.draw_object(canvas, slot, color)
            else:
                self.draw_object(canvas, slot, self.color(scene, component))
            if number in lefts:
                self._mark(canvas, self._disc(slot))

    def draw_object(self, canvas: Canvas, place: Area, color: Color, filled: bool = True) -> None:
        """Draw an object in its place; one that was taken is not filled."""
        disc = self._disc(place)
        if filled:
            canvas.disc(disc, color)
        else:
            canvas.ring(disc, color, max(1.5, 0.07 * self.layout.side))

    def _disc(self, place: Area) -> Area:
        return square(place.center, round(0.84 * self.layout.side))

    def _mark(self, canvas: Canvas, disc: Area) -> None:
        """Mark the lowest object that a winning move takes."""
        canvas.disc(disc, WINNING)
        if disc.height >= 14:
            canvas.disc(square(disc.center, round(0.36 * disc.height)), WHITE)

    def _draw_bar(self, canvas: Canvas, scene: Scene, component: int, kept: int) -> None:
        size = self.rules.components[component].states - 1
        state, gone = scene.state(component), self.gone(scene, component)
        canvas.box(self.layout.bar(component, 0, size), FAINT, radius=3)
        if gone:
            taken = self.layout.bar(component, state, state + gone)
            canvas.box(taken, mixed(player_color(scene.last_mover), WHITE, 0.7), radius=3)
        if state:
            canvas.box(self.layout.bar(component, 0, state), OBJECT, radius=3)
        if kept < state:
            color = mixed(player_color(scene.mover), WHITE, 0.25)
            canvas.box(self.layout.bar(component, kept, state), color, radius=3)
        for left in self.marked(scene, component):
            level = self.layout.bar(component, left, left)
            canvas.box(Area(level.x - 8, level.y - 2, level.width + 16, 4), WINNING, radius=2)
            text = str(left)
            canvas.text(text, (level.right + 11, level.y), 16, WINNING, anchor=(0, 0.5))


class SplittingHeapPanel(HeapPanel):
    """Heaps that split: only the slots are shown that hold objects, or did before the last move.

    A click cannot choose a move, as several moves take the same objects. Heaps in which there is
    a winning move are marked, and a part that was split off has the mover's colour.
    """

    chooses_moves = False

    def layout_of(self, *positions: IntArray) -> HeapLayout:
        """Return the layout of heaps in a picture of the positions."""
        held = {index: max(int(one[index]) for one in positions) for index in self.indices}
        shown = [index for index, objects in held.items() if objects] or self.indices[:1]
        return HeapLayout(self.area, tuple(shown), max(1, *held.values()))

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return ``None``; :meth:`component_at` returns the heap."""
        return None

    def marked(self, scene: Scene, component: int) -> list[int]:
        """Return nothing: no single object stands for a move."""
        return []

    def gone(self, scene: Scene, component: int) -> int:
        """Return the number of objects that the last move took or removed, but not moved."""
        gone = super().gone(scene, component)
        several = sum(scene.state_before(index) > scene.state(index) for index in self.indices) > 1
        new = sum(scene.state(index) for index in self.indices if not scene.state_before(index))
        return gone if several else max(0, gone - new)

    def color(self, scene: Scene, component: int) -> Color:
        """Return the colour of a heap's objects."""
        if scene.state_before(component) == 0 and scene.last_mover is not None:
            return mixed(PLAYER_COLORS[scene.last_mover], OBJECT, 0.35)
        return OBJECT

    def label_color(self, scene: Scene, component: int) -> Color:
        """Return the colour of a heap's number of objects; another where there is a win."""
        wins = scene.winning_options(component, self.rules.num_options)
        return WINNING if wins else INK
