"""Moves from single positions, in plain Python: for search and for environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter, getitem
from typing import Any

import numpy as np

from nim_envs.errors import InvalidActionError
from nim_envs.rules.coordinate_system import NO_STATE
from nim_envs.rules.legality import illegal_move_error
from nim_envs.rules.rules import Rules
from nim_envs.rules.slots import first_empty_slot
from nim_envs.typing import Position
from nim_envs.validation import check_bytes, checked_integer

INTEGERS = {int}
LEGAL = attrgetter("legal")

MOST_BYTES = 2**26
"""Most bytes of states and moves cached for one game; beyond it a component's are dropped."""

BYTES_OF_OPTION = 48
"""Bytes per option of a state, upper bound, of the arrays that a move reads."""

BYTES_OF_STATE = 600
BYTES_OF_MOVE = 250
BYTES_OF_COORDINATE = 80
"""Bytes per cached state, per move of it, and per coordinate of either, upper bounds."""


@dataclass(slots=True, eq=False)
class State:
    """A state of a component, with its moves, as the forward model caches it.

    Attributes:
        number: the number of the state.
        legal: number of legal options.
        slots: most slots that play from it can fill; 0 where the component does not split.
        actions: the legal actions, ascending; ``None``: not listed yet.
        moves: for each of them the action, the coordinates of the part that stays in place, and
            those of the second part, empty if there is none; ``None``: not listed yet.
    """

    number: int
    legal: int
    slots: int
    actions: Position | None = None
    moves: tuple[tuple[int, Position, Position], ...] | None = None


class StatesByCoordinates(dict[Any, State]):
    """The states of a component by coordinates; ``states[key]`` looks up missing ones.

    A key is a tuple of integers; where there is one coordinate, that integer itself.

    Args:
        rules: rules of the game.
        index: index of the component.
    """

    def __init__(self, rules: Rules, index: int) -> None:
        super().__init__()
        self._component = rules.components[index]
        self._system = self._component.coordinate_system
        self._fields = rules.fields[rules.field_slices[index]]
        self._single = len(self._fields) == 1
        self._options = rules.state_options[index]
        self._first_action = rules.action(index, 0)
        self._coordinates: dict[int, Position] = {}
        self._most = MOST_BYTES // len(rules.components)
        self._bytes = 0

    def __missing__(self, key: int | Position) -> State:
        """Return a new state; raise a ``KeyError`` where no state has these coordinates."""
        point = key if isinstance(key, tuple) else (key,)
        if not all(0 <= value < size for value, size in zip(point, self._fields, strict=True)):
            raise KeyError(key)
        component = self._component
        number = int(self._system.states_at(np.array(point, dtype=np.int64)))
        if number == NO_STATE:
            raise KeyError(key)
        slots = int(component.slots_needed[number]) if component.splits else 0
        self._count(1)
        state = self[key] = State(number, self._options[number].legal_count, slots)
        return state

    def actions(self, state: State) -> Position:
        """List the legal actions of a state."""
        legal = np.flatnonzero(self._options[state.number].mask)
        self._count(0, len(legal))
        state.actions = tuple((self._first_action + legal).tolist())
        return state.actions

    def moves(self, state: State) -> tuple[tuple[int, Position, Position], ...]:
        """List the moves of a state."""
        options = self._options[state.number]
        legal = np.flatnonzero(options.mask)
        self._count(0, len(legal))
        stays = self._system.of(options.successors[legal].astype(np.int64)).tolist()
        seconds: list[Position] = [()] * len(legal)
        if options.seconds is not None:
            seconds = [(second,) if second else () for second in options.seconds[legal].tolist()]
        actions = (self._first_action + legal).tolist()
        state.moves = tuple(zip(actions, map(tuple, stays), seconds, strict=True))
        return state.moves

    def coordinates(self, index: int) -> Position:
        """Return the coordinates of the state of this index."""
        if self._single:
            return (index,)
        coordinates = self._coordinates.get(index)
        if coordinates is None:
            self._count(1)
            coordinates = tuple(self._system.of(np.array(index)).tolist())
            self._coordinates[index] = coordinates
        return coordinates

    def _count(self, states: int, moves: int = 0) -> None:
        """Count the bytes of what is cached next; drop what is cached if they are too many."""
        entries = states * BYTES_OF_STATE + moves * BYTES_OF_MOVE
        self._bytes += entries + (states + moves) * len(self._fields) * BYTES_OF_COORDINATE
        if self._bytes > self._most:
            self.clear()
            self._coordinates.clear()
            self._bytes = 0


