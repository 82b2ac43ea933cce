"""Experience replay: old turns are learned from again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.base import FloatArray, IntArray
from nim_envs.compilation import compiled


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


class ReplayBuffer(NamedTuple):
    """What is needed to learn again from each turn remembered; all of it in arrays."""

    positions: IntArray  # (capacity,): rows of the positions moved from
    actions: IntArray  # (capacity,)
    rewards: FloatArray  # (capacity,)
    later_positions: IntArray  # (capacity,): rows to bootstrap from
    later_legal_actions: IntArray  # (capacity, actions): what is legal there comes first
    later_counts: IntArray  # (capacity,): how many legal actions these are
    counters: IntArray  # turns ever added, finished games at the last batch
    batch: int
    interval: int


def replay_buffer(settings: Replay | None, actions: int) -> ReplayBuffer:
    """Return an empty buffer; one without room if there is to be no replay."""
    capacity, batch, interval = (
        (0, 0, 1) if settings is None else (settings.capacity, settings.batch, settings.interval)
    )
    return ReplayBuffer(
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, actions), np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(2, np.int64),
        batch,
        interval,
    )


@compiled
def add_turn(
    buffer: ReplayBuffer,
    position: int,
    action: int,
    reward: float,
    later_position: int,
    later_legal_actions: IntArray,
) -> None:
    """Remember one turn in place of the oldest."""
    slot = buffer.counters[0] % len(buffer.positions)
    buffer.positions[slot] = position
    buffer.actions[slot] = action
    buffer.rewards[slot] = reward
    buffer.later_positions[slot] = later_position
    buffer.later_counts[slot] = len(later_legal_actions)
    buffer.later_legal_actions[slot, : len(later_legal_actions)] = later_legal_actions
    buffer.counters[0] += 1


@compiled
def turns_due(buffer: ReplayBuffer, finished: int) -> int:
    """Return how many turns to learn from now that ``finished`` games have ended."""
    if finished - buffer.counters[1] < buffer.interval:
        return 0
    buffer.counters[1] = finished
    return buffer.batch


@compiled
def drawn_turn(buffer: ReplayBuffer, uniform: float) -> int:
    """Return the slot of a remembered turn, all equally likely."""
    return int(uniform * min(buffer.counters[0], len(buffer.positions)))
