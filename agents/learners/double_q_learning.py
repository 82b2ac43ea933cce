"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Array, FloatArray, IntArray
from agents.tabular.action_values import (
    StandardActionValueLearner,
    choose_epsilon_greedily,
    step_towards,
)
from agents.tabular.protocol import LearningRule, Turn
from agents.tabular.selection import greedy_action
from nim_envs.compilation import compiled


@compiled(inner=True)
def double_q_learning(
    table: FloatArray,
    other_table: FloatArray,
    state: int,
    action: int,
    reward: float,
    next_state: int,
    next_legal_actions: IntArray,
    learning_rate: float,
    discount: float,
    uniform: float,
) -> None:
    """Q1(s, a) += α [r − γ Q2(s', argmax_a' Q1(s', a')) − Q1(s, a)].

    γ has a minus sign because the opponent is to move at s'.

    Args:
        table: Q1, ``(states, actions)``, changed in place.
        other_table: Q2, same shape.
        state: s.
        action: a.
        reward: r, to the mover.
        next_state: s', the position after the move.
        next_legal_actions: legal actions at s'; empty where the game has ended.
        learning_rate: α.
        discount: γ.
        uniform: random number that breaks ties, in [0, 1).

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    target = reward
    best = greedy_action(table[next_state], next_legal_actions, uniform)
    if best >= 0:
        target -= discount * other_table[next_state, best]
    step_towards(table, state, action, target, learning_rate)


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


def _learn(learner: DoubleQLearningState, turn: Turn) -> None:
    updated, other = learner.first, learner.second
    if learner.numbers[0] < 0.5:
        updated, other = learner.second, learner.first
    state, action = turn.state, turn.action
    double_q_learning(
        updated, other, state, action, turn.reward + turn.bonus, turn.reply_state,
        turn.reply_legal_actions, learner.learning_rate, learner.discount, learner.numbers[1],
    )  # fmt: skip
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
        learn=_learn,
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
