"""The natural policy gradient of a softmax table, for alternating moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.tabular.action_values import step_towards
from agents.tabular.preferences import CriticLearner, choose_by_softmax
from agents.tabular.protocol import LearningRule, Turn
from agents.tabular.selection import softmax
from nim_envs.typing import Array, FloatArray


class NaturalPolicyGradientState(NamedTuple):
    """The state of :class:`NaturalPolicyGradient` in the training loops."""

    preferences: FloatArray
    temperature: float
    action_values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    probabilities: FloatArray  # buffer, (actions,)


def natural_policy_gradient(learner: NaturalPolicyGradientState, turn: Turn) -> None:
    """Q(s, a) += β [r − γ Σ_b π(b | s') Q(s', b) − Q(s, a)];  H(s, ·) += α A(s, ·).

    The advantage is A(s, b) = Q(s, b) − Σ_c π(c | s) Q(s, c). γ has a minus sign because the
    opponent is to move at s'.

    Args:
        learner: H, whose softmax is π; Q; α, β and γ.
        turn: s, a, r with the bonus, and s', the position after the move.

    References:
        S. Kakade, "A natural policy gradient", *NeurIPS* (2001); A. Agarwal et al., "On the
        theory of policy gradient methods", *JMLR* 22 (2021), section 5.
    """
    probabilities = learner.probabilities
    target = turn.reward + turn.bonus
    if len(turn.reply_legal_actions):
        after = learner.preferences[turn.reply_state]
        softmax(after, turn.reply_legal_actions, 1.0, probabilities)
        values = learner.action_values[turn.reply_state]
        for other in turn.reply_legal_actions:
            target -= learner.discount * probabilities[other] * values[other]
    step_towards(learner.action_values, turn.state, turn.action, target, learner.critic_rate)
    preferences, values = learner.preferences[turn.state], learner.action_values[turn.state]
    softmax(preferences, turn.legal_actions, 1.0, probabilities)
    mean = 0.0
    for other in turn.legal_actions:
        mean += probabilities[other] * values[other]
    for other in turn.legal_actions:
        preferences[other] += learner.actor_rate * (values[other] - mean)


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

    rule = LearningRule(
        NaturalPolicyGradientState, choose=choose_by_softmax, learn=natural_policy_gradient
    )

    def first_state(
        self, preferences: FloatArray, rates: tuple[float, float, float]
    ) -> tuple[NaturalPolicyGradientState, dict[str, Array]]:
        """Return the initial state, and the arrays of the critic."""
        self.action_values = np.zeros(preferences.shape)
        buffer = np.zeros(preferences.shape[1])
        state = NaturalPolicyGradientState(preferences, 1.0, self.action_values, *rates, buffer)
        return state, {"action_values": self.action_values}
