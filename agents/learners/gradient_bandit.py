"""Gradient bandits, one at each position, trained on the results of whole games."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.tables import POSITIVE, Episode, PreferenceLearner, follow_gradient
from nim_envs.typing import Array


@inlined
def learn_from_game(learner: Any, moves: Moves, episode: Episode) -> None:
    """H(s, b) += (α/τ) [R − R̄(s)] [1{b = a} − π(b | s)] for legal b;  R̄(s) += [R − R̄(s)] / N(s).

    R is the result of the game for the mover, 1 for a win, -1 for a loss and 0 for a draw, and
    R̄(s) the mean of the N(s) results at s. π is the softmax of H(s, ·)/τ: see
    :func:`agents.tables.follow_gradient`.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 2.8, and for
        REINFORCE with a baseline section 13.4; R. J. Williams, "Simple statistical
        gradient-following algorithms for connectionist reinforcement learning", *Machine
        Learning* 8 (1992), 229-256.
    """
    temperature, result = learner.temperature, episode.rewards[-1]
    for turn in range(len(episode.rows)):
        row, action = episode.rows[turn], episode.actions[turn]
        preferences, error = learner.preferences[row], result - learner.baselines[row]
        legal = moves.legal[row, : moves.counts[row]]
        step = learner.learning_rate * error / temperature
        follow_gradient(preferences, action, legal, temperature, step, learner.buffer)
        learner.visits[row] += 1
        learner.baselines[row] += error / learner.visits[row]


@dataclass(eq=False, repr=False)
class GradientBandit(PreferenceLearner):
    """Softmax preferences at every position, updated by the result of each game.

    It plays and learns on-policy, and updates all positions of a seat when its game ends. From a
    truncated game it learns nothing. Use a separate agent for each seat.

    Use it on small boards, as the simplest policy gradient: the result of a game is the only signal
    for all its moves.

    Args:
        learning_rate: step size, over 0.
        temperature: temperature of the softmax, over 0.

    Other arguments and errors: :class:`agents.tables.TableLearner`.
    """

    learning_rate: float = field(default=0.15, metadata=POSITIVE)
    temperature: float = field(default=1.0, metadata=POSITIVE)

    learn_episode = staticmethod(learn_from_game)

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return preferences, and the mean and number of results at each position, of zeros."""
        visits = np.zeros(rows, np.int64)
        return {
            "preferences": np.zeros((rows, actions)), "baselines": np.zeros(rows), "visits": visits
        }  # fmt: skip
