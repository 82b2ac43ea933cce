"""The search of AlphaZero, and policies by a network with and without it."""

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from nim_envs import Game
from nim_envs.optional import imports_for
from nim_envs.typing import IntArray, MaskArray
from nim_envs.validation import checked_integer

with imports_for("AlphaZero", "alphazero"):
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    from nim_envs.adapters.pgx import PgxEnv, PgxState

SCORED_AT_A_TIME = 4096
"""Positions, a power of two, that a network is asked about at a time."""

SEARCHED_AT_A_TIME = 256
"""The same where it searches: the trees of more do not stay in a processor's cache."""


class Tree(NamedTuple):
    """The trees of a batch of searches; node 0 is the root."""

    states: PgxState  # of the games at the nodes, (games, nodes)
    priors: Any  # the network's probabilities of actions, (games, nodes, actions)
    values: Any  # the network's values to the player to move, (games, nodes)
    parents: Any  # the nodes above, -1 above the root, (games, nodes)
    actions: Any  # the actions that lead to the nodes, (games, nodes)
    choices: Any  # the actions that the next simulation takes, not at the root, (games, nodes)
    children: Any  # the nodes after the actions, 0 for none, (games, nodes, actions)
    visits: Any  # simulations that took the actions, (games, nodes, actions)
    qvalues: Any  # values of the actions to the player who takes them, (games, nodes, actions)
    # Whether an action is illegal, or leads to a decided position: no simulation takes it (again).
    closed: Any  # (games, nodes, actions)
    size: Any  # nodes so far, (games,)
    value: Any  # value of the root, (games,)
    decided: Any  # whether the root is decided, (games,)


class SearchResult(NamedTuple):
    """Result of a search."""

    action: Any  # the one chosen, (games,)
    action_weights: Any  # the improved policy, (games, actions)
    tree: Tree


CONSIDERED = 16
"""Actions of a root that are tried at most, if that many are legal."""

VISIT_OFFSET, VALUE_SCALE = 50, 0.1
"""Weight of values against logits: the scale times the offset plus the most visits."""

TINY = float(np.finfo(np.float32).tiny)


def masked(logits: Any, masks: Any) -> Any:
    """Return the logits, those of illegal actions so low that their probability is 0."""
    return jnp.where(masks, logits, -1e30)


