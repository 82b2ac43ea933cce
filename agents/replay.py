"""Experience replay: turns that are stored, and learned from again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from nim_envs.typing import Array, FloatArray, IntArray
from nim_envs.validation import checked_integer


@dataclass(frozen=True)
class Replay:
    """Settings of a replay buffer.

    Args:
        capacity: number of turns stored; the oldest is overwritten first.
        batch: number of turns in a batch, drawn at random with replacement.
        interval: number of finished games between two batches.

    Raises:
        ValueError: a number below 1.
    """

    capacity: int = 1000
    batch: int = 32
    interval: int = 10

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            checked_integer(name, value, minimum=1)


class ReplayBuffer(NamedTuple):
    """Stored turns."""

    rows: IntArray  # (capacity,)
    actions: IntArray  # (capacity,)
    rewards: FloatArray  # (capacity,)
    next_rows: IntArray  # (capacity,): rows to bootstrap from
    counters: IntArray  # (2,): turns ever stored; finished games at the last batch
    batch: int
    interval: int
    generator: np.random.Generator  # draws the turns of a batch

    def arrays(self) -> dict[str, Array]:
        """Return its arrays by name, as a file has them."""
        return {f"replay_{name}": getattr(self, name) for name in self._fields[:5]}


def empty_buffer(settings: Replay, generator: np.random.Generator) -> ReplayBuffer:
    """Return an empty buffer."""
    rows, actions, next_rows = (np.zeros(settings.capacity, np.int64) for _ in range(3))
    rewards, counters = np.zeros(settings.capacity), np.zeros(2, np.int64)
    return ReplayBuffer(
        rows, actions, rewards, next_rows, counters, settings.batch, settings.interval, generator
    )


@inlined
def store(buffer: ReplayBuffer | None, row: int, action: int, reward: float, next_row: int) -> None:
    """Store a turn, if there is a buffer; in a full one it overwrites the oldest."""
    if buffer is not None:
        place = buffer.counters[0] % len(buffer.rows)
        buffer.rows[place] = row
        buffer.actions[place] = action
        buffer.rewards[place] = reward
        buffer.next_rows[place] = next_row
        buffer.counters[0] += 1


@inlined
def is_due(buffer: ReplayBuffer, games: int) -> bool:
    """Return whether a batch is due after this number of finished games, and count it."""
    if games - buffer.counters[1] < buffer.interval:
        return False
    buffer.counters[1] = games
    return True


@inlined
def stored_turn(buffer: ReplayBuffer, uniform: float) -> tuple[int, int, float, int]:
    """Return a stored turn, all equally likely: row, action, reward and row to bootstrap from."""
    place = int(uniform * min(buffer.counters[0], len(buffer.rows)))
    return buffer.rows[place], buffer.actions[place], buffer.rewards[place], buffer.next_rows[place]
