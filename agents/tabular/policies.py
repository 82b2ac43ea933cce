"""Policies by tables of action values, and the effect of exploration on their probabilities."""

from __future__ import annotations

import numpy as np

from agents.tabular.index import ObservationIndex
from agents.tabular.selection import greedy_of_mask
from nim_envs.typing import Array, FloatArray, MaskArray


class GreedyTablePolicy:
    """Chooses a legal action of the largest entry in a table; ties are equally likely.

    The entries may be preferences: policies whose entries are action values have ``values``, by
    which :func:`nim_envs.diagnose` tells faults of learning apart.

    Args:
        index: the row of each observation in the tables.
        table: an entry for each action, ``(observations, actions)``.
    """

    def __init__(self, index: ObservationIndex, table: FloatArray) -> None:
        self.index = index
        self.table = table

    def __repr__(self) -> str:
        """Return the size of the table."""
        observations, actions = self.table.shape
        return f"{type(self).__name__}({observations} observations, {actions} actions)"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action of the largest value."""
        values = self.table[self.index(observation)]
        return int(greedy_of_mask(values, action_mask, rng.random()))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the entries, ``(n, actions)``; minus infinity where illegal."""
        rows = self.table[self.index.many(observations)]
        return np.where(action_masks == 1, rows, -np.inf)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the legal actions of the largest value."""
        return shared_by_best(self.action_values(observations, action_masks), action_masks)


class GreedyActionValuePolicy(GreedyTablePolicy):
    """Chooses a legal action of the largest value; ties are equally likely.

    Args:
        index: the row of each observation in the tables.
        table: action values, ``(observations, actions)``.
    """

    def values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return action values, those of illegal actions included, ``(n, actions)``."""
        return np.asarray(self.table[self.index.many(observations)])


class GreedyCriticPolicy(GreedyTablePolicy):
    """Chooses a legal action of the largest preference, and has the values of a critic.

    Args:
        index: the row of each observation in the tables.
        table: preferences, ``(observations, actions)``.
        critic: values of actions, ``(observations, actions)``, or of positions to the player to
            move, ``(observations,)``.
    """

    def __init__(self, index: ObservationIndex, table: FloatArray, critic: FloatArray) -> None:
        super().__init__(index, table)
        self.critic = critic

    def values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the critic's values, ``(n, actions)`` or ``(n,)``."""
        return np.asarray(self.critic[self.index.many(observations)])


def shared_by_best(values: FloatArray, action_masks: MaskArray) -> FloatArray:
    """Return equal probabilities over the legal actions of the largest value.

    Args:
        values: action values, ``(n, actions)``; minus infinity where illegal.
        action_masks: int8, same shape.
    """
    best = values == values.max(axis=1, keepdims=True)
    return uniform_probabilities((best & (action_masks == 1)).astype(np.int8))


def with_exploration(
    probabilities: FloatArray, action_masks: MaskArray, epsilon: float
) -> FloatArray:
    """Return the probabilities of a policy that takes a random legal action with ``epsilon``.

    Args:
        probabilities: those without exploration, ``(n, actions)``.
        action_masks: int8, same shape.
        epsilon: probability of a random legal action.
    """
    uniform = uniform_probabilities(action_masks)
    return np.asarray((1 - epsilon) * probabilities + epsilon * uniform)


def uniform_probabilities(chosen: MaskArray) -> FloatArray:
    """Return equal probabilities over the ones in each row, ``(n, actions)``; zeros elsewhere."""
    counts = np.maximum(chosen.sum(axis=1, keepdims=True, dtype=np.int64), 1)
    return np.asarray(chosen / counts)
