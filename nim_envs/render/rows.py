"""Heaps from whose middle a move may take, such as those of Kayles, drawn as rows of pins."""

from __future__ import annotations

from nim_envs.games.octal_codes import LEAVE_TWO
from nim_envs.render import palette
from nim_envs.render.geometry import Area, square
from nim_envs.render.heaps import Arrangement, HeapLayout, SlotPanel, label_color
from nim_envs.render.palette import Color, paler
from nim_envs.render.scene import ComponentView
from nim_envs.render.shapes import Drawing
from nim_envs.rules import SplittingHeap
from nim_envs.rules.component import Component

SMALLEST_PIN, LARGEST_PIN = 6.0, 0.2
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


class RowLayout(HeapLayout):
    """A heap as a row of pins; all rows of a panel begin where the longest possible one would.

    Args:
        component: a heap.
        cell: place in the picture, its label included.
        width: width of the place of a pin.
        pins: pins in the longest row that is shown.
        longest: pins in the longest possible row.
    """

    def __init__(
        self, component: Component, cell: Area, width: float, pins: int, longest: int
    ) -> None:
        self.longest = longest
        super().__init__(component, cell, Arrangement(1, pins, width), pins)

    def _place(self) -> None:
        width, height = self.cell.width - LABEL, self.side * TALL
        margin = max(0.0, width - self.side * self.longest) / 2
        left, top = self.cell.x + LABEL + margin, self.cell.center.y - height / 2
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
        inside = pin.shrunk(line, 1.6 * line, line, line)
        drawing.polygon(_corners(inside), paler(color, 0.75))

    def draw_marks(self, drawing: Drawing, view: ComponentView) -> None:
        """Mark the pins that each winning move knocks down, the smaller part on the left."""
        heap = self.component
        assert isinstance(heap, SplittingHeap)
        levels = min(len(view.winning), LEVELS) + 1
        size = max(4.0, 0.34 * self.side)
        for index, option in enumerate(view.winning):
            taken, smaller = heap.moves[option]
            # Moves may share pins: each has a height of its own.
            down = self.side * TALL * ((index % LEVELS + 1) / levels - 0.5)
            pins = [self.squares[pin].center for pin in range(smaller, smaller + taken)]
            places = [(pin.x, pin.y + down) for pin in pins]
            for rim, color in ((0.24 * size, palette.WHITE), (0.0, palette.WINNING)):
                for place in places:
                    drawing.disc(square(place, size + rim), color)
                drawing.line(places[0], places[-1], color, 0.5 * size + rim)

    def draw_label(self, drawing: Drawing, view: ComponentView) -> None:
        """Write the number of pins and the name before the row."""
        color, room = label_color(view), self.area
        pins = max(1, view.state + view.taken)
        floor = Area(room.x, room.bottom, pins * self.side, 3)
        drawing.box(floor, palette.LINE if color == palette.INK else color, radius=1.5)
        x, y = room.x - LABEL / 2 - 4, room.center.y
        if self.cell.height >= 40:
            drawing.text(str(view.state), (x, y - 8), 25, color)
            drawing.text(view.name, (x, y + 12), 17, palette.GREY)
        else:
            drawing.text(str(view.state), (x + 18, y), 17, color)
            drawing.text(view.name, (x + 2, y), 14, palette.GREY, anchor=(1, 0.5))

    def _pin(self, place: Area) -> Area:
        width, height = round(0.8 * place.width), round(place.height)
        return Area(round(place.center.x - width / 2), round(place.y), width, height)


class RowPanel(SlotPanel):
    """Heaps as rows of pins, one below the other; as discs where there are too many pins."""

    def arrange(self, largest: int, indices: list[int]) -> None:
        """Set the cells and layouts of the heaps that are shown; see :class:`HeapPanel`."""
        pins = max(1, largest)
        width = min(
            (self.area.width - LABEL) / pins,
            (self.area.height / len(indices) - 12) / TALL,
            LARGEST_PIN * self.area.height,
        )
        if width < SMALLEST_PIN:
            super().arrange(largest, indices)
            return
        longest = max(self.rules.components[index].states - 1 for index in self.indices)
        self.cells = dict(zip(indices, self.area.grid(len(indices), 1), strict=True))
        self.layouts = {
            index: RowLayout(self.rules.components[index], cell, width, pins, longest)
            for index, cell in self.cells.items()
        }


def _corners(pin: Area) -> list[tuple[float, float]]:
    """The outline of a pin that fills the place."""
    middle = pin.center.x
    right = [(middle + pin.width * half, pin.bottom - pin.height * up) for up, half in OUTLINE]
    return right + [(2 * middle - x, y) for x, y in reversed(right)]
