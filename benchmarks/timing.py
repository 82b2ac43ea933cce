"""Timing in rounds of all contestants, so that a slow period of the machine affects all alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from nim_envs.optional import installed
from nim_envs.progress import progress_bar

Key = TypeVar("Key", bound=Hashable)
Rate = TypeVar("Rate")


def missing_modules(modules: Iterable[str]) -> list[str]:
    """Return which of ``modules`` are not installed."""
    return [name for name in modules if not installed(name)]


def interleaved(
    timers: Mapping[Key, Callable[[float], Rate]], rounds: int, seconds: float
) -> dict[Key, list[Rate]]:
    """Run every timer for about ``seconds``, one after the other, ``rounds`` times over.

    Returns:
        What each timer returned in every round.
    """
    rates: dict[Key, list[Rate]] = {key: [] for key in timers}
    schedule = [key for _ in range(rounds) for key in timers]
    for key in progress_bar(schedule, desc="timing", unit="run"):
        rates[key].append(timers[key](seconds))
    return rates
