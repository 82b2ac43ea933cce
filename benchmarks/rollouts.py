"""Random play in JAX, compiled as a whole: our games beside those of pgx, on any device.

Each is the same loop with another environment: one uniform random number for each game chooses the
k-th of its legal actions, ``auto_reset(env.step)`` makes the move, and begins a new game where that
one has ended; ``jax.lax.scan`` repeats it without a return to Python.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.timing import Batch, Timer, as_timer, missing_modules

SIZES = (1 << 10, 1 << 13, 1 << 16, 1 << 20)
STEPS_IN_ALL = 1 << 22
"""Approximate number of steps, over all games, in one compiled call."""


def ours(name: str, **arguments: Any) -> Any:
    """Return an environment of ours for JAX."""
    from nim_envs.adapters.pgx import make_pgx

    return make_pgx(name, **arguments)


def theirs(name: str) -> Any:
    """Return a game of pgx."""
    import pgx

    return pgx.make(name)


def kth_legal(masks: Any, uniform: Any) -> Any:
    """Return a random legal action for each mask: the k-th, by counting.

    Several times faster than ``jax.random.categorical``, which draws a number for each action, or
    sums along the rows.
    """
    import jax.numpy as jnp

    k = jnp.floor(uniform * masks.sum(axis=1)).astype(jnp.int32)
    passed = action = jnp.zeros_like(k)
    for index in range(masks.shape[1]):
        passed += masks[:, index]
        action += passed <= k
    return action


def rollout(make: Callable[[], Any], size: int) -> Timer:
    """Return a timer of random play, warmed up."""
    import jax
    from pgx.experimental import auto_reset

    env = make()
    step = jax.vmap(auto_reset(env.step, env.init))
    steps = max(8, min(1000, STEPS_IN_ALL // size))

    def one(carry: Any, _: Any) -> tuple[Any, None]:
        state, key = carry
        key, draw, reset = jax.random.split(key, 3)
        actions = kth_legal(state.legal_action_mask, jax.random.uniform(draw, (size,)))
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

    return as_timer(run)


def batch(make: Callable[[], Any], sizes: tuple[int, ...] = SIZES) -> Batch:
    """Return random play of an environment, to be timed."""
    return Batch(partial(rollout, make), sizes, modules=("jax", "pgx"))


ROLLOUTS: dict[str, Batch] = {
    "nim 3-4-5": batch(partial(ours, "nim", heaps=(3, 4, 5))),
    "pgx tic-tac-toe": batch(partial(theirs, "tic_tac_toe")),
    "pgx connect four": batch(partial(theirs, "connect_four")),
    "nim 3-4-5, uniform starts": batch(partial(ours, "nim", heaps=(3, 4, 5), start="uniform")),
    "nim 1-3-5-7-9": batch(partial(ours, "nim", heaps=(1, 3, 5, 7, 9)), SIZES[2:3]),
    "kayles 7": batch(partial(ours, "kayles", heaps=(7,)), SIZES[2:3]),
}
"""Environments to time, by name."""


def device() -> str:
    """Return a description of the device that JAX uses."""
    if missing_modules(["jax"]):
        return "no JAX"
    import jax

    first, *others = jax.devices()
    kind = "the CPU, all cores" if first.platform == "cpu" else first.device_kind
    return f"{kind}{f' and {len(others)} more, not used' if others else ''}, JAX {jax.__version__}"


NOTES = """\
- Random play in JAX: many steps in one compiled call. A timing includes drawing a legal action by
  counting (one uniform random number for each game, whatever the number of actions), the step, the
  observation, the mask, rewards, ends, and beginning new games in the same step; not compilation.
"""
