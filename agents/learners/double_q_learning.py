"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Transition
from agents.tabular.action_values import StandardActionValueLearner, choose_epsilon_greedily
from agents.tabular.protocol import LearningRule, UpdateContext
from agents.tabular.selection import greedy_action
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray


class DoubleQLearningState(NamedTuple):
    """The state of :class:`DoubleQLearning` in the training loops."""

    table: FloatArray  # mean of both tables
    first: FloatArray
    second: FloatArray
    learning_rate: float
    discount: float
    uniforms: FloatArray  # (2,): random numbers that choose the table to update, and break ties


@compiled(inner=True)
def double_q_learning_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    other_q_next: FloatArray,
    next_legal_actions: IntArray,
    uniform: float,
) -> float:
    """Q1(s, a) += α [r − γ Q2(s', argmax_a' Q1(s', a')) − Q1(s, a)].

    γ has a minus sign because the opponent is to move at s'. Where the game has ended, r alone is
    the target.

    Args:
        q: Q1(s, ·), ``(actions,)``.
        action: a.
        reward: r.
        discount: γ.
        q_next: Q1(s', ·), ``(actions,)``, at the position after the move.
        other_q_next: Q2(s', ·), ``(actions,)``.
        next_legal_actions: legal actions at s'.
        uniform: random number that breaks ties of the argmax, in [0, 1).

    Returns:
        The TD error, in square brackets.

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    target = reward
    best = greedy_action(q_next, next_legal_actions, uniform)
    if best >= 0:
        target -= discount * other_q_next[best]
    td_error: float = target - q[action]
    return td_error


@compiled(inline=True)
def draw_numbers(
    learner: DoubleQLearningState, finished_games: int, generator: np.random.Generator
) -> None:
    """Draw the numbers that choose the table to update, and break ties."""
    for index in range(2):
        learner.uniforms[index] = generator.random()


@compiled(inline=True)
def learn(learner: DoubleQLearningState, turn: Transition, context: UpdateContext) -> None:
    """Apply :func:`double_q_learning_td_error` to one table, which a random number chooses."""
    updated, other = learner.first, learner.second
    if learner.uniforms[0] < 0.5:
        updated, other = learner.second, learner.first
    state, action, reply_state = context.state, turn.action, context.reply_state
    td_error = double_q_learning_td_error(
        updated[state], action, turn.reward, learner.discount, updated[reply_state],
        other[reply_state], turn.reply_legal_actions, learner.uniforms[1],
    )  # fmt: skip
    updated[state, action] += learner.learning_rate * td_error
    learner.table[state, action] = (
        learner.first[state, action] + learner.second[state, action]
    ) / 2


class DoubleQLearning(StandardActionValueLearner):
    """Double Q-learning: two tables, each evaluating the action that the other chooses.

    Each turn updates one of the tables, drawn by the learner's own generator. Actions are chosen by
    their mean, ``table``. Where a game is truncated, it bootstraps from the last position.

    Use it to study maximisation bias, the overestimation by the maximum in Q-learning's target.
    These games are deterministic, so the bias is small, and two tables take longer to learn than
    one.

    Arguments and errors: :class:`agents.tabular.action_values.StandardActionValueLearner`.

    Attributes:
        table: action values, float64 ``(observations, actions)``.
        tables: the two tables, same shape.
    """

    rule = LearningRule(choose=choose_epsilon_greedily, learn=learn, draw_numbers=draw_numbers)

    tables_needed = 3

    def initial_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[DoubleQLearningState, dict[str, Array]]:
        """Return the initial state, and the two tables."""
        self.tables = table.copy(), table.copy()
        state = DoubleQLearningState(table, *self.tables, learning_rate, discount, np.zeros(2))
        return state, {"first": self.tables[0], "second": self.tables[1]}
