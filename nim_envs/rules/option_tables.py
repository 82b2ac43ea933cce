"""The options of all components of a game as arrays of one shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from nim_envs.rules.component import BYTES_OF_OPTION, NO_MOVE, Component, read_only
from nim_envs.rules.validation import check_bytes
from nim_envs.typing import IntArray, MaskArray

SMALL_TABLE = 2**24
"""Largest table, in bytes, that is made as a whole when some options are needed."""


class OptionTables:
    """The options of components, looked up in tables; computed where these would be large.

    Args:
        name: name of the game, for messages.
        components: the components.
        num_options: length of each row of options.
        splits: whether some option leaves a second part.
    """

    def __init__(
        self, name: str, components: tuple[Component, ...], num_options: int, splits: bool
    ) -> None:
        self._name, self._components, self._splits = name, components, splits
        self._num_options = num_options
        self._indices = np.arange(len(components))
        self._most_states = max(component.states for component in components)
        self._bytes = (
            len(components) * num_options * self._most_states * np.dtype(np.int64).itemsize
        )

    @property
    def are_small(self) -> bool:
        """Whether ``first`` takes at most ``SMALL_TABLE`` bytes."""
        return self._bytes <= SMALL_TABLE

    def check(self) -> None:
        """Raise ``SearchTooLargeError`` if ``first`` would take over ``LARGEST_BYTES``."""
        check_bytes(
            f"tables of {len(self._components)} components, {self._most_states} states and "
            f"{self._num_options} options",
            self._bytes,
        )

    @cached_property
    def first(self) -> IntArray:
        """State after each option, ``NO_MOVE`` where it is illegal.

        Shape ``(components, largest states, num_options)``.

        Raises:
            SearchTooLargeError: it would take over ``LARGEST_BYTES``.
        """
        self.check()
        return self._joined(NO_MOVE, [component.table for component in self._components])

    @cached_property
    def second(self) -> IntArray | None:
        """Second part that each option leaves, 0 for none; ``None`` where nothing splits.

        Raises:
            SearchTooLargeError: it would take over ``LARGEST_BYTES``.
        """
        if not self._splits:
            return None
        self.check()
        return self._joined(0, [component.second_table for component in self._components])

    @cached_property
    def mask(self) -> MaskArray:
        """1 for each legal option, int8, in the shape of ``first``."""
        return read_only((self.first != NO_MOVE).astype(np.int8))

    def _joined(self, padding: int, tables: Sequence[IntArray]) -> IntArray:
        """Return the tables of the components as one, padded."""
        shape = len(tables), self._most_states, self._num_options
        joined = np.full(shape, padding, dtype=np.int64)
        for index, table in enumerate(tables):
            joined[index, : table.shape[0], : table.shape[1]] = table
        return read_only(joined)

    def options(self, positions: IntArray) -> IntArray:
        """Return the options at positions; see :meth:`nim_envs.Rules.options`."""
        if self.are_small:
            return self.first[self._indices, positions]
        return self._computed(NO_MOVE, positions, lambda part, states: part.successors(states))

    def second_options(self, positions: IntArray) -> IntArray | None:
        """Return the second parts; see :meth:`nim_envs.Rules.second_options`."""
        if not self._splits:
            return None
        if not self.are_small or self.second is None:
            return self._computed(0, positions, lambda part, states: part.second_successors(states))
        return self.second[self._indices, positions]

    def legal_options(self, positions: IntArray) -> MaskArray:
        """Return 1 for each legal option: ``(..., components)`` to ``(..., num_options)``, int8."""
        if self.are_small:
            legal: MaskArray = self.mask[self._indices, positions]
        else:
            legal = (self.options(positions) != NO_MOVE).astype(np.int8)
        return legal

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
            f"the {self._num_options} options of each component, at {positions[..., 0].size} "
            f"positions of {self._name},",
            positions.size * self._num_options * BYTES_OF_OPTION,
        )
        computed = np.full((*positions.shape, self._num_options), padding, dtype=np.int64)
        for index, component in enumerate(self._components):
            options = options_of(component, positions[..., index])
            computed[..., index, : component.options] = options
        return computed

    def parts_after(
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
        if self.are_small:
            second = self.second
            return self.first[component, state, option], (
                None if second is None else second[component, state, option]
            )
        component, option = np.asarray(component), np.asarray(option)
        successor, seconds = np.empty_like(state), np.zeros_like(state)
        for index, part in enumerate(self._components):
            here = component == index
            # Compute the options of each distinct state once.
            states, which = np.unique(state[here], return_inverse=True)
            if not len(states):
                continue
            rows, columns = which.reshape(-1), option[here]
            successor[here] = part.successors(states)[rows, columns]
            if part.splits:
                seconds[here] = part.second_successors(states)[rows, columns]
        return successor, seconds if self._splits else None
