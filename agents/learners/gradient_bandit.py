"""Gradient bandits, one at each position, trained on the results of whole games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.tabular.index import initial_table
from agents.tabular.preferences import PreferenceLearner, choose_by_softmax
from agents.tabular.protocol import FinishedGame, LearningRule, legal_in
from agents.tabular.schedules import check_range
from agents.tabular.selection import softmax
from nim_envs.typing import FloatArray, IntArray


class GradientBanditState(NamedTuple):
    """The state of :class:`GradientBandit` in the training loops."""

    preferences: FloatArray
    baselines: FloatArray
    visits: IntArray
    learning_rate: float
    temperature: float
    probabilities: FloatArray  # buffer, (actions,)


def gradient_bandit(learner: GradientBanditState, game: FinishedGame) -> None:
    """H(s, b) += (α/τ) [R − R̄(s)] [1{b = a} − π(b | s)] for legal b;  R̄(s) += [R − R̄(s)] / N(s).

    Args:
        learner: H; R̄, mean of the earlier results at each state, and N, their number with this
            one; α and τ. π is the softmax of H(s, ·)/τ.
        game: s and a of each turn, and R, result of the game for the mover: 1 won, -1 lost,
            0 drawn, plus any bonus.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 2.8, and for
        REINFORCE with a baseline section 13.4; R. J. Williams, "Simple statistical
        gradient-following algorithms for connectionist reinforcement learning", *Machine
        Learning* 8 (1992), 229-256.
    """
    result = 0.0
    for reward in game.rewards:
        result += reward
    for turn in range(len(game.states)):
        state, legal_actions = game.states[turn], legal_in(game, turn)
        preferences = learner.preferences[state]
        softmax(preferences, legal_actions, learner.temperature, learner.probabilities)
        step = learner.learning_rate * (result - learner.baselines[state]) / learner.temperature
        for other in legal_actions:
            if other == game.actions[turn]:
                preferences[other] += step * (1.0 - learner.probabilities[other])
            else:
                preferences[other] -= step * learner.probabilities[other]
        learner.visits[state] += 1
        learner.baselines[state] += (result - learner.baselines[state]) / learner.visits[state]


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

    rule = LearningRule(
        GradientBanditState, choose=choose_by_softmax, learn_from_game=gradient_bandit
    )

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        learning_rate: float = 0.15,
        temperature: float = 1.0,
    ) -> None:
        check_range("learning_rate", learning_rate, 0, np.inf, open_low=True)
        check_range("temperature", temperature, 0, np.inf, open_low=True)
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
