"""Searches of mctx by the rules of a game, without a network."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.studies.libraries.recipes import board_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.graph import Graph
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction
from nim_envs.typing import Array, IntArray, MaskArray

with imports_for("this benchmark's searches of mctx", "libraries"):
    import jax
    import jax.numpy as jnp
    import mctx

SIMULATIONS = 32


def search(
    board: str, moves: int, seed: int, *, policy: str, discount: float
) -> list[PolicyFunction]:
    """Return a search of mctx as a policy.

    ``policy`` names a function of mctx; a discount of −1 subtracts the opponent's values.

    All options have the same prior; the value of a leaf is the result of one random game from it.
    """
    game = board_game(board)
    graph = game.board
    if not isinstance(graph, Graph):
        raise SearchTooLargeError(f"{game.summary} has too many positions for a table of its moves")
    rows = np.arange(graph.num_positions)
    legal = jnp.asarray(graph.mask(rows) != 0)
    after = jnp.asarray(np.where(graph.after < 0, rows[:, np.newaxis], graph.after))
    end_values = jnp.asarray(np.where(graph.ends, game.end_values(rows), 0))
    over = jnp.asarray(graph.ends)

    def random_game(key: Any, row: Any) -> Any:
        """The result of a random game to the player to move at a row."""

        def turn(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            key, row, sign = state
            key, action_key = jax.random.split(key)
            action = jax.random.categorical(action_key, jnp.where(legal[row], 0.0, -jnp.inf))
            return key, after[row, action], -sign

        _, last, sign = jax.lax.while_loop(lambda state: ~over[state[1]], turn, (key, row, 1.0))
        return sign * end_values[last]

    def step(_: Any, key: Any, action: Any, rows: Any) -> tuple[Any, Any]:
        there = after[rows, action]
        ended = over[there]
        values = jax.vmap(random_game)(jax.random.split(key, len(rows)), there)
        output = mctx.RecurrentFnOutput(
            # The mover's result of a finished game is the negative of that of the player to move.
            reward=jnp.where(ended & ~over[rows], -end_values[there].astype(jnp.float32), 0.0),
            discount=jnp.where(ended, 0.0, discount),
            prior_logits=jnp.where(legal[there], 0.0, -1e9),
            value=jnp.where(ended, 0.0, values).astype(jnp.float32),
        )
        return output, there

    @partial(jax.jit, static_argnums=2)
    def search_from(rows: Any, key: Any, count: int) -> Any:
        begin, rest = jax.random.split(key)
        values = jax.vmap(random_game)(jax.random.split(begin, count), rows)
        root = mctx.RootFnOutput(
            prior_logits=jnp.zeros((count, legal.shape[1])),
            value=values.astype(jnp.float32),
            embedding=rows,
        )
        return getattr(mctx, policy)(
            None, rest, root, step, SIMULATIONS, invalid_actions=~legal[rows]
        ).action

    def play(observations: Array, masks: MaskArray) -> IntArray:
        rows = jnp.asarray(graph.find(observations.astype(np.int64)))
        return np.asarray(search_from(rows, jax.random.key(seed), len(rows)))

    return [play]
