"""The rules as arrays on a device, in one of two layouts, behind one interface.

A *place* is how a state of the environment holds a position: a number in a joint table, or the
states of all components. Functions of places take one; ``jax.vmap`` makes them take many.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from nim_envs.encoding import Encoding
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes

Array = Any
"""An array of JAX, or a traced one."""

WORD = 32
"""Bits of a word: masks are kept as bits, the first action's the lowest of the first word."""

NUMBER = 4
"""Bytes of a number: all tables are of 32 bits."""

LARGEST_JOINT = 1 << 22
"""Bytes up to which all positions are tabulated: they stay in a processor's cache."""


class DeviceLayout(ABC):
    """Positions, moves, legal actions and observations on a device."""

    @abstractmethod
    def places(self, positions: Array) -> Array:
        """Return the places of positions, ``(..., components)``; of NumPy or JAX, as they are."""

    @abstractmethod
    def positions(self, places: Array) -> Array:
        """Return the positions at places, int32 ``(..., components)``."""

    @abstractmethod
    def step(self, place: Array, action: Array) -> Array:
        """Return the place after an action; after an illegal one, the same."""

    @abstractmethod
    def legal(self, place: Array) -> Array:
        """Return the legal actions as words of bits; all are 0 where there is none."""

    @abstractmethod
    def mask(self, legal: Array) -> Array:
        """Return words of bits as a mask, boolean ``(actions,)``."""

    @abstractmethod
    def observe(self, place: Array) -> Array:
        """Return the observation."""


def layout_of(rules: Rules, encoding: Encoding) -> DeviceLayout:
    """Return the joint layout if that is small, else the layout by components.

    Raises:
        SearchTooLargeError: the tables would take over ``LARGEST_BYTES``.
    """
    if not rules.has_wide_gaps and JointLayout.bytes_of(rules, encoding) <= LARGEST_JOINT:
        return JointLayout(rules, encoding)
    return ComponentLayout(rules, encoding)


class JointLayout(DeviceLayout):
    """All points of the lattice in one table: a place is a mixed-radix index, and all is looked up.

    Args:
        rules: tables of the components' options.
        encoding: encoding of the observations.
    """

    def __init__(self, rules: Rules, encoding: Encoding) -> None:
        self._strides = rules.strides.astype(np.int32)
        self._num_actions = rules.num_actions
        points = rules.positions(np.arange(rules.num_positions))
        mask = rules.action_mask(points) != 0
        row, action = np.nonzero(mask)
        following = np.repeat(np.arange(len(points)), rules.num_actions).reshape(mask.shape)
        following[row, action] = rules.indices(rules.step(points[row], action))
        self._points = jnp.asarray(points, jnp.int32)
        self._following = jnp.asarray(following.reshape(-1), jnp.int32)
        self._legal = jnp.asarray(packed(mask))
        observations = encoding.encode(rules.coordinates(points).astype(np.int32))
        self._observations = jnp.asarray(observations.astype(encoding.space.dtype))

    @staticmethod
    def bytes_of(rules: Rules, encoding: Encoding) -> int:
        """Return what the tables take."""
        row = rules.num_actions + words(rules.num_actions) + len(rules.shape)
        return NUMBER * rules.num_positions * (row + sum(encoding.widths))

    def places(self, positions: Array) -> Array:
        """Return mixed-radix indices, ``(...)``."""
        return (positions * self._strides).sum(axis=-1).astype(np.int32)

    def positions(self, places: Array) -> Array:
        """Look positions up."""
        return self._points[places]

    def step(self, place: Array, action: Array) -> Array:
        """Look the next place up: the table holds what :meth:`Rules.step` returned."""
        return self._following[place * self._num_actions + action]

    def legal(self, place: Array) -> Array:
        """Look the words up, ``(words,)``."""
        return self._legal[place]

    def mask(self, legal: Array) -> Array:
        """Return words of bits as a mask."""
        return unpacked(legal, self._num_actions)

    def observe(self, place: Array) -> Array:
        """Look the observation up."""
        return self._observations[place]


