"""Checks of positions that are given as state numbers or as coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nim_envs.errors import InvalidPositionError
from nim_envs.rules.coordinate_system import NO_STATE
from nim_envs.rules.coordinates import Coordinates
from nim_envs.rules.lattice import Lattice
from nim_envs.typing import IntArray


class PositionChecks:
    """Checks of what a caller gives as positions of a game.

    Args:
        lattice: the positions of the game.
        coordinates: their coordinates.
    """

    def __init__(self, lattice: Lattice, coordinates: Coordinates) -> None:
        self._lattice, self._coordinates = lattice, coordinates

    def positions(self, positions: Any) -> IntArray:
        """Return positions; see :meth:`nim_envs.Rules.checked_positions`."""
        points = self.points(positions)
        if self._lattice.every_point_is_a_position:
            return points
        missing = self._lattice.has_missing_state(points)
        if missing.any():
            raise self._no_position_at(self._coordinates.at(points[missing]))
        lacking = ~self._lattice.slots.suffice(points)
        if lacking.any():
            first = points[lacking].reshape(-1, len(self._lattice.shape))[0].tolist()
            raise InvalidPositionError(
                f"a position must leave room for what splits, and {first} "
                f"{self._lattice.slots.shortage(first)}"
            )
        return points

    def position(self, position: Any) -> IntArray:
        """Return one position; see :meth:`nim_envs.Rules.checked_position`."""
        checked = self.positions(position)
        if checked.ndim != 1:
            raise InvalidPositionError(
                f"one position of {checked.shape[-1]} components is expected here, not an array "
                f"of shape {checked.shape}"
            )
        return checked

    def points(self, positions: Any) -> IntArray:
        """Return points of the lattice; see :meth:`nim_envs.Rules.checked_points`."""
        shape, fields = self._lattice.shape, self._coordinates.fields
        try:
            array = np.asarray(positions)
        except ValueError:
            array = np.array(None)
        width = array.shape[-1] if array.ndim else 0
        if array.dtype.kind not in "iu" or width not in (len(fields), len(shape)):
            given = repr(positions)
            if isinstance(positions, np.ndarray):
                given += f", an array of shape {positions.shape}"
            raise InvalidPositionError(f"{self._a_position()}, not {given}")
        if self._coordinates.differ and width == len(fields):
            return self._points_at(array)
        first = _first_outside(array, shape)
        if first is not None:
            message = _integers_from_0("component", shape)
            raise InvalidPositionError(f"a position is {message}, not {first}")
        return array.astype(np.int64)

    def _points_at(self, coordinates: IntArray) -> IntArray:
        """Return the points with ``coordinates`` ``(..., len(fields))``, which are checked."""
        first = _first_outside(coordinates, self._coordinates.fields)
        if first is not None:
            raise InvalidPositionError(f"{self._a_position()}, not {first}")
        points = self._coordinates.positions_at(coordinates.astype(np.int64))
        missing = (points == NO_STATE).any(axis=-1)
        if missing.any():
            raise self._no_position_at(coordinates[missing])
        return points

    def _no_position_at(self, coordinates: IntArray) -> InvalidPositionError:
        """Return the error for the first of ``coordinates``, ``(..., len(fields))``."""
        first = tuple(coordinates.reshape(-1, len(self._coordinates.fields))[0].tolist())
        return InvalidPositionError(
            f"no position of {self._lattice.name} has the coordinates {first}"
        )

    def _a_position(self) -> str:
        """Return a description of valid positions, for messages."""
        if self._coordinates.differ:
            integers = _integers_from_0("coordinate", self._coordinates.fields)
            return f"a position of {self._lattice.name} is {integers}"
        return "a position is " + _integers_from_0("component", self._lattice.shape)


def _integers_from_0(each: str, sizes: Sequence[int]) -> str:
    """Return a description of integers below ``sizes``, for messages."""
    largest = tuple(size - 1 for size in sizes)
    to = largest[0] if len(set(largest)) == 1 else largest
    count = len(largest)
    given = "1 integer" if count == 1 else f"{count} integers, one for each {each}"
    return f"{given}, from 0 to {to}"


def _first_outside(array: IntArray, sizes: Sequence[int]) -> tuple[int, ...] | None:
    """Return the first point of ``array`` outside the box of ``sizes``; ``None``: there is none."""
    outside = (array < 0) | (array >= np.array(sizes, dtype=np.int64))
    if not outside.any():
        return None
    return tuple(array[outside.any(axis=-1)].reshape(-1, len(sizes))[0].tolist())
