"""Expected SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Array, FloatArray, IntArray
from agents.tabular.action_values import (
    StandardActionValueLearner,
    choose_epsilon_greedily,
    step_towards,
)
from agents.tabular.protocol import LearningRule, Turn, is_unanswered
from agents.tabular.selection import largest_legal
from nim_envs.compilation import compiled


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


@compiled(inner=True)
def expected_sarsa(
    table: FloatArray,
    state: int,
    action: int,
    reward: float,
    next_state: int,
    next_legal_actions: IntArray,
    epsilon: float,
    learning_rate: float,
    discount: float,
) -> None:
    """Q(s, a) += α [r + γ Σ_a' π(a' | s') Q(s', a') − Q(s, a)], π being epsilon-greedy.

    Args:
        table: Q, ``(states, actions)``, changed in place.
        state: s.
        action: a.
        reward: r, to the mover, from its move and the opponent's reply.
        next_state: s', the position at the mover's next turn.
        next_legal_actions: legal actions at s'; empty where the game has ended.
        epsilon: probability of a random action under π.
        learning_rate: α.
        discount: γ.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.6.
    """
    value = epsilon_greedy_value(table[next_state], next_legal_actions, epsilon)
    step_towards(table, state, action, reward + discount * value, learning_rate)


class ExpectedSARSAState(NamedTuple):
    """The state of :class:`ExpectedSARSA` in the training loops."""

    table: FloatArray
    learning_rate: float
    discount: float


def _learn(learner: ExpectedSARSAState, turn: Turn) -> None:
    if is_unanswered(turn):
        return
    reward = turn.reward + turn.bonus + turn.reply_reward
    expected_sarsa(
        learner.table, turn.state, turn.action, reward, turn.next_state,
        turn.next_legal_actions, turn.epsilon, learner.learning_rate, learner.discount,
    )  # fmt: skip


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

    rule = LearningRule(ExpectedSARSAState, choose=choose_epsilon_greedily, learn=_learn)

    def first_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[ExpectedSARSAState, dict[str, Array]]:
        """Return the initial state; there are no other arrays."""
        return ExpectedSARSAState(table, learning_rate, discount), {}
