"""Environments that step many games at a time, and the lowest time that their arrays allow."""

from __future__ import annotations

import os
import random
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from benchmarks.timing import interleaved, missing_modules
from nim_envs.registration import gymnasium_id


class Rate(NamedTuple):
    """Steps and moves in a second.

    A step that only begins a new game, as in Gymnasium's next-step autoreset, is not a move.
    """

    steps: float
    moves: float


Timer = Callable[[float], Rate]


@dataclass(frozen=True)
class Batch:
    """Something to time.

    Args:
        make: returns a timer for a number of games at a time, warmed up.
        sizes: numbers of games to try.
        modules: the packages that it needs.
    """

    make: Callable[[int], Timer]
    sizes: tuple[int, ...]
    modules: tuple[str, ...] = ()


SIZES = (1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18)
BASE = "nim 3-4-5, 1 thread"
"""What the others are compared with."""
FLOOR = "copying the same bytes, NumPy"
"""Close to the highest speed of anything that returns such arrays."""


def our_batch(name: str, *, opponent: Any = None, **arguments: Any) -> Callable[[int], Timer]:
    """Return a function that makes timers of a batched environment, in self-play by default."""

    def make(size: int) -> Timer:
        env: Any = gymnasium.make_vec(
            gymnasium_id(name),
            num_envs=size,
            vectorization_mode="vector_entry_point",
            opponent=opponent,
            **arguments,
        )
        return vector_timer(env, env.unwrapped.sample_actions)

    return make


def cartpole(size: int) -> Timer:
    """Return a timer of Gymnasium's own vector CartPole, written in NumPy."""
    env = gymnasium.make_vec("CartPole-v1", num_envs=size, vectorization_mode="vector_entry_point")
    return vector_timer(env, partial(np.random.default_rng(0).integers, 2, size=size))


def envpool_cartpole(size: int) -> Timer:
    """Return a timer of EnvPool's CartPole, on all cores."""
    draw = partial(np.random.default_rng(0).integers, 2, size=size, dtype=np.int32)
    # It warns of its own spaces.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*precision lowered")
        import envpool

        env = envpool.make_gymnasium("CartPole-v1", num_envs=size, num_threads=os.cpu_count())
        return vector_timer(env, draw)


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

    return clocked(run)


def pgx_tictactoe(size: int) -> Timer:
    """Return a timer of pgx's tic-tac-toe: 100 steps in one compiled call.

    The steps are vectorised, with automatic resets and uniformly random legal moves, and
    nothing returns to Python in between: the fastest that we found to run it.
    """
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("tic_tac_toe")
    step = jax.vmap(auto_reset(env.step, env.init))
    steps = 100

    def one(carry: Any, _: Any) -> tuple[Any, None]:
        state, key = carry
        key, draw, reset = jax.random.split(key, 3)
        # Counting to a random legal move; several times faster than jax.random.categorical.
        legal = jnp.cumsum(state.legal_action_mask, axis=1)
        wanted = jnp.floor(jax.random.uniform(draw, (size,)) * legal[:, -1])
        actions = jnp.argmax(legal > wanted[:, None], axis=1)
        return (step(state, actions, jax.random.split(reset, size)), key), None

    play = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=steps)[0])
    key = jax.random.PRNGKey(0)
    carry = play((jax.jit(jax.vmap(env.init))(jax.random.split(key, size)), key))

    def run(calls: int) -> tuple[int, int]:
        nonlocal carry
        for _ in range(calls):
            carry = play(carry)
            carry[1].block_until_ready()
        return calls * steps * size, calls * steps * size

    return clocked(run)


def openspiel_nim(size: int) -> Timer:
    """Return a timer of OpenSpiel's Nim with heaps 3, 4, 5, directly from Python, one at a time."""
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

    return clocked(run)


def copying(size: int) -> Timer:
    """Return a timer of NumPy copying what a step of the base environment takes and returns."""
    env: Any = gymnasium.make_vec(
        gymnasium_id("nim"),
        num_envs=size,
        vectorization_mode="vector_entry_point",
        opponent=None,
    )
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

    return clocked(run)


def clocked(run: Callable[[int], tuple[int, int]]) -> Timer:
    """Return a timer that runs for about the time asked for, reading the clock seldom.

    Args:
        run: takes a number of calls and returns the steps and moves that they made.
    """
    began = time.perf_counter()
    run(1)
    run(1)
    calls = max(1, int(0.01 / ((time.perf_counter() - began) / 2)))

    def timer(seconds: float) -> Rate:
        steps = moves = 0
        began = time.perf_counter()
        while (elapsed := time.perf_counter() - began) < seconds:
            done = run(calls)
            steps += done[0]
            moves += done[1]
        return Rate(steps / elapsed, moves / elapsed)

    return timer


VERSUS: dict[str, tuple[str, dict[str, Any]]] = {
    "nim 3-4-5": ("nim", {"heaps": (3, 4, 5)}),
    "nim 100 x 5": ("nim", {"heaps": (100,) * 5}),
    "misere nim 1-3-5-7": ("misere_nim", {"heaps": (1, 3, 5, 7)}),
    "kayles 7": ("kayles", {"heaps": (7,)}),
    "kayles 60": ("kayles", {"heaps": (60,)}),
}
"""The games in which a random and an optimal opponent are timed."""

