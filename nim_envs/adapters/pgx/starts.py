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
from nim_envs.starts import Sampler
from nim_envs.starts.counted import CountedSampler, Layer, code_after
from nim_envs.starts.rejected import RejectionSampler
from nim_envs.starts.samplers import BalancedSampler
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


def start_of(sampler: Sampler, layout: DeviceLayout) -> DeviceStart:
    """Return what draws the starts of a sampler on the device, with the same distribution.

    A list is drawn from by index; what is too large to be listed is drawn by counting, component
    by component, also where the sampler rejects, as on a device all games draw in step.

    Args:
        sampler: sampler of a game's start.
        layout: layout of the game.

    Raises:
        SearchTooLargeError: there are too many starts to be listed and counted, or their tables
            would take over ``LARGEST_BYTES``.
    """
    if isinstance(sampler, BalancedSampler):
        return _OneOf([start_of(one, layout) for one in sampler.samplers])
    if isinstance(sampler, RejectionSampler):
        return _CountedStart(sampler.counted(), layout)
    if isinstance(sampler, CountedSampler):
        return _CountedStart(sampler, layout)
    positions, probabilities = sampler.support()
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


class _OneOf(DeviceStart):
    """One of several starts, each with the same probability."""

    def __init__(self, starts: list[DeviceStart]) -> None:
        self._starts = starts
        self.words = 1 + max(start.words for start in starts)

    def place(self, words: Array) -> Array:
        chosen = below(len(self._starts), words[0])
        *others, place = (start.place(words[1:]) for start in self._starts)
        for index, other in enumerate(others):
            place = jnp.where(chosen == index, other, place)
        return place


class _CountedStart(DeviceStart):
    """Positions drawn component by component, as :class:`CountedSampler` counts them."""

    def __init__(self, sampler: CountedSampler, layout: DeviceLayout) -> None:
        numbers = sum(layer.codes * (len(layer.classes.sizes) - 1) for layer in sampler.layers)
        check_bytes("tables on the device for drawing starts", NUMBER * numbers)
        self._first_code = sampler.first_code
        self._components = [_Component(layer) for layer in sampler.layers]
        self._layout = layout
        self.words = 2 * len(self._components)

    def place(self, words: Array) -> Array:
        code = jnp.int32(self._first_code)
        states = []
        for index, component in enumerate(self._components):
            state, code = component.draw(code, words[2 * index], words[2 * index + 1])
            states.append(state)
        return self._layout.places(jnp.stack(states))


class _Component:
    """Draws the state of a component, given the code of those before it; see :class:`Layer`."""

    def __init__(self, layer: Layer) -> None:
        self._cuts = Cuts(np.concatenate([cut_points(ways) for ways in layer.blocks()]))
        self._changes = [jnp.asarray(change, jnp.int32) for change in layer.changes]
        self._carried_bits = layer.carried_bits
        self._sizes = jnp.asarray(layer.classes.sizes, jnp.int32)
        self._firsts = jnp.asarray(layer.classes.firsts, jnp.int32)
        # A list, as terminal positions are not drawn.
        self._states = jnp.asarray(layer.classes.states, jnp.int32)

    def draw(self, code: Array, first: Array, second: Array) -> tuple[Array, Array]:
        """Return a state, and the code with it: one word draws its class, one the state of that."""
        chosen = self._cuts.column(code, first)
        code = code_after(code, *(change[chosen] for change in self._changes))
        number = self._firsts[chosen] + below(self._sizes[chosen], second)
        return self._states[number], code & self._carried_bits


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
