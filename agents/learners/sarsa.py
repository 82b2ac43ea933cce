"""SARSA, from one turn of the mover to its next."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.tables import StepLearner, Turn


@inlined
def begin_game(learner: Any) -> None:
    """Discard the previous turns."""
    learner.rows[:] = -1


@inlined
def change_entry(learner: Any, row: int, action: int, reward: float, q_next: float) -> None:
    """Change Q(s, a) as :func:`learn` says; ``q_next`` is Q(s', a')."""
    td_error = reward + learner.discount * q_next - learner.table[row, action]
    learner.table[row, action] += learner.learning_rate * td_error


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """Q(s, a) += α [r + γ Q(s', a') − Q(s, a)].

    s' and a' are those of the mover's next turn, and r is the reward from the move and the reply:
    the seat's previous turn is learned from now, and its last one at the end of the game, where r
    alone is the target.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.4.
    """
    seat, reward = turn.seat, turn.reward + turn.reply_reward
    row, action = learner.rows[seat], learner.actions[seat]
    if row >= 0:
        q_next = learner.table[turn.row, turn.action]
        change_entry(learner, row, action, learner.rewards[seat], q_next)
    learner.rows[seat] = -1
    if turn.ended:
        change_entry(learner, turn.row, turn.action, reward, 0.0)
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

    Arguments and errors: :class:`agents.tables.StepLearner`. Set ``learning_rate=0.2``, as the
    benchmark does: with larger steps the values of exploring play do not settle.
    """

    learn = staticmethod(learn)
    begin = staticmethod(begin_game)

    def constants(self) -> dict[str, Any]:
        """Return numbers, and row, action and reward of the previous turn of each seat, if any."""
        rows, actions, rewards = np.full(2, -1), np.zeros(2, np.int64), np.zeros(2)
        return {**super().constants(), "rows": rows, "actions": actions, "rewards": rewards}
