"""Indices of integer observations, for tables with a row for each of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium import spaces

from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.errors import InvalidGameError
from nim_envs.rules import Rules
from nim_envs.rules.component import strides_of
from nim_envs.typing import Array, FloatArray, IntArray
from nim_envs.validation import checked_number

LARGEST_VALUE = 1e300
"""Largest absolute initial value, so that differences of values are finite."""

LARGEST_TABLE_BYTES = 8 * 2**30
"""Most memory of a learner's tables; more is refused."""


@compiled
def mixed_radix_index(digits: Array, strides: IntArray, offset: int) -> int:
    """Return ``offset`` plus the sum of ``digits`` times ``strides``."""
    index = offset
    for digit in range(len(digits)):
        index += digits[digit] * strides[digit]
    return index


@compiled(inner=True)
def sorted_index(observation: Array, strides: IntArray, order: IntArray | None) -> int:
    """Return the index of a position, after sorting it in place if there is an ``order``.

    Args:
        observation: position, ``(components,)``.
        strides: mixed-radix strides, ``(components,)``.
        order: order of the components; see :func:`heap_order`.
    """
    if order is not None:
        for end in range(1, len(order)):
            state = observation[order[end]]
            place = end
            while place > 0 and observation[order[place - 1]] > state:
                observation[order[place]] = observation[order[place - 1]]
                place -= 1
            observation[order[place]] = state
    return mixed_radix_index(observation, strides, 0)


def heap_order(rules: Rules) -> IntArray:
    """Return the heaps from the one with the fewest states to the one with the most.

    Raises:
        InvalidGameError: they have different options in the same states, or slots of their own.
    """
    order: IntArray = np.argsort(rules.shape, kind="stable")
    largest = rules.table[order[-1]]
    for index, heap in enumerate(rules.components):
        if not np.array_equal(rules.table[index, : heap.states], largest[: heap.states]):
            raise InvalidGameError(
                "sorted heaps need components with the same options in the same states, and "
                f"components {index} and {order[-1]} of {rules.name} differ"
            )
    if rules.slot_groups and len(rules.slot_groups[0]) < len(rules.components):
        raise InvalidGameError(f"sorted heaps need slots that all share, unlike {rules.name}")
    return order


class ObservationIndex:
    """Gives each observation of an integer space its index, mixed radix, first entry slowest.

    Args:
        observation_space: a ``Dict`` with an integer ``Box`` under ``"observation"``, as in the
            environments, or such a ``Box`` itself.

    Attributes:
        size: number of observations.
        bounds: smallest and largest values of each entry, flattened.
        rules: rules of a game whose positions are indexed, and whose observations are their
            coordinates; ``None``: observations are indexed as they are.

    Raises:
        TypeError: another kind of space.

    Example:
        >>> box = spaces.Box(low=np.array([0, 1]), high=np.array([2, 4]), dtype=np.int64)
        >>> index = ObservationIndex(box)
        >>> index.size, index(np.array([2, 3]))
        (12, 10)
    """

    def __init__(self, observation_space: spaces.Space[Any]) -> None:
        self.rules: Rules | None = None
        box = observation_space
        if isinstance(box, spaces.Dict):
            box = box["observation"]
        if not isinstance(box, spaces.Box) or box.dtype is None or box.dtype.kind not in "iu":
            raise TypeError(
                "a table needs an integer Box of observations (encoding='integer'), not "
                f"{observation_space}"
            )
        low, high = box.low.reshape(-1).tolist(), box.high.reshape(-1).tolist()
        self.bounds = low, high
        radices = [top - bottom + 1 for bottom, top in zip(low, high, strict=True)]
        self.size = math.prod(radices)
        if self.size > 2**62:
            raise ValueError(f"a table of {self.size} observations is too large to number")
        self.strides = strides_of(radices).astype(np.int64)
        pairs = zip(low, self.strides.tolist(), strict=True)
        self.offset = -sum(bottom * stride for bottom, stride in pairs)

    @classmethod
    def of_positions(cls, game: Game) -> ObservationIndex:
        """Return an index in which the positions of ``game`` have the indices of its rules."""
        index = cls(space_of_positions(game.rules))
        index.rules = game.rules if game.rules.has_coordinates else None
        return index

    def positions(self, observations: Array) -> Array:
        """Return observations ``(..., fields)`` as the index takes them: positions, or unchanged.

        Raises:
            InvalidPositionError: no position has these coordinates.
        """
        return observations if self.rules is None else positions_of(self.rules, observations)

    def __call__(self, observation: Array) -> int:
        """Return the index of one observation."""
        if observation.ndim != 1:
            observation = observation.reshape(-1)
        return int(mixed_radix_index(self.positions(observation), self.strides, self.offset))

    def many(self, observations: Array) -> IntArray:
        """Return the indices of observations ``(n, ...)`` as ``(n,)``."""
        flat = observations.reshape(len(observations), -1).astype(np.int64)
        return np.asarray(self.positions(flat) @ self.strides + self.offset)


