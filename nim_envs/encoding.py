"""Observations of positions: integers, or 0/1 features for networks."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes, checked_choice

BYTES_OF_FEATURE = 96
"""Bytes per feature, upper bound: a few observations, spaces and intermediate results."""


class Code(NamedTuple):
    """The features of a component as functions of its state."""

    width: Callable[[int], int]  # features of a component, from its number of states
    # Features from states and feature numbers; operators alone, so any array library works.
    feature: Callable[[IntArray, IntArray], npt.NDArray[Any]]


CODES = {
    "one_hot": Code(lambda states: states, operator.eq),
    "binary": Code(
        lambda states: max(1, (states - 1).bit_length()),
        lambda states, numbers: states >> numbers & 1,
    ),
    "unary": Code(lambda states: states - 1, operator.gt),
}
"""The encodings besides ``"integer"``: adding one is adding a row.

An :class:`Encoding` looks its row up in every call, as pickles cannot hold these functions.
"""

ENCODINGS = ("integer", *CODES)


def with_mask(observations: spaces.Box, num_actions: int) -> spaces.Dict[Any]:
    """Return the space of dictionaries of an observation and, after it, its action mask."""
    mask = spaces.Box(low=0, high=1, shape=(num_actions,), dtype=np.int8)
    # A plain dict would be sorted by key.
    return spaces.Dict(OrderedDict(observation=observations, action_mask=mask))


class Encoding:
    """Turns positions into observations.

    A component with coordinates is observed by these: each is encoded as the state of a component
    without would be. Observations are flat: into which shape the coordinates of one component
    reshape is the ``board`` of its ``coordinate_system``.

    Args:
        name: ``"integer"``: the coordinates, or the position itself, int64 ``(len(fields),)``. The
            others are float32 vectors, the features of all components concatenated: ``"one_hot"``,
            one feature for each state of a component, or value of a coordinate; ``"binary"``, the
            bits of the state, lowest first; ``"unary"``, as many leading ones as the number of the
            state.
        rules: the rules whose positions are encoded.
        dtype: the dtype of ``"integer"`` observations; ``None``: the smallest signed integers that
            hold every coordinate.

    Attributes:
        space: the ``Box`` of the observations.
        widths: number of features of each component.
        field_widths: number of features of each coordinate.

    Raises:
        InvalidGameError: an unknown name.
        SearchTooLargeError: the features would take over a GiB.

    Example:
        >>> from nim_envs.rules import nim
        >>> Encoding("unary", nim(heaps=(2, 3))).encode(np.array([1, 3])).tolist()
        [1.0, 0.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, name: str, rules: Rules, dtype: npt.DTypeLike | None = np.int64) -> None:
        self.name: str = checked_choice("encoding", name, ENCODINGS)
        self.space: spaces.Box
        self.field_widths: tuple[int, ...]
        self._rules = rules
        code = CODES.get(name)
        if code is None:
            # A signed type that holds -n holds n - 1.
            smallest = np.min_scalar_type(-max(rules.fields))
            integer: Any = np.dtype(smallest if dtype is None else dtype).type
            high = (np.array(rules.fields, dtype=np.int64) - 1).astype(integer)
            self.space = spaces.Box(low=np.zeros_like(high), high=high, dtype=integer)
            self.field_widths = (1,) * len(rules.fields)
        else:
            self.field_widths = tuple(map(code.width, rules.fields))
            features = sum(self.field_widths)
            check_bytes(
                f"environments with {features} features in encoding {name!r}",
                features * BYTES_OF_FEATURE,
            )
            # The coordinate of each feature, and the feature's index within that coordinate.
            self._fields = np.repeat(np.arange(len(self.field_widths)), self.field_widths)
            self._numbers = np.concatenate([np.arange(width) for width in self.field_widths])
            self.space = spaces.Box(low=0.0, high=1.0, shape=(features,), dtype=np.float32)
        self.widths = tuple(sum(self.field_widths[part]) for part in rules.field_slices)

    def encode(self, positions: IntArray) -> npt.NDArray[Any]:
        """Return the observations of positions ``(..., components)`` as ``(..., features)``."""
        return self.encode_coordinates(self._rules.coordinates(positions))

    def encode_coordinates(self, coordinates: IntArray) -> npt.NDArray[Any]:
        """Return the observations of coordinates ``(..., len(fields))`` as ``(..., features)``."""
        code = CODES.get(self.name)
        if code is None:
            return coordinates.copy()
        values = coordinates.take(self._fields, axis=-1)
        return code.feature(values, self._numbers).astype(np.float32)

    def features(self, component: int, states: IntArray) -> npt.NDArray[Any]:
        """Return the features of ``states`` ``(...)`` of one component, ``(..., width)``."""
        values = self._rules.components[component].coordinate_system.of(states)
        code = CODES.get(self.name)
        if code is None:
            return values
        first = sum(self.widths[:component])
        here = slice(first, first + self.widths[component])
        fields = self._fields[here] - self._rules.field_slices[component].start
        return code.feature(values.take(fields, axis=-1), self._numbers[here]).astype(np.float32)
