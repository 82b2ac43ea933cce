"""The optimal player, by the exact solution of the game."""

from __future__ import annotations

from typing import Literal

import numpy as np

from agents.tabular.policies import uniform_probabilities, with_exploration
from agents.tabular.selection import random_of_mask
from nim_envs import Game
from nim_envs.caches import LimitedCache
from nim_envs.typing import Array, FloatArray, MaskArray
from nim_envs.validation import checked_choice, checked_number

CHOICES = ("random", "first")
LOST_CHOICES = ("random", "smallest")
REMEMBERED_POSITIONS = 1 << 16


class OptimalAgent:
    """Moves to a P-position wherever one can be reached; where draws exist, it keeps the value.

    Args:
        game: game to solve; observations must be its positions (``encoding="integer"``).
        choice: ``"random"`` or the ``"first"`` of several winning actions, or of several that keep
            a draw.
        lost_choice: choice at a P-position, where every move loses: ``"random"`` among the legal
            actions, or the ``"smallest"``: the first option slot that is legal in some component,
            which takes or adds least; of several such components the first.

    Raises:
        ValueError: an unknown choice.
        SearchTooLargeError: the game cannot be solved.
    """

    def __init__(
        self,
        game: Game,
        *,
        choice: Literal["random", "first"] = "random",
        lost_choice: Literal["random", "smallest"] = "random",
    ) -> None:
        self.choice = checked_choice("choice", choice, CHOICES)
        self.lost_choice = checked_choice("lost_choice", lost_choice, LOST_CHOICES)
        self.game = game
        self.solution = game.solution
        self._choices: LimitedCache[bytes, MaskArray] = LimitedCache(REMEMBERED_POSITIONS)

    def __repr__(self) -> str:
        """Return its game."""
        return f"{type(self).__name__}({self.game.summary})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a winning action, or one that keeps a draw; at a P-position, a losing one."""
        chosen = self._choices.get_or_create(
            observation.tobytes(),
            lambda: self._chosen(observation[np.newaxis], action_mask[np.newaxis])[0],
        )
        return int(random_of_mask(chosen, rng.random()))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action."""
        return uniform_probabilities(self._chosen(observations, action_masks))

    def _chosen(self, observations: Array, action_masks: MaskArray) -> MaskArray:
        """Mask of the actions that may be chosen, all equally likely, int8 ``(n, actions)``."""
        chosen: MaskArray = self.solution.keeping_mask(observations).astype(np.int8)
        lost = ~chosen.any(axis=1)
        if self.choice == "first":
            chosen = _only_first(chosen)
        legal = action_masks[lost]
        if self.lost_choice == "smallest":
            legal = self._smallest(legal)
        chosen[lost] = legal
        return chosen

    def _smallest(self, legal: MaskArray) -> MaskArray:
        """Keep the legal action of the smallest option slot, in the first such component."""
        components, options = len(self.game.rules.components), self.game.rules.num_options
        by_option = legal.reshape(-1, components, options).swapaxes(1, 2)
        first = _only_first(by_option.reshape(legal.shape))
        return first.reshape(by_option.shape).swapaxes(1, 2).reshape(legal.shape)


def _only_first(chosen: MaskArray) -> MaskArray:
    """Keep the first 1 of every row of ``(n, actions)``."""
    return np.asarray(chosen * (np.cumsum(chosen, axis=1) == 1), dtype=np.int8)


class EpsilonOptimalAgent:
    """Plays optimally with probability ``1 - epsilon``, else a random legal action.

    Args:
        game: game to solve; observations must be its positions (``encoding="integer"``).
        epsilon: probability of a random action, 0 to 1.

    Raises:
        ValueError: ``epsilon`` is outside 0 to 1.
    """

    def __init__(self, game: Game, epsilon: float) -> None:
        self.epsilon = checked_number("epsilon", epsilon, 0, 1)
        self.optimal = OptimalAgent(game)

    def __repr__(self) -> str:
        """Return its game and its epsilon."""
        return f"{type(self).__name__}({self.optimal.game.summary}; epsilon {self.epsilon})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an optimal action or, with probability ``epsilon``, a random one."""
        if rng.random() < self.epsilon:
            return int(random_of_mask(action_mask, rng.random()))
        return self.optimal.act(observation, action_mask, rng)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the mixture of the optimal and the uniform probabilities."""
        optimal = self.optimal.action_probabilities(observations, action_masks)
        return with_exploration(optimal, action_masks, self.epsilon)
