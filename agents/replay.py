"""Experience replay: old turns are learned from again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.base import Transition


@dataclass(frozen=True)
class Replay:
    """Settings of a replay buffer.

    Args:
        capacity: turns remembered; the oldest is forgotten first.
        batch: turns drawn at random, with replacement, at a time.
        interval: finished games between two batches.

    Raises:
        ValueError: a number below 1.
    """

    capacity: int = 1000
    batch: int = 32
    interval: int = 10

    def __post_init__(self) -> None:
        for name in ("capacity", "batch", "interval"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)!r}")


class ReplayBuffer:
    """Remembers turns and says which to learn from again.

    Args:
        settings: see :class:`Replay`.
        rng: draws the batches.
    """

    def __init__(self, settings: Replay, rng: np.random.Generator) -> None:
        self.settings = settings
        self._rng = rng
        self._turns: list[Transition] = []
        self._oldest = 0
        self._replayed_at = 0

    def add(self, transition: Transition) -> None:
        """Remember one turn."""
        if len(self._turns) < self.settings.capacity:
            self._turns.append(transition)
        else:
            self._turns[self._oldest] = transition
            self._oldest = (self._oldest + 1) % self.settings.capacity

    def due(self, games: int) -> list[Transition]:
        """Return a batch if ``interval`` games have ended since the last one, else nothing."""
        if games - self._replayed_at < self.settings.interval:
            return []
        self._replayed_at = games
        chosen = self._rng.integers(len(self._turns), size=self.settings.batch)
        return [self._turns[number] for number in chosen]
