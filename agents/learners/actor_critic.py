"""One-step actor-critic for alternating moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.tabular.preferences import CriticLearner, choose_by_softmax
from agents.tabular.protocol import LearningRule, Turn
from agents.tabular.selection import softmax
from nim_envs.typing import Array, FloatArray


class ActorCriticState(NamedTuple):
    """The state of :class:`ActorCritic` in the training loops."""

    preferences: FloatArray
    temperature: float
    values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    probabilities: FloatArray  # buffer, (actions,)


def actor_critic(learner: ActorCriticState, turn: Turn) -> None:
    """δ = r − γ V(s') − V(s);  V(s) += β δ;  H(s, b) += α δ [1{b = a} − π(b | s)] for legal b.

    γ has a minus sign because the opponent is to move at s'; V(s') counts as 0 where the game has
    ended there.

    Args:
        learner: H, whose softmax is π; V, for the player to move; α, β and γ.
        turn: s, a, r with the bonus, and s', the position after the move.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 13.5.
    """
    td_error = turn.reward + turn.bonus - learner.values[turn.state]
    if len(turn.reply_legal_actions):
        td_error -= learner.discount * learner.values[turn.reply_state]
    learner.values[turn.state] += learner.critic_rate * td_error
    preferences = learner.preferences[turn.state]
    softmax(preferences, turn.legal_actions, 1.0, learner.probabilities)
    for other in turn.legal_actions:
        taken = 1.0 if other == turn.action else 0.0
        preferences[other] += learner.actor_rate * td_error * (taken - learner.probabilities[other])


class ActorCritic(CriticLearner):
    """One-step actor-critic with a table of values for the player to move.

    Where a game is truncated, it bootstraps from the last position.

    Use it to study policy gradients with a learned baseline, without a network.

    Arguments and errors: :class:`agents.tabular.preferences.CriticLearner`.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        values: value of each position for the player to move, float64 ``(observations,)``.
    """

    rule = LearningRule(ActorCriticState, choose=choose_by_softmax, learn=actor_critic)

    def first_state(
        self, preferences: FloatArray, rates: tuple[float, float, float]
    ) -> tuple[ActorCriticState, dict[str, Array]]:
        """Return the initial state, and the arrays of the critic."""
        self.values = np.zeros(len(preferences))
        buffer = np.zeros(preferences.shape[1])
        state = ActorCriticState(preferences, 1.0, self.values, *rates, buffer)
        return state, {"values": self.values}
