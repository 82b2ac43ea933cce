"""One-step actor-critic for alternating moves."""

from __future__ import annotations

import numpy as np

from agents.base import Transition
from agents.tabular.preferences import (
    CriticLearner,
    CriticState,
    choose_by_softmax,
    log_policy_gradient,
)
from agents.tabular.protocol import LearningRule, UpdateContext
from nim_envs.compilation import compiled
from nim_envs.typing import Array


@compiled(inner=True)
def actor_critic_td_error(v: float, reward: float, discount: float, v_next: float) -> float:
    """δ = r − γ V(s') − V(s);  V(s) += β δ;  H(s, b) += α δ [1{b = a} − π(b | s)] for legal b.

    γ has a minus sign because the opponent is to move at s'; V(s') counts as 0 where the game has
    ended there. H are the preferences, whose softmax is π; the term in square brackets is
    :func:`agents.tabular.preferences.log_policy_gradient`.

    Args:
        v: V(s), for the player to move.
        reward: r.
        discount: γ.
        v_next: V(s') of the position after the move; 0 where the game has ended.

    Returns:
        δ.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 13.5.
    """
    return reward - v - discount * v_next


@compiled(inline=True)
def learn(learner: CriticState, turn: Transition, context: UpdateContext) -> None:
    """Apply :func:`actor_critic_td_error` to V(s) and, times the gradient, to H(s, ·)."""
    values, preferences = learner.critic, learner.preferences[context.state]
    v_next = values[context.reply_state] if len(turn.reply_legal_actions) else 0.0
    td_error = actor_critic_td_error(values[context.state], turn.reward, learner.discount, v_next)
    values[context.state] += learner.critic_rate * td_error
    gradient = learner.probabilities
    log_policy_gradient(preferences, turn.action, turn.legal_actions, 1.0, gradient)
    for other in turn.legal_actions:
        preferences[other] += learner.actor_rate * td_error * gradient[other]


class ActorCritic(CriticLearner):
    """One-step actor-critic with a table of values for the player to move.

    Where a game is truncated, it bootstraps from the last position.

    Use it to study policy gradients with a learned baseline, without a network.

    Arguments and errors: :class:`agents.tabular.preferences.CriticLearner`.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        values: value of each position for the player to move, float64 ``(observations,)``.
    """

    rule = LearningRule(choose=choose_by_softmax, learn=learn)

    def initial_critic(self, observations: int, actions: int) -> dict[str, Array]:
        """Return the initial array of the critic, zeros, by the name of its attribute."""
        self.values = np.zeros(observations)
        return {"values": self.values}
