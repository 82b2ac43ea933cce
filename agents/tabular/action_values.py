"""Base of learners of action values: a table, and the epsilon-greedy policy on it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces

from agents.tabular.index import ObservationIndex, initial_table
from agents.tabular.learner import TabularLearner
from agents.tabular.policies import GreedyActionValuePolicy, with_exploration
from agents.tabular.protocol import Decision
from agents.tabular.schedules import Schedule, check_step
from agents.tabular.selection import epsilon_greedy_action
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray


@compiled(inline=True)
def choose_epsilon_greedily(
    learner: Any, observation: Array, legal_actions: IntArray, decision: Decision
) -> int:
    """Choose for any learner whose state has a ``table``; see :mod:`agents.tabular.protocol`."""
    values = learner.table[decision.state]
    return epsilon_greedy_action(values, legal_actions, decision.epsilon, decision.uniform)


class ActionValueLearner(TabularLearner):
    """A learner of action values that acts epsilon-greedily on them.

    Args:
        index: the row of each observation in the tables.
        state: learner state with a ``table``, float64 ``(observations, actions)``.
        learned: other arrays that learning changes, by name.
        others: further arguments of :class:`agents.tabular.learner.TabularLearner`.

    Attributes:
        table: the state's table; changes in place.
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
        """Return the probabilities of the epsilon-greedy policy of the current table."""
        greedy = GreedyActionValuePolicy(self.index, self.table)
        probabilities = greedy.action_probabilities(observations, action_masks)
        return with_exploration(probabilities, action_masks, self.exploration.epsilon)

    def greedy(self) -> GreedyActionValuePolicy:
        """Return the greedy policy of a copy of the current table."""
        return GreedyActionValuePolicy(self.index, self.table.copy())


class StandardActionValueLearner(ActionValueLearner):
    """A learner of action values with the usual constructor arguments only.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        learning_rate: step size, over 0 to 1.
        discount: factor of later rewards, 0 to 1.
        epsilon: probability of a random action while learning: a number from 0 to 1, or a
            schedule over finished games such as :class:`agents.tabular.schedules.Decay`.
        initial_range: initial values are uniform between minus and plus this.
        seed: seed of the initial values, and of the learner's own random numbers.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the tables would need too much memory.
    """

    tables_needed = 1
    """Number of tables of equal size."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        learning_rate: float = 1.0,
        discount: float = 1.0,
        epsilon: float | Schedule = 0.2,
        initial_range: float = 0.0,
        seed: int = 0,
    ) -> None:
        check_step(learning_rate, discount)
        rng = np.random.default_rng(seed)
        index, table = initial_table(
            observation_space, action_space, initial_range, rng, tables=self.tables_needed
        )
        arguments = {
            "learning_rate": learning_rate, "discount": discount, "epsilon": epsilon,
            "initial_range": initial_range, "seed": seed,
        }  # fmt: skip
        state, learned = self.initial_state(table, float(learning_rate), float(discount))
        super().__init__(
            index, state, learned=learned, arguments=arguments, epsilon=epsilon, generator=rng
        )

    @abstractmethod
    def initial_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[Any, dict[str, Array]]:
        """Return the initial state, and the arrays besides ``table`` that learning changes.

        Args:
            table: initial action values.
            learning_rate: constructor argument.
            discount: constructor argument.
        """
