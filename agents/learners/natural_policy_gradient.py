"""The natural policy gradient of a softmax table, for alternating moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Array, FloatArray, IntArray
from agents.tabular.preferences import CriticLearner, choose_by_softmax
from agents.tabular.protocol import LearningRule, Turn
from agents.tabular.selection import softmax
from nim_envs.compilation import compiled


@compiled(inner=True)
def natural_policy_gradient(
    preferences: FloatArray,
    action_values: FloatArray,
    state: int,
    legal_actions: IntArray,
    action: int,
    reward: float,
    next_state: int,
    next_legal_actions: IntArray,
    actor_rate: float,
    critic_rate: float,
    discount: float,
    probabilities: FloatArray,
) -> None:
    """Q(s, a) += β [r − γ Σ_b π(b | s') Q(s', b) − Q(s, a)];  H(s, ·) += α A(s, ·).

    The advantage is A(s, b) = Q(s, b) − Σ_c π(c | s) Q(s, c). γ has a minus sign because the
    opponent is to move at s'.

    Args:
        preferences: H, ``(states, actions)``, changed in place; π is their softmax.
        action_values: Q, same shape, changed in place.
        state: s.
        legal_actions: legal actions at s.
        action: a.
        reward: r, to the mover.
        next_state: s', the position after the move.
        next_legal_actions: legal actions at s'; empty where the game has ended.
        actor_rate: α.
        critic_rate: β.
        discount: γ.
        probabilities: buffer, ``(actions,)``.

    References:
        S. Kakade, "A natural policy gradient", *NeurIPS* (2001); A. Agarwal et al., "On the
        theory of policy gradient methods", *JMLR* 22 (2021), section 5.
    """
    target = reward
    if len(next_legal_actions):
        softmax(preferences[next_state], next_legal_actions, 1.0, probabilities)
        for other in next_legal_actions:
            target -= discount * probabilities[other] * action_values[next_state, other]
    action_values[state, action] += critic_rate * (target - action_values[state, action])
    softmax(preferences[state], legal_actions, 1.0, probabilities)
    mean = 0.0
    for other in legal_actions:
        mean += probabilities[other] * action_values[state, other]
    for other in legal_actions:
        preferences[state, other] += actor_rate * (action_values[state, other] - mean)


class NaturalPolicyGradientState(NamedTuple):
    """The state of :class:`NaturalPolicyGradient` in the training loops."""

    preferences: FloatArray
    temperature: float
    action_values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    probabilities: FloatArray  # buffer, (actions,)


def _learn(learner: NaturalPolicyGradientState, turn: Turn) -> None:
    natural_policy_gradient(
        learner.preferences, learner.action_values, turn.state, turn.legal_actions, turn.action,
        turn.reward + turn.bonus, turn.reply_state, turn.reply_legal_actions,
        learner.actor_rate, learner.critic_rate, learner.discount, learner.probabilities,
    )  # fmt: skip


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

    rule = LearningRule(NaturalPolicyGradientState, choose=choose_by_softmax, learn=_learn)

    def first_state(
        self, preferences: FloatArray, rates: tuple[float, float, float]
    ) -> tuple[NaturalPolicyGradientState, dict[str, Array]]:
        """Return the initial state, and the arrays of the critic."""
        self.action_values = np.zeros(preferences.shape)
        buffer = np.zeros(preferences.shape[1])
        state = NaturalPolicyGradientState(preferences, 1.0, self.action_values, *rates, buffer)
        return state, {"action_values": self.action_values}
