"""The win/loss-ratio learner, which counts wins and losses of every move played."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.compiling import inlined
from agents.policies import TablePolicy
from agents.rows import Moves
from agents.selection import sample
from agents.tables import SHARE, Episode, TableLearner
from nim_envs.typing import Array, FloatArray, MaskArray


@inlined
def choose(learner: Any, row: int, legal: Array, epsilon: float, uniform: float) -> int:
    """Draw a legal action by π(a) ∝ max(w(a), 1) / max(l(a), 1), w its wins and l its losses.

    Above the threshold it plays the likeliest.
    """
    probabilities = learner.buffer
    probabilities[:] = 0.0
    total = 0.0
    for action in legal:
        wins, losses = learner.wins[row, action], learner.losses[row, action]
        probabilities[action] = max(wins, 1.0) / max(losses, 1.0)
        total += probabilities[action]
    likeliest, most = -1, -1.0
    for action in legal:
        probabilities[action] /= total
        if probabilities[action] > most:
            likeliest, most = 0 + action, probabilities[action]
    if most > learner.greedy_threshold:
        return likeliest
    return sample(probabilities, uniform)


@inlined
def learn_from_game(learner: Any, moves: Moves, episode: Episode) -> None:
    """w(s, ·), l(s, ·) *= retention;  w(s, a) += (1 + R)/2;  l(s, a) += (1 − R)/2.

    w and l are the wins and losses of the mover, R is the result of the game for it: 1 for a win,
    -1 for a loss, 0 for a draw. What is not forgotten is retained: retention is 1 − ``forgetting``.

    References:
        The Decision Management Community's challenge of January 2020, solution by Moore.
    """
    retention, result = 1.0 - learner.forgetting, episode.rewards[-1]
    for turn in range(len(episode.rows)):
        row, action = episode.rows[turn], episode.actions[turn]
        wins, losses = learner.wins[row], learner.losses[row]
        if retention < 1.0:
            for other in range(len(wins)):
                wins[other] *= retention
                losses[other] *= retention
        wins[action] += (1.0 + result) / 2.0
        losses[action] += (1.0 - result) / 2.0


@dataclass(eq=False, repr=False)
class WinLossRatio(TableLearner):
    """Plays moves with probability proportional to wins over losses, counted over all games.

    The result of a game is counted for each of its moves. One agent plays both seats. A draw
    counts as half a win and half a loss; a truncated game does not count.

    Use it as a baseline that only counts results, without values, and to compare with its published
    figures.

    Args:
        greedy_threshold: probability above which the most probable move is played with certainty; 1
            turns this off.
        forgetting: share of the counts at a position that is removed before each new result
            there, 0 to below 1; it discounts the results of early, bad play.

    Other arguments and errors: :class:`agents.tables.TableLearner`.
    """

    greedy_threshold: float = field(default=1.0, metadata=SHARE)
    forgetting: float = field(default=0.0, metadata={**SHARE, "open_high": True})

    choose = staticmethod(choose)
    learn_episode = staticmethod(learn_from_game)

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return wins and losses, of zeros."""
        return {"wins": np.zeros((rows, actions)), "losses": np.zeros((rows, actions))}

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

    def policy(self) -> TablePolicy:
        """Return the policy that plays a legal move with the largest ratio of wins to losses."""
        wins, losses = np.maximum(self.state.wins, 1), np.maximum(self.state.losses, 1)
        return TablePolicy(self.rows, wins / losses)
