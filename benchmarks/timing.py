"""Timing of all contestants in rounds, so that slow periods of the machine affect all equally."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from benchmarks.runs import followed
from nim_envs.optional import installed

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


def missing_modules(modules: Iterable[str]) -> list[str]:
    """Return those of ``modules`` that are not installed."""
    return [name for name in modules if not installed(name)]


def timed(function: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds that ``function`` takes, and its result."""
    began = time.perf_counter()
    result = function()
    return time.perf_counter() - began, result


def run_interleaved(
    timers: Mapping[Key, Callable[[float], Result]], rounds: int, seconds: float
) -> dict[Key, list[Result]]:
    """Run every timer for about ``seconds``, one after the other, ``rounds`` times over.

    Returns:
        The results of each timer, one for every round.
    """
    rates: dict[Key, list[Result]] = {key: [] for key in timers}
    schedule = [key for _ in range(rounds) for key in timers]
    results = (timers[key](seconds) for key in schedule)
    names = [str(key) for key in schedule]
    for key, rate in zip(schedule, followed(results, "timing", names), strict=True):
        rates[key].append(rate)
    return rates


class Rate(NamedTuple):
    """Steps and moves per second.

    A step that only begins a new game, as in Gymnasium's next-step autoreset, is not a move.
    """

    steps: float
    moves: float


Timer = Callable[[float], Rate]


@dataclass(frozen=True)
class Batch:
    """A batched environment to time.

    Args:
        make: returns a timer, warmed up, for a number of parallel games.
        sizes: numbers of parallel games to time.
        modules: packages that it needs.
    """

    make: Callable[[int], Timer]
    sizes: tuple[int, ...]
    modules: tuple[str, ...] = ()


Rates = dict[tuple[str, int], list[Rate]]


def as_timer(run: Callable[[int], tuple[int, int]]) -> Timer:
    """Return a timer that runs for about a given time, and reads the clock rarely.

    Args:
        run: makes a number of calls, and returns the numbers of steps and moves in them.
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
    batches: Mapping[str, Batch], rounds: int, seconds: float, quick_size: int | None = None
) -> tuple[Rates, list[str]]:
    """Time every batch at each of its sizes.

    Args:
        batches: environments to time, by name.
        rounds: number of rounds.
        seconds: time of each measurement.
        quick_size: times one size of each batch, this one or its first if that is smaller;
            ``None``: all sizes.

    Returns:
        The rates by name and size, and the missing environments.
    """
    missing = []
    timers: dict[tuple[str, int], Timer] = {}
    for name, batch in batches.items():
        lacking = missing_modules(batch.modules)
        if lacking:
            missing.append(f"{name}: not installed: {', '.join(lacking)}")
            continue
        sizes = batch.sizes if quick_size is None else (min(batch.sizes[0], quick_size),)
        for size in sizes:
            timers[name, size] = batch.make(size)
    # Batches of one size follow each other, as slow periods of the machine may be short.
    by_size = dict(sorted(timers.items(), key=lambda timer: timer[0][1]))
    rates = run_interleaved(by_size, rounds, seconds)
    return {key: rates[key] for key in timers}, missing


def best_sizes(rates: Rates) -> dict[str, int]:
    """Return the size at which each contestant is fastest."""
    best: dict[str, int] = {}
    for name, size in rates:
        here = float(np.median([rate.steps for rate in rates[name, size]]))
        there = [rate.steps for rate in rates[name, best.get(name, size)]]
        if here >= float(np.median(there)):
            best[name] = size
    return best


def ratios(rates: Rates, base: str) -> list[tuple[str, int, Rate]]:
    """Return the ratios of the base's speed to each one's, all at their best sizes.

    Args:
        rates: rates by name and size.
        base: name of the base.

    Returns:
        Names, best sizes, and medians of the ratios over the rounds; empty if the base was not
        timed.
    """
    best = best_sizes(rates)
    if base not in best:
        return []
    fastest = np.array(rates[base, best[base]])
    return [
        (name, size, Rate(*np.median(fastest / rates[name, size], axis=0).tolist()))
        for name, size in best.items()
    ]
