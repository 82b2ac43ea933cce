"""Base of learners of preferences: a table, and the softmax policy on it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.tabular.index import ObservationIndex, initial_table
from agents.tabular.learner import TabularLearner
from agents.tabular.policies import GreedyCriticPolicy, GreedyTablePolicy
from agents.tabular.protocol import Decision
from agents.tabular.schedules import check_step
from agents.tabular.selection import sample, softmax
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray
from nim_envs.validation import checked_number


@compiled(inner=True)
def log_policy_gradient(
    preferences: FloatArray,
    action: int,
    legal_actions: IntArray,
    temperature: float,
    out: FloatArray,
) -> None:
    """τ ∂ log π(a | s) / ∂ H(s, b) = 1{b = a} − π(b | s) for legal b, 0 for others.

    Args:
        preferences: H(s, ·), ``(actions,)``, whose softmax with temperature τ is π.
        action: a.
        legal_actions: legal actions at s, ascending.
        temperature: τ.
        out: array to write the gradient to, ``(actions,)``.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 2.8.
    """
    softmax(preferences, legal_actions, temperature, out)
    for other in legal_actions:
        out[other] = (1.0 if other == action else 0.0) - out[other]


@compiled(inline=True)
def choose_by_softmax(
    learner: Any, observation: Array, legal_actions: IntArray, decision: Decision
) -> int:
    """Choose for any learner whose state has ``preferences``, a ``temperature`` and a buffer."""
    preferences = learner.preferences[decision.state]
    softmax(preferences, legal_actions, learner.temperature, learner.probabilities)
    return sample(learner.probabilities, decision.uniform)


class PreferenceLearner(TabularLearner):
    """A learner of preferences that acts by their softmax.

    Args:
        index: the row of each observation in the tables.
        state: learner state with ``preferences``, float64 ``(observations, actions)``, and a
            ``temperature``.
        learned: other arrays that learning changes, by name.
        others: further arguments of :class:`agents.tabular.learner.TabularLearner`.

    Attributes:
        preferences: the state's preferences; changed in place.
    """

    def __init__(
        self, index: ObservationIndex, state: Any, *, learned: dict[str, Array], **others: Any
    ) -> None:
        self.preferences: FloatArray = state.preferences
        learned = {"preferences": self.preferences, **learned}
        num_actions = self.preferences.shape[1]
        super().__init__(index, state, learned=learned, num_actions=num_actions, **others)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the softmax policy."""
        scaled = self.preferences[self.index.many(observations)] / self.state.temperature
        legal = np.where(action_masks == 1, scaled, -np.inf)
        weights = np.exp(legal - legal.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def greedy(self) -> GreedyTablePolicy:
        """Return the policy that is greedy by a copy of the current preferences."""
        return GreedyTablePolicy(self.index, self.preferences.copy())


class CriticState(NamedTuple):
    """The state of a :class:`CriticLearner` in the training loops."""

    preferences: FloatArray
    temperature: float
    critic: FloatArray  # values of positions or of actions
    actor_rate: float
    critic_rate: float
    discount: float
    probabilities: FloatArray  # buffer, (actions,)


class CriticLearner(PreferenceLearner):
    """A learner of preferences with a critic.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        actor_rate: step size of the preferences, over 0.
        critic_rate: step size of the critic, over 0 to 1.
        discount: factor of the value of the position after the move, 0 to 1.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the tables would need too much memory.
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
        checked_number("actor_rate", actor_rate, 0, open_low=True)
        check_step(critic_rate, discount, name="critic_rate")
        index, preferences = initial_table(observation_space, action_space, tables=2)
        arguments = {"actor_rate": actor_rate, "critic_rate": critic_rate, "discount": discount}
        learned = self.initial_critic(*preferences.shape)
        (critic,) = learned.values()
        state = CriticState(
            preferences, 1.0, critic, float(actor_rate), float(critic_rate), float(discount),
            np.zeros(preferences.shape[1]),
        )  # fmt: skip
        super().__init__(index, state, learned=learned, arguments=arguments)

    def greedy(self) -> GreedyCriticPolicy:
        """Return the policy that is greedy by copies of preferences and critic."""
        return GreedyCriticPolicy(self.index, self.preferences.copy(), self.state.critic.copy())

    @abstractmethod
    def initial_critic(self, observations: int, actions: int) -> dict[str, Array]:
        """Return the initial array of the critic, zeros, by the name of its attribute.

        Args:
            observations: number of observations.
            actions: size of the action space.
        """