class ComponentLayout(DeviceLayout):
    """The tables of the components, each kept once: a place is a position, ``(components,)``.

    Args:
        rules: tables of the components' options.
        encoding: encoding of the observations.

    Raises:
        SearchTooLargeError: the tables would take over ``LARGEST_BYTES``.
    """

    def __init__(self, rules: Rules, encoding: Encoding) -> None:
        kinds = list(dict.fromkeys(rules.components))
        systems = [kind.coordinate_system for kind in kinds]
        options, splits = rules.num_options, bool(rules.slot_groups)
        rows = sum(kind.states for kind in kinds)
        check_bytes(
            f"tables on the device of {len(kinds)} different components with {rows} states in all "
            f"and {options} options",
            NUMBER * rows * (options * (1 + splits) + words(options))
            + NUMBER
            * sum(
                kind.states * len(system.fields)
                for kind, system in zip(kinds, systems, strict=True)
                if not system.is_default
            ),
        )
        self._encoding = encoding
        self._coordinates = None
        if rules.has_coordinates:
            tables = {kind: jnp.asarray(_coordinates(kind), jnp.int32) for kind in kinds}
            self._coordinates = [tables[kind] for kind in rules.components]
        self._options = options
        firsts = np.cumsum([0, *(kind.states for kind in kinds[:-1])])
        first_of = dict(zip(kinds, firsts, strict=True))
        # The row of each component's state 0.
        self._first = jnp.asarray([first_of[kind] for kind in rules.components], jnp.int32)
        self._numbers = np.arange(len(rules.components), dtype=np.int32)

        def stacked(
            table_of: Callable[[Component], IntArray], padding: int
        ) -> npt.NDArray[np.int32]:
            table = np.full((rows, options), padding, dtype=np.int32)
            for kind, first in first_of.items():
                table[first : first + kind.states, : kind.options] = table_of(kind)
            return table

        after = stacked(lambda kind: kind.table, NO_MOVE)
        self._after = jnp.asarray(after)
        self._legal = jnp.asarray(packed(after != NO_MOVE))
        self._second = None
        if splits:
            self._second = jnp.asarray(stacked(lambda kind: kind.second_table, 0))
            group = np.full(len(rules.components), -1, dtype=np.int32)
            for index, slots in enumerate(rules.slot_groups):
                group[slots.start : slots.stop] = index
            self._group = jnp.asarray(group)

    def places(self, positions: Array) -> Array:
        """Return the positions as int32."""
        return positions.astype(np.int32)

    def positions(self, places: Array) -> Array:
        """Return the places, which are positions."""
        return places

    def step(self, place: Array, action: Array) -> Array:
        """Replace the component that is moved in, and fill its group's first empty slot.

        This is the move in JAX.
        """
        component, option = action // self._options, action % self._options
        row = self._first[component] + place[component]
        after = self._after[row, option]
        here = (self._numbers == component) & (after != NO_MOVE)
        moved = jnp.where(here, after, place)
        if self._second is None:
            return moved
        second = self._second[row, option]
        empty = (moved == 0) & (self._group == self._group[component])
        filled = (self._numbers == jnp.argmax(empty)) & (second > 0)
        return jnp.where(filled, second, moved)

    def legal(self, place: Array) -> Array:
        """Look the words of each component up, ``(components, words)``."""
        return self._legal[self._first + place]

    def mask(self, legal: Array) -> Array:
        """Return words of bits as a mask, component by component."""
        return unpacked(legal, self._options).reshape(-1)

    def observe(self, place: Array) -> Array:
        """Encode the position, or its coordinates."""
        if self._coordinates is None:
            return self._encoding.encode(place)
        parts = [table[place[index]] for index, table in enumerate(self._coordinates)]
        coordinates: Any = jnp.concatenate(parts)
        return self._encoding.encode(coordinates)


def _coordinates(component: Component) -> IntArray:
    """Return the coordinates of all states of a component, ``(states, coordinates)``."""
    return component.coordinate_system.of(np.arange(component.states, dtype=np.int64))


def words(bits: int) -> int:
    """Return the number of words that hold ``bits`` bits."""
    return -(-bits // WORD)


def packed(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint32]:
    """Return a mask ``(n, bits)`` as words of bits, ``(n, words)``.

    Example:
        >>> packed(np.array([[True, False, True], [False, False, False]])).tolist()
        [[5], [0]]
    """
    padded = np.zeros((len(mask), words(mask.shape[1]) * WORD), dtype=np.bool_)
    padded[:, : mask.shape[1]] = mask
    packed = np.packbits(padded, axis=1, bitorder="little").view("<u4")
    return packed.astype(np.uint32)


def unpacked(words: Array, bits: int) -> Array:
    """Return words of bits, ``(..., words)``, as a mask, ``(..., bits)``."""
    each = (words[..., np.newaxis] >> jnp.arange(WORD, dtype=jnp.uint32)) & 1
    return each.reshape(*words.shape[:-1], -1)[..., :bits] != 0