def space_of_positions(rules: Rules) -> spaces.Box:
    """Return the space of all positions of ``rules``, state numbers."""
    highest = np.array(rules.shape) - 1
    return spaces.Box(np.zeros_like(highest), highest, dtype=np.int64)


def positions_of(rules: Rules, observations: Array) -> Array:
    """Return integer observations of a game as positions, ``(..., components)``.

    Args:
        rules: rules of the game.
        observations: positions, or their coordinates, ``(..., len(rules.fields))``.

    Raises:
        InvalidPositionError: no position has these coordinates.
    """
    if not rules.has_coordinates:
        return observations
    positions = rules.positions_at(observations)
    if (positions < 0).any():
        rules.checked_positions(observations)  # raises
    return positions


def num_actions(action_space: spaces.Space[Any]) -> int:
    """Return the size of a ``Discrete`` action space that starts at 0.

    Raises:
        TypeError: another kind of space.
    """
    if not isinstance(action_space, spaces.Discrete) or action_space.start != 0:
        raise TypeError(f"a table needs a Discrete action space from 0, not {action_space}")
    return int(action_space.n)


def check_memory(*shapes: tuple[int, ...], dtype: str = "float64") -> None:
    """Refuse tables of these ``shapes`` and ``dtype`` if together they need too much memory.

    Raises:
        MemoryError: they would need over ``LARGEST_TABLE_BYTES``.
    """
    needed = np.dtype(dtype).itemsize * sum(math.prod(shape) for shape in shapes)
    if needed > LARGEST_TABLE_BYTES:
        raise MemoryError(
            f"a table for this board, of shape {' and '.join(map(str, shapes))}, needs "
            f"{needed / 2**30:.1f} GiB (limit {LARGEST_TABLE_BYTES / 2**30:.1f} GiB): use smaller "
            "heaps, or a learner without a table, such as ColumnAutomatonLearner, --learner "
            "column-automaton"
        )


def initial_table(
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    initial_range: float = 0.0,
    rng: np.random.Generator | None = None,
    *,
    tables: int = 1,
) -> tuple[ObservationIndex, FloatArray]:
    """Return an index of observations and a table for them.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        initial_range: initial values are uniform between minus and plus this.
        rng: generator of the initial values; needed where ``initial_range`` is not 0.
        tables: number of tables of this size that the learner will have, to check the memory.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: ``initial_range`` is negative.
        MemoryError: the tables would need too much memory.
    """
    checked_number("initial_range", initial_range, 0, LARGEST_VALUE)
    index = ObservationIndex(observation_space)
    shape = (index.size, num_actions(action_space))
    check_memory(*[shape] * tables)
    if initial_range and rng is not None:
        return index, rng.uniform(-initial_range, initial_range, shape)
    return index, np.zeros(shape)