class ForwardModel:
    """Moves from single positions, in plain Python; :class:`nim_envs.Game` describes its methods.

    Args:
        rules: rules of the game.

    Raises:
        SearchTooLargeError: the options of single positions would take over a GiB.
    """

    def __init__(self, rules: Rules) -> None:
        check_bytes(
            f"the options of positions with {rules.num_actions} actions",
            rules.num_actions * BYTES_OF_OPTION,
        )
        self._rules = rules
        # Attribute chains cost time in every call.
        self._options = rules.state_options
        self._num_options = rules.num_options
        self._num_actions = rules.num_actions
        self._width = len(rules.fields)
        self._one_each = self._width == len(rules.components)
        self._slices = rules.field_slices
        self._groups = rules.slot_groups
        group_of = {index: group for group in self._groups for index in group}
        self._states = [StatesByCoordinates(rules, index) for index in range(len(rules.components))]
        # For each component: states, first coordinate, the one behind the last, group of slots.
        self._by_component = [
            (states, part.start, part.stop, group_of.get(index))
            for index, (states, part) in enumerate(zip(self._states, self._slices, strict=True))
        ]

    def is_over(self, position: Any) -> bool:
        """Return whether no move is legal; see :meth:`nim_envs.Game.is_over`."""
        return not any(map(LEGAL, self._at(position)[1]))

    def actions(self, position: Any) -> list[int]:
        """Return the legal actions; see :meth:`nim_envs.Game.actions`."""
        actions: list[int] = []
        for states, state in zip(self._states, self._at(position)[1], strict=True):
            if state.legal:
                actions += state.actions or states.actions(state)
        return actions

    def moves(self, position: Any) -> list[tuple[int, Position]]:
        """Return the legal moves; see :meth:`nim_envs.Game.moves`."""
        legal_moves: list[tuple[int, Position]] = []
        position, here = self._at(position)
        for state, (states, start, stop, group) in zip(here, self._by_component, strict=True):
            if not state.legal:
                continue
            before, behind = position[:start], position[stop:]
            slot = 0 if group is None else self._empty_field(here, group)
            for action, stays, second in state.moves or states.moves(state):
                after = before + stays + behind
                if second:
                    after = after[:slot] + second + after[slot + 1 :]
                legal_moves.append((action, after))
        return legal_moves

    def play(self, position: Any, action: Any) -> Position:
        """Return the position after a move; see :meth:`nim_envs.Game.play`."""
        after, here = self._at(position)
        if type(action) is not int or not 0 <= action < self._num_actions:
            largest = self._num_actions - 1
            action = checked_integer("action", action, 0, largest, error=InvalidActionError)
        component, option = divmod(action, self._num_options)
        states, start, stop, group = self._by_component[component]
        stays, second = self._options[component][here[component].number].after(option)
        if stays < 0:
            before = np.array([state.number for state in here])
            raise illegal_move_error(self._rules, before, action)
        after = after[:start] + states.coordinates(stays) + after[stop:]
        if second and group is not None:
            slot = self._empty_field(here, group)
            after = (*after[:slot], second, *after[slot + 1 :])
        return after

    def _at(self, position: Any) -> tuple[Position, list[State]]:
        """Return a position as a tuple of Python's integers, and the states of its components.

        Raises:
            InvalidPositionError: it is not one position of the game.
        """
        if (
            type(position) is not tuple
            or len(position) != self._width
            or set(map(type, position)) != INTEGERS
        ):
            position = self._checked(position)
        keys = position if self._one_each else [position[part] for part in self._slices]
        try:
            here = [*map(getitem, self._states, keys)]
        except KeyError:
            self._checked(position)
            raise
        for group in self._groups:
            if sum([here[slot].slots for slot in group]) > len(group):
                self._checked(position)
        return position, here

    def _checked(self, position: Any) -> Position:
        """Return the coordinates of one position; raise an error for anything else."""
        return self._rules.coordinate_tuple(self._rules.checked_position(position))

    def _empty_field(self, here: Sequence[State], group: range) -> int:
        """Return the first empty slot of a group as an index of coordinates; if none is, any.

        Then no move splits.
        """
        slot = first_empty_slot([state.number for state in here], group)
        start: int = self._slices[slot].start
        return start
