"""A learned network of values as NumPy arrays, so that it plays without PyTorch."""

from __future__ import annotations

import copy

import numpy as np

from agents.base import Array, FloatArray, IntArray
from agents.generalising.signed_products.value_networks import ValueNetwork

LARGEST_BATCH = 1 << 17
"""Keys that are evaluated at a time."""


class ValueState:
    """The weights of a network, and what is known about them.

    Args:
        network: whose weights.
        heaps: of the board that is learned.
        columns: bits of its largest heap.
        misere: whether who cannot move has won.
        rng: the source of the first weights.

    Attributes:
        weights: float32 arrays by name, changed in place.
        rounded: whether factors are rounded.
        contradictions: share of the positions of the last exam at which its value is not what
            looking one move ahead makes of it; 1 before any.
    """

    def __init__(
        self,
        network: ValueNetwork,
        heaps: int,
        columns: int,
        misere: bool,
        rng: np.random.Generator,
    ) -> None:
        self.network = network
        self.heaps = heaps
        self.columns = columns
        self.misere = misere
        self.weights: dict[str, Array] = {}
        self.begin_again(rng)

    def begin_again(self, rng: np.random.Generator) -> None:
        """Forget everything, and draw new weights."""
        self.weights = self.network.initial(self.heaps, self.columns, rng)
        self.rounded = False
        self.contradictions = 1.0

    def copy(self) -> ValueState:
        """Return a copy that learning does not change."""
        return copy.deepcopy(self)

    def become(self, other: ValueState) -> None:
        """Take over what another has learned."""
        self.weights = other.weights
        self.rounded, self.contradictions = other.rounded, other.contradictions

    def winner(self, length: int) -> int:
        """Return the seat that has won a game of ``length`` moves."""
        return (length - 1 + self.misere) % 2

    def logits(self, keys: IntArray, heaps: int, columns: int) -> FloatArray:
        """Return the logit of a win for the player to move at the positions with these keys.

        Args:
            keys: of a board of any size, ``(n,)``; each is evaluated once.
            heaps: of that board.
            columns: of that board.
        """
        network, rounding = self.network, np.round if self.rounded else None
        distinct, inverse = np.unique(keys, return_inverse=True)
        logits = np.empty(len(distinct))
        for first in range(0, len(distinct), LARGEST_BATCH):
            here = slice(first, first + LARGEST_BATCH)
            inputs = network.inputs(distinct[here], heaps, columns)
            logits[here] = network.logits(self.weights, inputs, heaps, np, rounding)
        return logits[inverse.reshape(keys.shape)]

    def win_probabilities(self, keys: IntArray, heaps: int, columns: int) -> FloatArray:
        """Return the probability of a win for the player to move; see :meth:`logits`."""
        probabilities: FloatArray = (1 + np.tanh(self.logits(keys, heaps, columns) / 2)) / 2
        return probabilities
