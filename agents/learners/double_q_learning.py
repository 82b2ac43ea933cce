"""Double Q-learning with the negamax bootstrap."""

from dataclasses import dataclass
from typing import Any

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import greedy_action
from agents.tables import StepLearner, Turn
from nim_envs.typing import Array


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
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

    learn = staticmethod(learn)

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return both tables, which are the same at first, and their mean."""
        (table,) = super().initial_tables(rows, actions).values()
        return {"table": table, "first": table.copy(), "second": table.copy()}

    def constants(self) -> dict[str, Any]:
        """Return numbers, and the generator that chooses the table to update, and breaks ties."""
        return {**super().constants(), "generator": self.generator}
