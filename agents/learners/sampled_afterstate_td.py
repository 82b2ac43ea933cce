"""TD(0) on values of afterstates: from the position after a move to the one after the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.schedules import Schedule, check_step
from agents.tables import AfterstateLearner, Turn
from nim_envs.typing import FloatArray, Int32Array


class SampledAfterstateTDState(NamedTuple):
    """The state of :class:`SampledAfterstateTD`."""

    values: FloatArray
    after: Int32Array  # (rows, actions): row after each action
    learning_rate: float
    discount: float
    action_values: FloatArray  # buffer, (actions,)


@inlined
def afterstate_td_error(v: float, reward: float, discount: float, v_next: float) -> float:
    """V(s') += α [−r − γ V(s'') − V(s')] for s' after the move and s'' after the opponent's reply.

    Values are for the player to move: the opponent at s', hence −r, and the mover at s''. Where the
    game has ended, −r alone is the target.

    Args:
        v: V(s').
        reward: r, from the move and the reply.
        discount: γ.
        v_next: V(s''); 0 where the game has ended.

    Returns:
        The TD error, in square brackets.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.8.
    """
    return -reward - discount * v_next - v


@inlined
def learn(learner: SampledAfterstateTDState, moves: Moves, turn: Turn) -> None:
    """Apply :func:`afterstate_td_error` to V(s'), unless there was no reply."""
    if turn.next_row >= 0:
        values = learner.values
        reward = turn.reward + turn.reply_reward
        v_next = 0.0 if turn.ended else values[turn.next_row]
        td_error = afterstate_td_error(values[turn.reply_row], reward, learner.discount, v_next)
        values[turn.reply_row] += learner.learning_rate * td_error


@dataclass(eq=False, repr=False)
class SampledAfterstateTD(AfterstateLearner):
    """Learns values of afterstates (positions after moves) from the replies in the games played.

    It uses the rules to choose a move, by looking one move ahead, but not to learn: its values
    come from replies and results alone. Where a game is truncated, it bootstraps from the position
    after the reply; a turn without a reply is skipped.

    Use it to measure the benefit of afterstates, one value for each position instead of one for
    each action, without the rules in the update.

    Args:
        board: the game to learn.
        learning_rate: step size, over 0 to 1.
        discount: factor of the value after the reply, 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.

    Raises:
        ValueError: a parameter out of its range.
        SearchTooLargeError: the game has too many positions.
    """

    learning_rate: float = 0.3
    discount: float = 1.0
    epsilon: float | Schedule = 0.2

    learn = staticmethod(learn)

    def check(self) -> None:
        """Check the arguments."""
        check_step(self.learning_rate, self.discount)

    def initial_state(self, rows: int, actions: int) -> SampledAfterstateTDState:
        """Return the initial state, of zeros."""
        return SampledAfterstateTDState(
            np.zeros(rows), self.graph_rows.graph.after, float(self.learning_rate),
            float(self.discount), np.zeros(actions),
        )  # fmt: skip
