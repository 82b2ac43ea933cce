"""A function from batches of observations to probabilities, as an agent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.base import Array, FloatArray, IntArray, MaskArray
from nim_envs import Game
from nim_envs.encoding import Encoding

Probabilities = Callable[[Array, MaskArray], Array]

LARGEST_BATCH = 1 << 16
"""Positions that the network gets at a time."""


class PolicyAgent:
    """A policy that was trained on encoded positions, as an agent that observes positions.

    The algorithm and the library that trained it do not matter: it is a function.

    Args:
        probabilities: a function of observations ``(n, ...)`` and action masks ``(n, actions)``,
            int8, that returns the probability of every action, ``(n, actions)``.
        game: the game.
        encoding: of the positions that the policy takes, by name.
        greedy: whether it takes a most probable legal action, ties in equal shares, instead of
            drawing one.

    Raises:
        InvalidGameError: an unknown encoding.

    Example:
        >>> from agents.evaluation import optimality
        >>> from nim_envs import make_game
        >>> game = make_game("nim", heaps=(3,))
        >>> def take_most(observations, masks):
        ...     return masks * np.arange(1, masks.shape[1] + 1)
        >>> optimality(PolicyAgent(take_most, game, greedy=True), game).percent
        100.0
    """

    def __init__(
        self,
        probabilities: Probabilities,
        game: Game,
        *,
        encoding: str = "integer",
        greedy: bool = False,
    ) -> None:
        self.probabilities = probabilities
        self.game = game
        self.encoding = Encoding(encoding, game.rules)
        self.greedy_play = greedy

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action, 0 for those that are illegal.

        Args:
            observations: positions ``(n, components)``, or their encoding.
            action_masks: int8 ``(n, actions)``.

        Returns:
            Float64 ``(n, actions)``, rows that sum to 1, or to 0 where no action is legal.

        Raises:
            ValueError: the policy returned another shape, or values that are not probabilities.
        """
        if observations.dtype.kind in "iu":
            observations = self.encoding.encode(observations)
        parts = [
            self._probabilities(observations[first : first + LARGEST_BATCH], masks)
            for first in range(0, len(observations), LARGEST_BATCH)
            for masks in [action_masks[first : first + LARGEST_BATCH]]
        ]
        return np.concatenate(parts) if parts else np.zeros(action_masks.shape)

    def _probabilities(self, observations: Array, masks: MaskArray) -> FloatArray:
        shares = np.asarray(self.probabilities(observations, masks), dtype=np.float64)
        if shares.shape != masks.shape or not (shares >= 0).all():
            raise ValueError(
                f"a policy must return probabilities of shape {masks.shape}, not {shares!r}"
            )
        # Networks mask by large negative numbers, which leave illegal actions a tiny probability.
        shares = shares * masks
        if self.greedy_play:
            best = shares.max(axis=1, keepdims=True)
            shares = ((shares == best) & (masks != 0)).astype(np.float64)
        total = shares.sum(axis=1, keepdims=True)
        # If no legal action has a positive probability, all are equally likely.
        shares = np.where(total > 0, shares, masks)
        normalised: FloatArray = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        return normalised

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        return int(self(observation[np.newaxis], action_mask[np.newaxis], rng)[0])

    def __call__(
        self, observations: Array, action_masks: MaskArray, rng: np.random.Generator
    ) -> IntArray:
        """Return a legal action each, int64 ``(n,)``, and 0 where none is legal.

        So it can be the opponent of the environments that play many games at once.
        """
        cumulative = self.action_probabilities(observations, action_masks).cumsum(axis=1)
        # Rounding may leave the last sum slightly below or above 1.
        drawn = rng.random((len(cumulative), 1)) * cumulative[:, -1:]
        actions: IntArray = (cumulative > drawn).argmax(axis=1)
        return actions

    def greedy(self) -> PolicyAgent:
        """Return the same policy that takes a most probable action."""
        return PolicyAgent(self.probabilities, self.game, encoding=self.encoding.name, greedy=True)
