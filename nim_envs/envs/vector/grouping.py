"""The components of a game merged into groups with joint states."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.component import NO_MOVE, Component, strides_of
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray, UInt32Array
from nim_envs.validation import LARGEST_STATE

GROUP_ENTRIES = 1 << 16
"""Most options of all joint states for which components are merged, so that tables stay in the
processor's cache."""

SLOT_ENTRIES = 1 << 23
"""The same for slots of one group. Beyond it each slot is a group of its own, which takes little
memory and no time to make, but is slower in every move."""

LARGEST_SLOT_ENTRIES = 1 << 25
"""The same where joint states are needed, because only a search of all positions solves the
game."""


class Grouping:
    """The components of a game merged into groups.

    Neighbouring components are merged while their joint states are few. A joint state numbers one
    position of these components alone; see :class:`JointStates`. Slots that receive each other's
    split heaps are one group where its positions are few; else each slot is a group of its own.

    Args:
        rules: components to merge.
        largest: most options of all joint states of merged components.
        largest_slots: the same for slots.

    Attributes:
        members: the components of each group.
        sizes: number of states of each group.
        slots: ranges of groups that are single slots of one group of slots.
    """

    def __init__(
        self, rules: Rules, largest: int = GROUP_ENTRIES, largest_slots: int = SLOT_ENTRIES
    ) -> None:
        self.rules = rules
        self.members: list[range] = []
        self.slots: list[range] = []
        self._joint: dict[range, JointStates] = {}
        ranges = {group.start: group for group in rules.slot_groups}
        component = 0
        while component < len(rules.components):
            if component in ranges:
                self._add_slots(ranges[component], largest_slots)
            else:
                self._add_component(component, largest)
            component = self.members[-1].stop
        for group in self.members:
            if len(group) > 1 and group not in self._joint:
                self._joint[group] = JointStates(rules, group, largest)
        self.sizes = [
            self._joint[group].size if group in self._joint else rules.shape[group.start]
            for group in self.members
        ]

    def _add_slots(self, group: range, largest: int) -> None:
        try:
            self._joint[group] = JointStates(self.rules, group, largest)
            self.members.append(group)
        except SearchTooLargeError:
            first = len(self.members)
            self.members += [range(slot, slot + 1) for slot in group]
            self.slots.append(range(first, len(self.members)))

    def _add_component(self, component: int, largest: int) -> None:
        group = range(component, component + 1)
        if self.members and not self.rules.components[self.members[-1].start].splits:
            wider = range(self.members[-1].start, group.stop)
            states = math.prod(self.rules.shape[wider.start : wider.stop])
            if states * len(wider) * self.rules.num_options <= largest:
                group = wider
                self.members.pop()
        self.members.append(group)

    @property
    def num_positions(self) -> int:
        """Number of combinations of the groups' states."""
        return math.prod(self.sizes)

    @property
    def strides(self) -> IntArray:
        """Mixed-radix strides of the groups' states, int64 ``(groups,)``.

        In games that do not split, the states dotted with them are the position's index. Only for
        games in which it fits in 64 bits.
        """
        return strides_of(self.sizes)

    def states(self, positions: IntArray) -> UInt32Array:
        """Return the groups' states ``(groups, n)`` at positions ``(n, components)``."""
        states = []
        for group in self.members:
            columns, joint = positions[:, group.start : group.stop], self._joint.get(group)
            states.append(columns[:, 0] if joint is None else joint.rows(columns))
        return np.stack(states).astype(np.uint32)

    def positions(self, states: UInt32Array) -> IntArray:
        """Return the positions ``(n, components)`` at the groups' states ``(groups, n)``."""
        columns = [
            self.member_states(group, own) for group, own in zip(self.members, states, strict=True)
        ]
        return np.concatenate(columns, axis=-1).astype(np.int64)

    def components(self, group: range) -> tuple[Component, ...]:
        """Return the components of a group: equal ones have equal tables."""
        return self.rules.components[group.start : group.stop]

    def member_states(self, group: range, states: npt.NDArray[np.integer]) -> IntArray:
        """Return the states ``(n, members)`` of a group's components at its states ``(n,)``."""
        if group in self._joint:
            return np.asarray(self._joint[group].positions[states])
        return states.astype(np.int64)[:, np.newaxis]

    def successors(self, group: range, first: int, last: int) -> IntArray:
        """Return the states that a group's actions lead to, or ``NO_MOVE``.

        Second parts are left out where a slot is a group of its own.

        Args:
            group: components of the group.
            first: first state.
            last: state after the last one.

        Returns:
            ``(last - first, actions of the group)``.
        """
        options = self.rules.num_options
        if group in self._joint:
            return self._joint[group].successors(options, first, last)
        component = self.rules.components[group.start]
        successors = component.successors(np.arange(first, last))
        return np.pad(
            successors, ((0, 0), (0, options - component.options)), constant_values=NO_MOVE
        )


class JointStates:
    """The components of a group as a game of their own, whose positions are the rows of an array.

    Args:
        rules: rules of the whole game.
        group: components of the group.
        largest: most options of all positions together.

    Attributes:
        rules: rules of the components alone.
        positions: all positions, ``(size, members)``.
        size: number of positions.

    Raises:
        SearchTooLargeError: there are too many.
    """

    def __init__(self, rules: Rules, group: range, largest: int) -> None:
        components = rules.components[group.start : group.stop]
        self.rules = Rules(rules.name, components, (0,) * len(components))
        actions = len(components) * rules.num_options
        # Larger mixed-radix indices do not fit in 64 bits.
        self.rules.check_size(LARGEST_STATE)
        self.positions = self.rules.lattice(largest // actions)
        self.size = len(self.positions)
        self._indices = self.rules.indices(self.positions)

    def rows(self, positions: IntArray) -> IntArray:
        """Return the rows of ``positions``, ``(n, members)``."""
        return self._rows_at(self.rules.indices(positions))

    def _rows_at(self, indices: IntArray) -> IntArray:
        """Return the rows of the positions at mixed-radix ``indices``."""
        if self.size == self.rules.num_positions:
            return indices
        return np.asarray(np.searchsorted(self._indices, indices))

    def successors(self, num_options: int, first: int, last: int) -> IntArray:
        """Return the row of the position after every action, or ``NO_MOVE``.

        Args:
            num_options: option slots of a component in the whole game.
            first: row of the first position.
            last: row after the last position.

        Returns:
            ``(last - first, members * num_options)``.
        """
        shape = (last - first, len(self.rules.components) * num_options)
        successors = np.full(shape, NO_MOVE, dtype=np.int64)
        for action, where, after in self.rules.moves(self._indices[first:last]):
            component, option = divmod(action, self.rules.num_options)
            successors[where, component * num_options + option] = self._rows_at(after)
        return successors
