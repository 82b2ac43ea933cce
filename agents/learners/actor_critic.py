"""One-step actor-critic for alternating moves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import FloatArray, IntArray
from agents.tabular.action_values import initial_table
from agents.tabular.preferences import PreferenceLearner, check_rates, choose_by_softmax
from agents.tabular.protocol import Turn, choose, implements, learn
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

    The minus sign before γ is there because s' is the opponent's to move.

    Args:
        preferences: H, ``(states, actions)``, changed in place; π is their softmax.
        values: V, for the player to move, ``(states,)``, changed in place.
        state: s.
        legal_actions: what was legal there.
        action: a.
        reward: r, to the mover.
        next_state: s', the position after the move.
        terminal: whether s' has ended the game: then it has no value.
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
    """What :class:`ActorCritic` is to the training loops."""

    preferences: FloatArray
    temperature: float
    values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    probabilities: FloatArray  # buffer, (actions,)


implements(choose, ActorCriticState)(choose_by_softmax)


@implements(learn, ActorCriticState)
def _learn(learner: ActorCriticState, turn: Turn, epsilon: float, finished_games: int) -> None:
    actor_critic(
        learner.preferences, learner.values, turn.state, turn.legal_actions, turn.action,
        turn.reward + turn.bonus, turn.reply_state, len(turn.reply_legal_actions) == 0,
        learner.actor_rate, learner.critic_rate, learner.discount, learner.probabilities,
    )  # fmt: skip


class ActorCritic(PreferenceLearner):
    """One-step actor-critic with a table of values for the player to move.

    Where a game is cut short, it bootstraps from the position that is left.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        actor_rate: step size of the preferences, over 0.
        critic_rate: step size of the critic, over 0 to 1.
        discount: of the value of the position after the move, 0 to 1.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        values: of positions for the player to move, float64 ``(observations,)``.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: a parameter out of its range.
        MemoryError: the tables would not fit.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        actor_rate: float = 0.3,
        critic_rate: float = 0.3,
        discount: float = 1.0,
    ) -> None:
        check_rates(actor_rate, critic_rate, discount)
        index, preferences = initial_table(observation_space, action_space)
        states, actions = preferences.shape
        state = ActorCriticState(
            preferences,
            1.0,
            np.zeros(states),
            float(actor_rate),
            float(critic_rate),
            float(discount),
            np.zeros(actions),
        )
        arguments = {"actor_rate": actor_rate, "critic_rate": critic_rate, "discount": discount}
        self.values: FloatArray = state.values
        super().__init__(index, state, learned={"values": self.values}, arguments=arguments)
