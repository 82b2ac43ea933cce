"""Rectangles and layout; no drawing."""

from __future__ import annotations

from typing import NamedTuple


class Point(NamedTuple):
    """A place in pixels, from the left and from the top."""

    x: float
    y: float


class Area(NamedTuple):
    """A rectangle in pixels, from its left upper corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.height

    @property
    def center(self) -> Point:
        """Its middle."""
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    def shrunk(self, left: float, top: float, right: float, bottom: float) -> Area:
        """Return the rectangle without a margin on each side."""
        return Area(
            self.x + left, self.y + top, self.width - left - right, self.height - top - bottom
        )

    def inset(self, margin: float) -> Area:
        """Return the rectangle without a margin that is the same on all sides."""
        return self.shrunk(margin, margin, margin, margin)

    def contains(self, point: tuple[float, float]) -> bool:
        """Return whether ``point`` is inside."""
        return self.x <= point[0] < self.right and self.y <= point[1] < self.bottom

    def overlaps(self, other: Area) -> bool:
        """Return whether the two have more than a side in common."""
        return (
            min(self.right, other.right) - max(self.x, other.x) > 1e-6
            and min(self.bottom, other.bottom) - max(self.y, other.y) > 1e-6
        )

    def within(self, other: Area) -> bool:
        """Return whether it is wholly inside ``other``."""
        return (
            self.x >= other.x - 1e-6
            and self.y >= other.y - 1e-6
            and self.right <= other.right + 1e-6
            and self.bottom <= other.bottom + 1e-6
        )

    def grid(self, rows: int, columns: int) -> list[Area]:
        """Return equal cells, row by row."""
        width, height = self.width / columns, self.height / rows
        return [
            Area(self.x + column * width, self.y + row * height, width, height)
            for row in range(rows)
            for column in range(columns)
        ]

    def side_by_side(self, shares: list[float]) -> list[Area]:
        """Return areas one beside the other whose widths are in the ratio of ``shares``."""
        total, areas, left = sum(shares), [], self.x
        for share in shares:
            width = self.width * share / total
            areas.append(Area(left, self.y, width, self.height))
            left += width
        return areas


def square(center: tuple[float, float], side: float) -> Area:
    """Return the square of ``side`` around ``center``."""
    return Area(center[0] - side / 2, center[1] - side / 2, side, side)
