"""Policies as scores need them: the checked probabilities of their actions at positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.encoding import Encoding
from nim_envs.errors import SearchTooLargeError
from nim_envs.players import (
    SCORED,
    AskedPlayer,
    FloatArray,
    MaskArray,
    Policy,
    Turns,
    checked_probabilities,
    hint,
    is_player,
    position_after,
)
from nim_envs.rules.component import IntArray
from nim_envs.rules.rules import Rules

LARGEST_BATCH = 1 << 16
"""A policy is asked about at most this many positions at a time."""


class ScoredPolicy:
    """Any player, as the checked probabilities of its actions at positions.

    Args:
        policy: anything of :data:`nim_envs.players.AnyPlayer`. One with ``act`` is asked once at
            each position and taken to act so always.
        rules: of the game.
        encoding: how it observes positions; ``None``: it observes them as they are, int64.
        seed: of the generator that ``act``, or a function, is given.

    Raises:
        TypeError: ``policy`` is none of these.
    """

    def __init__(
        self, policy: Any, rules: Rules, encoding: Encoding | None = None, seed: int = 0
    ) -> None:
        if not is_player(policy):
            raise TypeError(
                "a policy must be a function of observations and action masks, or an object with "
                f"action_probabilities, move or act, not {policy!r}{hint(policy)}"
            )
        self._policy = policy
        self._asked = AskedPlayer(policy, rules, SCORED, 2)
        self._rules = rules
        self._encoding = encoding
        self._rng = np.random.default_rng(seed)

    @property
    def moves_alone(self) -> bool:
        """Whether moves are all that can be asked for: without probabilities, or masks to show."""
        if not callable(getattr(self._policy, "move", None)):
            return False
        try:
            self._rules.check_table()
        except SearchTooLargeError:
            return True
        return not isinstance(self._policy, Policy)

    def moves(self, positions: IntArray) -> IntArray:
        """Return the positions after the moves of an object with ``move``, ``(n, components)``.

        Raises:
            InvalidPolicyError: it returned no integers, one for each component.
        """
        return np.stack([position_after(self._policy, position) for position in positions])

    def action_probabilities(self, positions: IntArray, masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``.

        A row sums to 1, or to 0 where the policy names no legal move.

        Args:
            positions: ``(n, components)``, each with a legal move.
            masks: int8 ``(n, actions)``.

        Raises:
            InvalidPolicyError: the policy returned something else than it should.
        """
        chances = np.zeros(masks.shape)
        for first in range(0, len(positions), LARGEST_BATCH):
            here = slice(first, first + LARGEST_BATCH)
            # It may write to what it is given, and is judged by what is not its own.
            turns = Turns(
                self._observations(positions[here]), masks[here].copy(), positions[here].copy()
            )
            chances[here] = checked_probabilities(self._asked(turns, self._rng), masks[here].shape)
        return chances

    def _observations(self, positions: IntArray) -> Any:
        """The observations of positions, new arrays."""
        if self._encoding is None:
            return positions.copy()
        observations = self._encoding.encode(positions)
        return observations.astype(self._encoding.space.dtype, copy=False)
