"""Heaps of objects, drawn as discs, or as bars where the discs would be too small."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nim_envs.render import palette
from nim_envs.render.geometry import Area, square
from nim_envs.render.layouts import BoardLayout, Layout
from nim_envs.render.palette import Color, mixed, paler, player_color
from nim_envs.render.panels import LayoutPanel
from nim_envs.render.scene import ComponentView, Scene
from nim_envs.render.shapes import Drawing
from nim_envs.rules import SplittingHeap
from nim_envs.rules.component import Component
from nim_envs.rules.rules import Rules
from nim_envs.typing import BoolArray, IntArray

SMALLEST_DISC = 8.0
LARGEST_DISC = 0.155
"""Largest size of an object, as a share of the whole height."""
WIDEST_BAR = 64.0
WIDE = 60.0
"""Least width of a heap's cell at which its label names the component."""


class Arrangement(NamedTuple):
    """Places of heaps in a panel, all to one scale."""

    rows: int  # of heaps
    columns: int  # of objects in a heap
    side: float  # of the place of an object


def arrangement(area: Area, heaps: int, largest: int) -> Arrangement:
    """Return the arrangement in which objects are largest.

    Args:
        area: place of all heaps.
        heaps: number of heaps.
        largest: objects in the largest one, at least 1.
    """
    best, highest = Arrangement(1, 1, 0.0), 0.0
    for rows in range(1, heaps + 1):
        width = area.width / math.ceil(heaps / rows)
        height = area.height / rows - _label_height(width) - 8
        if height <= 0:
            break
        for columns in range(1, min(largest, int(width // SMALLEST_DISC) or 1) + 1):
            side = min(
                LARGEST_DISC * area.height,
                0.86 * width / columns,
                height / math.ceil(largest / columns),
            )
            # One row of heaps of one column each is easiest to read: others score less.
            score = side * (0.7 if columns > 1 else 1.0) * (0.8 if rows > 1 else 1.0)
            if score > 1.02 * highest:
                best, highest = Arrangement(rows, columns, side), score
    return best


def _label_height(width: float) -> float:
    return 46.0 if width >= WIDE else 38.0


def heap_room(cell: Area) -> Area:
    """Return the place of a heap's objects in its cell, above the label."""
    return cell.shrunk(0, 8, 0, _label_height(cell.width))


def label_color(view: ComponentView) -> Color:
    """Return the colour of a heap's label: another where a heap that splits has a winning move."""
    wins = isinstance(view.component, SplittingHeap) and view.winning
    return palette.WINNING if wins else palette.INK


def draw_heap_label(drawing: Drawing, view: ComponentView, cell: Area, width: float) -> None:
    """Write the number of objects and the name below a heap whose objects have a ``width``."""
    color, room = label_color(view), heap_room(cell)
    wide = cell.width >= WIDE
    half = min(0.46 * cell.width, max(width, _bar_width(cell), 24) / 2 + 6)
    floor = Area(room.center.x - half, room.bottom, 2 * half, 3)
    drawing.box(floor, palette.LINE if color == palette.INK else color, radius=1.5)
    number = str(view.state)
    size = drawing.fitting(number, 0.94 * cell.width, 25 if wide else 20)
    drawing.text(number, (room.center.x, room.bottom + 15), size, color)
    name = view.name if wide else view.name.rpartition(" ")[2]
    place = room.center.x, room.bottom + (33 if wide else 28)
    drawing.text(name, place, 17 if wide else 14, palette.GREY)


def _bar_width(cell: Area) -> float:
    return min(WIDEST_BAR, 0.5 * cell.width)


class HeapLayout(BoardLayout):
    """A heap as discs, numbered from the bottom, row by row.

    A click on an object takes it and all those above it. In heaps that split, several moves take
    the same objects: no single one is marked, and a part that was split off has the mover's colour.

    Args:
        component: a heap.
        cell: place in the picture, its label included.
        scale: places of all heaps of the panel.
        objects: most objects that are drawn.
    """

    leaving = 0.25

    def __init__(self, component: Component, cell: Area, scale: Arrangement, objects: int) -> None:
        self.scale = scale
        self.side = scale.side
        self.objects = objects
        super().__init__(component, cell)

    room = staticmethod(heap_room)

    def _place(self) -> None:
        left = self.area.center.x - self.side * self.scale.columns / 2
        self.squares = [
            Area(
                left + index % self.scale.columns * self.side,
                self.area.bottom - (index // self.scale.columns + 1) * self.side,
                self.side,
                self.side,
            )
            for index in range(self.objects)
        ]

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return as many objects as the heap has."""
        return np.asarray(np.arange(self.objects) < coordinates)

    def filled_before(self, view: ComponentView) -> BoolArray:
        """Return the objects of the heap now, and those that the last move took from it."""
        return np.asarray(np.arange(self.objects) < view.state + view.taken)

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the lowest object that each option takes."""
        return np.asarray(np.arange(self.objects) == after)

    def colors(self, view: ComponentView) -> list[Color]:
        """Return the colour of the objects, another in a part that was just split off."""
        color = palette.OBJECT
        if view.before == 0 and view.last_mover is not None:
            color = mixed(palette.PLAYERS[view.last_mover], palette.OBJECT, 0.35)
        return [color] * self.objects

    def draw_ground(self, drawing: Drawing, index: int, place: Area) -> None:
        """Draw nothing where there is no object."""

    def draw_filled(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw an object."""
        drawing.disc(self._disc(place), color)

    def draw_emptied(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw an object that the last move took as a ring."""
        line_width = max(1.5, 0.07 * self.side)
        drawing.disc(self._disc(place), paler(color, 0.35), line_width)

    def draw_marks(self, drawing: Drawing, view: ComponentView) -> None:
        """Mark the lowest object that each winning move takes."""
        if not isinstance(self.component, SplittingHeap):
            super().draw_marks(drawing, view)

    def mark(self, drawing: Drawing, places: list[int]) -> None:
        """Mark objects by a disc with a white middle."""
        for place in places:
            disc = self._disc(self.squares[place])
            drawing.disc(disc, palette.WINNING)
            if disc.height >= 14:
                drawing.disc(square(disc.center, round(0.36 * disc.height)), palette.WHITE)

    def draw_label(self, drawing: Drawing, view: ComponentView) -> None:
        """Write the number of objects and the index below the heap."""
        draw_heap_label(drawing, view, self.cell, self.side * self.scale.columns)

    def _disc(self, place: Area) -> Area:
        return square(place.center, round(0.84 * self.side))


class HeapBar(Layout):
    """A heap as a bar; a click on a height takes the objects above it.

    Args:
        component: a heap.
        cell: place in the picture, its label included.
        scale: places of all heaps of the panel.
        largest: objects in a bar of the full height.
    """

    def __init__(self, component: Component, cell: Area, scale: Arrangement, largest: int) -> None:
        super().__init__(component, cell)
        self.scale = scale
        self.largest = largest

    def part(self, low: int, high: int) -> Area:
        """Return the part of the bar from ``low`` to ``high`` objects."""
        room, width = heap_room(self.cell), _bar_width(self.cell)
        pixels = room.height / self.largest
        return Area(
            room.center.x - width / 2, room.bottom - high * pixels, width, (high - low) * pixels
        )

    def options_at(self, state: int, point: tuple[float, float]) -> list[int]:
        """Return the option whose result is nearest to the point."""
        if not self.part(0, state).inset(-8).contains(point):
            return []
        room = heap_room(self.cell)
        return self.nearest_option(state, (room.bottom - point[1]) * self.largest / room.height)

    def draw(self, drawing: Drawing, view: ComponentView) -> None:
        """Draw the bar, with the objects that moves take and winning moves leave."""
        state = view.state
        drawing.box(self.part(0, self.component.states - 1), palette.FAINT, radius=3)
        if view.taken:
            color = paler(player_color(view.last_mover), 0.7)
            drawing.box(self.part(state, state + view.taken), color, radius=3)
        if state:
            drawing.box(self.part(0, state), palette.OBJECT, radius=3)
        if view.pointed is not None and view.pointed < state:
            color = paler(player_color(view.mover), 0.25)
            drawing.box(self.part(view.pointed, state), color, radius=3)
        splits = isinstance(self.component, SplittingHeap)
        for left in () if splits else view.wins:
            level = self.part(left, left)
            drawing.box(
                Area(level.x - 8, level.y - 2, level.width + 16, 4), palette.WINNING, radius=2
            )
            place = level.right + 11, level.y
            drawing.text(str(left), place, 16, palette.WINNING, anchor=(0, 0.5))
        width = self.scale.side * self.scale.columns
        draw_heap_label(drawing, view, self.cell, width)


class HeapPanel(LayoutPanel):
    """Heaps side by side, to one scale.

    Args:
        rules: rules of the whole game.
        indices: components whose state is a number of objects.
        area: place in the picture.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.arrange(max(rules.components[index].states - 1 for index in indices), indices)

    def arrange(self, largest: int, indices: list[int]) -> None:
        """Set the cells and layouts of the heaps that are shown.

        Args:
            largest: objects in the largest heap; the scale is that of a heap of at least 1.
            indices: the heaps, in order.
        """
        largest = max(1, largest)
        scale = arrangement(self.area, len(indices), largest)
        grid = self.area.grid(scale.rows, math.ceil(len(indices) / scale.rows))
        self.cells = dict(zip(indices, grid, strict=False))
        kind = HeapLayout if scale.side >= SMALLEST_DISC else HeapBar
        self.layouts = {
            index: kind(self.rules.components[index], cell, scale, largest)
            for index, cell in self.cells.items()
        }


class SlotPanel(HeapPanel):
    """Heaps that split: only those slots are shown that hold objects, or did before the last move.

    A click cannot choose a move, as several moves take the same objects. Heaps in which there is
    a winning move are marked.
    """

    chooses_moves = False

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self._arrange_slots(np.array(rules.initial))

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return nothing; :meth:`component_at` returns the heap."""
        return []

    def draw(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the heaps that hold objects, or did before the last move."""
        before = scene.position if scene.previous is None else scene.previous
        self._arrange_slots(np.maximum(before, scene.position))
        super().draw(drawing, scene)

    def views(self, scene: Scene) -> dict[int, ComponentView]:
        """Return the heaps in a scene; objects that became part of another heap are not taken."""
        views = super().views(scene)
        if sum(view.before > view.state for view in views.values()) > 1:  # two moves, shown as one
            return views
        split_off = sum(view.state for view in views.values() if not view.before)
        return {
            index: view._replace(taken=max(0, view.taken - split_off))
            for index, view in views.items()
        }

    def _arrange_slots(self, objects: IntArray) -> None:
        """Arrange the slots that hold objects, of which a position says how many."""
        nonempty = [index for index in self.indices if objects[index]]
        self.arrange(int(objects[self.indices].max()), nonempty or self.indices[:1])
