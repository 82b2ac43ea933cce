"""AlphaZero with mctx's search, which does not know decided positions, beside its own.

``python -m tests.clients.jax.plain_search`` prints the share of simulations below finished
positions, positions a second in alternation, and scores.
"""

from __future__ import annotations

import time
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

import equinox as eqx
import jax
import jax.numpy as jnp
import mctx
import numpy as np

from agents.research import alphazero
from agents.research.alphazero import Settings
from nim_envs import optimality
from nim_envs.adapters.pgx import make_pgx

OWN = alphazero.search

BOARDS = {
    "3-4-5": {"heaps": (3, 4, 5), "start": "uniform"},
    "1-3-5-7": {"heaps": (1, 3, 5, 7)},
}


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
    if hasattr(found, "tree"):
        parents, over, size = found.tree.parents, found.tree.states.terminated, found.tree.size
    else:
        tree = found.search_tree
        parents, over, size = tree.parents, tree.embeddings.terminated, tree.parents.shape[1]
    parents, over = np.asarray(parents)[:, 1:], np.asarray(over)
    made = np.arange(1, parents.shape[1] + 1) < np.broadcast_to(size, len(parents))[:, np.newaxis]
    return made.sum(axis=1), (made & np.take_along_axis(over, parents, axis=1)).sum(axis=1)


@cache
def self_play_with(search):
    """Return the compiled self-play with a search."""

    @eqx.filter_jit
    def self_play(*arguments):
        with patch.object(alphazero, "search", search):
            return alphazero.self_play(*arguments)

    return self_play


learn = eqx.filter_jit(alphazero.learn)


class Training:
    """A run with one of the searches, timed after its first batch, which compiles.

    Args:
        search: which.
        env: where.
        settings: how.
        seed: of the run.
    """

    def __init__(self, search, env, settings, seed):
        self.env, self.settings = env, settings
        self.state = alphazero.begin(env, settings, seed)
        self.self_play = self_play_with(search)
        self.playing = self.learning = self.positions = 0.0

    def go_on(self):
        """Play a batch of games and learn."""
        before = self.state
        key, *keys = jax.random.split(before.key, 3)
        began = time.perf_counter()
        played, _ = self.self_play(before._replace(key=key), self.env, self.settings, keys[0])
        moves = int(played.moves)
        half = time.perf_counter()
        self.state, losses = learn(played, self.env, self.settings, keys[1])
        jax.block_until_ready(losses)
        ended = time.perf_counter()
        if before.games:
            self.playing += half - began
            self.learning += ended - half
            self.positions += moves - int(before.moves)


class Compared(NamedTuple):
    """The own search beside the plain one, which is 1.

    Attributes:
        training: ratio of positions a second, learning included.
        self_play: the same of self-play alone.
        scores: in percent of the N-positions by the raw policy, of the plain search and the own,
            ``(seeds, 2)``.
    """

    training: float
    self_play: float
    scores: np.ndarray


def compared(board, games, seeds):
    """Train with both searches, batch by batch in alternation."""
    env, settings = make_pgx("nim", **BOARDS[board], encoding="binary"), Settings(games=games)
    runs = []
    for seed in seeds:
        pair = [Training(search, env, settings, seed) for search in (plain, OWN)]
        for batch in range(games // settings.games_at_a_time):
            for run in pair[:: 1 if batch % 2 else -1]:
                run.go_on()
        runs.append(pair)

    positions, playing, learning = (
        np.array([[getattr(run, name) for run in pair] for pair in runs]).sum(axis=0)
        for name in ("positions", "playing", "learning")
    )
    in_training, in_self_play = positions / (playing + learning), positions / playing
    scores = [
        [optimality(alphazero.raw_policy(run.state.network, env), env.game).percent for run in pair]
        for pair in runs
    ]
    return Compared(
        in_training[1] / in_training[0], in_self_play[1] / in_self_play[0], np.array(scores)
    )


def wasted(board, search, games=500):
    """Return objects at the root, simulations, and those of them below finished positions.

    Of every search of a short training run.
    """
    env, found = make_pgx("nim", **BOARDS[board], encoding="binary"), []

    def noted(network, states, *arguments):
        result = search(network, states, *arguments)
        jax.debug.callback(lambda *noted: found.append(noted), states.position.sum(axis=1), result)
        return result

    run = Training(noted, env, Settings(games=games), 0)
    for _ in range(games // run.settings.games_at_a_time):
        run.go_on()
    jax.effects_barrier()
    objects = np.concatenate([objects for objects, _ in found])
    made, below = np.concatenate([below_finished(result) for _, result in found], axis=1)
    return objects, made, below


def main():
    """Print a table for each board."""
    for board in BOARDS:
        print(board)
        for name, search in (("mctx", plain), ("own", OWN)):
            objects, made, below = wasted(board, search)
            few = objects <= 3
            print(
                f"  {name}: {made.mean():.1f} simulations a move, {below.sum() / made.sum():.1%} "
                f"below finished positions ({below[few].sum() / made[few].sum():.1%} at roots "
                "with one to three objects)"
            )
        result = compared(board, 3_000, range(4))
        print(
            f"  positions a second: {result.training:.2f} times those with mctx, "
            f"in self-play alone {result.self_play:.2f} times"
        )
        for name, scores in zip(("mctx", "own"), result.scores.T, strict=True):
            print(f"  scores, {name}: {scores.round(1).tolist()}, mean {scores.mean():.1f} %")


if __name__ == "__main__":
    main()
