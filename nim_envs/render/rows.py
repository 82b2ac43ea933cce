"""Heaps from whose middle a move may take, such as those of Kayles, drawn as rows of pins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from nim_envs.render.canvas import GREY, INK, LINE, PANEL, WINNING, Canvas, Color, mixed
from nim_envs.render.geometry import Area, Point, square
from nim_envs.render.heaps import HeapLayout, SplittingHeapPanel
from nim_envs.render.scene import Scene
from nim_envs.rules import SplittingHeap
from nim_envs.rules.component import Component
from nim_envs.rules.octal_codes import LEAVE_TWO
from nim_envs.typing import IntArray

SMALLEST_PIN, LARGEST_PIN = 6.0, 0.12
"""Widths of a pin's place, in pixels and as a share of the height of all rows."""
TALL = 2.0
"""Height of the place of a pin, in its widths."""
LEVELS = 4
"""Heights at which winning moves are marked."""
LABEL = 58.0
"""Width of the label before a row."""

OUTLINE = (
    (0.0, 0.25), (0.1, 0.38), (0.2, 0.47), (0.3, 0.5), (0.4, 0.47), (0.5, 0.37), (0.6, 0.24),
    (0.68, 0.19), (0.75, 0.21), (0.84, 0.27), (0.92, 0.24), (0.97, 0.15), (1.0, 0.0),
)  # fmt: skip
"""A pin from its foot: heights, as shares of its own, and half its width there, of its width."""


def stands_in_a_row(component: Component) -> bool:
    """Return whether moves take objects from the middle of a heap, leaving a heap on each side.

    Example:
        >>> from nim_envs import make_game
        >>> [stands_in_a_row(make_game(name).rules.components[0]) for name in ("kayles", "grundy")]
        [True, False]
    """
    return isinstance(component, SplittingHeap) and any(
        digit & LEAVE_TWO for digit in component.game.digits[1:]
    )


@dataclass(frozen=True)
class RowLayout(HeapLayout):
    """Places of rows and their pins: one row below the other, each pin of the same size.

    Args:
        area: place of all rows.
        indices: the rows to show.
        largest: pins in the longest of them, at least 1.
        longest: pins in the longest possible row; all rows begin where it would.
    """

    longest: int = 1

    @cached_property
    def arrangement(self) -> tuple[int, int, float]:
        """Rows, pins in the longest of them, and the width of the place of a pin."""
        rows = len(self.indices)
        width = (self.area.width - LABEL) / self.largest
        height = (self.area.height / rows - 12) / TALL
        return rows, self.largest, min(width, height, LARGEST_PIN * self.area.height)

    @property
    def counted(self) -> bool:
        """Whether pins are drawn one by one."""
        return self.side >= SMALLEST_PIN

    def room(self, component: int) -> Area:
        """Return the place of a row's pins, beside its label."""
        cell = self.cells[component]
        width, height = cell.width - LABEL, self.side * TALL
        margin = max(0.0, width - self.side * self.longest) / 2
        top = cell.center.y - height / 2
        return Area(cell.x + LABEL + margin, top, self.side * self.largest, height)

    def place(self, component: int, number: int) -> Area:
        """Return the place of pin ``number``, counted from 0 on the left."""
        room = self.room(component)
        return Area(room.x + number * self.side, room.y, self.side, room.height)


class RowPanel(SplittingHeapPanel):
    """Heaps as rows of pins; as heaps of discs where there are too many pins for rows."""

    def layout_of(self, *positions: IntArray) -> HeapLayout:
        """Return the layout of rows in a picture of the positions."""
        heaps = super().layout_of(*positions)
        longest = max(self.rules.components[index].states - 1 for index in self.indices)
        rows = RowLayout(heaps.area, heaps.indices, heaps.largest, longest)
        return rows if rows.counted else heaps

    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw the rows and, if wanted, what each winning move knocks down."""
        super().draw(canvas, scene)
        if isinstance(self.layout, RowLayout):
            for component in self.layout.cells:
                self._draw_wins(canvas, self.layout, scene, component)

    def _draw_wins(self, canvas: Canvas, layout: RowLayout, scene: Scene, component: int) -> None:
        """Mark the pins of each winning move, which leaves the smaller part on the left."""
        heap = self.rules.components[component]
        assert isinstance(heap, SplittingHeap)
        wins = [
            heap.moves[option]
            for option in scene.winning_options(component, self.rules.num_options)
        ]
        size = max(4.0, 0.34 * layout.side)
        for number, (taken, smaller) in enumerate(wins):
            # Moves may share pins: each has a height of its own.
            down = layout.side * TALL * ((number % LEVELS + 1) / (min(len(wins), LEVELS) + 1) - 0.5)
            pins = [layout.place(component, pin).center for pin in range(smaller, smaller + taken)]
            places = [(pin.x, pin.y + down) for pin in pins]
            if taken > 1:
                canvas.line(places[0], places[-1], WINNING, 0.5 * size)
            for place in places:
                canvas.disc(square(Point(*place), size), WINNING)

    def draw_object(self, canvas: Canvas, place: Area, color: Color, filled: bool = True) -> None:
        """Draw a pin in its place; one that was taken is pale."""
        if not isinstance(self.layout, RowLayout):
            super().draw_object(canvas, place, color, filled)
            return
        width, height = round(0.8 * place.width), round(place.height)
        pin = Area(round(place.center.x - width / 2), round(place.y), width, height)
        canvas.polygon(_corners(pin), color)
        if not filled:
            line = max(1.2, 0.07 * width)
            inside = pin.shrunk(line, 1.6 * line, line, line)
            canvas.polygon(_corners(inside), mixed(color, PANEL, 0.75))

    def draw_label(self, canvas: Canvas, scene: Scene, component: int, cell: Area) -> None:
        """Write the number of pins and the index before a row."""
        if not isinstance(self.layout, RowLayout):
            super().draw_label(canvas, scene, component, cell)
            return
        color = self.label_color(scene, component)
        room, state = self.layout.room(component), scene.state(component)
        shown = max(1, state + self.gone(scene, component))
        floor = LINE if color == INK else color
        canvas.box(Area(room.x, room.bottom, shown * self.layout.side, 3), floor, radius=1.5)
        name = f"{self.rules.components[component].kind} {component}"
        x, y = room.x - LABEL / 2 - 4, room.center.y
        if cell.height >= 40:
            canvas.text(str(state), (x, y - 8), 25, color)
            canvas.text(name, (x, y + 12), 17, GREY)
        else:
            canvas.text(str(state), (x + 18, y), 17, color)
            canvas.text(name, (x + 2, y), 14, GREY, anchor=(1, 0.5))


def _corners(pin: Area) -> list[tuple[float, float]]:
    """The outline of a pin that fills the place."""
    middle = pin.center.x
    right = [(middle + pin.width * half, pin.bottom - pin.height * up) for up, half in OUTLINE]
    return right + [(2 * middle - x, y) for x, y in reversed(right)]
