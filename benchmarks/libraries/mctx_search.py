"""Searches of mctx by the rules of a game, without a network."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.libraries.recipes import board_game
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

    All options have the same prior; the value of a leaf is the result of one random game from it.

    Args:
        board: name of the board.
        moves: unused; a search learns nothing.
        seed: seed of the random games and of the search.
        policy: name of a function of mctx.
        discount: factor of the value of the next position; −1 subtracts the opponent's.
    """
    rules = board_game(board).rules
    positions = rules.lattice()
    legal = jnp.asarray(rules.action_mask(positions) != 0)
    # Rows of positions after each action; an illegal one stays where it is.
    after = jnp.asarray(_rows_after(rules, positions))
    end_values = jnp.asarray(
        np.where(rules.is_terminal(positions), board_game(board).convention.end_values(
            rules, positions), 0)
    )  # fmt: skip
    over = ~legal.any(axis=1)

    def random_game(key: Any, row: Any) -> Any:
        """The result of a random game to the player to move at a row."""

        def turn(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            key, row, sign = state
            key, drawn = jax.random.split(key)
            action = jax.random.categorical(drawn, jnp.where(legal[row], 0.0, -jnp.inf))
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
        rows = jnp.asarray(rules.indices(np.asarray(observations, dtype=np.int64)))
        return np.asarray(search_from(rows, jax.random.key(seed), len(rows)))

    return [play]


def _rows_after(rules: Any, positions: IntArray) -> IntArray:
    """Return the row of the position after each action, ``(positions, actions)``."""
    rows = np.tile(np.arange(len(positions))[:, np.newaxis], (1, rules.num_actions))
    for row, actions in enumerate(rules.action_mask(positions) != 0):
        for action in np.flatnonzero(actions):
            rows[row, action] = rules.indices(rules.step(positions[row], action))
    return rows