BATCHES: dict[str, Batch] = {
    BASE: Batch(our_batch("nim", heaps=(3, 4, 5)), SIZES),
    "nim 3-4-5, 2 threads": Batch(our_batch("nim", heaps=(3, 4, 5), num_threads=2), SIZES),
    "nim 3-4-5, uniform starts": Batch(
        our_batch("nim", heaps=(3, 4, 5), start="uniform"), SIZES[3:4]
    ),
    **{
        f"{label}, {opponent} opponent": Batch(
            our_batch(name, **arguments, opponent=opponent), SIZES[3:4]
        )
        for label, (name, arguments) in VERSUS.items()
        for opponent in ("random", "optimal")
    },
    "nim 10-10-10": Batch(our_batch("nim", heaps=(10, 10, 10)), SIZES[3:4]),
    "kayles 7": Batch(our_batch("kayles", heaps=(7,)), SIZES[3:4]),
    "kayles 15": Batch(our_batch("kayles", heaps=(15,)), SIZES[3:4]),
    "kayles 60": Batch(our_batch("kayles", heaps=(60,)), SIZES[3:4]),
    "nim 1-3-5-7-9-11-13": Batch(our_batch("nim", heaps=(1, 3, 5, 7, 9, 11, 13)), SIZES[3:4]),
    "addition 3-10": Batch(our_batch("addition", k=3, n=10), SIZES[3:4]),
    FLOOR: Batch(copying, SIZES),
    "pgx tic-tac-toe": Batch(pgx_tictactoe, SIZES[:4], modules=("jax", "pgx")),
    "Gymnasium CartPole, NumPy": Batch(cartpole, SIZES[:4]),
    "EnvPool CartPole": Batch(envpool_cartpole, SIZES[:2], modules=("envpool",)),
    "OpenSpiel nim 3-4-5, Python": Batch(openspiel_nim, (1,), modules=("pyspiel",)),
}

Rates = dict[tuple[str, int], list[Rate]]


def measure(rounds: int, seconds: float, quick: bool) -> tuple[Rates, list[str]]:
    """Time every contestant at each of its sizes.

    Args:
        rounds: how often.
        seconds: of each.
        quick: whether to time one size of each, a small one.

    Returns:
        The rates by contestant and size, and who is missing.
    """
    missing = []
    timers: dict[tuple[str, int], Timer] = {}
    for name, batch in BATCHES.items():
        lacking = missing_modules(batch.modules)
        if lacking:
            missing.append(f"{name}: not installed: {', '.join(lacking)}")
            continue
        sizes = (min(batch.sizes[0], SIZES[0]),) if quick else batch.sizes
        for size in sizes:
            timers[name, size] = batch.make(size)
    return interleaved(timers, rounds, seconds), missing


HEADER = ("batch", "at a time", "moves/s (median)", "lowest", "highest", "steps/s (median)")


def rows(rates: Rates) -> list[list[Any]]:
    """Return one row for each contestant and size."""
    return [
        [
            name,
            size,
            round(float(np.median([rate.moves for rate in timed]))),
            round(min(rate.moves for rate in timed)),
            round(max(rate.moves for rate in timed)),
            round(float(np.median([rate.steps for rate in timed]))),
        ]
        for (name, size), timed in rates.items()
    ]


def best_sizes(rates: Rates) -> dict[str, int]:
    """Return the size at which each contestant is fastest."""
    best: dict[str, int] = {}
    for name, size in rates:
        here = float(np.median([rate.steps for rate in rates[name, size]]))
        there = [rate.steps for rate in rates[name, best.get(name, size)]]
        if here >= float(np.median(there)):
            best[name] = size
    return best


RATIO_HEADER = (
    "each at its best size", "at a time", f"{BASE}: moves/s over its", "steps/s over its",
    "its steps/s over that one's",
)  # fmt: skip


def ratio_rows(rates: Rates) -> list[list[Any]]:
    """Return the rates of the base over those of each, medians of the ratios in every round."""
    best = best_sizes(rates)
    base = rates[BASE, best[BASE]]

    def ratio(name: str, what: str) -> float:
        pairs = zip(base, rates[name, best[name]], strict=True)
        return float(np.median([getattr(a, what) / getattr(b, what) for a, b in pairs]))

    rows: list[list[Any]] = []
    for name, size in best.items():
        by_steps = ratio(name, "steps")
        figures = (ratio(name, "moves"), by_steps, 1 / by_steps)
        rows.append([name, size, *(f"{figure:.4g}" for figure in figures)])
    return rows


OPPONENT_HEADER = ("game", "at a time", "random opponent: steps/s over optimal")


def opponent_rows(rates: Rates) -> list[list[Any]]:
    """Return how much slower an optimal opponent is, medians of the ratios in every round."""
    rows: list[list[Any]] = []
    for label in VERSUS:
        for name, size in rates:
            if name == f"{label}, optimal opponent":
                pairs = zip(
                    rates[f"{label}, random opponent", size], rates[name, size], strict=True
                )
                ratio = float(np.median([one.steps / other.steps for one, other in pairs]))
                rows.append([label, size, f"{ratio:.3g}"])
    return rows


NOTES = """\
- Batches: one process, one thread unless the row says otherwise; pgx and EnvPool use every core.
  A timing includes the step, the observation, the mask, drawing a random action (a legal one, but
  for CartPole, where all are), rewards, ends, and beginning new games; not construction or
  compilation. Ours are the loop `env.step(env.sample_actions())`, in self-play unless the row
  names an opponent, with the default arguments.
- *steps* are games times calls; a *move* is a step that does more than to begin a new game, which
  takes a step of its own in Gymnasium's default autoreset mode. pgx begins it in the same step.
- pgx: 100 steps in one compiled call, legal moves drawn by counting. OpenSpiel: one game at a
  time, with its observation tensor and list of legal actions.
- Copying: NumPy copies arrays of the size of those that one step of nim 3-4-5 takes and returns,
  contiguous ones, from and to the same places each time.
"""
