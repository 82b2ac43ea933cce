"""AlphaZero in JAX, in one file: self-play, search, targets, networks and update, all compiled.

One network plays both seats. Training repeats two steps:

1. Self-play of many games. Each move is chosen by a search over the exact rules (Gumbel MuZero,
   which improves the policy with few simulations) that does not visit decided positions again. A
   value counts negatively for the opponent. Where a game ends, a new one begins in its place.
2. Gradient steps on moves drawn from a replay buffer: the network's policy learns that of the
   search, its value the result of the game.

References:
    D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
    through self-play", Science 362 (2018); I. Danihelka, A. Guez, J. Schrittwieser & D. Silver,
    "Policy improvement by planning with Gumbel", ICLR 2022; M. Winands, Y. Björnsson & J.-T. Saito,
    "Monte-Carlo tree search solver", Computers and Games 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
from tqdm import tqdm

from agents.games import digest_of_moves
from agents.research.signed_products.value_networks import SignedProductsNetwork
from agents.research.signed_products.visited_positions import heap_options
from agents.storage import load_content, save_content
from nim_envs import Game, optimality
from nim_envs.errors import SearchTooLargeError, StorageError
from nim_envs.files import check_writable
from nim_envs.graph import Part
from nim_envs.optional import imports_for, needed
from nim_envs.typing import IntArray, MaskArray
from nim_envs.validation import (
    checked_boolean,
    checked_choice,
    checked_integer,
    checked_number,
)

with imports_for("AlphaZero", "alphazero"):
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax

    from nim_envs.adapters.pgx import PgxEnv, PgxState

LARGEST_KEYS = 1 << 16
"""Positions that a network with signed products may be able to tell apart: all are evaluated."""

ILLEGAL_LOGIT = -1e30
"""The logit of an illegal action: its probability is 0 then."""

SCORED_AT_A_TIME = 4096
"""Positions, a power of two, that a network is asked about at a time."""

SEARCHED_AT_A_TIME = 256
"""The same where it searches: the trees of more do not stay in a processor's cache."""


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


# Networks: from observations (n, ...) to a logit of every action (n, actions), and values (n,).


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


NETWORKS: dict[str, Any] = {
    "mlp": MLP,
    "signed-products": Products,
    "unsigned-products": Products,
}
"""The classes of networks, by name."""


# Search.


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
    return jnp.where(masks, logits, ILLEGAL_LOGIT)


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


# Learning.


class Moves(NamedTuple):
    """Moves of games, as the network learns from them."""

    observation: Any  # of the player to move, (n, ...)
    mask: Any  # the legal actions, boolean (n, actions)
    policy: Any  # the improved policy of the search, (n, actions)
    result: Any  # 1, 0 for a draw or -1 for that player, (n,); 0 until the game has ended


class Games(NamedTuple):
    """The games in progress."""

    states: PgxState  # (games_at_a_time,)
    lengths: Any  # moves made in each so far, (games_at_a_time,)
    ended: Any  # games that have ended and were not counted in a batch yet


class State(NamedTuple):
    """All that training needs to go on."""

    network: Any  # with its weights
    optimizer: Any  # Adam's state
    memory: Moves  # the last moves, (memory, ...), in a ring
    moves: Any  # number of moves so far
    key: Any  # random key of JAX
    games: Any  # number of games so far, in whole batches
    playing: Games


def optimizer(settings: Settings) -> Any:
    """Return Adam with a learning rate that falls to 0 along a cosine, and clipped gradients."""
    steps = settings.games // settings.games_at_a_time * settings.updates
    rate = optax.cosine_decay_schedule(settings.learning_rate, steps)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))


def begin(env: PgxEnv, settings: Settings, seed: int) -> State:
    """Return the state before the first game."""
    most = longest_game(env) * settings.games_at_a_time
    if settings.memory < most:
        raise ValueError(
            f"memory must hold the moves of {settings.games_at_a_time} games, up to {most}, not "
            f"{settings.memory}"
        )
    key, network_key, start_key = jax.random.split(jax.random.PRNGKey(seed), 3)
    network = NETWORKS[settings.network](env, settings, network_key)
    return State(
        network=network,
        optimizer=optimizer(settings).init(eqx.filter(network, eqx.is_inexact_array)),
        memory=empty_memory(env, settings.memory),
        moves=jnp.int32(0),
        key=key,
        games=jnp.int32(0),
        playing=Games(
            new_games(env, settings, start_key),
            lengths=jnp.zeros(settings.games_at_a_time, jnp.int32),
            ended=jnp.int32(0),
        ),
    )


