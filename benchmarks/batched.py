"""Throughput of batched environments, and the least time that copying their arrays takes."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from benchmarks import rollouts
from benchmarks.timing import Batch, Timer, as_timer
from nim_envs.registry import GAMES

SIZES = (1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18)


def our_vector_env(name: str, size: int, **arguments: Any) -> Any:
    """Return one of our batched environments, in self-play unless an opponent is given."""
    return gymnasium.make_vec(
        GAMES[name].gymnasium_id, size, vectorization_mode="vector_entry_point", **arguments
    )


def our_batch(name: str, **arguments: Any) -> Callable[[int], Timer]:
    """Return a function that makes a timer of one of our batched environments for a batch size."""

    def make(size: int) -> Timer:
        env = our_vector_env(name, size, **arguments)
        return vector_timer(env, env.unwrapped.sample_actions)

    return make


def cartpole(size: int) -> Timer:
    """Return a timer of Gymnasium's own vector CartPole, written in NumPy."""
    env = gymnasium.make_vec("CartPole-v1", num_envs=size, vectorization_mode="vector_entry_point")
    return vector_timer(env, partial(np.random.default_rng(0).integers, 2, size=size))


def vector_timer(env: Any, draw_actions: Callable[[], Any]) -> Timer:
    """Return a timer of the loop ``env.step(draw_actions())`` of a next-step autoreset."""
    env.reset()

    def run(calls: int) -> tuple[int, int]:
        steps = resets = 0
        for _ in range(calls):
            _, _, terminations, truncations, _ = env.step(draw_actions())
            steps += len(terminations)
            resets += int(np.count_nonzero(terminations)) + int(np.count_nonzero(truncations))
        return steps, steps - resets

    return as_timer(run)


def openspiel_nim_timer(size: int) -> Timer:
    """Return a timer of OpenSpiel's Nim with heaps 3, 4, 5, called from Python, one at a time."""
    import pyspiel

    game = pyspiel.load_game("nim", {"pile_sizes": "3;4;5", "is_misere": False})
    uniform = random.Random(0).random

    def run(calls: int) -> tuple[int, int]:
        moves = 0
        for _ in range(calls):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.observation_tensor(state.current_player())
                legal = state.legal_actions()
                state.apply_action(legal[int(uniform() * len(legal))])
                moves += 1
            state.returns()
        return moves, moves

    return as_timer(run)


def copying(size: int) -> Timer:
    """Return a timer of NumPy copies of the arguments and results of a step of Nim 3-4-5."""
    env = our_vector_env("nim", size)
    env.reset(seed=0)
    actions = env.unwrapped.sample_actions()
    observations, rewards, terminations, truncations, infos = env.step(actions)
    arrays = [*observations.values(), rewards, terminations, truncations, infos["seat"], actions]
    sources = [np.array(array, order="C") for array in arrays]
    targets = [np.zeros_like(source) for source in sources]

    def run(calls: int) -> tuple[int, int]:
        for _ in range(calls):
            for target, source in zip(targets, sources, strict=True):
                np.copyto(target, source)
        return calls * size, calls * size

    return as_timer(run)


BATCHES: dict[str, Batch] = {
    "nim 3-4-5": Batch(our_batch("nim", heaps=(3, 4, 5)), SIZES),
    "nim 3-4-5, uniform starts": Batch(
        our_batch("nim", heaps=(3, 4, 5), start="uniform"), SIZES[3:4]
    ),
    **{
        f"nim 3-4-5, {opponent} opponent": Batch(
            our_batch("nim", heaps=(3, 4, 5), opponent=opponent), SIZES[3:4]
        )
        for opponent in ("random", "optimal")
    },
    "nim 10-10-10": Batch(our_batch("nim", heaps=(10, 10, 10)), SIZES[3:4]),
    "kayles 7": Batch(our_batch("kayles", heaps=(7,)), SIZES[3:4]),
    "kayles 15": Batch(our_batch("kayles", heaps=(15,)), SIZES[3:4]),
    "kayles 60": Batch(our_batch("kayles", heaps=(60,)), SIZES[3:4]),
    "nim 1-3-5-7-9-11-13": Batch(our_batch("nim", heaps=(1, 3, 5, 7, 9, 11, 13)), SIZES[3:4]),
    "addition 3-10": Batch(our_batch("addition", k=3, n=10), SIZES[3:4]),
    # Nearly an upper bound on the speed of an environment that returns such arrays.
    "copying the same bytes, NumPy": Batch(copying, SIZES),
    "pgx tic-tac-toe": rollouts.batch(partial(rollouts.theirs, "tic_tac_toe"), SIZES[:4]),
    "Gymnasium CartPole, NumPy": Batch(cartpole, SIZES[:4]),
    "OpenSpiel nim 3-4-5, Python": Batch(openspiel_nim_timer, (1,), modules=("pyspiel",)),
}

NOTES = """\
- Batches: one process on one core, but for pgx, which uses every core.
  A timing includes the step, the observation, the mask, drawing a random action (a legal one, but
  for CartPole, where all are), rewards, ends, and beginning new games; not construction or
  compilation. Ours are the loop `env.step(env.sample_actions())`, in self-play unless the row
  names an opponent, with the default arguments.
- *steps* are games times calls; a *move* is a step that does more than to begin a new game, which
  takes a step of its own in Gymnasium's default autoreset mode. pgx begins it in the same step.
- pgx: many steps in one compiled call, legal moves drawn by counting. OpenSpiel: one game at a
  time, with its observation tensor and list of legal actions.
- Copying: NumPy copies arrays of the size of those that one step of nim 3-4-5 takes and returns,
  contiguous ones, from and to the same places each time.
"""
