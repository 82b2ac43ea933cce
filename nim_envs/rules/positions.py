"""Positions of a game: their coordinates, and checks of what callers give as positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from nim_envs.errors import InvalidPositionError
from nim_envs.rules.coordinate_system import NO_STATE
from nim_envs.rules.lattice import Lattice
from nim_envs.typing import IntArray

LARGEST_COORDINATE_TABLE = 2**24
"""Largest table, in bytes, of the coordinates of every state of a component."""


class Positions(Lattice):
    """Base class of rules: positions as state numbers and as coordinates.

    The coordinates of a position are those of all components, one after the other. A component
    without coordinates contributes one, its state number.
    """

    @cached_property
    def fields(self) -> tuple[int, ...]:
        """Number of values of each coordinate, of all components one after the other.

        A component without coordinates contributes one, its number of states.
        """
        systems = [component.coordinate_system for component in self.components]
        return tuple(values for system in systems for values in system.fields)

    @cached_property
    def has_coordinates(self) -> bool:
        """Whether coordinates differ from positions: a component has more than one of them."""
        return len(self.fields) > len(self.components)

    @cached_property
    def field_slices(self) -> tuple[slice, ...]:
        """The coordinates of each component, as a slice of those of a position."""
        counts = [len(component.coordinate_system.fields) for component in self.components]
        return tuple(slice(*ends) for ends in pairwise(accumulate(counts, initial=0)))

    def coordinates(self, positions: IntArray) -> IntArray:
        """Return the coordinates of positions: ``(..., components)`` to ``(..., len(fields))``.

        The result is a new array, or ``positions`` itself in games without coordinates.

        Example:
            >>> from nim_envs.rules import nim
            >>> nim(heaps=(3, 4)).coordinates(np.array([2, 1])).tolist()
            [2, 1]
        """
        if not self.has_coordinates:
            return positions
        if self._coordinate_table is not None:
            return self._coordinate_table.take(positions[..., 0], axis=0)
        parts = [
            component.coordinate_system.of(positions[..., index])
            for index, component in enumerate(self.components)
        ]
        return np.concatenate(parts, axis=-1)

    @cached_property
    def _coordinate_table(self) -> IntArray | None:
        """Coordinates of every state of a single component; ``None`` where they are many."""
        component, *others = self.components
        entries = component.states * len(self.fields)
        if others or entries * np.dtype(np.int64).itemsize > LARGEST_COORDINATE_TABLE:
            return None
        return component.coordinate_system.of(np.arange(component.states, dtype=np.int64))

    def coordinate_tuple(self, position: IntArray | Sequence[int]) -> tuple[int, ...]:
        """Return the coordinates of one position, ``(components,)``, as a tuple of integers."""
        return tuple(self.coordinates(np.asarray(position)).tolist())

    def positions_at(self, coordinates: IntArray) -> IntArray:
        """Return the positions with these coordinates, int64 ``(..., components)``.

        The inverse of :meth:`coordinates`. An array of one entry for each component is a position
        already and stays as it is.

        Args:
            coordinates: integers ``(..., len(fields))``, or ``(..., components)``.

        Returns:
            The positions, with -1 for each component that has no state at these coordinates.
        """
        given = np.asarray(coordinates)
        if given.dtype != np.int64:
            given = given.astype(np.int64)
        if given.shape[-1] == len(self.components):
            return given
        states = [
            component.coordinate_system.states_at(given[..., part])
            for component, part in zip(self.components, self.field_slices, strict=True)
        ]
        return np.stack(states, axis=-1)

    def checked_positions(self, positions: Any) -> IntArray:
        """Return ``positions`` as an int64 array ``(..., components)`` of positions of this game.

        Args:
            positions: state numbers ``(..., components)``, or coordinates ``(..., len(fields))``.

        Raises:
            InvalidPositionError: not integers, a wrong last dimension, outside the box, or not
                positions by :meth:`is_position`.
        """
        points = self.checked_points(positions)
        if self.every_point_is_a_position:
            return points
        missing = self.has_missing_state(points)
        if missing.any():
            raise self._no_position_at(self.coordinates(points[missing]))
        lacking = ~self.slots.suffice(points)
        if lacking.any():
            first = points[lacking].reshape(-1, len(self.shape))[0].tolist()
            raise InvalidPositionError(
                f"a position must leave room for what splits, and {first} "
                f"{self.slots.shortage(first)}"
            )
        return points

    def checked_position(self, position: Any) -> IntArray:
        """Return ``position`` as an int64 array ``(components,)``, one position of this game.

        Args:
            position: its state numbers ``(components,)``, or its coordinates ``(len(fields),)``.

        Raises:
            InvalidPositionError: it is something else.
        """
        checked = self.checked_positions(position)
        if checked.ndim != 1:
            raise InvalidPositionError(
                f"one position of {checked.shape[-1]} components is expected here, not an array "
                f"of shape {checked.shape}"
            )
        return checked

    def checked_points(self, positions: Any) -> IntArray:
        """Return ``positions`` as an int64 array ``(..., components)`` of points of the lattice.

        Args:
            positions: state numbers ``(..., components)``, or coordinates ``(..., len(fields))``.

        Raises:
            InvalidPositionError: not integers, a wrong last dimension, outside the box, or
                coordinates that no position has.
        """
        try:
            array = np.asarray(positions)
        except ValueError:
            array = np.array(None)
        width = array.shape[-1] if array.ndim else 0
        if array.dtype.kind not in "iu" or width not in (len(self.fields), len(self.shape)):
            given = repr(positions)
            if isinstance(positions, np.ndarray):
                given += f", an array of shape {positions.shape}"
            raise InvalidPositionError(f"{self._a_position()}, not {given}")
        if self.has_coordinates and width == len(self.fields):
            return self._points_at(array)
        first = _first_outside(array, self.shape)
        if first is not None:
            message = _integers_from_0("component", self.shape)
            raise InvalidPositionError(f"a position is {message}, not {first}")
        return array.astype(np.int64)

    def _points_at(self, coordinates: IntArray) -> IntArray:
        """Return the points with ``coordinates`` ``(..., len(fields))``, which are checked."""
        first = _first_outside(coordinates, self.fields)
        if first is not None:
            raise InvalidPositionError(f"{self._a_position()}, not {first}")
        points = self.positions_at(coordinates.astype(np.int64))
        missing = (points == NO_STATE).any(axis=-1)
        if missing.any():
            raise self._no_position_at(coordinates[missing])
        return points

    def _no_position_at(self, coordinates: IntArray) -> InvalidPositionError:
        """Return the error for the first of ``coordinates``, ``(..., len(fields))``."""
        first = tuple(coordinates.reshape(-1, len(self.fields))[0].tolist())
        return InvalidPositionError(f"no position of {self.name} has the coordinates {first}")

    def _a_position(self) -> str:
        """Return a description of valid positions, for messages."""
        if self.has_coordinates:
            integers = _integers_from_0("coordinate", self.fields)
            return f"a position of {self.name} is {integers}"
        return "a position is " + _integers_from_0("component", self.shape)


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