def longest_game(env: PgxEnv) -> int:
    """Return the largest number of moves of a game."""
    game = env.game
    try:
        starts = game.starts.sampler(game).support()[0]
    except SearchTooLargeError:
        starts = None  # too many to list: from any position
    return game.longest_play(starts)


def empty_memory(env: PgxEnv, size: int) -> Moves:
    """Return a replay buffer of zeros."""
    observation = jax.eval_shape(env.init, jax.random.PRNGKey(0)).observation
    return Moves(
        jnp.zeros((size, *observation.shape), observation.dtype),
        jnp.zeros((size, env.num_actions), jnp.bool_),
        jnp.zeros((size, env.num_actions)),
        jnp.zeros(size),
    )


def new_games(env: PgxEnv, settings: Settings, key: Any) -> PgxState:
    """Return the states in which games begin, ``(games_at_a_time,)``."""
    states: PgxState = jax.vmap(env.init)(jax.random.split(key, settings.games_at_a_time))
    return states


def self_play(state: State, env: PgxEnv, settings: Settings, key: Any) -> tuple[State, Any]:
    """Play until as many games have ended as are played at a time; return their mean length too.

    Where a game ends, a new one begins in its place, so that every search is one of a real move.
    Games in progress at the end continue in the next batch, so that long games are learned from as
    well as short ones. A move is stored at once, its result when its game ends.
    """
    longest, games = longest_game(env), settings.games_at_a_time

    def too_few_ended(carry: Any) -> Any:
        return carry[0].ended < games

    def move(carry: Any) -> Any:
        (states, lengths, ended), memory, moves, key, total = carry
        key, search_key, start_key = jax.random.split(key, 3)
        result = search(state.network, states, search_key, settings.simulations)
        new_moves = Moves(states.observation, states.legal_action_mask, result.action_weights, 0.0)
        places = moves + jnp.arange(games)
        memory = jax.tree.map(
            lambda ring, new: ring.at[places % settings.memory].set(new), memory, new_moves
        )
        movers = states.current_player
        states = jax.vmap(env.step)(states, result.action)
        over, lengths = states.terminated, lengths + 1
        # Players move in turn: a result for the last mover is one against the mover before.
        before = np.arange(longest)[:, np.newaxis]
        results = jnp.take_along_axis(states.rewards, movers[:, np.newaxis], axis=1)[:, 0]
        known = jnp.where(
            over & (before < lengths), (places - before * games) % settings.memory, settings.memory
        )
        memory = memory._replace(
            result=memory.result.at[known].set(results * (-1.0) ** before, mode="drop")
        )
        total += jnp.where(over, lengths, 0).sum(dtype=jnp.int32)
        states = jax.tree.map(
            lambda new, old: jax.vmap(jnp.where)(over, new, old),
            new_games(env, settings, start_key),
            states,
        )
        playing = Games(states, jnp.where(over, 0, lengths), ended + over.sum(dtype=jnp.int32))
        return playing, memory, moves + games, key, total

    before = state.playing.ended
    carry = (state.playing, state.memory, state.moves, key, jnp.int32(0))
    playing, memory, moves, _, total = jax.lax.while_loop(too_few_ended, move, carry)
    length = total / (playing.ended - before)
    played = state._replace(
        memory=memory,
        moves=moves,
        games=state.games + games,
        playing=playing._replace(ended=playing.ended - games),
    )
    return played, length


