"""Smooth shapes and text on a pygame surface; pygame is imported when a canvas is made."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.optional import needed
from nim_envs.render.frame import Frame
from nim_envs.render.geometry import Area

Color = tuple[int, int, int]

PAPER: Color = (250, 249, 246)
WHITE: Color = (255, 255, 255)
PANEL = WHITE
LINE: Color = (222, 220, 214)
FAINT: Color = (238, 236, 231)
INK: Color = (44, 53, 66)
GREY: Color = (118, 124, 134)
OBJECT: Color = (74, 88, 108)
LIMIT: Color = (248, 226, 219)
WINNING: Color = (0, 150, 110)
PLAYER_COLORS: tuple[Color, Color] = ((0, 114, 178), (213, 94, 0))
"""Colours of ``player_0`` and ``player_1``; with ``WINNING``, distinct to colour-blind readers."""

FINENESS = 4
"""Factor by which shapes are painted larger and scaled down, for smooth edges."""

TEXT_FINENESS = 2
"""The same factor for text, so that letters are not moved to whole pixels."""

MOST_SPRITES = 2_000
"""Most shapes and lines of text in the cache."""

SMALLEST_TEXT = 9


def load_pygame() -> Any:
    """Return pygame, without the message that it prints when imported.

    Raises:
        MissingPackageError: it is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return needed("pygame", "a picture of a game", "render")


def player_color(seat: int | None, unknown: Color = GREY) -> Color:
    """Return the colour of a player, or ``unknown`` where nobody has the turn or has moved."""
    return unknown if seat is None else PLAYER_COLORS[seat]


def mixed(color: Color, other: Color, share: float) -> Color:
    """Return ``color`` with a ``share`` of ``other`` in it."""
    red, green, blue = (
        round((1 - share) * one + share * two) for one, two in zip(color, other, strict=True)
    )
    return red, green, blue


class Canvas:
    """A surface to draw on, in memory; no display is needed.

    Args:
        size: width and height in pixels.

    Raises:
        MissingPackageError: pygame is not installed.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self._pygame = load_pygame()
        self._pygame.font.init()
        self.size = size
        self.surface = self._pygame.Surface(size, 0, 32)
        self._sprites: LimitedCache[Any, Any] = LimitedCache(MOST_SPRITES)
        self._fonts: dict[int, Any] = {}

    def clear(self, color: Color = PAPER) -> None:
        """Paint all of it in one colour."""
        self.surface.fill(color)

    def frame(self) -> Frame:
        """Return the picture, ``(height, width, 3)``, uint8, as a copy."""
        pixels = self._pygame.image.tobytes(self.surface, "RGB")
        width, height = self.size
        return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3).copy().view(Frame)

    def disc(self, place: Area, color: Color) -> None:
        """Draw the disc that fills ``place``."""
        self.box(place, color, radius=place.height)

    def ring(self, place: Area, color: Color, width: float = 2) -> None:
        """Draw the ring that touches the sides of ``place`` from inside."""
        self.box(place, color, radius=place.height, width=width)

    def box(self, place: Area, color: Color, radius: float = 0, width: float = 0) -> None:
        """Draw a rectangle with round corners, filled or as a line of ``width``."""
        x, y = round(place.x), round(place.y)
        size = max(1, round(place.right) - x), max(1, round(place.bottom) - y)
        radius = min(radius, min(size) / 2)

        def paint(surface: Any, scale: int) -> None:
            self._pygame.draw.rect(
                surface,
                color,
                surface.get_rect(),
                math.ceil(width * scale),
                border_radius=math.ceil(radius * scale),
            )

        self._blit(("box", size, color, radius, width), (x, y), size, color, paint)

    def line(
        self, start: tuple[float, float], end: tuple[float, float], color: Color, width: float = 2
    ) -> None:
        """Draw a straight line with flat ends."""
        length = math.dist(start, end) or 1.0
        across = (
            (end[1] - start[1]) / length * width / 2,
            (start[0] - end[0]) / length * width / 2,
        )
        self.polygon(
            [
                (start[0] + across[0], start[1] + across[1]),
                (end[0] + across[0], end[1] + across[1]),
                (end[0] - across[0], end[1] - across[1]),
                (start[0] - across[0], start[1] - across[1]),
            ],
            color,
        )

    def arrow(
        self, start: tuple[float, float], end: tuple[float, float], color: Color, width: float = 2
    ) -> None:
        """Draw a line with its point at ``end``."""
        length = math.dist(start, end) or 1.0
        along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        head = min(3 + 3 * width, length)
        base = end[0] - along[0] * head, end[1] - along[1] * head
        self.line(start, (base[0] + along[0], base[1] + along[1]), color, width)
        half = 0.45 * head
        self.polygon(
            [
                end,
                (base[0] - along[1] * half, base[1] + along[0] * half),
                (base[0] + along[1] * half, base[1] - along[0] * half),
            ],
            color,
        )

    def polygon(self, corners: Sequence[tuple[float, float]], color: Color) -> None:
        """Draw a filled polygon."""
        left = math.floor(min(x for x, _ in corners)) - 1
        top = math.floor(min(y for _, y in corners)) - 1
        size = (
            math.ceil(max(x for x, _ in corners)) - left + 1,
            math.ceil(max(y for _, y in corners)) - top + 1,
        )
        inside = tuple((round(4 * (x - left)), round(4 * (y - top))) for x, y in corners)

        def paint(surface: Any, scale: int) -> None:
            points = [(x * scale / 4, y * scale / 4) for x, y in inside]
            self._pygame.draw.polygon(surface, color, points)

        self._blit(("polygon", inside, color), (left, top), size, color, paint)

    def unchanging(self, key: Any, place: Area, paint: Callable[[], None]) -> None:
        """Draw an unchanging part of the picture, which is painted once and then copied.

        Args:
            key: key in the cache.
            place: area that it covers, including all that is below it.
            paint: function that draws it on this canvas.
        """
        x, y = math.floor(place.x), math.floor(place.y)
        area = self._pygame.Rect(
            x, y, math.ceil(place.right) - x, math.ceil(place.bottom) - y
        ).clip(self.surface.get_rect())
        sprite = self._sprites.get(key)
        if sprite is None:
            paint()
            self._sprites.get_or_create(key, lambda: self.surface.subsurface(area).copy())
        else:
            self.surface.blit(sprite, area.topleft)

    def text(
        self,
        text: str,
        place: tuple[float, float],
        size: float,
        color: Color = INK,
        anchor: tuple[float, float] = (0.5, 0.5),
    ) -> Area:
        """Write one line and return its area.

        Args:
            text: one line.
            place: place of the anchor.
            size: height of the letters with their descenders, in pixels.
            color: colour of the letters.
            anchor: the point of the line that is put at ``place``: (0, 0) is its left upper
                corner, (1, 1) its right lower one.
        """
        if not text:
            return Area(*place, 0, 0)
        sprite = self._rendered(text, size, color)
        width, height = sprite.get_size()
        x, y = round(place[0] - anchor[0] * width), round(place[1] - anchor[1] * height)
        self.surface.blit(sprite, (x, y))
        return Area(x, y, width, height)

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

    def text_width(self, text: str, size: float) -> int:
        """Return the width of a line in pixels."""
        return -(-int(self._font(size).size(text)[0]) // TEXT_FINENESS)

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
