"""The random player."""

from __future__ import annotations

import numpy as np

from agents.base import Array, FloatArray, MaskArray
from agents.tabular.selection import random_of_mask


class RandomAgent:
    """Picks a legal action, all equally likely."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        return int(random_of_mask(action_mask, rng.random()))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the legal actions."""
        return uniform_probabilities(action_masks)


def explored(shares: FloatArray, action_masks: MaskArray, epsilon: float) -> FloatArray:
    """Return what is played if, with probability ``epsilon``, a random action replaces ``shares``.

    Args:
        shares: probabilities without exploration, ``(n, actions)``.
        action_masks: what is legal, same shape.
        epsilon: probability of a random legal action.
    """
    mixture: FloatArray = (1 - epsilon) * shares + epsilon * uniform_probabilities(action_masks)
    return mixture


def uniform_probabilities(chosen: MaskArray) -> FloatArray:
    """Return equal probabilities over the ones of ``(n, actions)``; zeros where there is none."""
    shares: FloatArray = chosen / np.maximum(chosen.sum(axis=1, keepdims=True, dtype=np.int64), 1)
    return shares
