"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.tabular.action_values import (
    StandardActionValueLearner,
    choose_epsilon_greedily,
    step_towards,
)
from agents.tabular.protocol import LearningRule, Turn
from agents.tabular.selection import greedy_action
from nim_envs.typing import Array, FloatArray


class DoubleQLearningState(NamedTuple):
    """The state of :class:`DoubleQLearning` in the training loops."""

    table: FloatArray  # mean of both tables
    first: FloatArray
    second: FloatArray
    learning_rate: float
    discount: float
    numbers: FloatArray  # (2,): random numbers that choose the table to update, and break ties


def _draw_numbers(
    learner: DoubleQLearningState, finished_games: int, generator: np.random.Generator
) -> None:
    for place in range(2):
        learner.numbers[place] = generator.random()


def double_q_learning(learner: DoubleQLearningState, turn: Turn) -> None:
    """Q1(s, a) += α [r − γ Q2(s', argmax_a' Q1(s', a')) − Q1(s, a)].

    γ has a minus sign because the opponent is to move at s'. Where the game has ended, r alone is
    the target.

    Args:
        learner: Q1 and Q2, the two tables in the order that a random number decides; α and γ.
        turn: s, a, r with the bonus, and s', the position after the move.

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    updated, other = learner.first, learner.second
    if learner.numbers[0] < 0.5:
        updated, other = learner.second, learner.first
    state, action = turn.state, turn.action
    target = turn.reward + turn.bonus
    best = greedy_action(updated[turn.reply_state], turn.reply_legal_actions, learner.numbers[1])
    if best >= 0:
        target -= learner.discount * other[turn.reply_state, best]
    step_towards(updated, state, action, target, learner.learning_rate)
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

    rule = LearningRule(
        DoubleQLearningState,
        choose=choose_epsilon_greedily,
        learn=double_q_learning,
        draw_numbers=_draw_numbers,
    )

    tables_needed = 3

    def first_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[DoubleQLearningState, dict[str, Array]]:
        """Return the initial state, and the two tables."""
        self.tables = table.copy(), table.copy()
        state = DoubleQLearningState(table, *self.tables, learning_rate, discount, np.zeros(2))
        return state, {"first": self.tables[0], "second": self.tables[1]}
