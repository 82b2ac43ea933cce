"""A network that reads the bits of heaps: signed products over heaps, a recurrence over columns.

Let ``c[b]`` be the number of heaps, out of ``n``, whose bit ``b`` is 1. The logit of a win for the
player to move is, from the most significant bit to the least::

    f = cos(angles)                        # (2, k): k factors of a bit 0, and k of a bit 1
    p[b] = f[1] ** c[b] * f[0] ** (n - c[b])        # (k,): the product over all heaps
    x[b] = tanh(p[b] @ hidden.weight + hidden.bias) @ mixed.weight + mixed.bias
    h = 0
    for b = B - 1, …, 0:                   # a gated recurrent unit, H units
        g, s = x[b] @ input.weight + input.bias, h @ state.weight + state.bias
        r, u = sigmoid(g[:H] + s[:H]), sigmoid(g[H : 2 * H] + s[H : 2 * H])
        h = u * h + (1 - u) * tanh(g[2 * H :] + r * s[2 * H :])
    logit = h @ output.weight + output.bias

The products are a linear recurrence over the heaps with a diagonal matrix, whose eigenvalues are
the factors. Without negative ones no product distinguishes odd from even numbers of ones. Rounded
factors are -1, 0 and 1. If the factors of bit 0 are 1, empty heaps change nothing; the order of the
heaps never changes anything.

The formula is written once, in :meth:`SignedProductsNetwork.logits`, for the arrays of NumPy,
PyTorch and JAX alike; weights are a dict of arrays by the names above.

References:
    R. Grazzi, J. Siems, A. Zela, J. K. H. Franke, F. Hutter & M. Pontil, "Unlocking state-tracking
    in linear RNNs through negative eigenvalues", ICLR 2025, arXiv:2411.12537; K. Cho et al.,
    "Learning phrase representations using RNN encoder-decoder", EMNLP 2014 (the gated unit).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nim_envs.typing import Array, IntArray

Parameters = Mapping[str, Any]
"""Weights by name: arrays of NumPy, PyTorch or JAX."""

PRODUCTS = 8
"""Factors of each bit."""

UNITS = 16
"""Units of each layer and of the recurrence."""

MLP_UNITS = 36
"""Units of each layer of the plain network, for the same number of weights on five heaps below 16:
about 2,100."""

LARGEST_KEY = 1 << 62

Function = Callable[[Any], Any]
"""A function of an array."""


def unchanged(array: Any) -> Any:
    """Return the array itself."""
    return array


class Column(NamedTuple):
    """One column of bits of many positions; those equal up to this column share an entry."""

    counts: IntArray  # (n,): number of heaps with a 1 in this column
    parents: IntArray  # (n,): index of the entry in the previous column; 0 in the first


@dataclass(frozen=True)
class SignedProductsNetwork:
    """The network by the formula of this module.

    It takes positions by their *keys*, sums over their heaps: positions that it cannot distinguish
    have the same key, which is evaluated once.

    Attributes:
        signed: whether factors are in [-1, 1], not in [0, 1].
        other_boards: whether it plays boards of other sizes than the one learned.
    """

    signed: bool = True
    other_boards = True

    def initial(self, heaps: int, columns: int, rng: np.random.Generator) -> dict[str, Array]:
        """Return new weights, float32, for a board of ``heaps`` heaps of ``columns`` bits.

        Factors of bit 0 are near 1, those of bit 1 spread over their range.
        """
        spread = (np.arange(PRODUCTS) + rng.random(PRODUCTS)) / PRODUCTS
        angles = np.pi * np.stack([0.1 * rng.random(PRODUCTS), spread])
        return {
            "angles": angles.astype(np.float32),
            **layer("hidden", PRODUCTS, UNITS, rng),
            **layer("mixed", UNITS, UNITS, rng),
            **layer("input", UNITS, 3 * UNITS, rng),
            **layer("state", UNITS, 3 * UNITS, rng),
            **layer("output", UNITS, 1, rng),
        }

    def key_table(self, heaps: int, columns: int) -> IntArray:
        """Return the summand of the key for each heap and size, ``(heaps, 2 ** columns)``.

        The digits of a key to base ``heaps + 1`` count each column's ones.

        Raises:
            ValueError: the board is too large for keys of 64 bits.
        """
        if (heaps + 1) ** columns > LARGEST_KEY:
            raise ValueError(f"{heaps} heaps of {columns} bits are too many for this network")
        bits = (np.arange(1 << columns)[:, np.newaxis] >> np.arange(columns)) & 1
        table: IntArray = bits @ (heaps + 1) ** np.arange(columns)
        return np.broadcast_to(table, (heaps, len(table)))

    def inputs(self, keys: IntArray, heaps: int, columns: int) -> Any:
        """Return the input of :meth:`logits` for distinct, ascending keys, ``(n,)``.

        It is a list of the columns, most significant first; positions share equal prefixes.
        """
        layers, prefixes = [], keys
        for _ in range(columns):
            # Prefixes ascend, so equal ones are neighbours; the first column has one parent.
            shorter, counts = np.divmod(prefixes, heaps + 1)
            first = np.diff(shorter, prepend=-1) != 0
            layers.append(Column(counts, first.cumsum() - 1))
            prefixes = shorter[first]
        return layers[::-1]

    def factors(self, weights: Parameters, xp: Any = np) -> Any:
        """Return the factors of each bit before rounding, ``(2, PRODUCTS)``."""
        cosines = xp.cos(weights["angles"])
        return cosines if self.signed else (1 + cosines) / 2

    def logits(
        self,
        weights: Parameters,
        inputs: Sequence[Column],
        heaps: int,
        xp: Any = np,
        rounding: Function = unchanged,
        disturb: Function = unchanged,
    ) -> Any:
        """Return the logit of a win for the player to move, ``(n,)``, by the formula above.

        Args:
            weights: arrays by name.
            inputs: result of :meth:`inputs`.
            heaps: number of heaps on the board, empty ones included.
            xp: array module of the weights: ``numpy``, ``torch`` or ``jax.numpy``.
            rounding: rounds the factors.
            disturb: adds noise to the state after each column, in training.
        """
        factors = rounding(self.factors(weights, xp))
        ones = xp.arange(heaps + 1, dtype=factors.dtype)[:, None]
        products = factors[1] ** ones * factors[0] ** (heaps - ones)
        # Computed once for each number of ones in a column: (heaps + 1, 3 H).
        mixed = linear(weights, "mixed", xp.tanh(linear(weights, "hidden", products)))
        gates = linear(weights, "input", mixed)
        state = xp.zeros((1, UNITS), dtype=weights["angles"].dtype)
        for counts, parents in inputs:
            here, before = gates[counts], linear(weights, "state", state)[parents]
            # sigmoid(x) = (1 + tanh(x / 2)) / 2, which never overflows.
            opened = (1 + xp.tanh((here + before)[:, : 2 * UNITS] / 2)) / 2
            reset, keep = opened[:, :UNITS], opened[:, UNITS:]
            new = xp.tanh(here[:, 2 * UNITS :] + reset * before[:, 2 * UNITS :])
            state = disturb(keep * state[parents] + (1 - keep) * new)
        return linear(weights, "output", state)[:, 0]


@dataclass(frozen=True)
class PlainNetwork:
    """Two hidden layers on the bits of all heaps, for comparison; it plays its own board only.

    Its methods are those of :class:`SignedProductsNetwork`.
    """

    other_boards = False

    def initial(self, heaps: int, columns: int, rng: np.random.Generator) -> dict[str, Array]:
        """Return new weights."""
        return {
            **layer("first", heaps * columns, MLP_UNITS, rng),
            **layer("second", MLP_UNITS, MLP_UNITS, rng),
            **layer("output", MLP_UNITS, 1, rng),
        }

    def key_table(self, heaps: int, columns: int) -> IntArray:
        """Return summands of keys that are the bits of all heaps."""
        if heaps * columns > 62:
            raise ValueError(f"{heaps} heaps of {columns} bits are too many for this network")
        return np.arange(1 << columns) << (columns * np.arange(heaps)[:, np.newaxis])

    def inputs(self, keys: IntArray, heaps: int, columns: int) -> Any:
        """Return the bits, float32 ``(n, heaps * columns)``."""
        return ((keys[:, np.newaxis] >> np.arange(heaps * columns)) & 1).astype(np.float32)

    def logits(
        self,
        weights: Parameters,
        inputs: Any,
        heaps: int,
        xp: Any = np,
        rounding: Function = unchanged,
        disturb: Function = unchanged,
    ) -> Any:
        """Return the logit of a win for the player to move, ``(n,)``."""
        first = xp.tanh(linear(weights, "first", inputs))
        second = xp.tanh(linear(weights, "second", first))
        return linear(weights, "output", second)[:, 0]


ValueNetwork = SignedProductsNetwork | PlainNetwork
"""The networks of values, with the same methods."""


def linear(weights: Parameters, name: str, inputs: Any) -> Any:
    """Return ``inputs @ weight + bias`` of the layer ``name``."""
    return inputs @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def layer(name: str, inputs: int, outputs: int, rng: np.random.Generator) -> dict[str, Array]:
    """Return a layer's weights, uniform within ±1/√inputs, and biases of 0."""
    bound = inputs**-0.5
    return {
        f"{name}.weight": rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32),
        f"{name}.bias": np.zeros(outputs, dtype=np.float32),
    }
