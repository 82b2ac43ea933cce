"""Watkins's Q(λ), offline: λ-returns of finished games, from one turn of the mover to its next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.schedules import Schedule, check_step
from agents.selection import largest_legal
from agents.tables import ActionValueLearner, Episode
from nim_envs.typing import FloatArray
from nim_envs.validation import checked_number


class WatkinsQLambdaState(NamedTuple):
    """The state of :class:`WatkinsQLambda`."""

    table: FloatArray
    learning_rate: float
    discount: float
    trace_decay: float


@inlined
def lambda_return(
    reward: float, discount: float, trace_decay: float, value_next: float, return_next: float
) -> float:
    """Q(s, a) += α [G − Q(s, a)], G = r + γ [(1 − λ) max_a' Q(s', a') + λ G'], last turn first.

    s' is the position at the mover's next turn and G' the return from there. If the action taken
    at s' was not greedy, the return is cut there: G = r + γ max_a' Q(s', a'). At the last turn,
    G = r.

    Args:
        reward: r, from the move and the reply.
        discount: γ.
        trace_decay: λ; 0 where the return is cut at s'.
        value_next: max_a' Q(s', a'), 0 at the last turn.
        return_next: G', 0 at the last turn.

    Returns:
        G.

    References:
        C. Watkins, *Learning from Delayed Rewards* (1989), chapter 12; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 12.10, and section 12.1 for offline returns.
    """
    return reward + discount * ((1.0 - trace_decay) * value_next + trace_decay * return_next)


@inlined
def learn_from_game(learner: WatkinsQLambdaState, moves: Moves, episode: Episode) -> None:
    """Move Q(s, a) towards the :func:`lambda_return` of each turn, the last first."""
    table = learner.table
    return_next, value_next, is_greedy_next = 0.0, 0.0, False  # of the turn after this one
    for turn in range(len(episode.rows) - 1, -1, -1):
        row, action = episode.rows[turn], episode.actions[turn]
        decay = learner.trace_decay if is_greedy_next else 0.0
        g = lambda_return(episode.rewards[turn], learner.discount, decay, value_next, return_next)
        # The values are those before this game, as no position occurs twice in it.
        return_next = g
        value_next = largest_legal(table[row], moves.legal[row, : moves.counts[row]])
        is_greedy_next = table[row, action] == value_next
        table[row, action] += learner.learning_rate * (g - table[row, action])


@dataclass(eq=False, repr=False)
class WatkinsQLambda(ActionValueLearner):
    """Q-learning by λ-returns that are cut at the first action that was not greedy.

    The opponent is part of the environment. It learns when a game has ended; from a truncated game
    it learns nothing.

    Use it to study multi-step returns: the result of a game updates all positions from the last
    action that was not greedy on.

    Args:
        board: the game to learn, or the rows of the table.
        learning_rate: step size, over 0 to 1.
        discount: factor of later rewards, 0 to 1.
        trace_decay: λ, 0 (Q-learning with the own-turn bootstrap) to 1 (results of greedy play).
        epsilon: probability of a random action while learning, or a schedule.

    Raises:
        ValueError: a parameter out of its range.
        SearchTooLargeError: the table would be too large.
    """

    learning_rate: float = 0.3
    discount: float = 1.0
    trace_decay: float = 0.8
    epsilon: float | Schedule = 0.2

    learn_episode = staticmethod(learn_from_game)

    def check(self) -> None:
        """Check the arguments."""
        check_step(self.learning_rate, self.discount)
        checked_number("trace_decay", self.trace_decay, 0, 1)

    def initial_state(self, rows: int, actions: int) -> WatkinsQLambdaState:
        """Return the initial state."""
        return WatkinsQLambdaState(
            np.zeros((rows, actions)), float(self.learning_rate), float(self.discount),
            float(self.trace_decay),
        )  # fmt: skip
