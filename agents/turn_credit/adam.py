"""Adam: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

import numpy as np

from nim_envs.typing import BoolArray, FloatArray

DECAYS = (0.9, 0.999)
"""Decay rates of the means: the defaults of Kingma & Ba, ICLR 2015, algorithm 1."""

TINY = 1e-8
"""Their default for the number added to the divisor."""


class Adam:
    """Running means of gradients and their squares, of one run or of several.

    Args:
        shape: shape of the gradients.
        tiny: added to the divisor.
    """

    def __init__(self, shape: tuple[int, ...], tiny: float = TINY) -> None:
        self.tiny = tiny
        self.updates = 0
        self.mean = np.zeros(shape)
        self.square = np.zeros(shape)

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Return the step of ascent for a learning rate of 1, after another gradient."""
        self.updates += 1
        self.mean += (1 - DECAYS[0]) * (gradient - self.mean)
        self.square += (1 - DECAYS[1]) * (gradient**2 - self.square)
        mean = self.mean / (1 - DECAYS[0] ** self.updates)
        root = np.sqrt(self.square / (1 - DECAYS[1] ** self.updates))
        return mean / (root + self.tiny)

    def keep(self, runs: BoolArray) -> None:
        """Drop the other runs; ``runs`` says which stay, ``(runs,)``."""
        self.mean, self.square = self.mean[runs], self.square[runs]
