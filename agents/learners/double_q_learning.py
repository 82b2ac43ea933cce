"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import greedy_action
from agents.tables import StepLearner, Turn
from nim_envs.typing import FloatArray


class DoubleQLearningState(NamedTuple):
    """The state of :class:`DoubleQLearning`."""

    table: FloatArray  # mean of both tables
    first: FloatArray
    second: FloatArray
    learning_rate: float
    discount: float
    generator: np.random.Generator  # chooses the table to update, and breaks ties


@inlined
def learn(learner: DoubleQLearningState, moves: Moves, turn: Turn) -> None:
    """Q1(s, a) += α [r − γ Q2(s', argmax_a' Q1(s', a')) − Q1(s, a)].

    A random number chooses which of the two tables is Q1, and another breaks ties of the argmax. γ
    has a minus sign because the opponent is to move at s', the position after the move. Where the
    game has ended, r alone is the target.

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    updated, other = learner.first, learner.second
    if learner.generator.random() < 0.5:
        updated, other = learner.second, learner.first
    row, action, next_row = turn.row, turn.action, turn.reply_row
    legal = moves.legal[next_row, : moves.counts[next_row]]
    target = turn.reward
    best = greedy_action(updated[next_row], legal, learner.generator.random())
    if best >= 0:
        target -= learner.discount * other[next_row, best]
    updated[row, action] += learner.learning_rate * (target - updated[row, action])
    learner.table[row, action] = (learner.first[row, action] + learner.second[row, action]) / 2


@dataclass(eq=False, repr=False)
class DoubleQLearning(StepLearner):
    """Double Q-learning: two tables, each evaluating the action that the other chooses.

    Each turn updates one of the tables, drawn by the learner's own generator. Actions are chosen by
    their mean, ``table``. Where a game is truncated, it bootstraps from the last position.

    Use it to study maximisation bias, the overestimation by the maximum in Q-learning's target.
    These games are deterministic, so the bias is small, and two tables take longer to learn than
    one.

    Arguments and errors: :class:`agents.tables.StepLearner`.
    """

    tables = ("table", "first", "second")
    learn = staticmethod(learn)

    def initial_state(self, rows: int, actions: int) -> DoubleQLearningState:
        """Return the initial state: both tables are the same."""
        table, learning_rate, discount = super().initial_state(rows, actions)
        return DoubleQLearningState(
            table, table.copy(), table.copy(), learning_rate, discount, self.generator
        )