def scheduled_visits(simulations: int) -> IntArray:
    """Return the visits that the action of each simulation has had, by sequential halving.

    By number of actions considered and of the simulation, ``(CONSIDERED + 1, simulations)``.
    Z. Karnin, T. Koren & O. Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013.
    """
    table = np.zeros((CONSIDERED + 1, simulations), np.int64)
    table[:2] = np.arange(simulations)
    for considered in range(2, CONSIDERED + 1):
        rounds, left, visits = (considered - 1).bit_length(), considered, 0
        sequence: list[int] = []
        while len(sequence) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                sequence += [visits] * left
                visits += 1
            left = max(2, left // 2)
        table[considered] = sequence[:simulations]
    return table


def value_of_action(reward: Any, terminated: Any, value: Any) -> Any:
    """Return an action's value to who takes it: the next position's counts for the opponent."""
    return jnp.where(terminated, reward, -value)


def completed_qvalues(priors: Any, values: Any, visits: Any, qvalues: Any) -> Any:
    """Return the scaled values of all actions, which the search adds to their logits.

    The *completed Q-values* of Danihelka et al., section 4 and appendix D, rescaled to [0, 1];
    those of unvisited actions are estimated.
    """
    seen, total = visits > 0, visits.sum(axis=1)
    weights = jnp.where(seen, jnp.maximum(priors, TINY), 0.0)
    mean = (weights * qvalues).sum(axis=1) / jnp.maximum(weights.sum(axis=1), TINY)
    estimates = (values + total * mean) / (1 + total)
    completed = jnp.where(seen, qvalues, estimates[:, np.newaxis])
    lowest = completed.min(axis=1, keepdims=True)
    highest = completed.max(axis=1, keepdims=True)
    scale = VALUE_SCALE * (VISIT_OFFSET + visits.max(axis=1, keepdims=True))
    return scale * (completed - lowest) / jnp.maximum(highest - lowest, 1e-8)


def best_of(scores: Any, among: Any) -> Any:
    """Return the action with the highest score among some, ``(n,)``."""
    return jnp.where(among, scores, -jnp.inf).argmax(axis=1).astype(jnp.int32)


def new_trees(states: PgxState, logits: Any, values: Any, simulations: int) -> Tree:
    """Return trees of roots alone, with room for a node of each simulation."""

    def nodes(root: Any) -> Any:
        shape = (len(root), simulations + 1, *root.shape[1:])
        return jnp.zeros(shape, root.dtype).at[:, 0].set(root)

    none = jnp.zeros(len(values), jnp.int32)
    no_actions = nodes(jnp.zeros(logits.shape, jnp.int32))
    return Tree(
        states=jax.tree.map(nodes, states),
        priors=nodes(jax.nn.softmax(logits)),
        values=nodes(values),
        parents=nodes(none - 1),
        actions=nodes(none),
        choices=nodes(none),
        children=no_actions,
        visits=no_actions,
        qvalues=no_actions.astype(values.dtype),
        closed=nodes(~states.legal_action_mask),
        size=none + 1,
        value=values,
        decided=states.terminated,
    )


def descend(tree: Tree, game: Any, action: Any) -> tuple[Any, Any]:
    """Return the nodes and actions at which trees end, from actions at their roots, ``(n,)``."""

    def down(carry: Any) -> Any:
        node, action, child = carry
        node = jnp.where(child > 0, child, node)
        action = jnp.where(child > 0, tree.choices[game, node], action)
        return node, action, jnp.where(child > 0, tree.children[game, node, action], 0)

    at_roots = jnp.zeros_like(game), action, tree.children[game, 0, action]
    node, last, _ = jax.lax.while_loop(lambda carry: (carry[2] > 0).any(), down, at_roots)
    return node, last


def back_up(
    tree: Tree, game: Any, active: Any, node: Any, action: Any, qvalue: Any, decided: Any
) -> Tree:
    """Back up values of actions from the nodes where they are taken to the roots.

    A position's value is the mean of the network's and those of all simulations below, or exact
    where it is decided. Of its open actions, the next simulation takes the one whose share of the
    visits is furthest below its probability in the improved policy (Danihelka et al., section 5).
    """
    nowhere = len(tree.size)  # what is written there is dropped

    def up(carry: Any) -> Any:
        tree, node, action, qvalue, decided = carry
        written = jnp.where(node >= 0, game, nowhere)
        tree = tree._replace(
            visits=tree.visits.at[written, node, action].add(1, mode="drop"),
            qvalues=tree.qvalues.at[written, node, action].set(qvalue, mode="drop"),
            closed=tree.closed.at[written, node, action].set(decided, mode="drop"),
        )
        visits, qvalues = tree.visits[game, node], tree.qvalues[game, node]
        closed, value = tree.closed[game, node], tree.values[game, node]
        prior = tree.priors[game, node]

        policy = jnp.where(
            closed, 0.0, prior * jnp.exp(completed_qvalues(prior, value, visits, qvalues))
        )
        policy /= jnp.maximum(policy.sum(axis=1, keepdims=True), TINY)
        shares = visits / (1 + jnp.where(closed, 0, visits).sum(axis=1, keepdims=True))
        choice = best_of(policy - shares, ~closed)

        certain = jnp.where(closed & (visits > 0), qvalues, -1.0).max(axis=1)
        decided = (certain == 1) | closed.all(axis=1)
        mean = (value + (visits * qvalues).sum(axis=1)) / (1 + visits.sum(axis=1))
        value = jnp.where(decided, certain, mean)

        at_root = jnp.where(node == 0, game, nowhere)
        tree = tree._replace(
            choices=tree.choices.at[written, node].set(choice, mode="drop"),
            value=tree.value.at[at_root].set(value, mode="drop"),
            decided=tree.decided.at[at_root].set(decided, mode="drop"),
        )
        above = jnp.where(node >= 0, tree.parents[game, node], -1)
        return tree, above, tree.actions[game, node], value_of_action(0.0, False, value), decided

    carry = tree, jnp.where(active, node, -1), action, qvalue, decided
    updated: Tree = jax.lax.while_loop(lambda carry: (carry[1] >= 0).any(), up, carry)[0]
    return updated


def search(
    network: Any, states: PgxState, key: Any, simulations: int, gumbel_scale: float = 1.0
) -> SearchResult:
    """Search from many states at a time by Gumbel MuZero over the exact rules.

    A position is *decided* if the game is over there, if some action is known to win, or if the
    positions after all actions are decided; then its value is exact. A simulation never goes below
    a decided position: it takes another action. A search ends when its root is decided. Each step
    simulates in half of the games, those with the fewest simulations so far, so that the place of a
    search that has ended is used by another.

    Danihelka et al., Gumbel MuZero; decided positions are those of Winands et al.

    Args:
        network: one of :data:`NETWORKS`.
        states: states of games, batched.
        key: of JAX.
        simulations: largest number of simulations; each evaluates one new position.
        gumbel_scale: scale of the noise in the choice of actions; 0: there is none.
    """
    env, games = states.env, len(states.terminated)
    logits, values = network(states.observation)
    logits = masked(logits, states.legal_action_mask)
    noisy = logits + gumbel_scale * jax.random.gumbel(key, logits.shape)
    considered = jnp.minimum(states.legal_action_mask.sum(axis=1), CONSIDERED)
    scheduled = jnp.asarray(scheduled_visits(simulations))

    def in_progress(tree: Tree) -> Any:
        return ~tree.decided & (tree.size <= simulations)

    def simulate(tree: Tree) -> Tree:
        """Add a node to each of half of the trees."""
        active = in_progress(tree)
        order = jnp.argsort(jnp.where(active, tree.size, simulations + 1))
        game = order[: (games + 1) // 2].astype(jnp.int32)
        active, new = active[game], tree.size[game]

        # At the root, of the open actions the best of those with as many visits as scheduled, or
        # as nearly as many as there are.
        visits, closed = tree.visits[game, 0], tree.closed[game, 0]
        off = jnp.abs(visits - scheduled[considered[game], new - 1][:, np.newaxis])
        off = jnp.where(closed, simulations, off)
        added = completed_qvalues(
            tree.priors[game, 0], tree.values[game, 0], visits, tree.qvalues[game, 0]
        )
        first = best_of(noisy[game] + added, off == off.min(axis=1, keepdims=True))

        node, action = descend(tree, game, first)
        before = jax.tree.map(lambda array: array[game, node], tree.states)
        after = jax.vmap(env.step)(before, action)
        logits, values = network(after.observation)
        logits = masked(logits, after.legal_action_mask)
        written = jnp.where(active, game, games)

        def put(array: Any, numbers: Any) -> Any:
            return array.at[written, new].set(numbers, mode="drop")

        tree = tree._replace(
            states=jax.tree.map(put, tree.states, after),
            priors=put(tree.priors, jax.nn.softmax(logits)),
            values=put(tree.values, values),
            parents=put(tree.parents, node),
            actions=put(tree.actions, action),
            choices=put(tree.choices, best_of(logits, after.legal_action_mask)),
            children=tree.children.at[written, node, action].set(new, mode="drop"),
            closed=put(tree.closed, ~after.legal_action_mask),
            size=tree.size.at[written].add(1, mode="drop"),
        )
        rewards = jnp.take_along_axis(after.rewards, before.current_player[:, np.newaxis], axis=1)
        qvalue = value_of_action(rewards[:, 0], after.terminated, values)
        return back_up(tree, game, active, node, action, qvalue, after.terminated)

    tree: Tree = jax.lax.while_loop(
        lambda tree: in_progress(tree).any(),
        simulate,
        new_trees(states, logits, values, simulations),
    )
    visits, qvalues, closed = tree.visits[:, 0], tree.qvalues[:, 0], tree.closed[:, 0]
    added = completed_qvalues(tree.priors[:, 0], values, visits, qvalues)
    # A known win before what is open, and that before a known loss; of the open ones, one of the
    # most visited.
    outlook = jnp.where(states.legal_action_mask, jnp.where(closed, qvalues, 0.0), -2.0)
    most = jnp.where(closed, 0, visits).max(axis=1, keepdims=True)
    among = (outlook == outlook.max(axis=1, keepdims=True)) & (closed | (visits == most))
    return SearchResult(best_of(noisy + added, among), jax.nn.softmax(logits + added), tree)


def raw_policy(network: Any, env: PgxEnv) -> Callable[[IntArray, MaskArray], IntArray]:
    """Return the network's most probable action without search, for an exact score.

    Args:
        network: a trained network, as of :class:`TrainingResult`.
        env: the environment in which it was trained.

    Returns:
        A function of positions and masks, for :func:`nim_envs.optimality` on ``env.game``, and for
        :class:`agents.research.policy.PolicyAgent`.
    """
    return _policy(network, env, 0)


def search_policy(
    network: Any, env: PgxEnv, simulations: int = 32
) -> Callable[[IntArray, MaskArray], IntArray]:
    """Return the action that a search with the network chooses, for an exact score.

    Args:
        network: a trained network, as of :class:`TrainingResult`.
        env: the environment in which it was trained.
        simulations: simulations of the search.

    Returns:
        As :func:`raw_policy` does. Nothing is drawn: the search is without noise.
    """
    return _policy(network, env, checked_integer("simulations", simulations, minimum=1))


def _policy(
    network: Any, env: PgxEnv, simulations: int
) -> Callable[[IntArray, MaskArray], IntArray]:
    at_a_time = SEARCHED_AT_A_TIME if simulations else SCORED_AT_A_TIME
    game, encoding = copy(env.game), env.encoding.name

    def policy(observations: IntArray, masks: MaskArray) -> IntArray:
        positions = np.asarray(observations)
        chosen = np.zeros(len(positions), dtype=np.int64)
        for first in range(0, len(positions), at_a_time):
            some = positions[first : first + at_a_time]
            # Filled up to a power of two, so that it is compiled for few sizes.
            padded = np.resize(some, (1 << (len(some) - 1).bit_length(), some.shape[1]))
            actions = _actions(network, game, encoding, simulations, padded)
            chosen[first : first + len(some)] = np.asarray(actions)[: len(some)]
        return chosen

    return policy


@eqx.filter_jit
def _actions(network: Any, game: Game, encoding: str, simulations: int, positions: Any) -> Any:
    # As an argument, the environment would be kept in JAX's cache.
    states = jax.vmap(PgxEnv(game, encoding).state_at)(positions)
    if simulations:
        key = jax.random.PRNGKey(0)
        return search(network, states, key, simulations, gumbel_scale=0.0).action
    logits, _ = network(states.observation)
    return masked(logits, states.legal_action_mask).argmax(axis=1)
