"""The natural policy gradient of a softmax table, for alternating moves."""

from __future__ import annotations

import numpy as np

from agents.base import Transition
from agents.tabular.preferences import CriticLearner, CriticState, choose_by_softmax
from agents.tabular.protocol import LearningRule, UpdateContext
from agents.tabular.selection import softmax
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray


@compiled(inner=True)
def natural_policy_gradient_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    probabilities_next: FloatArray,
    next_legal_actions: IntArray,
) -> float:
    """Q(s, a) += β [r − γ Σ_b π(b | s') Q(s', b) − Q(s, a)];  H(s, ·) += α A(s, ·).

    The advantage is A(s, b) = Q(s, b) − Σ_c π(c | s) Q(s, c), and π the softmax of H. γ has a minus
    sign because the opponent is to move at s'.

    Args:
        q: Q(s, ·), ``(actions,)``.
        action: a.
        reward: r.
        discount: γ.
        q_next: Q(s', ·), ``(actions,)``, at the position after the move.
        probabilities_next: π(· | s'), ``(actions,)``.
        next_legal_actions: legal actions at s'; empty where the game has ended, so that r alone
            is the target.

    Returns:
        The TD error, in square brackets.

    References:
        S. Kakade, "A natural policy gradient", *NeurIPS* (2001); A. Agarwal et al., "On the
        theory of policy gradient methods", *JMLR* 22 (2021), section 5.
    """
    target = reward
    for other in next_legal_actions:
        target -= discount * probabilities_next[other] * q_next[other]
    td_error: float = target - q[action]
    return td_error


@compiled(inner=True)
def expected_value(values: FloatArray, probabilities: FloatArray, legal_actions: IntArray) -> float:
    """Return Σ_b π(b | s) Q(s, b) over the legal actions."""
    mean = 0.0
    for action in legal_actions:
        mean += probabilities[action] * values[action]
    return mean


@compiled(inline=True)
def learn(learner: CriticState, turn: Transition, context: UpdateContext) -> None:
    """Apply :func:`natural_policy_gradient_td_error` to Q(s, a), and the advantage to H(s, ·)."""
    probabilities, legal_actions = learner.probabilities, turn.legal_actions
    preferences, q = learner.preferences[context.state], learner.critic[context.state]
    replies = turn.reply_legal_actions
    softmax(learner.preferences[context.reply_state], replies, 1.0, probabilities)
    q_next = learner.critic[context.reply_state]
    td_error = natural_policy_gradient_td_error(
        q, turn.action, turn.reward, learner.discount, q_next, probabilities, replies
    )
    q[turn.action] += learner.critic_rate * td_error
    softmax(preferences, legal_actions, 1.0, probabilities)
    mean = expected_value(q, probabilities, legal_actions)
    for other in legal_actions:
        preferences[other] += learner.actor_rate * (q[other] - mean)


class NaturalPolicyGradient(CriticLearner):
    """Natural policy gradient with a table of action values as its critic.

    Where a game is truncated, it bootstraps from the last position.

    Use it as the policy gradient that comes closest to optimal play here: for a table of
    preferences, the natural gradient is the advantage itself.

    Arguments and errors: :class:`agents.tabular.preferences.CriticLearner`.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        action_values: float64 ``(observations, actions)``.
    """

    rule = LearningRule(choose=choose_by_softmax, learn=learn)

    def initial_critic(self, observations: int, actions: int) -> dict[str, Array]:
        """Return the initial array of the critic, zeros, by the name of its attribute."""
        self.action_values = np.zeros((observations, actions))
        return {"action_values": self.action_values}
