"""Rows of points by their coordinates."""

import math
from collections.abc import Sequence
from operator import index, mul
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.typing import Array, IntArray, Position

LARGEST_KEY = 2**62
"""Number of points of a box from which keys are bytes instead of integers."""

AT_ONCE = 2**20
"""Coordinates whose keys are computed at once."""


class Index:
    """Rows of listed points, in lexicographic order, by their coordinates.

    Points have keys that sort as they do: mixed-radix integers, or the coordinates as big-endian
    bytes where these do not fit.

    Args:
        sizes: number of values of each coordinate.
        points: the points, integers ``(n, fields)``; ``None``: all points of the box.
    """

    def __init__(self, sizes: Sequence[int], points: Array | None = None) -> None:
        self.sizes, self.size = tuple(sizes), math.prod(sizes)
        self._ranges = [*map(range, self.sizes)]
        self._bytes = np.min_scalar_type(max(self.sizes, default=1)).newbyteorder(">")
        self.strides: list[int] | None = None
        if self.size <= LARGEST_KEY:
            self.strides = [math.prod(self.sizes[i + 1 :]) for i in range(len(self.sizes))]
        # Where every point of the box is listed, the key is the row.
        is_box = points is None or len(points) == self.size
        self._listed = None if is_box or points is None else self.keys(points)

    def keys(self, points: Array) -> npt.NDArray[Any]:
        """Return the keys of points inside the box: ``(..., fields)`` to ``(...)``."""
        if self.strides is None:
            wide = np.ascontiguousarray(points, self._bytes)
            return wide.view(f"S{wide.shape[-1] * wide.itemsize}")[..., 0]
        strides = np.array(self.strides, dtype=np.int64)
        if points.dtype.itemsize == 8 or points.size < AT_ONCE:
            return np.asarray(points @ strides)
        pieces = np.array_split(points, points.size // AT_ONCE)  # as a product copies them to int64
        return np.concatenate([piece @ strides for piece in pieces])

    def rows(self, points: Array) -> IntArray:
        """Return the rows of listed points: ``(..., fields)`` to ``(...)``."""
        keys = self.keys(points)
        return keys if self._listed is None else np.searchsorted(self._listed, keys)

    def find(self, points: Array) -> IntArray:
        """Return the rows of points, -1 where none is listed: ``(..., fields)`` to ``(...)``."""
        found = np.asarray(((points >= 0) & (points < np.array(self.sizes))).all(axis=-1))
        keys = rows = self.keys(np.where(found[..., np.newaxis], points, 0))
        if self._listed is not None:
            rows = np.minimum(np.searchsorted(self._listed, keys), len(self._listed) - 1)
            found &= self._listed[rows] == keys
        return np.where(found, rows, -1)

    def find_one(self, point: Position) -> int:
        """Return the row of one point, a tuple of integers; -1 where it is not listed."""
        if len(point) != len(self.sizes) or not all(map(range.__contains__, self._ranges, point)):
            return -1
        if self.strides is None:
            return int(self.find(np.array(point)))
        key = index(sum(map(mul, point, self.strides)))  # a TypeError where one is no integer
        if self._listed is None:
            return key
        row = int(self._listed.searchsorted(key))
        return row if row < len(self._listed) and self._listed[row] == key else -1


def keys_of(points: Array) -> npt.NDArray[Any]:
    """Return keys of integers of at least 0 that sort as they do, ``(n, fields)`` to ``(n,)``."""
    return Index((points.max(axis=0).astype(int) + 1).tolist()).keys(points)
