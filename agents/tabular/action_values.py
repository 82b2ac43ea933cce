"""What learners of action values share: a table, and the epsilon-greedy policy on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray
from agents.tabular.index import ObservationIndex, check_memory, num_actions
from agents.tabular.learner import TabularLearner
from agents.tabular.policies import GreedyTablePolicy, explored
from agents.tabular.schedules import check_range
from agents.tabular.selection import epsilon_greedy_action
from nim_envs.compilation import compiled


@compiled(inner=True)
def step_towards(
    table: FloatArray, state: int, action: int, target: float, learning_rate: float
) -> None:
    """Q(s, a) += α [target − Q(s, a)].

    Args:
        table: ``(states, actions)``, changed in place.
        state: s.
        action: a.
        target: what the value moves towards.
        learning_rate: α.
    """
    td_error = target - table[state, action]
    table[state, action] += learning_rate * td_error


def choose_epsilon_greedily(
    learner: Any,
    observation: Array,
    state: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """Choose for any learner whose state has a ``table``; see :mod:`agents.tabular.protocol`."""
    return epsilon_greedy_action(learner.table[state], legal_actions, epsilon, uniform)


def initial_table(
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    initial_range: float = 0.0,
    rng: np.random.Generator | None = None,
    *,
    tables: int = 1,
) -> tuple[ObservationIndex, FloatArray]:
    """Return an index of observations and a table for them.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        initial_range: values are uniform within plus and minus this.
        rng: what they are drawn from; needed where ``initial_range`` is not 0.
        tables: how many of this size there will be.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: ``initial_range`` is negative.
        MemoryError: the tables would not fit.
    """
    check_range("initial_range", initial_range, 0, np.inf, open_low=False)
    index = ObservationIndex(observation_space)
    shape = (index.size, num_actions(action_space))
    check_memory(*[shape] * tables)
    if initial_range and rng is not None:
        return index, rng.uniform(-initial_range, initial_range, shape)
    return index, np.zeros(shape)


class ActionValueLearner(TabularLearner):
    """A learner of action values that acts epsilon-greedily on them.

    Args:
        index: numbers the observations.
        state: with a ``table``, float64 ``(observations, actions)``.
        learned: the other arrays that learning changes, by name.
        others: as :class:`agents.tabular.learner.TabularLearner`.

    Attributes:
        table: that of the state; changes in place.
    """

    def __init__(
        self, index: ObservationIndex, state: Any, *, learned: dict[str, Array] | None = None,
        **others: Any,
    ) -> None:  # fmt: skip
        self.table: FloatArray = state.table
        learned = {"table": self.table, **(learned or {})}
        num_actions = self.table.shape[1]
        super().__init__(index, state, learned=learned, num_actions=num_actions, **others)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the epsilon-greedy probabilities, by the table and epsilon of now."""
        greedy = GreedyTablePolicy(self.index, self.table)
        shares = greedy.action_probabilities(observations, action_masks)
        return explored(shares, action_masks, self.exploration.epsilon)

    def greedy(self) -> GreedyTablePolicy:
        """Return the greedy policy of the table as it is now."""
        return GreedyTablePolicy(self.index, self.table.copy())
