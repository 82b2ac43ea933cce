"""Policies that look one move ahead, on boards of any size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from agents.tabular.index import positions_of
from agents.tabular.policies import shared_by_best
from agents.tabular.position_values import GreedyValuePolicy, position_values
from nim_envs import Game
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray

LARGEST_TABLE = 1 << 22
"""Most positions of a board whose scores are all computed once; on larger ones only options'."""

LARGEST_BATCH = 1 << 20
"""Most positions whose scores are computed in one batch."""


class LookAheadPolicy(ABC):
    """Moves to a position that is most surely lost for the player to move there.

    Ties are equally likely.

    Args:
        game: game that defines its observations and actions.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def __repr__(self) -> str:
        """Return the game."""
        return f"{type(self).__name__}({self.game.summary})"

    @abstractmethod
    def loss_scores(self, positions: IntArray) -> FloatArray:
        """Return how surely each position is lost for the player to move.

        Args:
            positions: ``(n, components)``; in games with slots they include points of the lattice
                that are no positions, whose scores are not used.

        Returns:
            ``(n,)``, higher where a loss is more certain; only the order matters.
        """

    def move(self, position: Sequence[int]) -> tuple[int, ...]:
        """Return the position after its move, the first of those with the highest score.

        Args:
            position: the state of every component, on the game's board.

        Raises:
            InvalidPositionError: it is not on the board.
            ValueError: there is no move.
        """
        rules = self.game.rules
        checked = rules.checked_positions(np.asarray(position))
        actions = np.flatnonzero(rules.action_mask(checked))
        if not len(actions):
            raise ValueError(f"there is no move at {tuple(position)}")
        after = rules.step(np.broadcast_to(checked, (len(actions), len(checked))), actions)
        return tuple(after[np.argmax(self.loss_scores(after))].tolist())

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action, drawn from those with the highest score."""
        probabilities = self.action_probabilities(observation[np.newaxis], action_mask[np.newaxis])
        return int(rng.choice(np.flatnonzero(probabilities[0])))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the score of the position after each action; minus infinity where illegal.

        Args:
            observations: positions, ``(n, components)``.
            action_masks: int8 ``(n, actions)``.
        """
        if self._table is not None:
            return self._table.action_values(observations, action_masks)
        rules = self.game.rules
        positions = np.asarray(positions_of(rules, observations), dtype=np.int64)
        values = np.full(action_masks.shape, -np.inf)
        size = max(1, LARGEST_BATCH // rules.num_actions)
        for first in range(0, len(positions), size):
            rows, actions = np.nonzero(action_masks[first : first + size])
            here = positions[first : first + size]
            values[first + rows, actions] = self.loss_scores(rules.step(here[rows], actions))
        return values

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities of the actions with the highest score.

        Args:
            observations: positions, ``(n, components)``.
            action_masks: int8 ``(n, actions)``.
        """
        values = self.action_values(observations, action_masks)
        if self._table is None:
            # The last bits of a network's numbers depend on the batch, and would break ties.
            values = np.round(values, 4)
        return shared_by_best(values, action_masks)

    @cached_property
    def _table(self) -> GreedyValuePolicy | None:
        """The same policy as a table of all positions; ``None`` if they are too many."""
        rules = self.game.rules
        if rules.has_wide_gaps or rules.num_positions > LARGEST_TABLE:
            return None
        every = np.arange(rules.num_positions)
        judged = [
            self.loss_scores(rules.positions(every[first : first + LARGEST_BATCH]))
            for first in range(0, len(every), LARGEST_BATCH)
        ]
        values = position_values(self.game, -np.concatenate(judged))
        return GreedyValuePolicy(values, self.game.rules)
