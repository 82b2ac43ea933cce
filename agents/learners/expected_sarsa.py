"""Expected SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.tabular.action_values import (
    StandardActionValueLearner,
    choose_epsilon_greedily,
    step_towards,
)
from agents.tabular.protocol import LearningRule, Turn, is_unanswered
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


def expected_sarsa(learner: ExpectedSARSAState, turn: Turn) -> None:
    """Q(s, a) += α [r + γ Σ_a' π(a' | s') Q(s', a') − Q(s, a)], π being epsilon-greedy.

    Args:
        learner: Q, α and γ.
        turn: s, a, r from the move, the reply and the bonus, and s', the position at the mover's
            next turn.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.6.
    """
    if is_unanswered(turn):
        return
    reward = turn.reward + turn.bonus + turn.reply_reward
    values = learner.table[turn.next_state]
    value = epsilon_greedy_value(values, turn.next_legal_actions, turn.epsilon)
    target = reward + learner.discount * value
    step_towards(learner.table, turn.state, turn.action, target, learner.learning_rate)


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

    rule = LearningRule(ExpectedSARSAState, choose=choose_epsilon_greedily, learn=expected_sarsa)

    def first_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[ExpectedSARSAState, dict[str, Array]]:
        """Return the initial state; there are no other arrays."""
        return ExpectedSARSAState(table, learning_rate, discount), {}
