"""A learned value network as NumPy arrays, so that it plays without PyTorch."""

from __future__ import annotations

import copy
from dataclasses import InitVar, dataclass

import numpy as np

from agents.research.signed_products.value_networks import ValueNetwork, unchanged
from nim_envs.typing import Array, FloatArray, IntArray

LARGEST_BATCH = 1 << 17
"""Keys evaluated in one batch."""


@dataclass(eq=False)
class ValueState:
    """The weights of a network, and the result of their last exam.

    Attributes:
        weights: float32 arrays by name, changed in place.
        rounded: whether factors are rounded.
        contradictions: share of positions in the last exam whose value is not that of a one-move
            look-ahead; 1 before any exam.
    """

    network: ValueNetwork  # formula that the weights belong to
    heaps: int  # number of heaps on the learned board
    columns: int  # number of bits of its largest heap
    misere: bool
    rng: InitVar[np.random.Generator]

    def __post_init__(self, rng: np.random.Generator) -> None:
        self.begin_again(rng)

    def begin_again(self, rng: np.random.Generator) -> None:
        """Discard the weights, and draw new ones."""
        self.weights: dict[str, Array] = self.network.initial(self.heaps, self.columns, rng)
        self.rounded = False
        self.contradictions = 1.0

    def copy(self) -> ValueState:
        """Return a copy that learning does not change."""
        return copy.deepcopy(self)

    def copy_from(self, other: ValueState) -> None:
        """Copy the weights and results of ``other``."""
        self.weights = other.weights
        self.rounded, self.contradictions = other.rounded, other.contradictions

    def winner(self, length: int) -> int:
        """Return the seat that has won a game of ``length`` moves."""
        return (length - 1 + self.misere) % 2

    def logits(self, keys: IntArray, heaps: int, columns: int) -> FloatArray:
        """Return the logit of a win for the player to move, for positions given by their keys."""
        network, rounding = self.network, np.round if self.rounded else unchanged
        distinct, inverse = np.unique(keys, return_inverse=True)
        logits = np.empty(len(distinct))
        for first in range(0, len(distinct), LARGEST_BATCH):
            here = slice(first, first + LARGEST_BATCH)
            inputs = network.inputs(distinct[here], heaps, columns)
            logits[here] = network.logits(self.weights, inputs, heaps, np, rounding)
        return logits[inverse.reshape(keys.shape)]

    def win_probabilities(self, keys: IntArray, heaps: int, columns: int) -> FloatArray:
        """Return the probability of a win for the player to move; see :meth:`logits`."""
        return (1 + np.tanh(self.logits(keys, heaps, columns) / 2)) / 2
