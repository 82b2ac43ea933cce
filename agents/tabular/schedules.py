"""Schedules: the probability of exploration as a function of the finished games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt

Schedule = Callable[[int], float]
"""Returns the probability after a number of finished games."""


@dataclass(frozen=True)
class Decay:
    """A probability that is multiplied by ``factor`` every ``every`` games, down to a floor.

    Args:
        start: initial probability.
        factor: factor of each multiplication.
        every: number of games between two multiplications.
        floor: smallest probability.

    Raises:
        ValueError: a number out of its range.

    Example:
        >>> [round(Decay(start=0.3, factor=0.95, every=500, floor=0.05)(n), 3) for n in (0, 500)]
        [0.3, 0.285]
    """

    start: float
    factor: float
    every: int
    floor: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("start", "factor", "floor"):
            check_range(name, getattr(self, name), 0, 1, open_low=False)
        check_range("every", self.every, 0, np.inf, open_low=True)

    def __call__(self, games: int) -> float:
        """Return the probability after ``games`` finished games."""
        return max(self.floor, self.start * self.factor ** (games // self.every))


def harmonic(games: int) -> float:
    """Return ``1 / (games + 1)``: greedy in the limit with infinite exploration."""
    return 1.0 / (games + 1)


class Exploration:
    """The current probability of a random action.

    Args:
        epsilon: a constant probability, or a schedule over finished games.

    Attributes:
        epsilon: current probability.
        ended: number of games finished in each seat; a learner may play both.

    Raises:
        ValueError: a probability outside 0 to 1.
    """

    def __init__(self, epsilon: float | Schedule) -> None:
        self._schedule = epsilon if callable(epsilon) else None
        self.ended = [0, 0]
        self.epsilon = _probability(epsilon(0) if callable(epsilon) else epsilon)

    def finish(self, seat: int) -> None:
        """Count the end of a game for ``seat``, which must have moved in it."""
        self.ended[seat] += 1
        self.finish_many(self.ended)

    def finish_many(self, ended: Sequence[int]) -> None:
        """Set the number of games finished so far in each seat."""
        self.ended = list(ended)
        if self._schedule is not None:
            self.epsilon = _probability(self._schedule(self.games))

    def ahead(self, games: int) -> npt.NDArray[np.float64]:
        """Return the probabilities now and after each of the next games, ``(games + 1,)``."""
        if self._schedule is None:
            return np.full(games + 1, float(self.epsilon))
        ended = self.games
        return np.array([_probability(self._schedule(ended + game)) for game in range(games + 1)])

    @property
    def games(self) -> int:
        """Number of finished games."""
        return max(self.ended)


def _probability(epsilon: float) -> float:
    if not isinstance(epsilon, Real) or not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must be a number from 0 to 1, not {epsilon!r}")
    return epsilon


def check_range(name: str, value: float, low: float, high: float, *, open_low: bool) -> float:
    """Return ``value`` if it is from ``low`` to ``high``.

    Raises:
        ValueError: it is outside, or equals ``low`` and ``open_low`` is true.
    """
    within = isinstance(value, Real) and low <= value <= high
    if not within or (open_low and value == low):
        above = "over" if open_low else "from"
        raise ValueError(f"{name} must be {above} {low} and at most {high}, not {value!r}")
    return value


def check_step(rate: float, discount: float, name: str = "learning_rate") -> None:
    """Check the step size and the discount of a learning rule.

    Args:
        rate: step size.
        discount: factor of later rewards.
        name: name of the step size in the error.

    Raises:
        ValueError: ``rate`` is not over 0 and at most 1, or ``discount`` is not from 0 to 1.
    """
    check_range(name, rate, 0, 1, open_low=True)
    check_range("discount", discount, 0, 1, open_low=False)