def of_ended_games(state: State, settings: Settings) -> Any:
    """Return whether each entry of the memory is a move of a game that has ended, ``(memory,)``."""
    ago = (state.moves - 1 - jnp.arange(settings.memory)) % settings.memory
    move_index = state.moves - 1 - ago  # of the move, from the first of all
    in_progress = state.playing.lengths[move_index % settings.games_at_a_time]
    return (move_index >= 0) & (ago // settings.games_at_a_time >= in_progress)


def permuted(moves: Moves, env: PgxEnv, key: Any) -> Moves:
    """Return moves with equal parts in a random order, another one for each move."""
    parts = env.game.parts
    kinds = np.array([parts.index(part) for part in parts])
    uniforms = jax.random.uniform(key, (len(moves.result), len(parts)))
    # The parts, sorted by kind and drawn at random among equal ones, into the places of each.
    order = jnp.argsort(kinds + uniforms / 2, axis=1)[
        :, np.argsort(np.argsort(kinds, kind="stable"))
    ]

    def along(array: Any, widths: Any) -> Any:
        firsts, part = np.cumsum(widths) - widths, np.repeat(np.arange(len(widths)), widths)
        within = np.arange(len(part)) - firsts[part]
        return jnp.take_along_axis(array, jnp.asarray(firsts)[order][:, part] + within, axis=1)

    options = np.full(len(parts), env.game.options)
    return Moves(
        along(
            moves.observation,
            np.add.reduceat(env.encoding.widths, _first_fields(parts)),
        ),
        along(moves.mask, options),
        along(moves.policy, options),
        moves.result,
    )


def _first_fields(parts: Sequence[Part]) -> IntArray:
    """Return the place of the first coordinate of each part in a position."""
    counts = [len(part.fields) for part in parts]
    return np.cumsum([0, *counts[:-1]])


def loss(network: Any, moves: Moves) -> tuple[Any, dict[str, Any]]:
    """Return cross-entropy of the policy plus squared error of the value, and both by name."""
    logits, values = network(moves.observation)
    log_probabilities = jax.nn.log_softmax(masked(logits, moves.mask))
    terms = jnp.where(moves.mask, moves.policy * log_probabilities, 0.0)
    losses = {
        "policy_loss": -terms.sum(axis=1).mean(),
        "value_loss": jnp.square(values - moves.result).mean(),
    }
    return losses["policy_loss"] + losses["value_loss"], losses


def learn(state: State, env: PgxEnv, settings: Settings, key: Any) -> tuple[State, dict[str, Any]]:
    """Make the gradient steps after a batch of games; return the losses too, their means."""
    weights, rest = eqx.partition(state.network, eqx.is_inexact_array)
    known = of_ended_games(state, settings)
    places = jnp.flatnonzero(known, size=settings.memory)  # those come first
    count = jnp.count_nonzero(known)

    def update(carry: Any, key: Any) -> Any:
        weights, optimizer_state = carry
        draw_key, order_key = jax.random.split(key)
        chosen = places[jax.random.randint(draw_key, (settings.minibatch,), 0, count)]
        batch = jax.tree.map(lambda ring: ring[chosen], state.memory)
        if settings.symmetry:
            batch = permuted(batch, env, order_key)
        gradients, losses = jax.grad(
            lambda weights: loss(eqx.combine(weights, rest), batch), has_aux=True
        )(weights)
        changes, optimizer_state = optimizer(settings).update(gradients, optimizer_state)
        return (optax.apply_updates(weights, changes), optimizer_state), losses

    (weights, optimizer_state), losses = jax.lax.scan(
        update, (weights, state.optimizer), jax.random.split(key, settings.updates)
    )
    learned = state._replace(network=eqx.combine(weights, rest), optimizer=optimizer_state)
    return learned, {name: values.mean() for name, values in losses.items()}


@eqx.filter_jit
def iterate(state: State, settings: Settings) -> tuple[State, dict[str, Any]]:
    """Play a batch of games and learn from the memory; return the state, and metrics to log."""
    env = state.playing.states.env  # not an argument: JAX would keep it in its cache
    key, play_key, learn_key = jax.random.split(state.key, 3)
    state, length = self_play(state._replace(key=key), env, settings, play_key)
    state, losses = learn(state, env, settings, learn_key)
    return state, {**losses, "game_length": length}


class TrainingResult(NamedTuple):
    """Result of training.

    Attributes:
        network: the last one; none is chosen by its score.
        curve: games played, and the score of the raw policy by :func:`nim_envs.optimality`, in
            percent, that of the first weights included.
    """

    network: Any
    curve: list[tuple[int, float]]


def train(
    env: PgxEnv,
    settings: Settings,
    seed: int = 0,
    *,
    scores: int = 20,
    log: str | Path | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 2_500,
    progress: bool = True,
) -> TrainingResult:
    """Train a network by self-play.

    The same seed gives the same network on the same machine; on an accelerator perhaps not, where
    sums are taken in any order.

    Args:
        env: result of :func:`nim_envs.adapters.pgx.make_pgx`; its start is that of the games. An
            MLP takes any encoding, signed products positions as integers.
        settings: settings of network, search and training.
        seed: seed of the first weights, starts, searches and minibatches.
        scores: number of exact scores of the raw policy, in equal steps; nothing in training
            depends on it.
        log: a directory for TensorBoard: losses, length of games, score.
        checkpoint: a file to save the run to as it goes and at its end, on Ctrl-C too; if the file
            exists, the run goes on from it, and ends as if it had not been interrupted.
        checkpoint_every: games between two checkpoints, at least.
        progress: whether to show a progress bar on the standard error.

    Raises:
        HypothesisError: a network with signed products, and no heaps that are alike.
        MissingPackageError: ``log``, and tensorboardX is not installed.
        OSError: the checkpoint cannot be written.
        StorageError: the file is damaged, no checkpoint, or of a run with other arguments.
        ValueError: settings that do not fit the game, or another argument out of range.
    """
    checked_integer("scores", scores, minimum=0)
    checked_integer("checkpoint_every", checkpoint_every, minimum=1)
    state = begin(env, settings, seed)
    curve: list[tuple[int, float]] = []
    if checkpoint is not None and Path(checkpoint).exists():
        state, curve = _resumed(Path(checkpoint), env, settings, seed, state)
    if checkpoint is not None:
        check_writable(checkpoint)
    writer = None
    if log is not None:
        tensorboard = needed("tensorboardX", "a log for TensorBoard", "alphazero")
        writer = tensorboard.SummaryWriter(str(log))
    games = int(state.games)
    saved = games  # at the last checkpoint

    def score() -> None:
        scored = curve and curve[-1][0] == games  # before the run was interrupted
        if scored or not scores or len(curve) > games * scores // settings.games:
            return
        percent = optimality(raw_policy(state.network, env), env.game).percent
        curve.append((games, percent))
        bar.set_postfix_str(f"{percent:.1f} % optimal")
        if writer is not None:
            writer.add_scalar("optimality_percent", percent, games)

    bar = tqdm(
        desc="training",
        unit="game",
        initial=games,
        total=settings.games,
        disable=None if progress else True,
    )
    try:
        with bar:
            score()
            while games < settings.games:
                state, logged = iterate(state, settings)
                games = int(state.games)
                bar.update(settings.games_at_a_time)
                if writer is not None:
                    for name, value in logged.items():
                        writer.add_scalar(name, float(value), games)
                score()
                if checkpoint is not None and games - saved >= checkpoint_every:
                    save_content(
                        {"alphazero": _saved(env, settings, seed, state, curve)}, checkpoint
                    )
                    saved = games
    finally:
        if checkpoint is not None and int(state.games) > saved:
            save_content({"alphazero": _saved(env, settings, seed, state, curve)}, checkpoint)
        if writer is not None:
            writer.close()
    return TrainingResult(state.network, curve)


# Scores: policies are functions of positions (n, fields) and masks (n, actions).


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


# Checkpoints: files of :mod:`agents.storage`, as those of learners.


class SavedRun(TypedDict):
    """Content of a checkpoint; a game that is not registered is described, not named."""

    game: Game | None
    game_in_words: dict[str, str]
    encoding: str
    seed: int
    settings: dict[str, Any]
    curve: list[tuple[int, float]]
    arrays: list[np.ndarray[Any, Any]]


def load(path: str | Path) -> tuple[Any, PgxEnv]:
    """Return the network of a checkpoint, and the environment in which it was trained.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: there is no such file.
        StorageError: it is damaged or no checkpoint, or its game is not a registered one.
    """
    saved = _content(Path(path))
    if saved["game"] is None:
        raise StorageError(f"{path} does not name its game, as it is not a registered one")
    try:
        env, settings = PgxEnv(saved["game"], saved["encoding"]), Settings(**saved["settings"])
        make, key = NETWORKS[settings.network], jax.random.PRNGKey(0)
        if settings.network == "mlp":
            if settings.depth > len(saved["arrays"]):
                raise ValueError(f"it has no arrays of {settings.depth} layers")
            # Its arrays are not made before it is known that the file holds them.
            network = eqx.filter_eval_shape(make, env, settings, key)
        else:
            network = make(env, settings, key)
    except (TypeError, ValueError) as error:
        raise StorageError(f"the network of {path} cannot be made: {error}") from error
    return _restored(Path(path), saved["arrays"][: len(_arrays(network))], network), env


def _saved(
    env: PgxEnv, settings: Settings, seed: int, state: State, curve: list[tuple[int, float]]
) -> SavedRun:
    return SavedRun(
        game=None if env.game.registered is None else env.game,
        game_in_words={
            "game": env.game.summary,
            "start": env.game.starts.summary,
            "digest of its moves": digest_of_moves(env.game),
        },
        encoding=env.encoding.name,
        seed=seed,
        settings=asdict(settings),
        curve=curve,
        arrays=[np.asarray(_numbers(leaf)) for leaf in _arrays(state)],
    )


def _content(path: Path) -> SavedRun:
    """Return the content of a checkpoint, checked."""
    content = load_content(path)
    if set(content) != {"alphazero"}:
        raise StorageError(f"{path} holds {sorted(content)}, not a run of AlphaZero")
    saved: SavedRun = content["alphazero"]
    names, own = SavedRun.__annotations__.keys(), asdict(Settings()).keys()
    if saved.keys() != names or saved["settings"].keys() != own or type(saved["seed"]) is not int:
        raise StorageError(f"{path} is damaged: it has no seed, or other entries than a run")
    return saved


def _resumed(
    path: Path, env: PgxEnv, settings: Settings, seed: int, new: State
) -> tuple[State, list[tuple[int, float]]]:
    """Return the state and the curve of a checkpoint, which must be of the same run."""
    saved, own = _content(path), _saved(env, settings, seed, new, [])
    earlier, now = ({**run, **run["settings"]} for run in (saved, own))
    for name in ("game", "game_in_words", "encoding", "seed", *own["settings"]):
        # A game that is not registered is not in the file.
        if earlier[name] != now[name] and earlier[name] is not None:
            raise StorageError(
                f"{path} is of a run with {name} {earlier[name]!r}, this one has {now[name]!r}"
            )
    return _restored(path, saved["arrays"], new), saved["curve"]


def _arrays(tree: Any) -> list[Any]:
    return jax.tree.leaves(eqx.filter(tree, _is_array))


def _is_array(leaf: Any) -> bool:
    """Whether a leaf is an array, or stands for one that was not made."""
    return eqx.is_array(leaf) or isinstance(leaf, jax.ShapeDtypeStruct)


def _numbers(array: Any) -> Any:
    """Return an array, of typed keys the numbers."""
    is_key = jnp.issubdtype(array.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(array) if is_key else array


def _restored(path: Path, saved: list[Any], new: Any) -> Any:
    """Return ``new`` with the saved arrays, in its precision: they may be of another one."""
    arrays, rest = eqx.partition(new, _is_array)
    leaves, structure = jax.tree.flatten(arrays)
    like = [jax.eval_shape(_numbers, leaf) for leaf in leaves]
    if [(array.shape, array.dtype.kind) for array in saved] != [
        (leaf.shape, leaf.dtype.kind) for leaf in like
    ]:
        raise StorageError(f"{path} is damaged: its arrays are not those of its settings")
    filled = []
    for array, numbers, leaf in zip(saved, like, leaves, strict=True):
        restored = jnp.asarray(array.astype(numbers.dtype))
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            restored = jax.random.wrap_key_data(restored, impl=jax.random.key_impl(leaf))
        filled.append(restored)
    return eqx.combine(jax.tree.unflatten(structure, filled), rest)
