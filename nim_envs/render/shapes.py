"""Shapes of a picture: rectangles, discs, lines, polygons and words.

A picture is a list of shapes, each drawn over those before it. ``Canvas`` draws them with pygame;
:func:`as_json` returns them as data, such as for a web page, and needs no pygame.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from nim_envs.render.geometry import Area, Point
from nim_envs.render.palette import INK, Color, hexadecimal

SMALLEST_TEXT = 9

Place: TypeAlias = tuple[float, float]
"""A point, from the left and from the top."""

TextWidth: TypeAlias = Callable[[str, float], float]
"""Function from a line of text and the height of its letters to its width, both in pixels."""


def typical_text_width(text: str, size: float) -> float:
    """Return the width of a line in a sans-serif font, where no font can be asked."""
    return math.ceil(0.5 * max(SMALLEST_TEXT, round(size)) * len(text))


class Box(NamedTuple):
    """A rectangle with round corners of a ``radius``, filled, or a frame of ``line_width``."""

    area: Area
    color: Color
    radius: float = 0
    line_width: float = 0  # 0: filled


class Disc(NamedTuple):
    """The disc that fills a square, or a ring of ``line_width`` inside it."""

    area: Area
    color: Color
    line_width: float = 0  # 0: filled


class Line(NamedTuple):
    """A straight line with flat ends."""

    start: Point
    end: Point
    color: Color
    line_width: float = 2


class Polygon(NamedTuple):
    """A filled polygon."""

    corners: tuple[tuple[float, float], ...]
    color: Color


class Words(NamedTuple):
    """One line of text."""

    text: str
    place: Point
    size: float  # height of the letters with their descenders, in pixels
    color: Color = INK
    anchor: tuple[float, float] = (0.5, 0.5)  # its point at `place`; (0, 0): left upper corner


Shape: TypeAlias = Box | Disc | Line | Polygon | Words


def scaled(shape: Shape, scale: int) -> Shape:
    """Return a shape ``scale`` times as large and as far from the corner.

    Example:
        >>> scaled(Disc(Area(10, 20, 8, 8), INK), 2).area
        Area(x=20, y=40, width=16, height=16)
    """
    kept = ("color", "text", "anchor")
    lengths = {name: each for name, each in shape._asdict().items() if name not in kept}
    return shape._replace(**{name: _times(each, scale) for name, each in lengths.items()})


def _times(value: Any, scale: int) -> Any:
    """Return a length, or all lengths in a tuple, times ``scale``."""
    if not isinstance(value, tuple):
        return scale * value
    lengths = (_times(item, scale) for item in value)
    return type(value)(*lengths) if isinstance(value, (Area, Point)) else tuple(lengths)


class Drawing:
    """A list of shapes, each over those before it, with a method for each."""

    def __init__(self, text_width: TextWidth = typical_text_width) -> None:
        self.text_width = text_width
        self.shapes: list[Shape] = []

    def box(self, area: Area, color: Color, radius: float = 0, line_width: float = 0) -> None:
        """Add a :class:`Box`."""
        self.shapes.append(Box(area, color, radius, line_width))

    def disc(self, area: Area, color: Color, line_width: float = 0) -> None:
        """Add a :class:`Disc`."""
        self.shapes.append(Disc(area, color, line_width))

    def line(self, start: Place, end: Place, color: Color, line_width: float = 2) -> None:
        """Add a :class:`Line`."""
        self.shapes.append(Line(Point(*start), Point(*end), color, line_width))

    def arrow(self, start: Place, end: Place, color: Color, line_width: float = 2) -> None:
        """Add a line with its point at ``end``."""
        length = math.dist(start, end) or 1.0
        along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        head = min(3 + 3 * line_width, length)
        base = end[0] - along[0] * head, end[1] - along[1] * head
        self.line(start, (base[0] + along[0], base[1] + along[1]), color, line_width)
        half = 0.45 * head
        self.polygon(
            [
                end,
                (base[0] - along[1] * half, base[1] + along[0] * half),
                (base[0] + along[1] * half, base[1] - along[0] * half),
            ],
            color,
        )

    def polygon(self, corners: Iterable[Place], color: Color) -> None:
        """Add a :class:`Polygon`."""
        self.shapes.append(Polygon(tuple(corners), color))

    def text(
        self,
        text: str,
        place: Place,
        size: float,
        color: Color = INK,
        anchor: Place = (0.5, 0.5),
    ) -> None:
        """Add :class:`Words`, unless the text is empty."""
        if text:
            self.shapes.append(Words(text, Point(*place), size, color, anchor))

    def fitting(self, text: str, width: float, size: float) -> float:
        """Return the largest size of letters, up to ``size``, at which a line fits ``width``."""
        while size > SMALLEST_TEXT and self.text_width(text, size) > width:
            size -= 1
        return size

    def shortened(self, text: str, width: float, size: float) -> str:
        """Return the line, or as much of it as fits ``width``, with dots."""
        if self.text_width(text, size) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.text_width(text[:middle] + "…", size) <= width:
                low = middle
            else:
                high = middle - 1
        return text[:low] + "…" if low else ""


def as_json(shapes: Iterable[Shape]) -> list[dict[str, Any]]:
    """Return shapes as data for JSON: see :func:`nim_envs.render.position_shapes`.

    Example:
        >>> as_json([Disc(Area(10, 20, 8, 8), INK)])
        [{'shape': 'disc', 'area': [10, 20, 8, 8], 'color': '#2c3542', 'line_width': 0}]
    """
    return [
        {
            "shape": type(shape).__name__.lower(),
            **{name: _plain(value) for name, value in shape._asdict().items()},
            "color": hexadecimal(shape.color),
        }
        for shape in shapes
    ]


def _plain(value: Any) -> Any:
    """Return a value with its tuples as lists."""
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
