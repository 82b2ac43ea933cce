"""Heaps of objects: discs, bars where these would be too small, or rows of pins."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nim_envs.graph import Part
from nim_envs.render import palette
from nim_envs.render.boards import Squares
from nim_envs.render.geometry import Area, square
from nim_envs.render.palette import Color, mixed, paler, player_color
from nim_envs.render.panels import Panel
from nim_envs.render.scene import PartView, Scene
from nim_envs.render.shapes import Drawing
from nim_envs.typing import BoolArray, IntArray, Position

SMALLEST_DISC, LARGEST_DISC = 8.0, 0.155
"""Sizes of an object, in pixels and as a share of the whole height."""
WIDEST_BAR = 64.0
WIDE = 60.0
"""Least width of a heap's cell at which its label names the part."""

SMALLEST_PIN, LARGEST_PIN = 6.0, 0.2
"""Widths of a pin's place, in pixels and as a share of the height of all rows."""
TALL = 2.0
"""Height of the place of a pin, in its widths."""
LEVELS = 4
"""Heights at which winning moves are marked."""
ROW_LABEL = 58.0
"""Width of the label before a row."""

OUTLINE = (
    (0.0, 0.25), (0.1, 0.38), (0.2, 0.47), (0.3, 0.5), (0.4, 0.47), (0.5, 0.37), (0.6, 0.24),
    (0.68, 0.19), (0.75, 0.21), (0.84, 0.27), (0.92, 0.24), (0.97, 0.15), (1.0, 0.0),
)  # fmt: skip
"""A pin from its foot: heights, as shares of its own, and half its width there, of its width."""


class Arrangement(NamedTuple):
    """Places of heaps in a panel, all to one scale."""

    rows: int  # of heaps
    columns: int  # of objects in a heap
    side: float  # of the place of an object


def arrangement(area: Area, heaps: int, largest: int) -> Arrangement:
    """Return the arrangement in which objects are largest; there is at least 1 in one heap."""
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


def _bar_width(cell: Area) -> float:
    return min(WIDEST_BAR, 0.5 * cell.width)


def _label_color(view: PartView) -> Color:
    """Another colour where there is a winning move that no object is marked for."""
    marks = view.part.picture.style == "heap" or not view.winning
    return palette.INK if marks else palette.WINNING


def _floor(drawing: Drawing, place: Area, color: Color) -> None:
    drawing.box(place, palette.LINE if color == palette.INK else color, radius=1.5)


