"""Policies by a table, and probabilities of actions."""

import numpy as np

from agents.rows import GameRows, Rows
from agents.selection import greedy_action
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray


def uniform_probabilities(chosen: MaskArray) -> FloatArray:
    """Return equal probabilities over the ones in each row, ``(n, actions)``; zeros elsewhere."""
    counts = np.maximum(chosen.sum(axis=1, keepdims=True, dtype=np.int64), 1)
    return np.asarray(chosen / counts)


def shared_by_best(values: FloatArray, action_masks: MaskArray) -> FloatArray:
    """Return equal probabilities over the legal actions of the largest value, ``(n, actions)``."""
    best = values == values.max(axis=1, keepdims=True)
    return uniform_probabilities((best & (action_masks == 1)).astype(np.int8))


def with_exploration(
    probabilities: FloatArray, action_masks: MaskArray, epsilon: float
) -> FloatArray:
    """Return the probabilities of a policy that takes a random legal action with ``epsilon``."""
    uniform = uniform_probabilities(action_masks)
    return np.asarray((1 - epsilon) * probabilities + epsilon * uniform)


class TablePolicy:
    """Chooses a legal action of the largest entry in its row of a table; ties are equally likely.

    The table is float64 ``(rows, actions)``.
    """

    def __init__(self, rows: Rows, table: FloatArray) -> None:
        self.rows = rows
        self.table = table

    def __repr__(self) -> str:
        """Return the size of the table."""
        return f"{type(self).__name__}({len(self.table)} rows)"

    def entries(self, rows: IntArray) -> FloatArray:
        """Return the entries of rows ``(n,)``, ``(n, actions)``."""
        return np.asarray(self.table[rows])

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action of the largest entry."""
        entries = self.entries(self.rows.find(observation[np.newaxis]))[0]
        return int(greedy_action(entries, np.flatnonzero(action_mask), rng.random()))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the entries, ``(n, actions)``; minus infinity where illegal."""
        return np.where(action_masks == 1, self.entries(self.rows.find(observations)), -np.inf)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the legal actions of the largest entry."""
        return shared_by_best(self.action_values(observations, action_masks), action_masks)


class ValuedPolicy(TablePolicy):
    """A policy by a table with values of actions, ``(rows, actions)``, or positions, ``(rows,)``.

    They are those of the table itself, unless ``learned`` are given.
    """

    def __init__(self, rows: Rows, table: FloatArray, learned: FloatArray | None = None) -> None:
        super().__init__(rows, table)
        self.learned = table if learned is None else learned

    def values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the values, those of illegal actions included, ``(n, actions)`` or ``(n,)``."""
        return np.asarray(self.learned[self.rows.find(observations)])


class AfterstatePolicy(ValuedPolicy):
    """Moves to a position of the least value for the opponent; ties are equally likely.

    Its rows are the positions of a game, its table their values to the player to move, ``(rows,)``.
    """

    def entries(self, rows: IntArray) -> FloatArray:
        """Return minus the value after each action, ``(n, actions)``."""
        assert isinstance(self.rows, GameRows)
        return np.asarray(-self.table[self.rows.graph.after[rows]])
