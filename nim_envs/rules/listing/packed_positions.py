"""Distinct positions, packed into bytes."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, islice, starmap

import numpy as np

from nim_envs.typing import Array, IntArray, Position

NARROW, WIDE = "B", "Q"
"""Codes of unsigned integers of 1 and of 8 bytes, the coordinates of packed positions."""


class PackedPositions:
    """Distinct positions, each with an index in the order in which they were added.

    They take a third of the memory of tuples: a byte for each coordinate, or eight for each once a
    coordinate needs more.

    Args:
        width: number of coordinates.

    Example:
        >>> positions = PackedPositions(2)
        >>> positions.add([(3, 4), (3, 3), (3, 4)]), positions.add([(3, 3), (3, 500)])
        ([0, 1, 0], [1, 2])
        >>> len(positions), positions.position(2)
        (3, (3, 500))
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._packing, self._packed = struct.Struct(""), bytearray()
        self._pack_in(NARROW)

    def __len__(self) -> int:
        return len(self._index_of)

    @property
    def holds_any_int(self) -> bool:
        """Whether coordinates may be any integers of eight bytes, also ones that are too large."""
        return self._dtype == WIDE

    def position(self, index: int) -> Position:
        """Return a position."""
        return self._packing.unpack_from(self._packed, index * self._packing.size)

    def tuples(self, first: int, last: int) -> Iterator[Position]:
        """Return the positions from one index to below another; more may be added meanwhile."""
        return self._packing.iter_unpack(self._bytes(first, last))

    def array(self, first: int, last: int) -> IntArray:
        """Return the same positions as an array, ``(positions, coordinates)``."""
        positions = np.frombuffer(self._bytes(first, last), self._dtype)
        return positions.reshape(-1, self._width).astype(np.int64)

    def take(self) -> Array:
        """Return all positions, ``(positions, coordinates)``; none can be added then."""
        self._index_of.clear()
        return np.frombuffer(self._packed, self._dtype).reshape(-1, self._width)

    def add(self, positions: Sequence[Position]) -> list[int]:
        """Return the index of each position; add those that are new.

        Raises:
            struct.error: a position cannot be packed.
        """
        try:
            keys = [*starmap(self._packing.pack, positions)]
        except struct.error:
            self._pack_in(WIDE)
            keys = [*starmap(self._packing.pack, positions)]
        return self._add_packed(keys)

    def add_array(self, positions: Array) -> list[int]:
        """Return the index of each position; add those that are new.

        Args:
            positions: integers of at least 0 and below 2⁶³, ``(n, coordinates)``.
        """
        if self._dtype == NARROW and positions.max(initial=0) > np.iinfo(self._dtype).max:
            self._pack_in(WIDE)
        packed = np.ascontiguousarray(positions, dtype=self._dtype)
        return self._add_packed(packed.view(f"V{self._packing.size}").ravel().tolist())

    def _add_packed(self, keys: list[bytes]) -> list[int]:
        known = len(self)
        indices = [*map(self._index_of.__getitem__, keys)]  # a new key gets the next index
        new = [*islice(reversed(self._index_of), len(self) - known)]
        self._packed += b"".join(reversed(new))
        return indices

    def _bytes(self, first: int, last: int) -> bytes:
        return bytes(self._packed[first * self._packing.size : last * self._packing.size])

    def _pack_in(self, code: str) -> None:
        """Pack positions with coordinates of a type, also those that are packed already."""
        before = self._packing.iter_unpack(self._packed) if self._packed else ()
        self._packing, self._dtype = struct.Struct(f"={self._width}{code}"), np.dtype(code)
        keys = [*starmap(self._packing.pack, before)]
        self._packed = bytearray().join(keys)
        indices = {key: index for index, key in enumerate(keys)}
        self._index_of = defaultdict(count(len(keys)).__next__, indices)
