"""The random player."""

from __future__ import annotations

import numpy as np

from agents.tabular.policies import uniform_probabilities
from agents.tabular.selection import random_of_mask
from nim_envs.typing import Array, FloatArray, MaskArray


class RandomAgent:
    """Chooses a legal action at random, all equally likely."""

    def __repr__(self) -> str:
        """Return its name."""
        return "RandomAgent()"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        return int(random_of_mask(action_mask, rng.random()))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the legal actions."""
        return uniform_probabilities(action_masks)
