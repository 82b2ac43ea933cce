"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import greedy_action
from agents.tables import StepLearner, Turn
from nim_envs.typing import Array, FloatArray


class DoubleQLearningState(NamedTuple):
    """The state of :class:`DoubleQLearning`."""

    table: FloatArray  # mean of both tables
    first: FloatArray
    second: FloatArray
    learning_rate: float
    discount: float
    generator: np.random.Generator  # chooses the table to update, and breaks ties


@inlined
def double_q_learning_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    other_q_next: FloatArray,
    legal: Array,
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
        legal: legal actions at s'.
        uniform: random number that breaks ties of the argmax, in [0, 1).

    Returns:
        The TD error, in square brackets.

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    target = reward
    best = greedy_action(q_next, legal, uniform)
    if best >= 0:
        target -= discount * other_q_next[best]
    td_error: float = target - q[action]
    return td_error


@inlined
def learn(learner: DoubleQLearningState, moves: Moves, turn: Turn) -> None:
    """Apply :func:`double_q_learning_td_error` to one table, which a random number chooses."""
    updated, other = learner.first, learner.second
    if learner.generator.random() < 0.5:
        updated, other = learner.second, learner.first
    row, action, next_row = turn.row, turn.action, turn.reply_row
    td_error = double_q_learning_td_error(
        updated[row], action, turn.reward, learner.discount, updated[next_row], other[next_row],
        moves.legal[next_row, : moves.counts[next_row]], learner.generator.random(),
    )  # fmt: skip
    updated[row, action] += learner.learning_rate * td_error
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
        table = self.initial_table(rows, actions)
        return DoubleQLearningState(
            table, table.copy(), table.copy(), float(self.learning_rate), float(self.discount),
            self.generator,
        )  # fmt: skip
