"""Tabular softmax policies with a critic: actor-critic and the natural policy gradient."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.learners.gradient_bandit import softmax_action, softmax_probabilities
from agents.storable import storable
from agents.tabular.index import GreedyTablePolicy, ObservationIndex, check_memory, num_actions
from agents.tabular.schedules import check_range
from agents.tabular.selection import softmax
from agents.training.compiled.games import Turn, choose, implements, learn
from nim_envs.compilation import compiled


@compiled
def actor_critic_update(
    preferences: FloatArray,
    values: FloatArray,
    position: int,
    legal_actions: IntArray,
    action: int,
    reward: float,
    reply_position: int,
    game_over: bool,
    actor_rate: float,
    critic_rate: float,
    discount: float,
    probabilities: FloatArray,
) -> None:
    """One-step actor-critic where the position after the move is the opponent's.

    The error is ``reward - discount * values[reply] - values[position]``, without the middle
    term where the game is over. The critic moves by it, and the preferences by it times the
    gradient of the logarithm of the softmax.

    Args:
        preferences: ``(positions, actions)``, changed in place.
        values: for the player to move, ``(positions,)``, changed in place.
        position: row of the position moved from.
        legal_actions: what was legal there.
        action: the move.
        reward: to the mover.
        reply_position: row of the position after the move.
        game_over: whether the move ended the game.
        actor_rate: step size of the preferences.
        critic_rate: step size of the values.
        discount: of the value of the position after the move.
        probabilities: scratch space, ``(actions,)``.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 13.5.
    """
    error = reward - values[position]
    if not game_over:
        error -= discount * values[reply_position]
    values[position] += critic_rate * error
    softmax(preferences[position], legal_actions, 1.0, probabilities)
    for other in legal_actions:
        taken = 1.0 if other == action else 0.0
        preferences[position, other] += actor_rate * error * (taken - probabilities[other])


@compiled
def natural_policy_gradient_update(
    preferences: FloatArray,
    action_values: FloatArray,
    position: int,
    legal_actions: IntArray,
    action: int,
    reward: float,
    reply_position: int,
    reply_legal_actions: IntArray,
    game_over: bool,
    actor_rate: float,
    critic_rate: float,
    discount: float,
    probabilities: FloatArray,
) -> None:
    """Natural policy gradient for a softmax table: every preference grows by its advantage.

    The critic moves ``action_values[position, action]`` towards ``reward - discount *`` the
    mean of ``action_values[reply]`` under the policy. The advantage of an action is its value
    less the policy's mean; ``preferences += actor_rate * advantage`` at the position.

    Args:
        preferences: ``(positions, actions)``, changed in place.
        action_values: same shape, changed in place.
        position: row of the position moved from.
        legal_actions: what was legal there.
        action: the move.
        reward: to the mover.
        reply_position: row of the position after the move.
        reply_legal_actions: what is legal there; none where the game is over.
        game_over: whether the move ended the game.
        actor_rate: step size of the preferences.
        critic_rate: step size of the action values.
        discount: of the value of the position after the move.
        probabilities: scratch space, ``(actions,)``.

    References:
        S. Kakade, "A natural policy gradient", *NeurIPS* (2001); A. Agarwal et al., "On the
        theory of policy gradient methods", *JMLR* 22 (2021), section 5.
    """
    target = reward
    if not game_over:
        softmax(preferences[reply_position], reply_legal_actions, 1.0, probabilities)
        for other in reply_legal_actions:
            target -= discount * probabilities[other] * action_values[reply_position, other]
    action_values[position, action] += critic_rate * (target - action_values[position, action])
    softmax(preferences[position], legal_actions, 1.0, probabilities)
    mean = 0.0
    for other in legal_actions:
        mean += probabilities[other] * action_values[position, other]
    for other in legal_actions:
        preferences[position, other] += actor_rate * (action_values[position, other] - mean)


def choose_by_softmax(
    state: Any,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The compiled choice for a state with ``preferences``.

    See :mod:`agents.training.compiled.games`.
    """
    return softmax_action(state.preferences[position], legal_actions, 1.0, uniform, state.scratch)


