"""A function of batches of observations, as an agent that plays."""

from __future__ import annotations

import numpy as np

from agents.base import Array, FloatArray, IntArray, MaskArray
from nim_envs import Game
from nim_envs.encoding import Encoding
from nim_envs.players import PolicyFunction, checked_probabilities, drawn
from nim_envs.scoring.policies import LARGEST_BATCH


class PolicyAgent:
    """A policy that was trained on encoded positions, as an agent that observes positions.

    The algorithm and the library that trained it do not matter: it is a function. So it can play
    matches, and be the opponent in environments of any encoding; a score needs no agent.

    Args:
        policy: a function of observations ``(n, ...)`` and action masks ``(n, actions)``, int8,
            that returns actions ``(n,)`` or probabilities ``(n, actions)``, as
            :func:`nim_envs.optimality` takes it; what it says of illegal actions is left out.
        game: the game.
        encoding: of the positions that the policy takes, by name.
        greedy: whether it takes a most probable legal action, ties in equal shares, instead of
            drawing one.

    Raises:
        InvalidGameError: an unknown encoding.

    Example:
        >>> from nim_envs import make_game
        >>> def take_most(observations, masks):
        ...     return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        >>> agent = PolicyAgent(take_most, make_game("nim", heaps=(3,)))
        >>> agent.act(np.array([2]), np.array([1, 1, 0]), np.random.default_rng())
        1
    """

    def __init__(
        self,
        policy: PolicyFunction,
        game: Game,
        *,
        encoding: str = "integer",
        greedy: bool = False,
    ) -> None:
        self.policy = policy
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
            InvalidPolicyError: the policy returned something else than it should.
        """
        if observations.dtype.kind in "iu":
            observations = self.encoding.encode(observations)
        chances = np.zeros(action_masks.shape)
        # Nothing is asked about games that are over.
        playable = np.flatnonzero(action_masks.any(axis=1))
        for first in range(0, len(playable), LARGEST_BATCH):
            rows = playable[first : first + LARGEST_BATCH]
            chances[rows] = self._probabilities(observations[rows], action_masks[rows])
        return chances

    def _probabilities(self, observations: Array, masks: MaskArray) -> FloatArray:
        # Networks mask by large negative numbers, which leave illegal actions a tiny probability.
        shares = checked_probabilities(self.policy(observations, masks), masks.shape) * masks
        if self.greedy_play:
            best = shares.max(axis=1, keepdims=True)
            shares = ((shares == best) & (masks != 0)).astype(np.float64)
        total = shares.sum(axis=1, keepdims=True)
        # If no legal action has a positive probability, all are equally likely.
        shares = np.where(total > 0, shares, masks)
        normalised: FloatArray = shares / shares.sum(axis=1, keepdims=True)
        return normalised

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        return int(self.act_many(observation[np.newaxis], action_mask[np.newaxis], rng)[0])

    def act_many(
        self, observations: Array, action_masks: MaskArray, rng: np.random.Generator
    ) -> IntArray:
        """Return a legal action each, int64 ``(n,)``, and -1 where none is legal.

        So the environments that play many games at once ask about all of them together.
        """
        return drawn(self.action_probabilities(observations, action_masks), rng)

    def greedy(self) -> PolicyAgent:
        """Return the same policy that takes a most probable action."""
        return PolicyAgent(self.policy, self.game, encoding=self.encoding.name, greedy=True)
