"""One-step actor-critic for alternating moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Array, FloatArray, IntArray
from agents.tabular.preferences import CriticLearner, choose_by_softmax
from agents.tabular.protocol import LearningRule, Turn
from agents.tabular.selection import softmax
from nim_envs.compilation import compiled


@compiled(inner=True)
def actor_critic(
    preferences: FloatArray,
    values: FloatArray,
    state: int,
    legal_actions: IntArray,
    action: int,
    reward: float,
    next_state: int,
    terminal: bool,
    actor_rate: float,
    critic_rate: float,
    discount: float,
    probabilities: FloatArray,
) -> None:
    """δ = r − γ V(s') − V(s);  V(s) += β δ;  H(s, b) += α δ [1{b = a} − π(b | s)] for legal b.

    γ has a minus sign because the opponent is to move at s'.

    Args:
        preferences: H, ``(states, actions)``, changed in place; π is their softmax.
        values: V, for the player to move, ``(states,)``, changed in place.
        state: s.
        legal_actions: legal actions at s.
        action: a.
        reward: r, to the mover.
        next_state: s', the position after the move.
        terminal: whether the game has ended at s', so that V(s') counts as 0.
        actor_rate: α.
        critic_rate: β.
        discount: γ.
        probabilities: buffer, ``(actions,)``.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 13.5.
    """
    td_error = reward - values[state]
    if not terminal:
        td_error -= discount * values[next_state]
    values[state] += critic_rate * td_error
    softmax(preferences[state], legal_actions, 1.0, probabilities)
    for other in legal_actions:
        taken = 1.0 if other == action else 0.0
        preferences[state, other] += actor_rate * td_error * (taken - probabilities[other])


class ActorCriticState(NamedTuple):
    """The state of :class:`ActorCritic` in the training loops."""

    preferences: FloatArray
    temperature: float
    values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    probabilities: FloatArray  # buffer, (actions,)


def _learn(learner: ActorCriticState, turn: Turn) -> None:
    actor_critic(
        learner.preferences, learner.values, turn.state, turn.legal_actions, turn.action,
        turn.reward + turn.bonus, turn.reply_state, len(turn.reply_legal_actions) == 0,
        learner.actor_rate, learner.critic_rate, learner.discount, learner.probabilities,
    )  # fmt: skip


class ActorCritic(CriticLearner):
    """One-step actor-critic with a table of values for the player to move.

    Where a game is truncated, it bootstraps from the last position.

    Use it to study policy gradients with a learned baseline, without a network.

    Arguments and errors: :class:`agents.tabular.preferences.CriticLearner`.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        values: value of each position for the player to move, float64 ``(observations,)``.
    """

    rule = LearningRule(ActorCriticState, choose=choose_by_softmax, learn=_learn)

    def first_state(
        self, preferences: FloatArray, rates: tuple[float, float, float]
    ) -> tuple[ActorCriticState, dict[str, Array]]:
        """Return the initial state, and the arrays of the critic."""
        self.values = np.zeros(len(preferences))
        buffer = np.zeros(preferences.shape[1])
        state = ActorCriticState(preferences, 1.0, self.values, *rates, buffer)
        return state, {"values": self.values}
