"""The rules of a whole game: a disjunctive sum of components, as one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nim_envs.errors import InvalidActionError, InvalidGameError
from nim_envs.rules.acyclic import cycle_error
from nim_envs.rules.component import NO_MOVE, Component, shared_component
from nim_envs.rules.coordinate_checks import check_coordinates
from nim_envs.rules.option_tables import OptionTables
from nim_envs.rules.positions import Positions
from nim_envs.rules.slots import first_empty
from nim_envs.rules.state_options import StateOptionsCache, shared_state_options
from nim_envs.rules.words import position_summary
from nim_envs.typing import BoolArray, IntArray, MaskArray
from nim_envs.validation import LARGEST_STATE, checked_integer, checked_name, integers_of


@dataclass(frozen=True)
class Rules(Positions, OptionTables):
    """The rules of a disjunctive sum: a move is one option of one component.

    Every function takes positions of any rank, ``(..., components)``: one position, a
    batch, or the whole lattice of positions. None of them checks that a move is legal;
    that is the environments' job. For one position at a time the methods of
    :class:`nim_envs.Game` are faster, and check.

    Play begins at ``initial``; :meth:`action_mask` has the legal moves of a position, :meth:`step`
    makes one, :meth:`second_options` are the second parts that moves leave, and :meth:`is_terminal`
    says where play ends. Which points are positions, and their indices:
    :class:`nim_envs.rules.lattice.Lattice`; all options as tables:
    :class:`nim_envs.rules.option_tables.OptionTables`.

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

    def action_mask(self, positions: IntArray | Sequence[Any]) -> MaskArray:
        """Return which actions are legal: ``(..., components)`` to ``(..., num_actions)``, int8."""
        positions = np.asarray(positions)
        legal: MaskArray
        if self.has_small_table:
            legal = self.mask_table[self._component_indices, positions]
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
        successor, second = self._parts_after(component, state, option)
        after = positions.copy()
        np.put_along_axis(after, component[..., np.newaxis], successor[..., np.newaxis], axis=-1)
        if second is not None:
            self.slots.fill(after, component, second)
        return after

    def is_terminal(self, positions: IntArray | Sequence[Any]) -> BoolArray:
        """Return whether no move is legal: ``(..., components)`` to ``(...)``."""
        positions = np.asarray(positions)
        if self.has_small_table:
            return np.asarray(~self._has_moves[self._component_indices, positions].any(axis=-1))
        terminal = np.ones(positions.shape[:-1], dtype=np.bool_)
        for index, component in enumerate(self.components):
            terminal &= component.is_terminal(positions[..., index])
        return terminal

    def moves(self, indices: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield the moves of many positions, action by action; actions legal nowhere are left out.

        The same moves as those of :meth:`step`, but faster, for positions given by their indices.

        Args:
            indices: mixed-radix indices of positions, ``(n,)``.

        Yields:
            The action; the places in ``indices`` of the positions where it is legal, ascending;
            and the indices of the positions after it. Both ``(legal,)``.
        """
        strides = self.strides
        # By slot, the stride of the first empty one of its group, which is the same for all moves.
        stride_of_empty: dict[int, IntArray] = {}
        if self.slot_groups:
            positions = self.positions(indices)
            for group in self.slot_groups:
                stride = strides[first_empty(positions, group)]
                stride_of_empty |= dict.fromkeys(group, stride)
        for index, component in enumerate(self.components):
            places = indices // strides[index] % component.num_places
            states = component.states_at_places(places)
            for option, where, successors in component.moves_by_option(states):
                change = component.place_of(successors) - places[where]
                after = indices[where] + change * strides[index]
                if index in stride_of_empty:
                    seconds = component.second_table[states[where], option]
                    after += seconds * stride_of_empty[index][where]
                yield self.action(index, option), where, after

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
        object.__setattr__(self, "components", tuple(map(shared_component, given)))
        if len(given) > 1 and any(component.end_values is not None for component in given):
            raise InvalidGameError(
                "a component that lists who wins a finished game must be the only one, not one of "
                f"{len(given)}: sums are decided by the last move"
            )
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
        if self.has_missing_state(np.array(self.initial)):
            raise InvalidGameError(f"no position of {self.name} is {self.initial}, the initial one")
        if not self.slots.suffice(np.array(self.initial)):
            raise InvalidGameError(
                f"the initial position {self.initial} {self.slots.shortage(self.initial)}"
            )

    @property
    def num_actions(self) -> int:
        """Number of actions: ``components * num_options``."""
        return len(self.components) * self.num_options

    def action(self, component: int, option: int) -> int:
        """Return the action that takes ``option`` of ``component``."""
        return component * self.num_options + option

    @cached_property
    def state_options(self) -> list[StateOptionsCache]:
        """The options of single states, by component and state; computed on first access."""
        return [shared_state_options(component, self.num_options) for component in self.components]

    def __repr__(self) -> str:
        """Return its name and its initial position."""
        return f"Rules({self.summary})"

    @property
    def has_outcome(self) -> bool:
        """Whether the rules list who wins a finished game, so that it may be drawn."""
        return self.components[0].end_values is not None

    @property
    def summary(self) -> str:
        """The name and the initial position, such as ``"nim, heaps 3-4-5"``."""
        parts = position_summary(self.components, self.slot_groups, self.initial)
        if self.has_coordinates and len(parts) == 1 and parts[0].startswith(f"{self.name} "):
            return parts[0]
        return ", ".join([self.name, *parts])

    def describe_action(self, action: int, position: Sequence[int] | IntArray | None = None) -> str:
        """Return a description of ``action``, such as ``"heap 1: take 2"``.

        Args:
            action: ``component * num_options + option``.
            position: position before it; adds details such as ``"leave 3 and 4"``.

        Raises:
            InvalidActionError: not an integer of the action space.
        """
        index, option = self._component_and_option(action)
        component = self.components[index]
        state = None if position is None else int(position[index])
        description = (
            component.words.describe(option, state)
            if option < component.options
            else f"option {option}, which it does not have"
        )
        return f"{component.kind} {index}: {description}"

    def describe_move(self, action: int, position: Sequence[int] | IntArray) -> str:
        """Return a description of a legal action, and of the heaps that it removes.

        Args:
            action: ``component * num_options + option``.
            position: position before it.

        Example:
            >>> from nim_envs.rules import grundy
            >>> grundy(heaps=(6,)).describe_move(1, (6,))
            'heap 0: leave 2 and 4 (the 2 left has no move and is removed)'

        Raises:
            InvalidActionError: not an integer of the action space.
        """
        index, option = self._component_and_option(action)
        removed = self.components[index].words.describe_removal(option, int(position[index]))
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
        object.__setattr__(self, "components", tuple(map(shared_component, self.components)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Rules:
        """Return the rules themselves: they are immutable."""
        return self
