"""Policies that look one move ahead, on boards of any size."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from agents.policies import shared_by_best
from nim_envs import Game
from nim_envs.graph import Graph
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray

LARGEST_TABLE = 1 << 22
"""Most positions of a board whose scores are all computed once; on larger ones only options'."""

LARGEST_BATCH = 1 << 20
"""Most positions whose scores are computed in one batch."""


class LookAheadPolicy(ABC):
    """Moves to a position that is most surely lost for the player to move there.

    Ties are equally likely.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._graph: Any = game.board

    def __repr__(self) -> str:
        """Return the game."""
        return f"{type(self).__name__}({self.game.summary})"

    @abstractmethod
    def loss_scores(self, positions: IntArray) -> FloatArray:
        """Return how surely positions ``(n, fields)`` are lost for the player to move, ``(n,)``.

        Only the order matters.
        """

    def move(self, position: Sequence[int]) -> tuple[int, ...]:
        """Return the position after its move, the first of those with the highest score."""
        after = [after for _, after in self.game.moves(tuple(position))]
        if not after:
            raise ValueError(f"there is no move at {tuple(position)}")
        return after[int(np.argmax(self.loss_scores(np.array(after))))]

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action, drawn from those with the highest score."""
        probabilities = self.action_probabilities(observation[np.newaxis], action_mask[np.newaxis])
        return int(rng.choice(np.flatnonzero(probabilities[0])))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the score after each action, ``(n, actions)``; minus infinity where illegal."""
        board = self._graph
        states = board.find(np.asarray(observations, dtype=np.int64))
        values = np.full(action_masks.shape, -np.inf)
        size = max(1, LARGEST_BATCH // board.num_actions)
        for first in range(0, len(states), size):
            rows, actions = np.nonzero(action_masks[first : first + size])
            after = board.step(states[first + rows], actions)
            scores = self._scores
            values[first + rows, actions] = (
                self.loss_scores(board.positions(after)) if scores is None else scores[after]
            )
        return values

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities of the actions with the highest score."""
        values = self.action_values(observations, action_masks)
        if self._scores is None:
            # The last bits of a network's numbers depend on the batch, and would break ties.
            values = np.round(values, 4)
        return shared_by_best(values, action_masks)

    @cached_property
    def _scores(self) -> FloatArray | None:
        """The score of every row of the board; ``None`` if they are too many."""
        board = self._graph
        if not isinstance(board, Graph) or board.num_positions > LARGEST_TABLE:
            return None
        rows = np.arange(board.num_positions)
        scores = [
            self.loss_scores(board.positions(rows[first : first + LARGEST_BATCH]))
            for first in range(0, len(rows), LARGEST_BATCH)
        ]
        return np.concatenate(scores)
