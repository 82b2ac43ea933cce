"""Experience replay: learning from stored turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.rules.compiled_moves import copy_entries
from nim_envs.typing import Array, FloatArray, IntArray
from nim_envs.validation import checked_integer

TURNS_ADDED, GAMES_AT_LAST_BATCH = 0, 1
"""Indices of a buffer's counters: turns ever added; finished games when a batch was last drawn."""


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
    """Stored turns, with all arrays that learning from them needs."""

    states: IntArray  # (capacity,): states in which the actions were chosen
    actions: IntArray  # (capacity,)
    rewards: FloatArray  # (capacity,)
    next_states: IntArray  # (capacity,): states to bootstrap from
    legal_actions: IntArray  # (capacity, actions): the legal ones come first
    legal_counts: IntArray  # (capacity,): number of legal actions
    counters: IntArray  # (2,): at TURNS_ADDED and GAMES_AT_LAST_BATCH
    uniforms: FloatArray  # (batch,): random numbers in [0, 1) that draw the next batch
    interval: int


def empty_buffer(settings: Replay, actions: int) -> ReplayBuffer:
    """Return an empty buffer.

    Args:
        settings: capacity and batches of the buffer.
        actions: size of the action space.

    Raises:
        ValueError: ``settings`` is not a :class:`Replay`.
    """
    if not isinstance(settings, Replay):
        raise ValueError(f"replay must be a Replay, or None, not {settings!r}")
    capacity = settings.capacity
    return ReplayBuffer(
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, actions), np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(2, np.int64),
        np.zeros(settings.batch),
        settings.interval,
    )


@compiled(inner=True)
def store_turn(
    buffer: ReplayBuffer,
    state: int,
    action: int,
    reward: float,
    next_state: int,
    legal_actions: IntArray,
) -> None:
    """Store a turn; in a full buffer it overwrites the oldest one."""
    row = buffer.counters[TURNS_ADDED] % len(buffer.states)
    buffer.states[row] = state
    buffer.actions[row] = action
    buffer.rewards[row] = reward
    buffer.next_states[row] = next_state
    buffer.legal_counts[row] = len(legal_actions)
    copy_entries(legal_actions, buffer.legal_actions[row])
    buffer.counters[TURNS_ADDED] += 1


@compiled(inner=True)
def batch_is_due(buffer: ReplayBuffer, finished_games: int) -> bool:
    """Return whether a batch is due after this number of finished games."""
    return bool(finished_games - buffer.counters[GAMES_AT_LAST_BATCH] >= buffer.interval)


@compiled(inner=True)
def drawn_row(buffer: ReplayBuffer, uniform: float) -> int:
    """Return the row of a stored turn, all equally likely.

    Args:
        buffer: stored turns, at least one.
        uniform: random number that draws the turn, in [0, 1).
    """
    return int(uniform * min(buffer.counters[TURNS_ADDED], len(buffer.states)))


def check_saved_buffer(saved: Mapping[str, Array], states: int, actions: int) -> None:
    """Check that the indices in a saved buffer are valid; compiled code does not check them.

    Args:
        saved: arrays by the names of :func:`saved_arrays`; other arrays are ignored.
        states: number of rows of the table.
        actions: size of the action space.

    Raises:
        ValueError: an index of no state or action.
    """
    for name, end in (
        ("states", states),
        ("next_states", states),
        ("actions", actions),
        ("legal_actions", actions),
        ("legal_counts", actions + 1),
        ("counters", np.iinfo(np.int64).max),
    ):
        array = saved.get(f"replay_{name}", np.zeros(1))
        if ((array < 0) | (array >= end)).any():
            raise ValueError(f"replay_{name} must be from 0 to {end - 1}")


def saved_arrays(buffer: ReplayBuffer) -> dict[str, Array]:
    """Return the arrays of a buffer that a file stores, by name."""
    stored = buffer._asdict()
    # Uniforms are drawn anew for each batch, and the interval is a setting.
    del stored["uniforms"], stored["interval"]
    return {f"replay_{name}": array for name, array in stored.items()}
