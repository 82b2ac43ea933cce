"""Monte-Carlo control with exploring starts for alternating moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.schedules import Schedule, harmonic
from agents.selection import epsilon_greedy_action
from agents.tables import ActionValueLearner, Episode
from nim_envs.typing import Array, FloatArray, IntArray


class MonteCarloState(NamedTuple):
    """The state of :class:`MonteCarloES`."""

    table: FloatArray
    visits: IntArray  # (rows, actions)


@inlined
def monte_carlo_step(q: float, result: float, visits: int) -> float:
    """N(s, a) += 1;  Q(s, a) += [G − Q(s, a)] / N(s, a).

    Args:
        q: Q(s, a), mean of the earlier results.
        result: G, result for the mover: 1 for a win, 0 for a loss, 0.5 for a draw.
        visits: N(s, a), number of results with this one. No position occurs twice in a game, so
            every visit is a first visit.

    Returns:
        The change of Q(s, a).

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 5.3.
    """
    return (result - q) / visits


@inlined
def choose(
    learner: Any, row: int, legal: Array, is_first: bool, epsilon: float, uniform: float
) -> int:
    """Choose epsilon-greedily, and at random at the first move of a game."""
    return epsilon_greedy_action(learner.table[row], legal, 1.0 if is_first else epsilon, uniform)


@inlined
def learn_from_game(learner: MonteCarloState, moves: Moves, episode: Episode) -> None:
    """Apply :func:`monte_carlo_step` to each turn."""
    result = (1.0 + episode.result) / 2.0
    for turn in range(len(episode.rows)):
        row, action = episode.rows[turn], episode.actions[turn]
        learner.visits[row, action] += 1
        visits = learner.visits[row, action]
        learner.table[row, action] += monte_carlo_step(learner.table[row, action], result, visits)


@dataclass(eq=False, repr=False)
class MonteCarloES(ActionValueLearner):
    """Averages the results of whole games; the first move of each is random.

    Start the games from random positions (``start="uniform"``) for exploring starts. The
    result is 1 for a win, 0 for a loss and 0.5 for a draw. ``action_probabilities`` does not apply
    to the random first move. From a truncated game it learns nothing.

    Use it on small boards, as the learner without bootstrapping; on large ones the results of
    early, bad play stay in the averages for long.

    Args:
        board: the game to learn, or the rows of the table.
        epsilon: probability of a random action, or a schedule, after the first move of a game;
            by default ``1 / (games + 1)``.

    Raises:
        ValueError: a parameter out of its range.
        SearchTooLargeError: the table would be too large.
    """

    epsilon: float | Schedule = harmonic

    tables = ("table", "visits")
    choose = staticmethod(choose)
    learn_episode = staticmethod(learn_from_game)

    def initial_state(self, rows: int, actions: int) -> MonteCarloState:
        """Return the initial state, of zeros."""
        shape = rows, actions
        return MonteCarloState(np.zeros(shape), np.zeros(shape, np.int64))
