"""The lattice of positions of a sum: which points are positions, and their indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.component import Component, strides_of
from nim_envs.rules.slots import Slots
from nim_envs.typing import BoolArray, IntArray
from nim_envs.validation import check_bytes


class Lattice:
    """Base class of rules: a point is a state number of each component.

    Neighbouring equal components that split are the *slots* of a group: the second part that a move
    leaves goes into the group's first empty slot. A point of the lattice is a position only if play
    from it can never run out of slots; see :meth:`is_position`.

    Attributes:
        name: short name of the game.
        components: the components, in the order of a point's entries.
    """

    name: str
    components: tuple[Component, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each component: the shape of the lattice of positions."""
        return tuple(component.states for component in self.components)

    @cached_property
    def _radices(self) -> tuple[int, ...]:
        """Number of places of each component: its number of states, unless it has wide gaps."""
        return tuple(component.num_places for component in self.components)

    @cached_property
    def has_wide_gaps(self) -> bool:
        """Whether a component has wide gaps; the index of a position then is of places."""
        return any(component.has_wide_gaps for component in self.components)

    @property
    def num_positions(self) -> int:
        """Number of points of the lattice, which the mixed-radix indices number from 0.

        Not all points are positions in games that split or have gaps; see :meth:`is_position`.
        """
        return math.prod(self._radices)

    @property
    def strides(self) -> IntArray:
        """Mixed-radix strides, ``(components,)``: dotted with a position they give its index.

        With the places of its states, where components have wide gaps.
        """
        return strides_of(self._radices)

    @cached_property
    def slots(self) -> Slots:
        """The slots of components that split."""
        return Slots(self.components)

    @property
    def slot_groups(self) -> tuple[range, ...]:
        """The groups of slots, each as a range of components: neighbours that are equal and split.

        Empty in games that do not split.
        """
        return self.slots.groups

    def is_position(self, points: IntArray) -> BoolArray:
        """Return which points of the lattice are positions: ``(..., components)`` to ``(...)``.

        Not those with a number that is not a state, where components have gaps; nor, in games that
        split, those from which play can have more parts in a group than slots.
        """
        return self.slots.suffice(points) & ~self.has_missing_state(points)

    @cached_property
    def every_point_is_a_position(self) -> bool:
        """Whether the game neither splits nor has gaps."""
        return not self.slot_groups and all(part.listed_states is None for part in self.components)

    def has_missing_state(self, points: IntArray) -> BoolArray:
        """Return which points have a number that is not a state; shape as :meth:`is_position`."""
        missing = np.zeros(points.shape[:-1], dtype=np.bool_)
        for index, component in enumerate(self.components):
            missing |= ~component.is_state(points[..., index])
        return missing

    def lattice(self, limit: int | None = None) -> IntArray:
        """Return every position, ``(n, components)``, in mixed-radix order.

        There are ``num_positions``, or fewer in games that split or have gaps.

        Raises:
            SearchTooLargeError: there are more than ``limit`` positions; or, without a limit, they
                would take over ``LARGEST_BYTES``.
        """
        return self.positions_between((0,) * len(self.shape), [n - 1 for n in self.shape], limit)

    def positions_between(
        self, low: Sequence[int], high: Sequence[int], limit: int | None = None
    ) -> IntArray:
        """Return the positions of a box of the lattice, ``(n, components)``, in mixed-radix order.

        Args:
            low: smallest state of each component.
            high: largest state of each component.
            limit: most positions to return; ``None``: as many as ``LARGEST_BYTES`` hold.

        Raises:
            SearchTooLargeError: there are more, even without the last components.
        """
        if self.every_point_is_a_position:
            spans = [top - bottom + 1 for bottom, top in zip(low, high, strict=True)]
            self._check_count(math.prod(spans), limit)
            places = np.arange(math.prod(spans), dtype=np.int64)
            box = np.stack(np.unravel_index(places, spans), axis=-1)
            return box.astype(np.int64) + np.array(low, dtype=np.int64)
        return self.slots.positions_between(
            low, high, lambda count: self._check_count(count, limit)
        )

    def check_size(self, limit: int) -> None:
        """Raise ``SearchTooLargeError`` if the lattice has more than ``limit`` points."""
        self._check_count(self.num_positions, limit)

    def _check_count(self, count: int, limit: int | None) -> None:
        """Raise ``SearchTooLargeError`` for over ``limit`` positions, or too many to list."""
        of = f"{self.name} with components of {self.shape} states"
        if limit is None:
            size = len(self.shape) * np.dtype(np.int64).itemsize
            check_bytes(f"the {count} positions of {of}", count * size)
        elif count > limit:
            raise SearchTooLargeError(
                f"{of} has {count} positions"
                f"{' or more' if count < self.num_positions else ''}; the limit is {limit}"
            )

    def positions(self, indices: IntArray) -> IntArray:
        """Return the positions at mixed-radix ``indices``: ``(...)`` to ``(..., components)``."""
        places = np.unravel_index(indices, self._radices)
        pairs = zip(self.components, places, strict=True)
        states = [component.states_at_places(column) for component, column in pairs]
        return np.stack(states, axis=-1).astype(np.int64)

    def indices(self, positions: IntArray) -> IntArray:
        """Return the mixed-radix index of each position: ``(..., components)`` to ``(...)``."""
        places = tuple(np.moveaxis(self.places_of(positions), -1, 0))
        return np.asarray(np.ravel_multi_index(places, self._radices), dtype=np.int64)

    def places_of(self, positions: IntArray) -> IntArray:
        """Return the places of states, which are the positions themselves without wide gaps."""
        if not self.has_wide_gaps:
            return positions
        columns = zip(self.components, np.moveaxis(positions, -1, 0), strict=True)
        return np.stack([component.place_of(states) for component, states in columns], axis=-1)
