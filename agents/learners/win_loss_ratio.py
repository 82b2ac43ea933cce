"""The win/loss-ratio learner, which counts wins and losses of every move played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import sample
from agents.tables import Episode, TableLearner, TablePolicy
from nim_envs.typing import Array, FloatArray, MaskArray
from nim_envs.validation import checked_number


class WinLossRatioState(NamedTuple):
    """The state of :class:`WinLossRatio`."""

    wins: FloatArray  # (rows, actions)
    losses: FloatArray  # (rows, actions)
    greedy_threshold: float
    retention: float  # factor of the earlier counts
    probabilities: FloatArray  # buffer, (actions,)


@inlined
def ratio_probabilities(
    wins: FloatArray, losses: FloatArray, legal: Array, out: FloatArray
) -> None:
    """π(a) ∝ max(w(a), 1) / max(l(a), 1) for legal a, 0 for others.

    Args:
        wins: w, number of wins of each action, ``(actions,)``.
        losses: l, likewise of losses.
        legal: legal actions.
        out: array to write the probabilities to, ``(actions,)``.
    """
    total = 0.0
    out[:] = 0.0
    for action in legal:
        out[action] = max(wins[action], 1.0) / max(losses[action], 1.0)
        total += out[action]
    for action in legal:
        out[action] = out[action] / total


@inlined
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


@inlined
def choose(
    learner: WinLossRatioState, row: int, legal: Array, is_first: bool, epsilon: float,
    uniform: float,
) -> int:  # fmt: skip
    """Draw an action by :func:`ratio_probabilities`; above the threshold play the likeliest."""
    probabilities = learner.probabilities
    ratio_probabilities(learner.wins[row], learner.losses[row], legal, probabilities)
    likeliest, most = -1, -1.0
    for action in legal:
        if probabilities[action] > most:
            likeliest, most = 0 + action, probabilities[action]
    if most > learner.greedy_threshold:
        return likeliest
    return sample(probabilities, uniform)


@inlined
def learn_from_game(learner: WinLossRatioState, moves: Moves, episode: Episode) -> None:
    """Apply :func:`count_result` to the wins and losses of each turn."""
    for turn in range(len(episode.rows)):
        row, action = episode.rows[turn], episode.actions[turn]
        wins, losses = learner.wins[row], learner.losses[row]
        count_result(wins, losses, action, episode.result, learner.retention)


@dataclass(eq=False, repr=False)
class WinLossRatio(TableLearner):
    """Plays moves with probability proportional to wins over losses, counted over all games.

    The result of a game is counted for each of its moves. One agent plays both seats. A draw
    counts as half a win and half a loss; a truncated game does not count.

    Use it as a baseline that only counts results, without values, and to compare with its published
    figures.

    Args:
        board: the game to learn, or the rows of the tables.
        greedy_threshold: probability above which the most probable move is played with certainty; 1
            turns this off.
        forgetting: share of the counts at a position that is removed before each new result
            there, 0 to below 1; it discounts the results of early, bad play.

    Raises:
        ValueError: a parameter out of its range.
        SearchTooLargeError: the tables would be too large.

    References:
        The Decision Management Community's challenge of January 2020, solution by Moore.
    """

    greedy_threshold: float = 1.0
    forgetting: float = 0.0

    tables = ("wins", "losses")
    choose = staticmethod(choose)
    learn_episode = staticmethod(learn_from_game)

    def check(self) -> None:
        """Check the arguments."""
        checked_number("greedy_threshold", self.greedy_threshold, 0, 1)
        checked_number("forgetting", self.forgetting, 0, 1, open_high=True)

    def initial_state(self, rows: int, actions: int) -> WinLossRatioState:
        """Return the initial state, without results."""
        return WinLossRatioState(
            np.zeros((rows, actions)), np.zeros((rows, actions)), float(self.greedy_threshold),
            1.0 - self.forgetting, np.zeros(actions),
        )  # fmt: skip

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the behaviour policy; see :class:`nim_envs.players.Policy`."""
        rows = self.rows.find(observations)
        ratios = np.maximum(self.state.wins[rows], 1) / np.maximum(self.state.losses[rows], 1)
        ratios *= action_masks == 1
        probabilities: FloatArray = ratios / ratios.sum(axis=1, keepdims=True)
        likeliest = probabilities.argmax(axis=1)
        certain = probabilities.max(axis=1) > self.state.greedy_threshold
        probabilities[certain] = np.eye(self.rows.num_actions)[likeliest[certain]]
        return probabilities

    def greedy(self) -> TablePolicy:
        """Return the policy that plays a legal move with the largest ratio of wins to losses."""
        wins, losses = np.maximum(self.state.wins, 1), np.maximum(self.state.losses, 1)
        return TablePolicy(self.rows, wins / losses)
