"""The rules of a whole game: a disjunctive sum of components, as one table."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.rules.component import LARGEST_TABLE, NO_MOVE, BoolArray, Component, IntArray
from nim_envs.rules.validation import LARGEST_STATE

MaskArray = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Rules:
    """The rules of a disjunctive sum: a move is one option of one component.

    Every function takes positions of any rank, ``(..., components)``: one position, a
    batch, or the whole lattice of positions. None of them checks that a move is legal;
    that is the environments' job.

    Args:
        name: short name of the game.
        components: the components, in the order of a position's entries.
        initial: the position from which play usually starts.
    """

    name: str
    components: tuple[Component, ...]
    initial: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.components:
            raise InvalidGameError("components must hold at least one component, not ()")
        if len(self.initial) != len(self.components) or not all(
            0 <= state < component.states
            for state, component in zip(self.initial, self.components, strict=False)
        ):
            raise InvalidGameError(
                f"the initial position {self.initial} must have a state for each of the "
                f"{len(self.components)} components, within 0 to "
                f"{tuple(states - 1 for states in self.shape)}"
            )
        if self.num_actions > LARGEST_STATE:
            raise InvalidGameError(
                f"{len(self.components)} components of {self.num_options} options are "
                f"{self.num_actions} actions; at most {LARGEST_STATE} are allowed"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each component: the shape of the lattice of positions."""
        return tuple(component.states for component in self.components)

    @property
    def num_positions(self) -> int:
        """Number of points of the lattice of positions, terminal ones included."""
        return math.prod(self.shape)

    @property
    def strides(self) -> IntArray:
        """Mixed-radix strides, ``(components,)``: dotted with a position they give its index."""
        return np.array([math.prod(self.shape[i + 1 :]) for i in range(len(self.shape))])

    @cached_property
    def num_options(self) -> int:
        """Option slots of each component: as many as the component with the most has."""
        return max(component.options for component in self.components)

    @property
    def num_actions(self) -> int:
        """Number of actions: ``components * num_options``."""
        return len(self.components) * self.num_options

    @cached_property
    def table(self) -> IntArray:
        """All tables of options as one: ``(components, largest states, num_options)``.

        Raises:
            SearchTooLargeError: it would have over ``LARGEST_TABLE`` entries.
        """
        self.check_table()
        states = max(self.shape)
        table = np.full((len(self.components), states, self.num_options), NO_MOVE, dtype=np.int64)
        for index, component in enumerate(self.components):
            table[index, : component.states, : component.options] = component.table
        table.setflags(write=False)
        return table

    def check_table(self) -> None:
        """Raise ``SearchTooLargeError`` if ``table`` would have over ``LARGEST_TABLE`` entries."""
        states = max(self.shape)
        entries = len(self.components) * states * self.num_options
        if entries > LARGEST_TABLE:
            raise SearchTooLargeError(
                f"the table of options of {len(self.components)} components, {states} states "
                f"and {self.num_options} options has {entries} entries; the limit is "
                f"{LARGEST_TABLE}"
            )

    @cached_property
    def mask_table(self) -> MaskArray:
        """Which options are legal, in the shape of ``table``, int8."""
        mask: MaskArray = (self.table != NO_MOVE).astype(np.int8)
        mask.setflags(write=False)
        return mask

    @cached_property
    def mask_rows(self) -> list[list[MaskArray]]:
        """The rows of ``mask_table`` by component and state, each ``(num_options,)``."""
        return [list(rows) for rows in self.mask_table]

    @cached_property
    def legal_counts(self) -> list[list[int]]:
        """Number of legal options by component and state."""
        counts: list[list[int]] = self.mask_table.sum(axis=-1, dtype=np.int64).tolist()
        return counts

    def options(self, positions: IntArray) -> IntArray:
        """Return the state of a component after each of its options, or ``NO_MOVE``.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., components, num_options)``.
        """
        return self.table[np.arange(len(self.components)), positions]

    def action_mask(self, positions: IntArray) -> MaskArray:
        """Return which actions are legal: ``(..., components)`` to ``(..., num_actions)``, int8."""
        legal: MaskArray = self.mask_table[np.arange(len(self.components)), positions]
        return legal.reshape(*positions.shape[:-1], self.num_actions)

    def step(self, positions: IntArray, actions: IntArray) -> IntArray:
        """Return the positions after legal ``actions``.

        Args:
            positions: ``(..., components)``.
            actions: ``(...)``, ``component * num_options + option``.

        Returns:
            New positions, ``(..., components)``.
        """
        component, option = np.divmod(np.asarray(actions, dtype=np.int64), self.num_options)
        state = np.take_along_axis(positions, component[..., np.newaxis], axis=-1)[..., 0]
        after = positions.copy()
        successor = self.table[component, state, option]
        np.put_along_axis(after, component[..., np.newaxis], successor[..., np.newaxis], axis=-1)
        return after

    def is_terminal(self, positions: IntArray) -> BoolArray:
        """Return where no move is legal: ``(..., components)`` to ``(...)``."""
        terminal = np.ones(positions.shape[:-1], dtype=np.bool_)
        for index, component in enumerate(self.components):
            terminal &= component.is_terminal(positions[..., index])
        return terminal

    def lattice(self, limit: int = LARGEST_TABLE) -> IntArray:
        """Return every position, ``(num_positions, components)``, in mixed-radix order.

        Raises:
            SearchTooLargeError: there are over ``limit`` positions.
        """
        self.check_size(limit)
        return self.positions(np.arange(self.num_positions, dtype=np.int64))

    def check_size(self, limit: int) -> None:
        """Raise ``SearchTooLargeError`` if there are over ``limit`` positions."""
        if self.num_positions > limit:
            raise SearchTooLargeError(
                f"{self.name} with components of {self.shape} states has {self.num_positions} "
                f"positions; the limit is {limit}"
            )

    def positions(self, indices: IntArray) -> IntArray:
        """Return the positions at mixed-radix ``indices``: ``(...)`` to ``(..., components)``."""
        return np.stack(np.unravel_index(indices, self.shape), axis=-1).astype(np.int64)

    def indices(self, positions: IntArray) -> IntArray:
        """Return the mixed-radix index of each position: ``(..., components)`` to ``(...)``."""
        return np.asarray(
            np.ravel_multi_index(tuple(np.moveaxis(positions, -1, 0)), self.shape), dtype=np.int64
        )

    def checked_positions(self, positions: Any) -> IntArray:
        """Return ``positions`` as an int64 array ``(..., components)`` of positions of this game.

        Raises:
            InvalidPositionError: not integers, a wrong last dimension, or outside the box.
        """
        allowed = (
            f"integers with a last dimension of {len(self.components)} components and each "
            f"component within 0 to {tuple(states - 1 for states in self.shape)}"
        )
        try:
            array = np.asarray(positions)
        except ValueError:
            raise InvalidPositionError(f"a position must be {allowed}, not {positions!r}") from None
        if array.dtype.kind not in "iu" or array.ndim == 0 or array.shape[-1] != len(self.shape):
            raise InvalidPositionError(
                f"a position must be {allowed}, not {positions!r} of shape {array.shape} and "
                f"dtype {array.dtype}"
            )
        outside = (array < 0) | (array >= np.array(self.shape, dtype=np.int64))
        if outside.any():
            first = array[outside.any(axis=-1)].reshape(-1, len(self.shape))[0].tolist()
            raise InvalidPositionError(f"a position must be {allowed}, not {first}")
        return array.astype(np.int64)

    def action(self, component: int, option: int) -> int:
        """Return the action that takes ``option`` of ``component``."""
        return component * self.num_options + option

    def describe_action(self, action: int) -> str:
        """Return ``action`` in words, such as ``"heap 1: take 2"``."""
        index, option = divmod(int(action), self.num_options)
        component = self.components[index]
        words = (
            component.describe_option(option)
            if option < component.options
            else f"option {option}, which it does not have"
        )
        return f"{component.kind} {index}: {words}"

    def __getstate__(self) -> dict[str, Any]:
        """Leave cached tables out of pickles: they are made again when needed."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __deepcopy__(self, memo: dict[int, Any]) -> Rules:
        """Return the rules themselves: they are immutable."""
        return self
