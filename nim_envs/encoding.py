"""Observations of positions: integers, or 0/1 features for networks."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules.component import LARGEST_TABLE, IntArray
from nim_envs.rules.rules import Rules


def _one_hot(states: int) -> npt.NDArray[np.float32]:
    return np.eye(states, dtype=np.float32)


def _binary(states: int) -> npt.NDArray[np.float32]:
    bits = max(1, (states - 1).bit_length())
    return (np.arange(states)[:, np.newaxis] >> np.arange(bits) & 1).astype(np.float32)


def _unary(states: int) -> npt.NDArray[np.float32]:
    return (np.arange(states)[:, np.newaxis] > np.arange(states - 1)).astype(np.float32)


CODES: dict[str, Callable[[int], npt.NDArray[np.float32]]] = {
    "one_hot": _one_hot,
    "binary": _binary,
    "unary": _unary,
}
ENCODINGS = ("integer", *CODES)


def smallest_integer(largest: int) -> np.dtype[Any]:
    """Return the smallest signed integer type that holds ``largest``."""
    return next(
        np.dtype(kind)
        for kind in (np.int8, np.int16, np.int32, np.int64)
        if largest <= np.iinfo(kind).max
    )


class Encoding:
    """Turns positions into observations.

    Args:
        name: ``"integer"``: the position itself, int64 ``(components,)``. The others are float32
            vectors, the features of all components concatenated: ``"one_hot"``, one feature for
            each state of a component; ``"binary"``, the bits of the state, lowest first;
            ``"unary"``, as many leading ones as the number of the state.
        rules: the rules whose positions are encoded.
        dtype: the dtype of ``"integer"`` observations.

    Attributes:
        space: the ``Box`` of the observations.
        widths: number of features of each component.

    Raises:
        InvalidGameError: an unknown name.
        SearchTooLargeError: features of a component with too many states to tabulate.

    Example:
        >>> from nim_envs.rules import nim
        >>> Encoding("unary", nim(heaps=(2, 3))).encode(np.array([1, 3])).tolist()
        [1.0, 0.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, name: str, rules: Rules, dtype: npt.DTypeLike = np.int64) -> None:
        if name not in ENCODINGS:
            raise InvalidGameError(f"encoding must be one of {ENCODINGS}, not {name!r}")
        self.name = name
        self.space: spaces.Box
        self.widths: tuple[int, ...]
        if name == "integer":
            self._codes: list[npt.NDArray[np.float32]] = []
            integer: Any = np.dtype(dtype).type
            high = (np.array(rules.shape, dtype=np.int64) - 1).astype(integer)
            self.space = spaces.Box(low=np.zeros_like(high), high=high, dtype=integer)
            self.widths = (1,) * len(rules.shape)
        else:
            if max(rules.shape) ** 2 > LARGEST_TABLE:
                raise SearchTooLargeError(
                    f"encoding {name!r} tabulates components of up to {isqrt(LARGEST_TABLE)} "
                    f"states; the largest here has {max(rules.shape)}"
                )
            self._codes = [CODES[name](states) for states in rules.shape]
            self.widths = tuple(code.shape[1] for code in self._codes)
            self.space = spaces.Box(low=0.0, high=1.0, shape=(sum(self.widths),), dtype=np.float32)

    def encode(self, positions: IntArray) -> npt.NDArray[Any]:
        """Return the observations of positions ``(..., components)`` as ``(..., features)``."""
        if not self._codes:
            return positions.copy()
        return np.concatenate(
            [self.features(i, positions[..., i]) for i in range(len(self._codes))], axis=-1
        )

    def features(self, component: int, states: IntArray) -> npt.NDArray[Any]:
        """Return the features of ``states`` ``(...)`` of one component, ``(..., width)``."""
        if not self._codes:
            return states[..., np.newaxis]
        return self._codes[component][states]
