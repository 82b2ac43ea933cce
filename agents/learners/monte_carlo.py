"""Monte-Carlo control with exploring starts for alternating moves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.schedules import Schedule, harmonic
from agents.tables import ActionValueLearner, Episode
from nim_envs.typing import Array


@inlined
def learn_from_game(learner: Any, moves: Moves, episode: Episode) -> None:
    """N(s, a) += 1;  Q(s, a) += [G − Q(s, a)] / N(s, a).

    G is the result for the mover: 1 for a win, 0 for a loss, 0.5 for a draw. No position occurs
    twice in a game, so every visit is a first visit.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 5.3.
    """
    result = (1.0 + episode.rewards[-1]) / 2.0
    for turn in range(len(episode.rows)):
        row, action = episode.rows[turn], episode.actions[turn]
        learner.visits[row, action] += 1
        error = result - learner.table[row, action]
        learner.table[row, action] += error / learner.visits[row, action]


@dataclass(eq=False, repr=False)
class MonteCarloES(ActionValueLearner):
    """Averages the results of whole games; the first move of each is random.

    Start the games from random positions (``start="uniform"``) for exploring starts. The
    result is 1 for a win, 0 for a loss and 0.5 for a draw. ``action_probabilities`` does not apply
    to the random first move. From a truncated game it learns nothing.

    Use it on small boards, as the learner without bootstrapping; on large ones the results of
    early, bad play stay in the averages for long.

    Args:
        epsilon: probability of a random action, or a schedule, after the first move of a game;
            by default ``1 / (games + 1)``.

    Other arguments and errors: :class:`agents.tables.TableLearner`.
    """

    epsilon: float | Schedule = harmonic

    begins_at_random = True
    learn_episode = staticmethod(learn_from_game)

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return means and numbers of results, of zeros."""
        shape = rows, actions
        return {"table": np.zeros(shape), "visits": np.zeros(shape, np.int64)}
