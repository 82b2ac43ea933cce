"""Search with mctx, which does not know decided positions, beside AlphaZero's own."""

import jax
import jax.numpy as jnp
import mctx
import numpy as np

from agents.research import alphazero


def plain(network, states, key, simulations, gumbel_scale=1.0):
    """Search with :func:`mctx.gumbel_muzero_policy`; arguments as of AlphaZero's own."""

    def expanded(network, key, actions, states):
        movers = states.current_player
        states = jax.vmap(states.env.step)(states, actions)
        logits, values = network(states.observation)
        return mctx.RecurrentFnOutput(
            reward=jnp.take_along_axis(states.rewards, movers[:, np.newaxis], axis=1)[:, 0],
            discount=jnp.where(states.terminated, 0.0, -1.0),
            prior_logits=alphazero.masked(logits, states.legal_action_mask),
            value=jnp.where(states.terminated, 0.0, values),
        ), states

    logits, values = network(states.observation)
    root = mctx.RootFnOutput(
        prior_logits=alphazero.masked(logits, states.legal_action_mask),
        value=values,
        embedding=states,
    )
    return mctx.gumbel_muzero_policy(
        network, key, root, expanded, simulations,
        invalid_actions=~states.legal_action_mask, gumbel_scale=gumbel_scale,
    )  # fmt: skip


def below_finished(found):
    """Return the simulations of each search, and those that went on where the game was over."""
    tree = found.tree
    parents, over = np.asarray(tree.parents)[:, 1:], np.asarray(tree.states.terminated)
    made = np.arange(1, parents.shape[1] + 1) < np.asarray(tree.size)[:, np.newaxis]
    return made.sum(axis=1), (made & np.take_along_axis(over, parents, axis=1)).sum(axis=1)
