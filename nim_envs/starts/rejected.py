"""Rejection sampling, for boxes with many wanted positions or too many states to count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.starts.box import Box
from nim_envs.starts.counted import CountedSampler
from nim_envs.starts.samplers import Sampler
from nim_envs.theory.solution import Solution, SumSolution
from nim_envs.theory.theorems import exchange_zero_and_one
from nim_envs.theory.values import ResidueValues
from nim_envs.typing import BoolArray, FloatArray, IntArray

SMALLEST_BATCH, LARGEST_BATCH = 1 << 6, 1 << 16
"""Draws in a batch, at least those that are missing: each batch has more, until the largest."""

TRIAL = 1 << 12
"""Draws in a batch for estimating the acceptance rate."""


class RejectionSampler(Sampler):
    """Draws positions of a box, all equally likely, and rejects those that are not wanted.

    P-positions are rare. Where they are wanted and there is a heap of Nim or bounded Nim, it is not
    drawn but computed from the other components.

    Args:
        proposal: draws positions of the box, terminal ones too.
        box: bounds of the positions.
        value: 1 for N-positions, 0 for drawn ones, -1 for P-positions, ``None`` for any.
        solution: value of every position of the box; needed unless ``value`` is ``None``.
    """

    def __init__(
        self, proposal: CountedSampler, box: Box, value: int | None, solution: Solution | None
    ) -> None:
        self._proposal = proposal
        self._box = box
        self._value = value
        self._solution = solution
        self._heap = _last_heap(box, solution) if value == -1 else None

    def acceptance_rate(self, draws: int) -> float:
        """Return the share of wanted positions in some draws.

        Args:
            draws: most draws, a multiple of ``TRIAL``; drawing stops after the first batch with a
                wanted position.
        """
        rng = np.random.default_rng(0)
        for count in range(TRIAL, draws + 1, TRIAL):
            accepted = int(self._try(rng, TRIAL)[1].sum())
            if accepted:
                return accepted / count
        return 0.0

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, components)``."""
        samples = [np.empty((0, len(self._box.spans)), dtype=np.int64)]
        missing, batch = size, SMALLEST_BATCH
        while missing:
            before = rng.bit_generator.state
            rows, accepted = self._try(rng, max(missing, batch))
            indices = np.flatnonzero(accepted)
            if len(indices) >= missing:
                # Leave the generator in the state in which single draws would leave it.
                indices = indices[:missing]
                rng.bit_generator.state = before
                rng.random((int(indices[-1]) + 1, self._proposal.numbers))
            samples.append(rows[indices])
            missing -= len(indices)
            batch = min(4 * batch, LARGEST_BATCH)
        return np.concatenate(samples)

    def _try(self, rng: np.random.Generator, size: int) -> tuple[IntArray, BoolArray]:
        """Draw ``size`` positions; return them and which are wanted."""
        numbers = rng.random((size, self._proposal.numbers))
        positions = self._proposal.positions_of(numbers)
        accepted = np.ones(size, dtype=np.bool_)
        if self._heap is not None:
            accepted = self._heap.fill(positions, numbers)
        accepted &= ~self._box.rules.is_terminal(positions)
        if self._solution is not None:
            accepted[accepted] = self._solution.value(positions[accepted]) == self._value
        return positions, accepted

    def counted(self) -> CountedSampler:
        """Return the sampler of the same positions by counting.

        Raises:
            SearchTooLargeError: there is too much to count, or no theorem to count by.
        """
        if self._solution is not None and not isinstance(self._solution, SumSolution):
            raise SearchTooLargeError(
                f"positions of {self._box.rules.name} are counted by a theorem on who wins, and "
                f"none is known here for {self._solution.convention.value} play"
            )
        winning = None if self._value is None else self._value == 1
        return CountedSampler(self._box, winning, self._solution)

    def support(self) -> tuple[IntArray, FloatArray]:
        """Raise ``SearchTooLargeError``: the box is too large to list."""
        raise self._box.too_large()


@dataclass(frozen=True)
class _LastHeap:
    """A heap of Nim or bounded Nim, computed last so that the position is a P-position.

    Its Grundy value is its size modulo the largest amount that may be taken plus one.
    """

    solution: SumSolution  # values of all components
    index: int  # of the heap's component
    low: int  # smallest size
    high: int  # largest size
    modulus: int  # the largest amount plus one

    def fill(self, positions: IntArray, numbers: FloatArray) -> BoolArray:
        """Replace the heap by one of a size that makes a P-position.

        Args:
            positions: ``(n, components)``; changed in place.
            numbers: uniform on [0, 1), in the same shape.

        Returns:
            The positions to accept, ``(n,)``: each with probability (number of such sizes) /
            (largest possible number), so that all P-positions are equally likely.
        """
        targets, misere = self.solution.target_values(positions)
        value, misere = targets[:, self.index], misere[:, self.index]
        # The misère value of a heap is its Grundy value with 0 and 1 exchanged.
        value = np.where(misere, exchange_zero_and_one(value), value)
        smallest = self.low + (value - self.low) % self.modulus
        sizes = np.maximum((self.high - smallest) // self.modulus + 1, 0)
        most = (self.high - self.low) // self.modulus + 1
        chosen = (numbers[:, self.index] * most).astype(np.int64)
        # A value that no size has makes a position of another outcome, which is rejected as such.
        accepted: BoolArray = chosen < sizes
        positions[accepted, self.index] = (smallest + chosen * self.modulus)[accepted]
        return accepted


def _last_heap(box: Box, solution: Solution | None) -> _LastHeap | None:
    """Return the heap of Nim or bounded Nim with the most sizes in the box, if there is one."""
    if not isinstance(solution, SumSolution):
        return None
    heaps = [
        _LastHeap(solution, index, span.low, span.high, values.bound + 1)
        for index, (span, values) in enumerate(
            zip(box.spans, solution.component_values, strict=True)
        )
        if isinstance(values.component, SubtractionHeap) and isinstance(values, ResidueValues)
    ]
    return max(heaps, key=lambda heap: (heap.high - heap.low, heap.index), default=None)
