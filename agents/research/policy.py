"""Policies trained by other libraries, as agents."""

from __future__ import annotations

import numpy as np

from agents.policies import shared_by_best
from nim_envs import Game
from nim_envs.encoding import Encoding
from nim_envs.player_answers import checked_probabilities, draw_actions
from nim_envs.players import PolicyFunction
from nim_envs.scored_policy import LARGEST_BATCH
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray


class PolicyAgent:
    """An agent that plays by a policy trained on encoded positions.

    The policy is a function, whatever algorithm and library trained it. As an agent it can play
    matches, and be the opponent in environments of any encoding; a score needs no agent.

    Args:
        policy: maps observations ``(n, ...)`` and action masks, int8 ``(n, actions)``, to actions
            ``(n,)`` or probabilities ``(n, actions)``, as for :func:`nim_envs.optimality`;
            probabilities of illegal actions are ignored.
        game: rules that define positions and actions.
        encoding: name of the encoding of the policy's observations.
        greedy: whether to take a most probable legal action, ties equally likely, instead of
            drawing one.

    Raises:
        InvalidGameError: ``encoding`` is unknown.

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
        self.encoding = Encoding(encoding, game.fields)
        self.plays_greedily = greedy

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``; 0 where it is illegal.

        Observations are positions ``(n, components)`` or their encoding. Rows sum to 1, or to 0
        where no action is legal.
        """
        if observations.dtype.kind in "iu":
            observations = self.encoding.encode(observations)
        probabilities = np.zeros(action_masks.shape)
        # The policy is not called at terminal positions.
        playable = np.flatnonzero(action_masks.any(axis=1))
        for first in range(0, len(playable), LARGEST_BATCH):
            rows = playable[first : first + LARGEST_BATCH]
            probabilities[rows] = self._probabilities(observations[rows], action_masks[rows])
        return probabilities

    def _probabilities(self, observations: Array, masks: MaskArray) -> FloatArray:
        # Networks mask by large negative numbers, which leave illegal actions a tiny probability.
        given = checked_probabilities(self.policy(observations, masks), masks.shape) * masks
        if self.plays_greedily:
            return shared_by_best(given, masks)
        # If no legal action has a positive probability, all are equally likely.
        weights = np.where(given.any(axis=1, keepdims=True), given, masks)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        return int(self.act_many(observation[np.newaxis], action_mask[np.newaxis], rng)[0])

    def act_many(
        self, observations: Array, action_masks: MaskArray, rng: np.random.Generator
    ) -> IntArray:
        """Return a legal action for each observation, int64 ``(n,)``; -1 where none is legal.

        Batched environments call it once for all of their games.
        """
        return draw_actions(self.action_probabilities(observations, action_masks), rng)

    def greedy(self) -> PolicyAgent:
        """Return the agent that always takes a most probable action of this policy."""
        return PolicyAgent(self.policy, self.game, encoding=self.encoding.name, greedy=True)
