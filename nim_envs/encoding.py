"""Observations of positions: integers, or 0/1 features for networks."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from nim_envs.typing import Array, IntArray
from nim_envs.validation import check_bytes, checked_choice

BYTES_OF_FEATURE = 96
"""Bytes per feature, upper bound: a few observations, spaces and intermediate results."""


class Code(NamedTuple):
    """The features of a coordinate as functions of its value."""

    width: Callable[[int], int]  # number of features, from the number of values
    # Features from values and feature numbers; operators alone, so any array library works.
    feature: Callable[[IntArray, IntArray], Array]


CODES = {
    "one_hot": Code(lambda values: values, operator.eq),
    "binary": Code(lambda values: max(1, (values - 1).bit_length()), lambda v, bits: v >> bits & 1),
    "unary": Code(lambda values: values - 1, operator.gt),
}
"""The encodings besides ``"integer"``: adding one is adding a row."""

ENCODINGS = ("integer", *CODES)


def with_mask(observations: spaces.Box, num_actions: int) -> spaces.Dict[Any]:
    """Return the space of dictionaries of an observation and, after it, its action mask."""
    mask = spaces.Box(low=0, high=1, shape=(num_actions,), dtype=np.int8)
    # A plain dict would be sorted by key.
    return spaces.Dict(OrderedDict(observation=observations, action_mask=mask))


class Encoding:
    """Turns positions into observations, flat vectors of the features of all coordinates.

    Args:
        name: ``"integer"``: the coordinates. The others are float32: ``"one_hot"``, one feature for
            each value of a coordinate; ``"binary"``, the bits of the value, lowest first;
            ``"unary"``, as many leading ones as the value says.
        fields: number of values of each coordinate, as ``game.fields``.
        dtype: the dtype of ``"integer"`` observations; ``None``: the smallest signed integers that
            hold every coordinate.

    Attributes:
        space: the ``Box`` of the observations.
        widths: number of features of each coordinate.

    Raises:
        InvalidGameError: an unknown name.
        SearchTooLargeError: the features would take over a GiB.

    Example:
        >>> Encoding("unary", (3, 4)).encode(np.array([1, 3])).tolist()
        [1.0, 0.0, 1.0, 1.0, 1.0]
    """

    def __init__(
        self, name: str, fields: Sequence[int], dtype: npt.DTypeLike | None = np.int64
    ) -> None:
        self.name: str = checked_choice("encoding", name, ENCODINGS)
        self.space: spaces.Box
        self.widths = (1,) * len(fields)
        if name == "integer":
            # A signed type that holds -n holds n - 1.
            smallest = np.min_scalar_type(-max(fields))
            integer: Any = np.dtype(smallest if dtype is None else dtype).type
            high = (np.array(fields, dtype=np.int64) - 1).astype(integer)
            self.space = spaces.Box(low=np.zeros_like(high), high=high, dtype=integer)
            return
        self.widths = tuple(map(CODES[name].width, fields))
        features = sum(self.widths)
        what = f"environments with {features} features in encoding {name!r}"
        check_bytes(what, features * BYTES_OF_FEATURE)
        # The coordinate of each feature, and the feature's index within that coordinate.
        self._fields = np.repeat(np.arange(len(self.widths)), self.widths)
        self._numbers = np.concatenate([np.arange(width) for width in self.widths])
        self.space = spaces.Box(low=0.0, high=1.0, shape=(features,), dtype=np.float32)

    def encode(self, positions: IntArray) -> Array:
        """Return the observations of positions, ``(..., fields)`` to ``(..., features)``."""
        if self.name == "integer":
            return positions.copy()
        values = positions.take(self._fields, axis=-1)
        return CODES[self.name].feature(values, self._numbers).astype(np.float32)
