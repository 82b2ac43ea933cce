"""Table learners on unseen boards."""

import numpy as np

from agents.base import Policy
from agents.policies import uniform_probabilities
from nim_envs import Game
from nim_envs.typing import Array, FloatArray, MaskArray


class KnownOrRandom:
    """Plays by the table where it holds the position, and otherwise at random.

    The table holds a position if the learned board has one with the same heaps in some order,
    apart from empty ones. So its score does not depend on the order of heaps or on empty heaps.
    """

    def __init__(self, policy: Policy, learned: Game, game: Game) -> None:
        self._policy = policy
        self._learned = learned
        self._game = game

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probabilities of actions; see :class:`nim_envs.players.Policy`."""
        positions = np.asarray(observations, dtype=np.int64)
        probabilities = uniform_probabilities(action_masks)
        largest = np.array(self._learned.fields) - 1
        ours, theirs = np.argsort(-positions, axis=1, kind="stable"), np.argsort(-largest)
        heaps = np.take_along_axis(positions, ours, axis=1)
        width = min(heaps.shape[1], len(largest))
        known = (heaps[:, :width] <= largest[theirs[:width]]).all(axis=1)
        known &= (heaps[:, width:] == 0).all(axis=1)
        rows = np.flatnonzero(known)
        if not len(rows):
            return probabilities
        inside = np.zeros((len(rows), len(largest)), dtype=np.int64)
        inside[:, theirs[:width]] = heaps[rows, :width]
        board = self._learned.board
        there = self._policy.action_probabilities(inside, board.mask(board.find(inside)))
        there = there.reshape(len(rows), len(largest), -1)
        width_here = self._game.options
        here = np.zeros((len(rows), positions.shape[1], width_here))
        options = min(here.shape[2], there.shape[2])
        here[np.arange(len(rows))[:, np.newaxis], ours[rows, :width], :options] = there[
            :, theirs[:width], :options
        ]
        probabilities[rows] = here.reshape(len(rows), -1)
        return probabilities
