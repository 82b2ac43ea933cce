"""The win/loss-ratio learner, which counts wins and losses of every move played."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.tabular.index import initial_table
from agents.tabular.learner import TabularLearner
from agents.tabular.policies import GreedyTablePolicy
from agents.tabular.protocol import Decision, FinishedGame, LearningRule
from agents.tabular.selection import sample
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray
from nim_envs.validation import checked_number


class WinLossRatioState(NamedTuple):
    """The state of :class:`WinLossRatio` in the training loops."""

    wins: FloatArray
    losses: FloatArray
    greedy_threshold: float
    retention: float  # factor of the earlier counts
    probabilities: FloatArray  # buffer, (actions,)


@compiled(inner=True)
def ratio_probabilities(
    wins: FloatArray, losses: FloatArray, legal_actions: IntArray, out: FloatArray
) -> None:
    """π(a) ∝ max(w(a), 1) / max(l(a), 1) for legal a, 0 for others.

    Args:
        wins: w, number of wins of each action, ``(actions,)``.
        losses: l, likewise of losses.
        legal_actions: legal actions.
        out: array to write the probabilities to, ``(actions,)``.
    """
    total = 0.0
    out[:] = 0.0
    for action in legal_actions:
        out[action] = max(wins[action], 1.0) / max(losses[action], 1.0)
        total += out[action]
    for action in legal_actions:
        out[action] = out[action] / total


@compiled(inner=True)
def count_result(
    wins: FloatArray, losses: FloatArray, action: int, result: float, retention: float
) -> None:
    """w(s, ·), l(s, ·) *= retention;  w(s, a) += (1 + R)/2;  l(s, a) += (1 − R)/2.

    Args:
        wins: w(s, ·), ``(actions,)``, changed in place.
        losses: l(s, ·), likewise.
        action: a.
        result: R, result of the game for the mover: 1 won, -1 lost, 0 drawn.
        retention: factor of the earlier counts at s.

    References:
        The Decision Management Community's challenge of January 2020, solution by Moore.
    """
    if retention < 1.0:
        for other in range(len(wins)):
            wins[other] *= retention
            losses[other] *= retention
    wins[action] += (1.0 + result) / 2.0
    losses[action] += (1.0 - result) / 2.0


@compiled(inline=True)
def choose(
    learner: WinLossRatioState, observation: Array, legal_actions: IntArray, decision: Decision
) -> int:
    """Draw an action by :func:`ratio_probabilities`; above the threshold play the likeliest."""
    wins, losses = learner.wins[decision.state], learner.losses[decision.state]
    probabilities = learner.probabilities
    ratio_probabilities(wins, losses, legal_actions, probabilities)
    likeliest, most = -1, -1.0
    for action in legal_actions:
        if probabilities[action] > most:
            likeliest, most = action, probabilities[action]
    if most > learner.greedy_threshold:
        return likeliest
    return sample(probabilities, decision.uniform)


@compiled(inline=True)
def learn_from_game(learner: WinLossRatioState, game: FinishedGame) -> None:
    """Apply :func:`count_result` to the wins and losses of each turn."""
    for turn in range(len(game.states)):
        state, action = game.states[turn], game.actions[turn]
        count_result(
            learner.wins[state], learner.losses[state], action, game.result, learner.retention
        )


class WinLossRatio(TabularLearner):
    """Plays moves with probability proportional to wins over losses, counted over all games.

    The result of a game is counted for each of its moves. One agent plays both seats. A draw
    counts as half a win and half a loss; a truncated game does not count.

    Use it as a baseline that only counts results, without values, and to compare with its published
    figures.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        greedy_threshold: probability above which the most probable move is played with certainty; 1
            turns this off.
        forgetting: share of the counts at a position that is removed before each new result
            there, 0 to below 1; it discounts the results of early, bad play.

    Attributes:
        wins: float64 ``(observations, actions)``.
        losses: float64 ``(observations, actions)``.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the tables would need too much memory.

    References:
        The Decision Management Community's challenge of January 2020, solution by Moore.
    """

    rule = LearningRule(choose=choose, learn_from_game=learn_from_game)

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        greedy_threshold: float = 1.0,
        forgetting: float = 0.0,
    ) -> None:
        checked_number("greedy_threshold", greedy_threshold, 0, 1)
        checked_number("forgetting", forgetting, 0, 1, open_high=True)
        index, wins = initial_table(observation_space, action_space, tables=2)
        state = WinLossRatioState(
            wins, wins.copy(), float(greedy_threshold), 1.0 - forgetting, np.zeros(wins.shape[1])
        )
        arguments = {"greedy_threshold": greedy_threshold, "forgetting": forgetting}
        self.wins: FloatArray = state.wins
        self.losses: FloatArray = state.losses
        learned = {"wins": self.wins, "losses": self.losses}
        num_actions = wins.shape[1]
        super().__init__(
            index, state, learned=learned, arguments=arguments, num_actions=num_actions
        )

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the behaviour policy; see :class:`agents.base.Policy`."""
        rows = self.index.many(observations)
        ratios = np.maximum(self.wins[rows], 1) / np.maximum(self.losses[rows], 1)
        ratios *= action_masks == 1
        probabilities: FloatArray = ratios / ratios.sum(axis=1, keepdims=True)
        likeliest = probabilities.argmax(axis=1)
        certain = probabilities.max(axis=1) > self.state.greedy_threshold
        probabilities[certain] = np.eye(self.num_actions)[likeliest[certain]]
        return probabilities

    def greedy(self) -> GreedyTablePolicy:
        """Return the policy that plays a legal move with the largest ratio of wins to losses."""
        return GreedyTablePolicy(self.index, np.maximum(self.wins, 1) / np.maximum(self.losses, 1))