class SoftmaxCriticLearner(ABC):
    """What both learners share: preferences, the softmax policy, and step sizes.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        actor_rate: step size of the preferences, over 0.
        critic_rate: step size of the critic, over 0 to 1.
        discount: of the value of the position after the move, 0 to 1.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.

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
        self.actor_rate = check_range("actor_rate", actor_rate, 0, np.inf, open_low=True)
        self.critic_rate = check_range("critic_rate", critic_rate, 0, 1, open_low=True)
        self.discount = check_range("discount", discount, 0, 1, open_low=False)
        self.index = ObservationIndex(observation_space)
        shape = (self.index.size, num_actions(action_space))
        check_memory(shape, shape)
        self.preferences = np.zeros(shape)
        self._scratch = np.zeros(shape[1])

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action drawn from the softmax policy."""
        preferences = self.preferences[self.index(observation)]
        legal = np.flatnonzero(action_mask)
        return int(softmax_action(preferences, legal, 1.0, rng.random(), self._scratch))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the softmax policy."""
        return softmax_probabilities(self.preferences[self.index.many(observations)], action_masks)

    @abstractmethod
    def update(self, transition: Transition) -> None:
        """Learn from one turn."""

    def greedy(self) -> GreedyTablePolicy:
        """Return the policy that picks the largest preference, as it is now."""
        return GreedyTablePolicy(self.index, self.preferences.copy())


@storable
class ActorCritic(SoftmaxCriticLearner):
    """One-step actor-critic with a table of values for the player to move.

    Arguments and errors: :class:`SoftmaxCriticLearner`.

    Attributes:
        values: of positions for the player to move, float64 ``(observations,)``.
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
        super().__init__(
            observation_space,
            action_space,
            actor_rate=actor_rate,
            critic_rate=critic_rate,
            discount=discount,
        )
        self.values = np.zeros(len(self.preferences))

    def compiled_state(self, longest_game: int) -> ActorCriticState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return ActorCriticState(
            self.preferences,
            self.values,
            float(self.actor_rate),
            float(self.critic_rate),
            float(self.discount),
            self._scratch,
        )

    def update(self, transition: Transition) -> None:
        """Learn from one turn by :func:`actor_critic_update`."""
        actor_critic_update(
            self.preferences,
            self.values,
            self.index(transition.observation),
            np.flatnonzero(transition.action_mask),
            transition.action,
            transition.reward,
            self.index(transition.reply_observation),
            not transition.reply_action_mask.any(),
            self.actor_rate,
            self.critic_rate,
            self.discount,
            self._scratch,
        )


class ActorCriticState(NamedTuple):
    """What :class:`ActorCritic` is in compiled games."""

    preferences: FloatArray
    values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    scratch: FloatArray


implements(choose, ActorCriticState)(choose_by_softmax)


@implements(learn, ActorCriticState)
def _learn_actor_critic(
    state: ActorCriticState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`ActorCritic.update`."""
    actor_critic_update(
        state.preferences, state.values, turn.position, turn.legal_actions, turn.action,
        turn.reward, turn.reply_position, len(turn.reply_legal_actions) == 0, state.actor_rate,
        state.critic_rate, state.discount, state.scratch,
    )  # fmt: skip


@storable
class NaturalPolicyGradient(SoftmaxCriticLearner):
    """Natural policy gradient with a table of action values as its critic.

    Arguments and errors: :class:`SoftmaxCriticLearner`.

    Attributes:
        action_values: float64 ``(observations, actions)``.
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
        super().__init__(
            observation_space,
            action_space,
            actor_rate=actor_rate,
            critic_rate=critic_rate,
            discount=discount,
        )
        self.action_values = np.zeros(self.preferences.shape)

    def compiled_state(self, longest_game: int) -> NaturalPolicyGradientState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return NaturalPolicyGradientState(
            self.preferences,
            self.action_values,
            float(self.actor_rate),
            float(self.critic_rate),
            float(self.discount),
            self._scratch,
        )

    def update(self, transition: Transition) -> None:
        """Learn from one turn by :func:`natural_policy_gradient_update`."""
        natural_policy_gradient_update(
            self.preferences,
            self.action_values,
            self.index(transition.observation),
            np.flatnonzero(transition.action_mask),
            transition.action,
            transition.reward,
            self.index(transition.reply_observation),
            np.flatnonzero(transition.reply_action_mask),
            not transition.reply_action_mask.any(),
            self.actor_rate,
            self.critic_rate,
            self.discount,
            self._scratch,
        )


class NaturalPolicyGradientState(NamedTuple):
    """What :class:`NaturalPolicyGradient` is in compiled games."""

    preferences: FloatArray
    action_values: FloatArray
    actor_rate: float
    critic_rate: float
    discount: float
    scratch: FloatArray


implements(choose, NaturalPolicyGradientState)(choose_by_softmax)


@implements(learn, NaturalPolicyGradientState)
def _learn_natural_policy_gradient(
    state: NaturalPolicyGradientState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`NaturalPolicyGradient.update`."""
    natural_policy_gradient_update(
        state.preferences, state.action_values, turn.position, turn.legal_actions, turn.action,
        turn.reward, turn.reply_position, turn.reply_legal_actions,
        len(turn.reply_legal_actions) == 0, state.actor_rate, state.critic_rate, state.discount,
        state.scratch,
    )  # fmt: skip
