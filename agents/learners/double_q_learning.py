"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import FloatArray, IntArray, Transition
from agents.storable import storable
from agents.tabular.epsilon_greedy import EpsilonGreedyLearner, choose_epsilon_greedily
from agents.tabular.index import check_memory
from agents.tabular.schedules import Schedule
from agents.tabular.selection import greedy_action
from agents.training.compiled.games import Turn, choose, implements, learn
from nim_envs.compilation import compiled


@compiled
def double_q_update(
    chooser: FloatArray,
    judge: FloatArray,
    position: int,
    action: int,
    reward: float,
    reply_position: int,
    reply_legal_actions: IntArray,
    learning_rate: float,
    discount: float,
    uniform: float,
) -> None:
    """Update ``chooser`` with the reply that it thinks best, valued by ``judge``.

    The target is ``reward - discount * judge[reply, argmax chooser[reply]]``, or the reward
    alone where the game is over.

    Args:
        chooser: ``(positions, actions)``, changed in place.
        judge: the other table.
        position: row of the position moved from.
        action: the move.
        reward: to the mover.
        reply_position: row of the position after the move.
        reply_legal_actions: what is legal there; none where the game is over.
        learning_rate: step size.
        discount: of the value of the position after the move.
        uniform: breaks ties, in [0, 1).

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    target = reward
    best = greedy_action(chooser[reply_position], reply_legal_actions, uniform)
    if best >= 0:
        target -= discount * judge[reply_position, best]
    chooser[position, action] += learning_rate * (target - chooser[position, action])


@storable
class DoubleQLearning(EpsilonGreedyLearner):
    """Double Q-learning: two tables, each valuing what the other chooses.

    A coin drawn from its own generator says which one a turn updates. It acts on their mean,
    ``table``.

    Arguments, attributes and errors: :class:`agents.tabular.epsilon_greedy.EpsilonGreedyLearner`.

    Attributes:
        tables: the two tables.
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
        super().__init__(
            observation_space,
            action_space,
            learning_rate=learning_rate,
            discount=discount,
            epsilon=epsilon,
            initial_range=initial_range,
            seed=seed,
        )
        check_memory(self.table.shape, self.table.shape, self.table.shape)
        self.tables = (self.table.copy(), self.table.copy())

    def learn(self, transition: Transition) -> None:
        """Learn from one turn by :func:`double_q_update`."""
        first = int(self.rng.random() < 0.5)
        position = self.index(transition.observation)
        double_q_update(
            self.tables[first],
            self.tables[1 - first],
            position,
            transition.action,
            transition.reward,
            self.index(transition.reply_observation),
            np.flatnonzero(transition.reply_action_mask),
            self.learning_rate,
            self.discount,
            self.rng.random(),
        )
        action = transition.action
        mean = (self.tables[0][position, action] + self.tables[1][position, action]) / 2
        self.table[position, action] = mean

    def compiled_state(self, longest_game: int) -> DoubleQLearningState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return DoubleQLearningState(
            self.table, *self.tables, float(self.learning_rate), float(self.discount)
        )


class DoubleQLearningState(NamedTuple):
    """What :class:`DoubleQLearning` is in compiled games."""

    table: FloatArray
    first: FloatArray
    second: FloatArray
    learning_rate: float
    discount: float


implements(choose, DoubleQLearningState)(choose_epsilon_greedily)


@implements(learn, DoubleQLearningState)
def _learn(
    state: DoubleQLearningState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`DoubleQLearning.learn`."""
    chooser, judge = state.first, state.second
    if generator.random() < 0.5:
        chooser, judge = state.second, state.first
    double_q_update(
        chooser, judge, turn.position, turn.action, turn.reward, turn.reply_position,
        turn.reply_legal_actions, state.learning_rate, state.discount, generator.random(),
    )  # fmt: skip
    position, action = turn.position, turn.action
    mean = (state.first[position, action] + state.second[position, action]) / 2
    state.table[position, action] = mean
