"""Samplers of start positions: their base class, and those that need only a list."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from nim_envs.typing import FloatArray, IntArray

LARGEST_SUPPORT = 1 << 20
"""Most positions of a box that is listed and sampled by index."""


class Sampler(ABC):
    """Draws start positions of one game.

    A sample of ``n`` positions equals ``n`` single draws, and leaves the generator in the same
    state, so a batch of games has the starts that single games would have.
    """

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, components)``, none of them terminal."""

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return one position, ``(components,)``, in a new array."""
        return np.array(self.sample(rng, 1)[0])

    @abstractmethod
    def support(self) -> tuple[IntArray, FloatArray]:
        """Return every possible start, ``(n, components)``, and its probability, ``(n,)``.

        Raises:
            SearchTooLargeError: there are too many to list.
        """


class TransformSampler(Sampler):
    """Inverse transform sampling: a position is a function of some uniform random numbers.

    Attributes:
        numbers: random numbers per position.
    """

    numbers: int

    @abstractmethod
    def positions_of(self, numbers: FloatArray) -> IntArray:
        """Return the positions that random numbers select.

        Args:
            numbers: uniform on [0, 1), ``(n, self.numbers)``.

        Returns:
            ``(n, components)``, a new array.
        """

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, components)``."""
        return self.positions_of(rng.random((size, self.numbers)))


class ListSampler(TransformSampler):
    """Draws by index from a list of equally likely positions.

    Args:
        positions: all of them, ``(n, components)``, at least one.
    """

    def __init__(self, positions: IntArray) -> None:
        self._positions = positions
        self.numbers = 1 if len(positions) > 1 else 0

    def positions_of(self, numbers: FloatArray) -> IntArray:
        """Return the positions that random numbers ``(n, 1)`` select."""
        if len(self._positions) == 1:
            return np.repeat(self._positions, len(numbers), axis=0)
        # Rounding changes each probability by less than 2**-52, too little to be measured.
        chosen = (numbers[:, 0] * len(self._positions)).astype(np.int64)
        # Several times faster than indexing by ``[chosen]``.
        return self._positions.take(chosen, axis=0)

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return one position; faster than :meth:`sample`."""
        size = len(self._positions)
        chosen = int(rng.random() * size) if size > 1 else 0
        position: IntArray = self._positions[chosen].copy()
        return position

    def support(self) -> tuple[IntArray, FloatArray]:
        """Return the list, and equal probabilities."""
        return self._positions, np.full(len(self._positions), 1 / len(self._positions))


class BalancedSampler(Sampler):
    """Draws from either of two samplers with equal probability.

    Args:
        first: used where a uniform number on [0, 1), drawn before the position, is below 0.5.
        second: used elsewhere.
    """

    def __init__(self, first: Sampler, second: Sampler) -> None:
        self.first = first
        self.second = second

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, components)``."""
        first, second = self.first, self.second
        if (
            isinstance(first, TransformSampler)
            and isinstance(second, TransformSampler)
            and first.numbers == second.numbers
        ):
            numbers = rng.random((size, 1 + first.numbers))
            heads = numbers[:, 0] < 0.5
            ahead, behind = numbers[heads, 1:], numbers[~heads, 1:]
            order = np.argsort(np.concatenate([np.flatnonzero(heads), np.flatnonzero(~heads)]))
            return np.concatenate([first.positions_of(ahead), second.positions_of(behind)])[order]
        if size == 0:
            return first.sample(rng, 0)
        return np.stack([self.draw(rng) for _ in range(size)])

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return one position, ``(components,)``, in a new array."""
        return (self.first if rng.random() < 0.5 else self.second).draw(rng)

    def support(self) -> tuple[IntArray, FloatArray]:
        """Return the positions of both samplers, with half of their probabilities."""
        parts = [self.first.support(), self.second.support()]
        return (
            np.concatenate([positions for positions, _ in parts]),
            np.concatenate([probabilities / 2 for _, probabilities in parts]),
        )
