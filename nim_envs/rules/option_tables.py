"""The options of all components of a game as arrays of one shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from nim_envs.rules.component import BYTES_OF_OPTION, NO_MOVE, Component, read_only
from nim_envs.rules.lattice import Lattice
from nim_envs.typing import BoolArray, IntArray, MaskArray
from nim_envs.validation import check_bytes

SMALL_TABLE = 2**24
"""Largest table, in bytes, that is made as a whole when some options are needed."""


class OptionTables(Lattice):
    """Base class of rules: options looked up in tables, and computed where these would be large."""

    @cached_property
    def num_options(self) -> int:
        """Number of option slots per component: the largest of any component."""
        return max(component.options for component in self.components)

    @cached_property
    def _table_bytes(self) -> int:
        """Size of ``table`` in bytes."""
        entries = len(self.components) * max(self.shape) * self.num_options
        return entries * np.dtype(np.int64).itemsize

    @property
    def has_small_table(self) -> bool:
        """Whether ``table`` is small enough to be made when some options are needed."""
        return self._table_bytes <= SMALL_TABLE

    def check_table(self) -> None:
        """Raise ``SearchTooLargeError`` if ``table`` would take over ``LARGEST_BYTES``."""
        check_bytes(
            f"tables of {len(self.components)} components, {max(self.shape)} states and "
            f"{self.num_options} options",
            self._table_bytes,
        )

    @cached_property
    def table(self) -> IntArray:
        """All tables of options as one: ``(components, largest states, num_options)``.

        Raises:
            SearchTooLargeError: it would take over ``LARGEST_BYTES``.
        """
        self.check_table()
        return self._joined(NO_MOVE, [component.table for component in self.components])

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
    def mask_table(self) -> MaskArray:
        """Mask of the legal options, int8, in the shape of ``table``."""
        return read_only((self.table != NO_MOVE).astype(np.int8))

    @cached_property
    def _has_moves(self) -> BoolArray:
        """Whether any option is legal, ``(components, largest states)``."""
        has_moves = np.zeros((len(self.components), max(self.shape)), dtype=np.bool_)
        for index, component in enumerate(self.components):
            states = np.arange(component.states)
            has_moves[index, states] = ~component.is_terminal(states)
        return read_only(has_moves)

    def _joined(self, padding: int, tables: Sequence[IntArray]) -> IntArray:
        """Return the tables of the components as one, padded."""
        joined = np.full((len(tables), max(self.shape), self.num_options), padding, dtype=np.int64)
        for index, table in enumerate(tables):
            joined[index, : table.shape[0], : table.shape[1]] = table
        return read_only(joined)

    @cached_property
    def _component_indices(self) -> IntArray:
        """Index of each component."""
        return np.arange(len(self.components))

    def options(self, positions: IntArray) -> IntArray:
        """Return the state of a component after each of its options, or ``NO_MOVE``.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., components, num_options)``.
        """
        if self.has_small_table:
            return self.table[self._component_indices, positions]
        return self._computed(NO_MOVE, positions, lambda part, states: part.successors(states))

    def second_options(self, positions: IntArray) -> IntArray | None:
        """Return the second part that each option leaves, in the shape of :meth:`options`.

        0 for none; the result is ``None`` in games that do not split.
        """
        if not self.slot_groups:
            return None
        if not self.has_small_table or self.second_table is None:
            return self._computed(0, positions, lambda part, states: part.second_successors(states))
        return self.second_table[self._component_indices, positions]

    def _computed(
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
        computed = np.full((*positions.shape, self.num_options), padding, dtype=np.int64)
        for index, component in enumerate(self.components):
            options = options_of(component, positions[..., index])
            computed[..., index, : component.options] = options
        return computed

    def _parts_after(
        self, component: IntArray, state: IntArray, option: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return the parts that moves leave.

        Args:
            component: index of the component of each move, ``(...)``.
            state: its state before the move, ``(...)``.
            option: option of the move, ``(...)``.

        Returns:
            The states after the moves, and the second parts, 0 for none; ``None`` where nothing
            splits. Both ``(...)``.
        """
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
            rows, columns = which.reshape(-1), option[here]
            successor[here] = part.successors(states)[rows, columns]
            if part.splits:
                seconds[here] = part.second_successors(states)[rows, columns]
        return successor, seconds if self.slot_groups else None