class Heap(Squares):
    """A heap as discs, numbered from the bottom, row by row.

    A click on an object takes it and all those above it. In heaps that split, several moves take
    the same objects: none is marked or chosen, and a part that was split off has the mover's
    colour. All heaps of a panel have one scale; at most ``objects`` are drawn.
    """

    def __init__(self, part: Part, cell: Area, scale: Arrangement, objects: int) -> None:
        self.scale, self.side, self.objects = scale, scale.side, objects
        super().__init__(part, cell)

    @staticmethod
    def room(cell: Area) -> Area:
        """Return the place of a heap's objects in its cell, above the label."""
        return cell.shrunk(0, 8, 0, _label_height(cell.width))

    def _place(self) -> None:
        left, columns = self.area.center.x - self.side * self.scale.columns / 2, self.scale.columns
        self.squares = [
            Area(
                left + index % columns * self.side,
                self.area.bottom - (index // columns + 1) * self.side,
                self.side,
                self.side,
            )
            for index in range(self.objects)
        ]

    def filled(self, coordinates: IntArray) -> BoolArray:
        """Return as many objects as the heap has."""
        return np.asarray(np.arange(self.objects) < coordinates)

    def filled_before(self, view: PartView) -> BoolArray:
        """Return the objects of the heap now, and those that the last move took from it."""
        return np.asarray(np.arange(self.objects) < view.here[0] + view.taken)

    def options_at(self, here: Position, point: tuple[float, float]) -> list[int]:
        """Return the option that takes the object at a point and those above; of others all."""
        if self.part.picture.style == "heap":
            return super().options_at(here, point)
        options: list[int] = self.legal_options(here)[0].tolist()
        return options

    def pointed_at(self, options: IntArray, before: IntArray, after: IntArray) -> BoolArray:
        """Return the lowest object that each option takes."""
        return np.asarray(np.arange(self.objects) == after)

    def colors(self, view: PartView) -> list[Color]:
        """Return the colour of the objects, another in a part that was just split off."""
        color = palette.OBJECT
        if view.before[0] == 0 and view.last_mover is not None:
            color = mixed(palette.PLAYERS[view.last_mover], palette.OBJECT, 0.35)
        return [color] * self.objects

    def draw_ground(self, drawing: Drawing, index: int, place: Area) -> None:
        """Draw nothing where there is no object."""

    def draw_filled(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw an object."""
        drawing.disc(self._disc(place), color)

    def draw_emptied(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw an object that the last move took as a ring."""
        drawing.disc(self._disc(place), paler(color, 0.35), max(1.5, 0.07 * self.side))

    def draw_marks(self, drawing: Drawing, view: PartView) -> None:
        """Mark the lowest object that each winning move takes."""
        if self.part.picture.style == "heap":
            super().draw_marks(drawing, view)

    def mark(self, drawing: Drawing, places: list[int]) -> None:
        """Mark objects by a disc with a white middle."""
        for place in places:
            disc = self._disc(self.squares[place])
            drawing.disc(disc, palette.WINNING)
            if disc.height >= 14:
                drawing.disc(square(disc.center, round(0.36 * disc.height)), palette.WHITE)

    def draw_label(self, drawing: Drawing, view: PartView) -> None:
        """Write the number of objects and the name below the heap."""
        color, room, cell = _label_color(view), self.area, self.cell
        wide, width = cell.width >= WIDE, self.side * self.scale.columns
        half = min(0.46 * cell.width, max(width, _bar_width(cell), 24) / 2 + 6)
        _floor(drawing, Area(room.center.x - half, room.bottom, 2 * half, 3), color)
        number = str(view.here[0])
        size = drawing.fitting(number, 0.94 * cell.width, 25 if wide else 20)
        drawing.text(number, (room.center.x, room.bottom + 15), size, color)
        name = view.name if wide else view.name.rpartition(" ")[2]
        place = room.center.x, room.bottom + (33 if wide else 28)
        drawing.text(name, place, 17 if wide else 14, palette.GREY)

    def _disc(self, place: Area) -> Area:
        return square(place.center, round(0.84 * self.side))


class HeapBar(Heap):
    """A heap as a bar; a click on a height takes the objects above it."""

    def _place(self) -> None:
        self.squares = []

    def bar(self, low: int, high: int) -> Area:
        """Return the part of the bar from ``low`` to ``high`` objects."""
        room, width = self.area, _bar_width(self.cell)
        pixels = room.height / self.objects
        x, y = room.center.x - width / 2, room.bottom - high * pixels
        return Area(x, y, width, (high - low) * pixels)

    def options_at(self, here: Position, point: tuple[float, float]) -> list[int]:
        """Return the option whose result is nearest to the point; of heaps that split all."""
        if self.part.picture.style != "heap":
            return super().options_at(here, point)
        if not self.bar(0, here[0]).inset(-8).contains(point):
            return []
        number = (self.area.bottom - point[1]) * self.objects / self.area.height
        return self.nearest_option(here, number)

    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw the bar, with the objects that moves take and winning moves leave."""
        (count,) = view.here
        drawing.box(self.bar(0, self.part.num_positions - 1), palette.FAINT, radius=3)
        if view.taken:
            color = paler(player_color(view.last_mover), 0.7)
            drawing.box(self.bar(count, count + view.taken), color, radius=3)
        if count:
            drawing.box(self.bar(0, count), palette.OBJECT, radius=3)
        if view.pointed is not None and view.pointed[0] < count:
            color = paler(player_color(view.mover), 0.25)
            drawing.box(self.bar(view.pointed[0], count), color, radius=3)
        for (left,) in view.wins if self.part.picture.style == "heap" else ():
            level = self.bar(left, left)
            mark = Area(level.x - 8, level.y - 2, level.width + 16, 4)
            drawing.box(mark, palette.WINNING, radius=2)
            place = level.right + 11, level.y
            drawing.text(str(left), place, 16, palette.WINNING, anchor=(0, 0.5))
        self.draw_label(drawing, view)


class PinRow(Heap):
    """A heap as a row of pins, of at most ``pins`` now.

    All rows of a panel begin where one of the most pins possible, ``longest``, would.
    """

    def __init__(self, part: Part, cell: Area, width: float, pins: int, longest: int) -> None:
        self.longest = longest
        super().__init__(part, cell, Arrangement(1, pins, width), pins)

    def _place(self) -> None:
        width, height = self.cell.width - ROW_LABEL, self.side * TALL
        margin = max(0.0, width - self.side * self.longest) / 2
        left, top = self.cell.x + ROW_LABEL + margin, self.cell.center.y - height / 2
        self.area = Area(left, top, self.side * self.objects, height)
        self.squares = [
            Area(left + pin * self.side, top, self.side, height) for pin in range(self.objects)
        ]

    def draw_filled(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw a pin."""
        drawing.polygon(_corners(self._pin(place)), color)

    def draw_emptied(self, drawing: Drawing, place: Area, color: Color) -> None:
        """Draw a pin that the last move took, paler inside."""
        pin, color = self._pin(place), paler(color, 0.35)
        line = max(1.2, 0.07 * pin.width)
        drawing.polygon(_corners(pin), color)
        drawing.polygon(_corners(pin.shrunk(line, 1.6 * line, line, line)), paler(color, 0.75))

    def draw_marks(self, drawing: Drawing, view: PartView) -> None:
        """Mark the pins that each winning move knocks down, the smaller part on the left."""
        levels = min(len(view.winning), LEVELS) + 1
        size = max(4.0, 0.34 * self.side)
        for index, option in enumerate(view.winning):
            taken, smaller = self.part.labels[option]
            # Moves may share pins: each has a height of its own.
            down = self.side * TALL * ((index % LEVELS + 1) / levels - 0.5)
            pins = [self.squares[pin].center for pin in range(smaller, smaller + taken)]
            places = [(pin.x, pin.y + down) for pin in pins]
            for rim, color in ((0.24 * size, palette.WHITE), (0.0, palette.WINNING)):
                for place in places:
                    drawing.disc(square(place, size + rim), color)
                if places:
                    drawing.line(places[0], places[-1], color, 0.5 * size + rim)

    def draw_label(self, drawing: Drawing, view: PartView) -> None:
        """Write the number of pins and the name before the row."""
        (count,), color, room = view.here, _label_color(view), self.area
        _floor(drawing, Area(room.x, room.bottom, max(1, count + view.taken) * self.side, 3), color)
        x, y = room.x - ROW_LABEL / 2 - 4, room.center.y
        if self.cell.height >= 40:
            drawing.text(str(count), (x, y - 8), 25, color)
            drawing.text(view.name, (x, y + 12), 17, palette.GREY)
        else:
            drawing.text(str(count), (x + 18, y), 17, color)
            drawing.text(view.name, (x + 2, y), 14, palette.GREY, anchor=(1, 0.5))

    def _pin(self, place: Area) -> Area:
        width, height = round(0.8 * place.width), round(place.height)
        return Area(round(place.center.x - width / 2), round(place.y), width, height)


def _corners(pin: Area) -> list[tuple[float, float]]:
    """The outline of a pin that fills the place."""
    middle = pin.center.x
    right = [(middle + pin.width * half, pin.bottom - pin.height * up) for up, half in OUTLINE]
    return right + [(2 * middle - x, y) for x, y in reversed(right)]


class HeapPanel(Panel):
    """Heaps side by side, to one scale."""

    def __init__(self, parts: Sequence[Part], indices: list[int], area: Area) -> None:
        super().__init__(parts, indices, area)
        self.longest = max(parts[index].num_positions - 1 for index in indices)
        self.arrange(max(1, self.longest), indices)

    def arrange(self, largest: int, indices: list[int]) -> None:
        """Set the layouts of the heaps that are shown, with up to ``largest`` objects."""
        scale = arrangement(self.area, len(indices), largest)
        grid = self.area.grid(scale.rows, math.ceil(len(indices) / scale.rows))
        kind = Heap if scale.side >= SMALLEST_DISC else HeapBar
        self.layouts = {
            index: kind(self.parts[index], cell, scale, largest)
            for index, cell in zip(indices, grid, strict=False)
        }


class SlotPanel(HeapPanel):
    """Heaps that split: only those slots are shown that hold objects, or did before the last move.

    Heaps in which there is a winning move are marked.
    """

    def draw(self, drawing: Drawing, scene: Scene, views: list[PartView]) -> None:
        """Draw the heaps that hold objects, or did before the last move."""
        objects = {i: max(*views[i].before, *views[i].here) for i in self.indices}
        shown = [index for index in self.indices if objects[index]] or self.indices[:1]
        self.arrange(max(1, *objects.values()), shown)
        if sum(views[i].before > views[i].here for i in self.indices) <= 1:  # else two moves as one
            # Objects that became part of another heap are not taken.
            split_off = sum(views[i].here[0] for i in self.indices if not views[i].before[0])
            views = [view._replace(taken=max(0, view.taken - split_off)) for view in views]
        super().draw(drawing, scene, views)


class RowPanel(SlotPanel):
    """Heaps as rows of pins, one below the other; as discs where there are too many pins."""

    share = 1.4

    def arrange(self, largest: int, indices: list[int]) -> None:
        """Set the layouts of the heaps that are shown; see :class:`HeapPanel`."""
        width = min(
            (self.area.width - ROW_LABEL) / largest,
            (self.area.height / len(indices) - 12) / TALL,
            LARGEST_PIN * self.area.height,
        )
        if width < SMALLEST_PIN:
            super().arrange(largest, indices)
            return
        self.layouts = {
            index: PinRow(self.parts[index], cell, width, largest, self.longest)
            for index, cell in zip(indices, self.area.grid(len(indices), 1), strict=True)
        }
