"""AlphaZero in JAX: self-play, search, targets, networks and update, all compiled.

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

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from agents.research.alphazero.checkpoints import load, resumed, saved_run
from agents.research.alphazero.networks import MLP, NETWORKS, Products, Settings
from agents.research.alphazero.tree_search import masked, raw_policy, search, search_policy
from agents.storage import save_content
from nim_envs import optimality
from nim_envs.errors import SearchTooLargeError
from nim_envs.files import check_writable
from nim_envs.optional import imports_for, needed
from nim_envs.validation import checked_integer

with imports_for("AlphaZero", "alphazero"):
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax

    from nim_envs.adapters.pgx import PgxEnv, PgxState

__all__ = [
    "MLP", "Games", "Moves", "Products", "Settings", "State", "TrainingResult", "begin", "iterate",
    "learn", "load", "loss", "raw_policy", "search", "search_policy", "self_play", "train",
]  # fmt: skip


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
    observation, size = jax.eval_shape(env.init, key).observation, settings.memory
    memory = Moves(
        jnp.zeros((size, *observation.shape), observation.dtype),
        jnp.zeros((size, env.num_actions), jnp.bool_),
        jnp.zeros((size, env.num_actions)),
        jnp.zeros(size),
    )
    return State(
        network=network,
        optimizer=optimizer(settings).init(eqx.filter(network, eqx.is_inexact_array)),
        memory=memory,
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
    playing, memory, moves, _, total = jax.lax.while_loop(
        lambda carry: carry[0].ended < games, move, carry
    )
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
    firsts = np.cumsum([0, *(len(part.fields) for part in parts[:-1])])
    return Moves(
        along(moves.observation, np.add.reduceat(env.encoding.widths, firsts)),
        along(moves.mask, options),
        along(moves.policy, options),
        moves.result,
    )


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
        TypeError: ``env`` is no ``PgxEnv``.
        ValueError: settings that do not fit the game, or another argument out of range.
    """
    if not isinstance(env, PgxEnv):
        raise TypeError(f"env must be a nim_envs.adapters.pgx.PgxEnv, not {env!r}")
    checked_integer("scores", scores, minimum=0)
    seed = checked_integer("seed", seed, 0, 2**63 - 1)
    checked_integer("checkpoint_every", checkpoint_every, minimum=1)
    state = begin(env, settings, seed)
    curve: list[tuple[int, float]] = []
    if checkpoint is not None and Path(checkpoint).exists():
        state, curve = resumed(Path(checkpoint), env, settings, seed, state)
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

    def save() -> None:
        nonlocal saved
        if checkpoint is not None:
            run = saved_run(env, settings, seed, state, curve)
            save_content({"alphazero": run}, checkpoint)
        saved = int(state.games)

    bar = tqdm(
        desc="training", unit="game", initial=games, total=settings.games,
        disable=None if progress else True,
    )  # fmt: skip
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
                if games - saved >= checkpoint_every:
                    save()
    finally:
        if int(state.games) > saved:
            save()
        if writer is not None:
            writer.close()
    return TrainingResult(state.network, curve)
