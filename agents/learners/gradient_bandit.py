"""Gradient bandits, one at each position, trained on the results of whole games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.tabular.index import initial_table
from agents.tabular.preferences import (
    PreferenceLearner,
    choose_by_softmax,
    log_policy_gradient,
)
from agents.tabular.protocol import FinishedGame, LearningRule, legal_at
from nim_envs.compilation import compiled
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_number


class GradientBanditState(NamedTuple):
    """The state of :class:`GradientBandit` in the training loops."""

    preferences: FloatArray
    baselines: FloatArray
    visits: IntArray
    learning_rate: float
    temperature: float
    probabilities: FloatArray  # buffer, (actions,)


@compiled(inner=True)
def gradient_bandit_step(
    result: float, baseline: float, learning_rate: float, temperature: float
) -> float:
    """H(s, b) += (α/τ) [R − R̄(s)] [1{b = a} − π(b | s)] for legal b;  R̄(s) += [R − R̄(s)] / N(s).

    π is the softmax of H(s, ·)/τ, and the last term in square brackets of the first formula is
    :func:`agents.tabular.preferences.log_policy_gradient`. N(s) is the number of results at s,
    with this one.

    Args:
        result: R, result of the game for the mover: 1 won, -1 lost, 0 drawn.
        baseline: R̄(s), mean of the earlier results at s.
        learning_rate: α.
        temperature: τ.

    Returns:
        (α/τ) [R − R̄(s)], the factor of the gradient.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 2.8, and for
        REINFORCE with a baseline section 13.4; R. J. Williams, "Simple statistical
        gradient-following algorithms for connectionist reinforcement learning", *Machine
        Learning* 8 (1992), 229-256.
    """
    return learning_rate * (result - baseline) / temperature


@compiled(inline=True)
def learn_from_game(learner: GradientBanditState, game: FinishedGame) -> None:
    """Apply :func:`gradient_bandit_step` times the gradient to H(s, ·) of each turn."""
    result = 0.0
    for reward in game.rewards:
        result += reward
    gradient, temperature = learner.probabilities, learner.temperature
    for turn in range(len(game.states)):
        state, legal_actions = game.states[turn], legal_at(game, game.rows[turn])
        preferences, baseline = learner.preferences[state], learner.baselines[state]
        log_policy_gradient(preferences, game.actions[turn], legal_actions, temperature, gradient)
        step = gradient_bandit_step(result, baseline, learner.learning_rate, temperature)
        for other in legal_actions:
            preferences[other] += step * gradient[other]
        learner.visits[state] += 1
        learner.baselines[state] += (result - baseline) / learner.visits[state]


class GradientBandit(PreferenceLearner):
    """Softmax preferences at every position, updated by the result of each game.

    It plays and learns on-policy, and updates all positions of a seat when its game ends. From a
    truncated game it learns nothing. Use a separate agent for each seat.

    Use it on small boards, as the simplest policy gradient: the result of a game is the only signal
    for all its moves.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        learning_rate: step size, over 0.
        temperature: temperature of the softmax, over 0.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        baselines: mean result at each position, float64 ``(observations,)``.
        visits: number of results at each position, int64 ``(observations,)``.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the tables would need too much memory.
    """

    rule = LearningRule(choose=choose_by_softmax, learn_from_game=learn_from_game)

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        learning_rate: float = 0.15,
        temperature: float = 1.0,
    ) -> None:
        checked_number("learning_rate", learning_rate, 0, open_low=True)
        checked_number("temperature", temperature, 0, open_low=True)
        index, preferences = initial_table(observation_space, action_space)
        states, actions = preferences.shape
        state = GradientBanditState(
            preferences,
            np.zeros(states),
            np.zeros(states, dtype=np.int64),
            float(learning_rate),
            float(temperature),
            np.zeros(actions),
        )
        arguments = {"learning_rate": learning_rate, "temperature": temperature}
        self.baselines: FloatArray = state.baselines
        self.visits: IntArray = state.visits
        learned = {"baselines": self.baselines, "visits": self.visits}
        super().__init__(index, state, learned=learned, arguments=arguments)
