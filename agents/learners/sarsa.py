"""SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.tables import StepLearner, Turn
from nim_envs.typing import FloatArray, IntArray


class SARSAState(NamedTuple):
    """The state of :class:`SARSA`, with the previous turn of each seat."""

    table: FloatArray
    learning_rate: float
    discount: float
    rows: IntArray  # (2,): row of the previous turn of each seat; -1 where there is none
    actions: IntArray  # (2,)
    rewards: FloatArray  # (2,)


@inlined
def sarsa_td_error(q: float, reward: float, discount: float, q_next: float) -> float:
    """Q(s, a) += α [r + γ Q(s', a') − Q(s, a)].

    Args:
        q: Q(s, a).
        reward: r, from the move and the reply.
        discount: γ.
        q_next: Q(s', a') of the mover's next turn; 0 where the game has ended.

    Returns:
        The TD error, in square brackets.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.4.
    """
    return reward + discount * q_next - q


@inlined
def begin_game(learner: SARSAState) -> None:
    """Discard the previous turns."""
    learner.rows[:] = -1


@inlined
def learn(learner: SARSAState, moves: Moves, turn: Turn) -> None:
    """Apply :func:`sarsa_td_error` to the seat's previous turn, and to its last."""
    table, seat = learner.table, turn.seat
    reward = turn.reward + turn.reply_reward
    if learner.rows[seat] >= 0:
        row, action = learner.rows[seat], learner.actions[seat]
        q_next = table[turn.row, turn.action]
        td_error = sarsa_td_error(
            table[row, action], learner.rewards[seat], learner.discount, q_next
        )
        table[row, action] += learner.learning_rate * td_error
    learner.rows[seat] = -1
    if turn.ended:
        td_error = sarsa_td_error(table[turn.row, turn.action], reward, learner.discount, 0.0)
        table[turn.row, turn.action] += learner.learning_rate * td_error
    elif not turn.truncated:
        learner.rows[seat] = turn.row
        learner.actions[seat] = turn.action
        learner.rewards[seat] = reward


@dataclass(eq=False, repr=False)
class SARSA(StepLearner):
    """SARSA: on-policy, bootstrapping from the action taken at the mover's next turn.

    The opponent is part of the environment. It learns from a turn once the mover's next action is
    known. In a truncated game each seat's last turn has no next action, so there is no update for
    it.

    Use it as the on-policy baseline. Its values are those of its own exploring play, mistakes
    included, so on large boards it comes less close to optimal play than Q-learning.

    Arguments and errors: :class:`agents.tables.StepLearner`.
    """

    learn = staticmethod(learn)
    begin = staticmethod(begin_game)

    def initial_state(self, rows: int, actions: int) -> SARSAState:
        """Return the initial state, without previous turns."""
        return SARSAState(
            self.initial_table(rows, actions), float(self.learning_rate), float(self.discount),
            np.full(2, -1), np.zeros(2, np.int64), np.zeros(2),
        )  # fmt: skip
