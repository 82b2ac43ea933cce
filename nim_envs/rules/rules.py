"""The rules of a whole game: a disjunctive sum of components, as one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from nim_envs.errors import (
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
    SearchTooLargeError,
)
from nim_envs.rules.acyclic import cycle_error
from nim_envs.rules.component import (
    BYTES_OF_OPTION,
    NO_MOVE,
    NO_STATE,
    Component,
    in_use,
    read_only,
    strides_of,
)
from nim_envs.rules.coordinates import Coordinates, check_coordinates, state_summary
from nim_envs.rules.slots import Slots, first_empty
from nim_envs.rules.state_options import StateOptionsCache, shared_state_options
from nim_envs.rules.validation import (
    LARGEST_STATE,
    check_bytes,
    checked_integer,
    checked_name,
    integers_of,
)
from nim_envs.typing import BoolArray, IntArray, MaskArray

MOST_SHOWN = 12
"""Most states of an initial position that ``summary`` shows."""

SMALL_TABLE = 2**24
"""Largest table, in bytes, that is made as a whole when some options are needed."""


@dataclass(frozen=True)
class Rules:
    """The rules of a disjunctive sum: a move is one option of one component.

    Every function takes positions of any rank, ``(..., components)``: one position, a
    batch, or the whole lattice of positions. None of them checks that a move is legal;
    that is the environments' job. For one position at a time the methods of
    :class:`nim_envs.Game` are faster, and check.

    Neighbouring equal components that split are the *slots* of a group: the second part that a move
    leaves goes into the group's first empty slot. A point of the lattice is a position only if play
    from it can never run out of slots; see :meth:`is_position`.

    A position is an array of state numbers. If components have coordinates, :meth:`coordinates`
    converts positions to them, for observations, words and pictures, and :meth:`positions_at` back.

    Args:
        name: short name of the game.
        components: the components, in the order of a position's entries.
        initial: the position from which play usually starts, a sequence of states, or of
            coordinates where components have them.

    Raises:
        InvalidGameError: an empty name, no components, moves that form a cycle, a component whose
            coordinates contradict each other, too many actions, or ``initial`` is not a position.
    """

    name: str
    components: tuple[Component, ...]
    initial: tuple[int, ...]

    def __post_init__(self) -> None:
        checked_name("name", self.name)
        given = self.components
        if (
            not isinstance(given, Sequence)
            or not given
            or not all(isinstance(component, Component) for component in given)
        ):
            raise InvalidGameError(
                f"components must be a tuple of at least one Component, not {given!r}"
            )
        object.__setattr__(self, "components", tuple(map(in_use, given)))
        for index, component in enumerate(self.components):
            check_coordinates(index, component)
        initial = integers_of(self.initial)
        if initial is not None and self.has_coordinates and len(initial) == len(self.fields):
            initial = tuple(self.checked_points(initial).tolist())
        if (
            initial is None
            or len(initial) != len(self.components)
            or not all(
                0 <= state < states for state, states in zip(initial, self.shape, strict=True)
            )
        ):
            raise InvalidGameError(
                f"initial, the initial position, must be a state for each of the "
                f"{len(self.components)} components, within 0 to "
                f"{tuple(states - 1 for states in self.shape)}, not {self.initial!r}"
            )
        object.__setattr__(self, "initial", initial)
        for index, component in enumerate(self.components):
            if component.cycle_of_moves:
                raise cycle_error(
                    component.cycle_of_moves, f"component {index} ({component.kind}): "
                )
        if self.num_actions > LARGEST_STATE:
            raise InvalidGameError(
                f"{len(self.components)} components of {self.num_options} options are "
                f"{self.num_actions} actions; at most {LARGEST_STATE} are allowed"
            )
        if self._missing(np.array(self.initial)):
            raise InvalidGameError(f"no position of {self.name} is {self.initial}, the initial one")
        if not self._slots.suffice(np.array(self.initial)):
            raise InvalidGameError(
                f"the initial position {self.initial} {self._slots.lack(self.initial)}"
            )

    def __repr__(self) -> str:
        """Return its name and its initial position."""
        return f"Rules({self.summary})"

    @property
    def summary(self) -> str:
        """The name and the initial position, such as ``"nim, heaps 3-4-5"``."""
        slots = {index for group in self.slot_groups for index in group}
        filled = [
            (component.kind, state_summary(component, state))
            for index, (component, state) in enumerate(
                zip(self.components, self.initial, strict=True)
            )
            if state or index not in slots
        ]
        parts = [self.name]
        for kind, group in groupby(filled, key=itemgetter(0)):
            states = [state for _, state in group]
            shown = "-".join(states[:MOST_SHOWN] + ["…"] * (len(states) > MOST_SHOWN))
            parts.append(f"{kind}{'s' if len(states) > 1 else ''} {shown}")
        if self.has_coordinates and len(parts) == 2 and parts[1].startswith(f"{self.name} "):
            return parts[1]
        return ", ".join(parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each component: the shape of the lattice of positions."""
        return tuple(component.states for component in self.components)

    @cached_property
    def _coordinates(self) -> Coordinates:
        return Coordinates(self.components)

    @cached_property
    def fields(self) -> tuple[int, ...]:
        """Number of values of each coordinate, of all components one after the other.

        A component without coordinates contributes one, its number of states.
        """
        return self._coordinates.fields

    @cached_property
    def has_coordinates(self) -> bool:
        """Whether coordinates differ from positions: a component has more than one of them."""
        return self._coordinates.differ

    @property
    def field_slices(self) -> tuple[slice, ...]:
        """The coordinates of each component, as a slice of those of a position."""
        return self._coordinates.slices

    def coordinates(self, positions: IntArray) -> IntArray:
        """Return the coordinates of positions: ``(..., components)`` to ``(..., len(fields))``.

        The result is a new array, or ``positions`` itself in games without coordinates.

        Example:
            >>> from nim_envs.rules import nim
            >>> nim(heaps=(3, 4)).coordinates(np.array([2, 1])).tolist()
            [2, 1]
        """
        return self._coordinates.at(positions) if self.has_coordinates else positions

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
        return self._coordinates.positions_at(given)

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
    def num_options(self) -> int:
        """Number of option slots per component: the largest of any component."""
        return max(component.options for component in self.components)

    @property
    def num_actions(self) -> int:
        """Number of actions: ``components * num_options``."""
        return len(self.components) * self.num_options

    @cached_property
    def table(self) -> IntArray:
        """All tables of options as one: ``(components, largest states, num_options)``.

        Raises:
            SearchTooLargeError: it would take over ``LARGEST_BYTES``.
        """
        self.check_table()
        return self._joined(NO_MOVE, [component.table for component in self.components])

    def _joined(self, padding: int, tables: Sequence[IntArray]) -> IntArray:
        """Return the tables of the components as one, padded."""
        shape = len(tables), max(self.shape), self.num_options
        joined = np.full(shape, padding, dtype=np.int64)
        for index, table in enumerate(tables):
            joined[index, : table.shape[0], : table.shape[1]] = table
        return read_only(joined)

    @cached_property
    def second_table(self) -> IntArray | None:
        """Second parts that options leave, in the shape of ``table``; 0 for none.

        ``None`` in games that do not split.

        Raises:
            SearchTooLargeError: it would take over ``LARGEST_BYTES``.
        """
        if not self.slot_groups:
            return None
        self.check_table()
        return self._joined(0, [component.second_table for component in self.components])

    @cached_property
    def _slots(self) -> Slots:
        return Slots(self.components)

    @property
    def slot_groups(self) -> tuple[range, ...]:
        """The groups of slots, each as a range of components: neighbours that are equal and split.

        Empty in games that do not split.
        """
        return self._slots.groups

    def is_position(self, points: IntArray) -> BoolArray:
        """Return which points of the lattice are positions: ``(..., components)`` to ``(...)``.

        Not those with a number that is not a state, where components have gaps; nor, in games that
        split, those from which play can have more parts in a group than slots.
        """
        return self._slots.suffice(points) & ~self._missing(points)

    @cached_property
    def every_point_is_a_position(self) -> bool:
        """Whether the game neither splits nor has gaps."""
        return not self.slot_groups and all(part.listed_states is None for part in self.components)

    def _missing(self, points: IntArray) -> BoolArray:
        """Return which points have a number that is not a state; shape as :meth:`is_position`."""
        missing = np.zeros(points.shape[:-1], dtype=np.bool_)
        for index, component in enumerate(self.components):
            if component.listed_states is not None:
                missing |= ~component.is_state(points[..., index])
        return missing

    def check_table(self) -> None:
        """Raise ``SearchTooLargeError`` if ``table`` would take over ``LARGEST_BYTES``."""
        check_bytes(
            f"tables of {len(self.components)} components, {max(self.shape)} states and "
            f"{self.num_options} options",
            self._table_bytes,
        )

    @cached_property
    def _table_bytes(self) -> int:
        """Bytes that ``table`` takes."""
        entries = self.num_actions * max(self.shape)
        return entries * np.dtype(np.int64).itemsize

    @property
    def has_small_table(self) -> bool:
        """Whether ``table`` takes at most ``SMALL_TABLE`` bytes."""
        return self._table_bytes <= SMALL_TABLE

    @cached_property
    def mask_table(self) -> MaskArray:
        """Mask of the legal options, int8, in the shape of ``table``."""
        return read_only((self.table != NO_MOVE).astype(np.int8))

    @cached_property
    def state_options(self) -> list[StateOptionsCache]:
        """The options of single states, by component and state; computed on first access."""
        return [shared_state_options(component, self.num_options) for component in self.components]

    def options(self, positions: IntArray) -> IntArray:
        """Return the state of a component after each of its options, or ``NO_MOVE``.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., components, num_options)``.
        """
        if self.has_small_table:
            return self.table[np.arange(len(self.components)), positions]
        return self._gathered(NO_MOVE, positions, lambda part, states: part.successors(states))

    def _gathered(
        self,
        padding: int,
        positions: IntArray,
        options_of: Callable[[Component, IntArray], IntArray],
    ) -> IntArray:
        """Return ``options_of`` each component of ``positions``, padded to ``num_options``.

        Raises:
            SearchTooLargeError: there are too many to list.
        """
        check_bytes(
            f"the {self.num_options} options of each component, at {positions[..., 0].size} "
            f"positions of {self.name},",
            positions.size * self.num_options * BYTES_OF_OPTION,
        )
        gathered = np.full((*positions.shape, self.num_options), padding, dtype=np.int64)
        for index, component in enumerate(self.components):
            options = options_of(component, positions[..., index])
            gathered[..., index, : component.options] = options
        return gathered

    def second_options(self, positions: IntArray) -> IntArray | None:
        """Return the second part that each option leaves, in the shape of :meth:`options`.

        0 for none; the result is ``None`` in games that do not split.
        """
        if not self.slot_groups:
            return None
        if self._table_bytes > SMALL_TABLE or self.second_table is None:
            return self._gathered(0, positions, lambda part, states: part.second_successors(states))
        return self.second_table[np.arange(len(self.components)), positions]

    def action_mask(self, positions: IntArray | Sequence[Any]) -> MaskArray:
        """Return which actions are legal: ``(..., components)`` to ``(..., num_actions)``, int8."""
        positions = np.asarray(positions)
        if self.has_small_table:
            legal: MaskArray = self.mask_table[np.arange(len(self.components)), positions]
        else:
            legal = (self.options(positions) != NO_MOVE).astype(np.int8)
        return legal.reshape(*positions.shape[:-1], self.num_actions)

    def step(
        self, positions: IntArray | Sequence[Any], actions: IntArray | Sequence[Any] | int
    ) -> IntArray:
        """Return the positions after legal ``actions``.

        Args:
            positions: state numbers, ``(..., components)``.
            actions: ``(...)``, ``component * num_options + option``.

        Returns:
            New positions, ``(..., components)``.
        """
        positions = np.asarray(positions)
        component, option = np.divmod(np.asarray(actions, dtype=np.int64), self.num_options)
        state = np.take_along_axis(positions, component[..., np.newaxis], axis=-1)[..., 0]
        successor, second = self._leaves(component, state, option)
        after = positions.copy()
        np.put_along_axis(after, component[..., np.newaxis], successor[..., np.newaxis], axis=-1)
        if second is not None:
            self._slots.fill(after, component, second)
        return after

    def moves(self, indices: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield each action that is legal somewhere, where, and the positions it leads to.

        The same as :meth:`step`, but faster, for positions given by their indices.

        Args:
            indices: mixed-radix indices of positions, ``(n,)``.

        Yields:
            The action; the numbers of the positions where it is legal, ascending, from 0 to
            ``n - 1``; and the indices after it. Both ``(legal,)``.
        """
        strides = self.strides
        # The first empty slot of a group does not depend on the move.
        positions = self.positions(indices) if self.slot_groups else np.zeros((0, 0), np.int64)
        empty = {
            index: strides[slots]
            for group in self.slot_groups
            for slots in [first_empty(positions, group)]
            for index in group
        }
        for index, component in enumerate(self.components):
            places = indices // strides[index] % component.num_places
            states = component.states_at_places(places)
            for option, where, successors in component.moves_by_option(states):
                change = component.place_of(successors) - places[where]
                after = indices[where] + change * strides[index]
                if index in empty:
                    seconds = component.second_table[states[where], option]
                    after += seconds * empty[index][where]
                yield self.action(index, option), where, after

    def _leaves(
        self, component: IntArray, state: IntArray, option: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return the components' states after moves, and the second parts that moves leave."""
        if self.has_small_table:
            second = self.second_table
            return self.table[component, state, option], (
                None if second is None else second[component, state, option]
            )
        component, option = np.asarray(component), np.asarray(option)
        successor, seconds = np.empty_like(state), np.zeros_like(state)
        for index, part in enumerate(self.components):
            here = component == index
            # Compute the options of each distinct state once.
            states, which = np.unique(state[here], return_inverse=True)
            if not len(states):
                continue
            chosen = which.reshape(-1), option[here]
            successor[here] = part.successors(states)[chosen]
            if part.splits:
                seconds[here] = part.second_successors(states)[chosen]
        return successor, seconds if self.slot_groups else None

    def is_terminal(self, positions: IntArray | Sequence[Any]) -> BoolArray:
        """Return where no move is legal: ``(..., components)`` to ``(...)``."""
        positions = np.asarray(positions)
        terminal = np.ones(positions.shape[:-1], dtype=np.bool_)
        for index, component in enumerate(self.components):
            terminal &= component.is_terminal(positions[..., index])
        return terminal

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
            self._check_number(math.prod(spans), limit)
            numbers = np.arange(math.prod(spans), dtype=np.int64)
            box = np.stack(np.unravel_index(numbers, spans), axis=-1)
            return box.astype(np.int64) + np.array(low, dtype=np.int64)
        return self._slots.positions_between(
            low, high, lambda number: self._check_number(number, limit)
        )

    def check_size(self, limit: int) -> None:
        """Raise ``SearchTooLargeError`` if the lattice has more than ``limit`` points."""
        self._check_number(self.num_positions, limit)

    def _check_number(self, number: int, limit: int | None) -> None:
        """Raise ``SearchTooLargeError`` for over ``limit`` positions, or too many to list."""
        of = f"{self.name} with components of {self.shape} states"
        if limit is None:
            size = len(self.shape) * np.dtype(np.int64).itemsize
            check_bytes(f"the {number} positions of {of}", number * size)
        elif number > limit:
            raise SearchTooLargeError(
                f"{of} has {number} positions"
                f"{' or more' if number < self.num_positions else ''}; the limit is {limit}"
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
        missing = self._missing(points)
        if missing.any():
            raise self._no_position_at(self.coordinates(points[missing]))
        lacking = ~self._slots.suffice(points)
        if lacking.any():
            first = points[lacking].reshape(-1, len(self.shape))[0].tolist()
            raise InvalidPositionError(
                f"a position must leave room for what splits, and {first} {self._slots.lack(first)}"
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
        points = self.positions_at(coordinates)
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
            return f"a position of {self.name} is " + _integers_from_0("coordinate", self.fields)
        return "a position is " + _integers_from_0("component", self.shape)

    def action(self, component: int, option: int) -> int:
        """Return the action that takes ``option`` of ``component``."""
        return component * self.num_options + option

    def describe_action(self, action: int, position: Sequence[int] | IntArray | None = None) -> str:
        """Return a description of ``action``, such as ``"heap 1: take 2"``.

        Args:
            action: ``component * num_options + option``.
            position: where it is taken; adds details such as ``"leave 3 and 4"``.

        Raises:
            InvalidActionError: not an integer of the action space.
        """
        index, option = self._component_and_option(action)
        component = self.components[index]
        state = None if position is None else int(position[index])
        description = (
            component.describe_option(option, state)
            if option < component.options
            else f"option {option}, which it does not have"
        )
        return f"{component.kind} {index}: {description}"

    def describe_move(self, action: int, position: Sequence[int] | IntArray) -> str:
        """Return a description of a legal action, and of the heaps that it removes.

        Args:
            action: ``component * num_options + option``.
            position: where it is taken.

        Example:
            >>> from nim_envs.rules import grundy
            >>> grundy(heaps=(6,)).describe_move(1, (6,))
            'heap 0: leave 2 and 4 (the 2 left has no move and is removed)'

        Raises:
            InvalidActionError: not an integer of the action space.
        """
        index, option = self._component_and_option(action)
        removed = self.components[index].describe_removal(option, int(position[index]))
        return self.describe_action(action, position) + (f" ({removed})" if removed else "")

    def _component_and_option(self, action: int) -> tuple[int, int]:
        """Return the component and the option of ``action``."""
        largest = self.num_actions - 1
        checked = checked_integer("action", action, 0, largest, error=InvalidActionError)
        return divmod(checked, self.num_options)

    def __getstate__(self) -> dict[str, Any]:
        """Leave cached tables out of pickles: they are made again when needed."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the rules, sharing components that are in use already."""
        self.__dict__.update(state)
        object.__setattr__(self, "components", tuple(map(in_use, self.components)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Rules:
        """Return the rules themselves: they are immutable."""
        return self


def _integers_from_0(each: str, sizes: Sequence[int]) -> str:
    """Return a description of integers below ``sizes``, for messages."""
    largest = tuple(size - 1 for size in sizes)
    to = largest[0] if len(set(largest)) == 1 else largest
    number = len(largest)
    given = "1 integer" if number == 1 else f"{number} integers, one for each {each}"
    return f"{given}, from 0 to {to}"


def _first_outside(array: IntArray, sizes: Sequence[int]) -> tuple[int, ...] | None:
    """Return the first point of ``array`` outside the box of ``sizes``; ``None``: there is none."""
    outside = (array < 0) | (array >= np.array(sizes, dtype=np.int64))
    if not outside.any():
        return None
    return tuple(array[outside.any(axis=-1)].reshape(-1, len(sizes))[0].tolist())
