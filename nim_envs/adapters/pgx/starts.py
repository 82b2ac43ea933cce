"""Start positions drawn on a device.

A position is a function of random words of 32 bits, uniform ones. Probabilities are whole numbers
over 2**32: words are compared with cut points that were computed in double precision, or reduced
modulo a number, so that each probability, and each step of one by components, is right to 2**-32.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from nim_envs.adapters.pgx.layouts import NUMBER, Array, DeviceLayout
from nim_envs.rules.rules import Rules
from nim_envs.starts import Sampler
from nim_envs.typing import FloatArray
from nim_envs.validation import check_bytes

LARGEST_WORD = 2**32 - 1


class DeviceStart(ABC):
    """Makes the places of start positions of random words.

    Attributes:
        words: words per place.
    """

    words: int

    @abstractmethod
    def place(self, words: Array) -> Array:
        """Return the place that ``words``, uint32 ``(self.words,)`` or more, stand for."""


def start_of(sampler: Sampler, rules: Rules, layout: DeviceLayout) -> DeviceStart:
    """Return what draws the starts of a sampler on the device, with the same distribution.

    Args:
        sampler: sampler of a game's start.
        rules: rules of the game.
        layout: layout of the game.

    Raises:
        SearchTooLargeError: there are too many starts to be listed, or their tables would take
            over ``LARGEST_BYTES``.
    """
    positions, probabilities = sampler.support()
    positions = rules.positions_at(positions)
    check_bytes(f"lists on the device of {len(positions)} starts", NUMBER * positions.size)
    if len(positions) == 1:
        return _FixedStart(layout.places(positions)[0])
    places = layout.places(positions)
    return (
        _Equal(places)
        if (probabilities == probabilities[0]).all()
        else _WeightedStart(places, probabilities)
    )


class _FixedStart(DeviceStart):
    """Always the same place."""

    words = 0

    def __init__(self, place: npt.NDArray[np.int32]) -> None:
        self._place = jnp.asarray(place)

    def place(self, words: Array) -> Array:
        return self._place


class _Equal(DeviceStart):
    """All of a list with the same probability."""

    words = 1

    def __init__(self, places: npt.NDArray[np.int32]) -> None:
        self._places = jnp.asarray(places)

    def place(self, words: Array) -> Array:
        return self._places[below(len(self._places), words[0])]


class _WeightedStart(DeviceStart):
    """Each of a list with a probability of its own."""

    words = 1

    def __init__(self, places: npt.NDArray[np.int32], probabilities: FloatArray) -> None:
        self._places = jnp.asarray(places)
        self._cuts = Cuts(cut_points(probabilities[np.newaxis]))

    def place(self, words: Array) -> Array:
        return self._places[self._cuts.column(0, words[0])]


def below(number: Array, word: Array) -> Array:
    """Return an integer from 0 to ``number - 1``, all with the same probability to 2**-32."""
    return (word % jnp.asarray(number).astype(jnp.uint32)).astype(jnp.int32)


class Cuts:
    """Draws a column of a table of weights, given the row.

    Args:
        table: result of :func:`cut_points`, ``(rows, columns - 1)``.
    """

    def __init__(self, table: npt.NDArray[np.uint32]) -> None:
        self._cuts = table.shape[1]
        self._table = jnp.asarray(table).reshape(-1)

    def column(self, row: Array, word: Array) -> Array:
        """Return the number of cut points of the row that a word has passed, by bisection."""
        word = jnp.minimum(word, jnp.uint32(LARGEST_WORD - 1))
        passed = jnp.int32(0)
        for power in reversed(range(self._cuts.bit_length())):
            further = passed + (1 << power)
            cut = self._table[row * self._cuts + jnp.minimum(further, self._cuts) - 1]
            passed = jnp.where((further <= self._cuts) & (cut <= word), further, passed)
        return passed


def cut_points(weights: FloatArray) -> npt.NDArray[np.uint32]:
    """Return where each row of weights is cut into columns, on a scale of 32 bits.

    Args:
        weights: ``(rows, columns)``, at least 0; rows of zeros are never drawn from.

    Returns:
        ``(rows, columns - 1)``: how far the columns up to each one reach.

    Example:
        >>> cut_points(np.array([[1.0, 2.0, 1.0]])).tolist()
        [[1073741824, 3221225471]]
    """
    sums = weights.cumsum(axis=1)
    total = np.maximum(sums[:, -1:], np.finfo(np.float64).tiny)
    points: npt.NDArray[np.uint32] = np.rint(sums[:, :-1] / total * LARGEST_WORD).astype(np.uint32)
    return points
