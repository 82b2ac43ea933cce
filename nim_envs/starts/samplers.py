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
    """Draws from one of several samplers, each with the same probability.

    Args:
        samplers: chosen from by a uniform number on [0, 1), drawn before the position.
    """

    def __init__(self, *samplers: Sampler) -> None:
        self.samplers = samplers

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, components)``."""
        samplers = [one for one in self.samplers if isinstance(one, TransformSampler)]
        needed = {sampler.numbers for sampler in samplers}
        if len(samplers) == len(self.samplers) and len(needed) == 1:
            numbers = rng.random((size, 1 + needed.pop()))
            chosen = (numbers[:, 0] * len(samplers)).astype(np.int64)
            positions = [
                sampler.positions_of(numbers[chosen == index, 1:])
                for index, sampler in enumerate(samplers)
            ]
            # The rows in the order of their samplers, put back into their own.
            order = np.argsort(np.argsort(chosen, kind="stable"))
            return np.concatenate(positions)[order]
        if size == 0:
            return self.samplers[0].sample(rng, 0)
        return np.stack([self.draw(rng) for _ in range(size)])

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return one position, ``(components,)``, in a new array."""
        return self.samplers[int(rng.random() * len(self.samplers))].draw(rng)

    def support(self) -> tuple[IntArray, FloatArray]:
        """Return the positions of all samplers, each with its share of their probabilities."""
        parts = [sampler.support() for sampler in self.samplers]
        return (
            np.concatenate([positions for positions, _ in parts]),
            np.concatenate([probabilities / len(parts) for _, probabilities in parts]),
        )
