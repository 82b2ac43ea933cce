"""Settings and networks of AlphaZero.

A network maps observations ``(n, ...)`` to a logit of every action, ``(n, actions)``, and values
``(n,)``.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from agents.research.signed_products.value_networks import SignedProductsNetwork
from agents.research.signed_products.visited_positions import heap_options
from nim_envs import Game
from nim_envs.optional import imports_for
from nim_envs.typing import IntArray
from nim_envs.validation import checked_boolean, checked_choice, checked_integer, checked_number

with imports_for("AlphaZero", "alphazero"):
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    from nim_envs.adapters.pgx import PgxEnv

LARGEST_KEYS = 1 << 16
"""Positions that a network with signed products may be able to tell apart: all are evaluated."""


@dataclass(frozen=True)
class Settings:
    """Settings of network, search and training.

    Attributes:
        network: ``"mlp"``, a plain network on the observation; ``"signed-products"``, which can
            represent parity, for heaps that are alike; or ``"unsigned-products"``, the same with
            factors from 0 to 1, which cannot.
        games: number of games to play; the learning rate falls to 0 over them.
        games_at_a_time: number of games between two updates.
        simulations: simulations of the search before each move.
        learning_rate: initial step size of Adam.
        updates: gradient steps after each batch of games.
        minibatch: moves in a gradient step.
        memory: size of the replay buffer, in moves.
        width: units in each hidden layer of the MLP.
        depth: hidden layers of the MLP.
        symmetry: whether each move is learned from with equal parts in a random order, such
            as heaps of the same size at most: who wins does not depend on their order.

    Raises:
        ValueError: a value that is not allowed.
    """

    network: Literal["mlp", "signed-products", "unsigned-products"] = "mlp"
    games: int = 20_000
    games_at_a_time: int = 250
    simulations: int = 32
    learning_rate: float = 1e-3
    updates: int = 64
    minibatch: int = 512
    memory: int = 1 << 17
    width: int = 256
    depth: int = 3
    symmetry: bool = False

    def __post_init__(self) -> None:
        """Check the values."""
        checked_choice("network", self.network, tuple(NETWORKS))
        checked_number("learning_rate", self.learning_rate, 0, open_low=True)
        checked_boolean("symmetry", self.symmetry)
        for name, value in asdict(self).items():
            if name not in ("network", "learning_rate", "symmetry"):
                checked_integer(name, value, minimum=1)
        if self.games % self.games_at_a_time:
            raise ValueError(
                f"games must be a multiple of games_at_a_time, {self.games_at_a_time}, not "
                f"{self.games}"
            )


class MLP(eqx.Module):
    """Hidden layers of rectified units on the observation, and one layer for all outputs."""

    layers: eqx.nn.MLP

    def __init__(self, env: PgxEnv, settings: Settings, key: Any) -> None:
        inputs, outputs = int(np.prod(env.observation_shape)), env.num_actions + 1
        self.layers = eqx.nn.MLP(inputs, outputs, settings.width, settings.depth, key=key)

    def __call__(self, observations: Any) -> tuple[Any, Any]:
        """Return logits and values."""
        flat = observations.reshape(len(observations), -1).astype(jnp.float32)
        outputs = jax.vmap(self.layers)(flat)
        return outputs[:, :-1], jnp.tanh(outputs[:, -1])


class Products(eqx.Module):
    """Signed products over the heaps, by the formula of the learner that generalises.

    :mod:`agents.research.signed_products.value_networks` has it.

    The value is the tanh of half the logit of a win, so that it is in [-1, 1]; an action's logit
    is -4 times the value of the position after it. Positions with as many ones in each column of
    bits have the same value, those with the same *key*: the values of all keys are computed at
    once, and looked up.

    Raises:
        HypothesisError: the components are no heaps that are alike.
        ValueError: an encoding, or too many keys.
    """

    weights: dict[str, Any]
    formula: SignedProductsNetwork = eqx.field(static=True)
    game: Game = eqx.field(static=True)

    def __init__(self, env: PgxEnv, settings: Settings, key: Any) -> None:
        if env.encoding.name != "integer":
            raise ValueError(
                f"{settings.network} takes positions as integers, not encoded: {env.encoding.name}"
            )
        heap_options(env.game)
        self.game = env.game
        self.formula = SignedProductsNetwork(settings.network == "signed-products")
        heaps, columns = self.board
        if (heaps + 1) ** columns > LARGEST_KEYS:
            raise ValueError(
                f"{heaps} heaps of {columns} bits are too many for {settings.network}: at most "
                f"{LARGEST_KEYS:,} keys, not {(heaps + 1) ** columns:,}"
            )
        rng = np.random.default_rng(jax.random.bits(key, (4,)).tolist())
        new = self.formula.initial(heaps, columns, rng)
        self.weights = {name: jnp.asarray(array) for name, array in new.items()}

    @property
    def board(self) -> tuple[int, int]:
        """Number of heaps, and number of bits of the largest one."""
        return len(self.game.parts), max(1, (max(self.game.fields) - 1).bit_length())

    def logits_of_wins(self) -> Any:
        """Return the logit of a win for the player to move at every key, ``(keys,)``."""
        heaps, columns = self.board
        inputs = self.formula.inputs(np.arange((heaps + 1) ** columns), heaps, columns)
        return self.formula.logits(self.weights, inputs, heaps, xp=jnp, rounding=_not_zero)

    def __call__(self, observations: Any) -> tuple[Any, Any]:
        """Return logits and values."""
        values = jnp.tanh(self.logits_of_wins() / 2)
        heap = np.arange(self.board[0])
        sizes, left = self.formula.key_table(*self.board), self._heaps_after()
        # What each action changes in the key, (heaps, states, options); illegal ones do not count.
        states = np.arange(left.shape[1])[:, np.newaxis]
        change = sizes[heap[:, np.newaxis, np.newaxis], left] - sizes[0, states]
        keys = jnp.asarray(sizes)[heap, observations].sum(axis=-1)
        after = keys[:, np.newaxis, np.newaxis] + jnp.asarray(change)[heap, observations]
        return -4 * values[after].reshape(len(after), -1), values[keys]

    def _heaps_after(self) -> IntArray:
        """Return the heap after each option, -1 for none, ``(heaps, sizes, options)``."""
        parts = self.game.parts
        options = self.game.options
        left = np.full((len(parts), max(self.game.fields), options), -1)
        for heap, part in enumerate(parts):
            left[heap, : part.num_positions, : part.num_actions] = part.after
        return left


def _not_zero(factors: Any) -> Any:
    """Return the factors, smallest numbers for zeros: JAX has no derivative of 0 to the power 0."""
    return jnp.where(factors == 0, np.finfo(np.float32).tiny, factors)


NETWORKS: dict[str, Any] = {"mlp": MLP, "signed-products": Products, "unsigned-products": Products}
"""The classes of networks, by name."""
