"""Expected SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import largest_legal
from agents.tables import StepLearner, Turn
from nim_envs.typing import Array, FloatArray


class ExpectedSARSAState(NamedTuple):
    """The state of :class:`ExpectedSARSA`."""

    table: FloatArray
    learning_rate: float
    discount: float


@inlined
def epsilon_greedy_value(values: FloatArray, legal: Array, epsilon: float) -> float:
    """Return the expected value of an epsilon-greedy action; 0 if none is legal.

    Args:
        values: action values, ``(actions,)``.
        legal: legal actions, ascending.
        epsilon: probability of a random action.
    """
    best = largest_legal(values, legal)
    if best == -np.inf:
        return 0.0
    total = 0.0
    for action in legal:
        total += values[action]
    return (1.0 - epsilon) * best + epsilon * total / len(legal)


@inlined
def expected_sarsa_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    legal: Array,
    epsilon: float,
) -> float:
    """Q(s, a) += α [r + γ Σ_a' π(a' | s') Q(s', a') − Q(s, a)], π being epsilon-greedy.

    Args:
        q: Q(s, ·), ``(actions,)``.
        action: a.
        reward: r, from the move and the reply.
        discount: γ.
        q_next: Q(s', ·), ``(actions,)``, at the mover's next turn.
        legal: legal actions at s'; none where the game has ended, so that r alone is the target.
        epsilon: probability of a random action under π.

    Returns:
        The TD error, in square brackets.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.6.
    """
    value = epsilon_greedy_value(q_next, legal, epsilon)
    td_error: float = reward + discount * value - q[action]
    return td_error


@inlined
def learn(learner: ExpectedSARSAState, moves: Moves, turn: Turn) -> None:
    """Apply :func:`expected_sarsa_td_error` to Q(s, a), unless there was no reply."""
    if turn.next_row >= 0:
        q, q_next = learner.table[turn.row], learner.table[turn.next_row]
        legal = moves.legal[turn.next_row, : moves.counts[turn.next_row]]
        td_error = expected_sarsa_td_error(
            q, turn.action, turn.reward + turn.reply_reward, learner.discount, q_next, legal,
            turn.epsilon,
        )  # fmt: skip
        q[turn.action] += learner.learning_rate * td_error


@dataclass(eq=False, repr=False)
class ExpectedSARSA(StepLearner):
    """Expected SARSA: bootstraps from the expectation under its policy at the mover's next turn.

    The opponent is part of the environment. In a truncated game it bootstraps from the position of
    the mover's next turn; a turn without a reply is skipped.

    Use it as the on-policy learner with the least variance, and to measure the cost of treating
    the opponent as part of the environment.

    Arguments and errors: :class:`agents.tables.StepLearner`.
    """

    learn = staticmethod(learn)

    def initial_state(self, rows: int, actions: int) -> ExpectedSARSAState:
        """Return the initial state."""
        table = self.initial_table(rows, actions)
        return ExpectedSARSAState(table, float(self.learning_rate), float(self.discount))
