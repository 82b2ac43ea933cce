"""Timing of all contestants in rounds, so that slow periods of the machine affect all equally."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from benchmarks.report import middle_and_range
from benchmarks.runs import followed
from nim_envs.optional import installed

QUICK_SIZE = 1 << 10
"""Most parallel games of an environment with ``--quick``."""

Result = TypeVar("Result")


def missing_modules(modules: Iterable[str]) -> list[str]:
    """Return those of ``modules`` that are not installed."""
    return [name for name in modules if not installed(name)]


def timed(function: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds that ``function`` takes, and its result."""
    began = time.perf_counter()
    result = function()
    return time.perf_counter() - began, result


class Rate(NamedTuple):
    """Steps and moves per second.

    A step that only begins a new game, as in Gymnasium's next-step autoreset, is not a move.
    """

    steps: float
    moves: float


Timer = Callable[[float], Rate]


@dataclass(frozen=True)
class Batch:
    """A batched environment: its warmed-up timer by number of parallel games, and packages."""

    make: Callable[[int], Timer]
    sizes: tuple[int, ...]
    modules: tuple[str, ...] = ()


Rates = dict[tuple[str, int], list[Rate]]


def as_timer(run: Callable[[int], tuple[int, int]]) -> Timer:
    """Return a timer that runs for about a given time, and reads the clock rarely.

    ``run`` makes a number of calls, and returns the numbers of steps and moves in them.
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


def measure_rates(
    batches: Mapping[str, Batch], rounds: int, seconds: float, quick: bool
) -> tuple[Rates, list[str]]:
    """Time every batch at each of its sizes for about ``seconds``, ``rounds`` times over.

    With ``quick`` only the first size of each, :data:`QUICK_SIZE` if smaller. The result has
    the rates by name and size, one for every round, and the missing environments.
    """
    missing = []
    timers: dict[tuple[str, int], Timer] = {}
    for name, batch in batches.items():
        lacking = missing_modules(batch.modules)
        if lacking:
            missing.append(f"{name}: not installed: {', '.join(lacking)}")
            continue
        for size in (min(batch.sizes[0], QUICK_SIZE),) if quick else batch.sizes:
            timers[name, size] = batch.make(size)
    # Batches of one size follow each other, as slow periods of the machine may be short.
    schedule = sorted(timers, key=lambda key: key[1]) * rounds
    results = (timers[key](seconds) for key in schedule)
    names = [f"{name}, {size} at a time" for name, size in schedule]
    rates: Rates = {key: [] for key in timers}
    for key, rate in zip(schedule, followed(results, "timing", names), strict=True):
        rates[key].append(rate)
    return rates, missing


HEADER = (
    "environment", "at a time", "moves/s (median)", "lowest", "highest", "steps/s (median)",
)  # fmt: skip


def rows(rates: Rates) -> list[list[Any]]:
    """Return one row for each environment and size, under :data:`HEADER`."""
    return [
        [
            name,
            size,
            *middle_and_range([rate.moves for rate in measurements]),
            round(float(np.median([rate.steps for rate in measurements]))),
        ]
        for (name, size), measurements in rates.items()
    ]


RATIO_HEADER = (
    "each at its best size", "at a time", "first one's moves/s over its",
    "first one's steps/s over its",
)  # fmt: skip


def ratio_rows(rates: Rates) -> list[list[Any]]:
    """Return the ratios of the first environment's speed to each one's, under `RATIO_HEADER`.

    Each is taken at the size at which it makes the most steps; ratios are medians over the rounds.
    """
    best: dict[str, int] = {}
    for name, size in rates:
        here, there = (
            np.median([rate.steps for rate in rates[name, each]])
            for each in (size, best.get(name, size))
        )
        if here >= there:
            best[name] = size
    speeds = [(name, size, np.array(rates[name, size])) for name, size in best.items()]
    return [
        [name, size, *(f"{ratio:.4g}" for ratio in np.median(speeds[0][2] / own, axis=0)[::-1])]
        for name, size, own in speeds
    ]
