"""Schedules: the probability of exploration as a function of the finished games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nim_envs.typing import FloatArray
from nim_envs.validation import checked_number

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
        for name in ("start", "factor", "floor"):
            checked_number(name, getattr(self, name), 0, 1)
        checked_number("every", self.every, 0, open_low=True)

    def __call__(self, games: int) -> float:
        """Return the probability after ``games`` finished games."""
        return max(self.floor, self.start * self.factor ** (games // self.every))


def harmonic(games: int) -> float:
    """Return ``1 / (games + 1)``: greedy in the limit with infinite exploration."""
    return 1.0 / (games + 1)


class Exploration:
    """The current probability of a random action, and the finished games that decide it.

    Attributes:
        epsilon: current probability.
        games_by_seat: number of games finished in each seat.
        games: number of finished games; one that a learner plays in both seats counts once.
    """

    def __init__(self, epsilon: float | Schedule) -> None:
        self._schedule = epsilon if callable(epsilon) else None
        if not callable(epsilon):
            self.epsilon = checked_number("epsilon", epsilon, 0, 1)
        self.set_games([0, 0])

    def set_games(self, games_by_seat: Sequence[int]) -> None:
        """Set the number of games finished so far in each seat."""
        self.games_by_seat, self.games = [*games_by_seat], max(games_by_seat)
        if self._schedule is not None:
            self.epsilon = checked_number("epsilon", self._schedule(self.games), 0, 1)

    def next_epsilons(self, games: int) -> FloatArray:
        """Return the probabilities now and after each of the next games, ``(games + 1,)``."""
        if self._schedule is None:
            return np.full(games + 1, float(self.epsilon))
        numbers = range(self.games, self.games + games + 1)
        epsilons = np.array([self._schedule(number) for number in numbers], dtype=np.float64)
        for extreme in (epsilons.min(), epsilons.max()):
            checked_number("epsilon", extreme.item(), 0, 1)
        return epsilons
