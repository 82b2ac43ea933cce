"""Expected SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Transition
from agents.tabular.action_values import StandardActionValueLearner, choose_epsilon_greedily
from agents.tabular.protocol import LearningRule, UpdateContext, is_unanswered
from agents.tabular.selection import largest_legal
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray


@compiled(inner=True)
def epsilon_greedy_value(values: FloatArray, legal_actions: IntArray, epsilon: float) -> float:
    """Return the expected value of an epsilon-greedy action; 0 if none is legal.

    Args:
        values: action values, ``(actions,)``.
        legal_actions: legal actions, ascending.
        epsilon: probability of a random action.
    """
    best = largest_legal(values, legal_actions)
    if best == -np.inf:
        return 0.0
    total = 0.0
    for action in legal_actions:
        total += values[action]
    return (1.0 - epsilon) * best + epsilon * total / len(legal_actions)


class ExpectedSARSAState(NamedTuple):
    """The state of :class:`ExpectedSARSA` in the training loops."""

    table: FloatArray
    learning_rate: float
    discount: float


@compiled(inner=True)
def expected_sarsa_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    next_legal_actions: IntArray,
    epsilon: float,
) -> float:
    """Q(s, a) += α [r + γ Σ_a' π(a' | s') Q(s', a') − Q(s, a)], π being epsilon-greedy.

    Args:
        q: Q(s, ·), ``(actions,)``.
        action: a.
        reward: r, from the move and the reply.
        discount: γ.
        q_next: Q(s', ·), ``(actions,)``, at the mover's next turn.
        next_legal_actions: legal actions at s'; empty where the game has ended, so that r alone
            is the target.
        epsilon: probability of a random action under π.

    Returns:
        The TD error, in square brackets.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.6.
    """
    value = epsilon_greedy_value(q_next, next_legal_actions, epsilon)
    td_error: float = reward + discount * value - q[action]
    return td_error


@compiled(inline=True)
def learn(learner: ExpectedSARSAState, turn: Transition, context: UpdateContext) -> None:
    """Apply :func:`expected_sarsa_td_error` to Q(s, a), unless there was no reply."""
    if is_unanswered(turn):
        return
    q, q_next = learner.table[context.state], learner.table[context.next_state]
    reward = turn.reward + turn.reply_reward
    td_error = expected_sarsa_td_error(
        q, turn.action, reward, learner.discount, q_next, turn.next_legal_actions, context.epsilon
    )
    q[turn.action] += learner.learning_rate * td_error


class ExpectedSARSA(StandardActionValueLearner):
    """Expected SARSA: bootstraps from the expectation under its policy at the mover's next turn.

    The opponent is part of the environment. In a truncated game it bootstraps from the position of
    the mover's next turn; a turn without a reply is skipped.

    Use it as the on-policy learner with the least variance, and to measure the cost of treating
    the opponent as part of the environment.

    Arguments and errors: :class:`agents.tabular.action_values.StandardActionValueLearner`.

    Attributes:
        table: action values, float64 ``(observations, actions)``.
    """

    rule = LearningRule(choose=choose_epsilon_greedily, learn=learn)

    def initial_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[ExpectedSARSAState, dict[str, Array]]:
        """Return the initial state; there are no other arrays."""
        return ExpectedSARSAState(table, learning_rate, discount), {}
