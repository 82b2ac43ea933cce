"""What learners of action values share: a table and an epsilon-greedy choice from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.players.random_agent import explored
from agents.tabular.index import (
    GreedyTablePolicy,
    ObservationIndex,
    check_memory,
    mixed_radix_number,
    num_actions,
)
from agents.tabular.schedules import Exploration, Schedule, check_range
from agents.tabular.selection import epsilon_greedy_action
from nim_envs.compilation import compiled


@compiled
def act_epsilon_greedily(
    table: FloatArray,
    strides: IntArray,
    offset: int,
    observation: Array,
    action_mask: MaskArray,
    epsilon: float,
    uniform: float,
) -> int:
    """One compiled call for the step-by-step loop: number the observation, then choose."""
    position = mixed_radix_number(observation, strides, offset)
    legal_actions = np.flatnonzero(action_mask)
    return epsilon_greedy_action(table[position], legal_actions, epsilon, uniform)


def choose_epsilon_greedily(
    state: Any,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The compiled choice for a state with a ``table``.

    See :mod:`agents.training.compiled.games`.
    """
    return epsilon_greedy_action(state.table[position], legal_actions, epsilon, uniform)


class EpsilonGreedyLearner(ABC):
    """A learner of action values that acts epsilon-greedily on them.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        learning_rate: step size, over 0 to 1.
        discount: of what comes after, 0 to 1.
        epsilon: probability of a random action while learning: a number from 0 to 1, or a
            schedule over finished games such as :class:`agents.tabular.schedules.Decay`.
        initial_range: initial values are uniform within plus and minus this.
        seed: of the initial values, and of whatever else a learner draws by itself.

    Attributes:
        table: action values, float64 ``(observations, actions)``.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: a parameter out of its range.
        MemoryError: the table would not fit.
    """

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
        self.learning_rate = check_range("learning_rate", learning_rate, 0, 1, open_low=True)
        self.discount = check_range("discount", discount, 0, 1, open_low=False)
        check_range("initial_range", initial_range, 0, np.inf, open_low=False)
        self.exploration = Exploration(epsilon)
        self.index = ObservationIndex(observation_space)
        shape = (self.index.size, num_actions(action_space))
        check_memory(shape)
        self.rng = np.random.default_rng(seed)
        self.table = (
            self.rng.uniform(-initial_range, initial_range, shape)
            if initial_range
            else np.zeros(shape)
        )

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an epsilon-greedy action."""
        return int(
            act_epsilon_greedily(
                self.table,
                self.index.strides,
                self.index.offset,
                observation.reshape(-1),
                action_mask,
                self.exploration.epsilon,
                rng.random(),
            )
        )

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the epsilon-greedy probabilities, by the table and epsilon of now."""
        greedy = GreedyTablePolicy(self.index, self.table)
        shares = greedy.action_probabilities(observations, action_masks)
        return explored(shares, action_masks, self.exploration.epsilon)

    def update(self, transition: Transition) -> None:
        """Learn from one turn."""
        self.learn(transition)
        if transition.terminated:
            self.exploration.finish(transition.seat)

    @abstractmethod
    def learn(self, transition: Transition) -> None:
        """Change the table by one turn."""

    def greedy(self) -> GreedyTablePolicy:
        """Return the greedy policy of the table as it is now."""
        return GreedyTablePolicy(self.index, self.table.copy())
