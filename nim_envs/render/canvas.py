"""Shapes drawn smoothly on a pygame surface; pygame is imported when a canvas is made."""

import math
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.optional import needed
from nim_envs.render import palette
from nim_envs.render.frame import Frame
from nim_envs.render.palette import Color
from nim_envs.render.shapes import (
    SMALLEST_TEXT,
    Box,
    Disc,
    Line,
    Polygon,
    Shape,
    Words,
    scaled,
)

FINENESS = 4
"""Factor by which shapes are painted larger and scaled down, for smooth edges."""

TEXT_FINENESS = 2
"""The same factor for text, so that letters are not moved to whole pixels."""

MOST_SPRITES = 2_000
"""Most painted shapes and lines of text that a canvas stores."""


def load_pygame() -> Any:
    """Return pygame, without the message that it prints when imported.

    Raises:
        MissingPackageError: it is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return needed("pygame", "a picture of a game", "render")


class Canvas:
    """A surface to draw on, in memory, of whole pixels per unit of shapes; no display is needed.

    Raises:
        MissingPackageError: pygame is not installed.
    """

    def __init__(self, size: tuple[int, int], scale: int = 1) -> None:
        self._pygame = load_pygame()
        self._pygame.font.init()
        self.size = size[0] * scale, size[1] * scale
        self.scale = scale
        self.surface = self._pygame.Surface(self.size, 0, 32)
        self._sprites: LimitedCache[Any, Any] = LimitedCache(MOST_SPRITES)
        self._fonts: dict[int, Any] = {}

    def clear(self) -> None:
        """Paint all of it in the colour of paper."""
        self.surface.fill(palette.PAPER)

    def frame(self) -> Frame:
        """Return the picture, ``(height, width, 3)``, uint8, as a copy."""
        pixels = self._pygame.image.tobytes(self.surface, "RGB")
        width, height = self.size
        return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3).copy().view(Frame)

    def draw(self, shapes: Iterable[Shape]) -> None:
        """Draw shapes, each over those before it."""
        for shape in shapes:
            method = getattr(self, f"_draw_{type(shape).__name__.lower()}")
            method(scaled(shape, self.scale) if self.scale > 1 else shape)

    def _draw_box(self, box: Box) -> None:
        x, y = round(box.area.x), round(box.area.y)
        size = max(1, round(box.area.right) - x), max(1, round(box.area.bottom) - y)
        radius = min(box.radius, min(size) / 2)

        def paint(surface: Any, scale: int) -> None:
            self._pygame.draw.rect(
                surface,
                box.color,
                surface.get_rect(),
                math.ceil(box.line_width * scale),
                border_radius=math.ceil(radius * scale),
            )

        key = ("box", size, box.color, radius, box.line_width)
        self._blit(key, (x, y), size, box.color, paint)

    def _draw_disc(self, disc: Disc) -> None:
        self._draw_box(Box(disc.area, disc.color, disc.area.height, disc.line_width))

    def _draw_line(self, line: Line) -> None:
        (x, y), (right, bottom) = line.start, line.end
        length = math.dist(line.start, line.end) or 1.0
        # From the middle of an end to one of its corners.
        across = (bottom - y) / length * line.line_width / 2
        down = (x - right) / length * line.line_width / 2
        one, other = (x + across, y + down), (right + across, bottom + down)
        corners = one, other, (right - across, bottom - down), (x - across, y - down)
        self._draw_polygon(Polygon(corners, line.color))

    def _draw_polygon(self, polygon: Polygon) -> None:
        across, down = zip(*polygon.corners, strict=True)
        left, top = math.floor(min(across)) - 1, math.floor(min(down)) - 1
        size = math.ceil(max(across)) - left + 1, math.ceil(max(down)) - top + 1
        inside = tuple((round(4 * (x - left)), round(4 * (y - top))) for x, y in polygon.corners)

        def paint(surface: Any, scale: int) -> None:
            points = [(x * scale / 4, y * scale / 4) for x, y in inside]
            self._pygame.draw.polygon(surface, polygon.color, points)

        key = ("polygon", inside, polygon.color)
        self._blit(key, (left, top), size, polygon.color, paint)

    def _draw_words(self, words: Words) -> None:
        sprite = self._rendered(words.text, words.size, words.color)
        (x, y), (across, down) = words.place, words.anchor
        width, height = sprite.get_size()
        self.surface.blit(sprite, (round(x - across * width), round(y - down * height)))

    def text_width(self, text: str, size: float) -> int:
        """Return the width of a line, in the units of shapes."""
        width = int(self._font(self.scale * size).size(text)[0])
        return -(-width // (TEXT_FINENESS * self.scale))

    def _font(self, size: float) -> Any:
        points = max(SMALLEST_TEXT, round(size))
        if points not in self._fonts:
            self._fonts[points] = self._pygame.font.Font(None, TEXT_FINENESS * points)
        return self._fonts[points]

    def _rendered(self, text: str, size: float, color: Color) -> Any:
        key = ("text", text, max(SMALLEST_TEXT, round(size)), color)

        def make() -> Any:
            large = self._font(size).render(text, True, color)
            width, height = (-(-length // TEXT_FINENESS) for length in large.get_size())
            return self._pygame.transform.smoothscale(large, (max(width, 1), max(height, 1)))

        return self._sprites.get_or_create(key, make)

    def _blit(
        self,
        key: Any,
        corner: tuple[int, int],
        size: tuple[int, int],
        color: Color,
        paint: Callable[[Any, int], None],
    ) -> None:
        """Put a shape on the surface, painted large the first time."""

        def make() -> Any:
            large = size[0] * FINENESS, size[1] * FINENESS
            surface = self._pygame.Surface(large, self._pygame.SRCALPHA, 32)
            # Transparent pixels have the shape's colour too, or edges would darken.
            surface.fill((*color, 0))
            paint(surface, FINENESS)
            return self._pygame.transform.smoothscale(surface, size)

        self.surface.blit(self._sprites.get_or_create(key, make), corner)
