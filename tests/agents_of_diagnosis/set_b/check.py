"""Small games to check the agents on, and the check: do right ones play well, do all run?"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from nim_envs import GameEnv, game_from_moves, make_game, optimality

from .registry import ENTRIES, RIGHT, Entry

ENOUGH = 95.0
"""Percentage of winning moves of a right agent."""


def _corner(position: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    across, down = position
    if across:
        yield "one", (across - 1, down)
        if down:
            yield "down", (across, down - 1)
    if across > 1:
        yield "two", (across - 2, down)


def games() -> dict[str, Any]:
    """Return games with normal and misère play, with draws, and with a fixed start."""
    with_draws = game_from_moves(
        "corner",
        (3, 2),
        _corner,
        outcome=lambda position: (-1, 0, 1)[position[1]],
        starts="uniform",
    )
    return {
        "nim 2-2": make_game("nim", heaps=(2, 2), start="uniform"),
        "misère nim 1-3": make_game("nim", heaps=(1, 3), misere=True, start="uniform"),
        "corner": with_draws,
        "nim 2-2, fixed": make_game("nim", heaps=(2, 2)),
    }


def available(entry: Entry) -> bool:
    """Return whether the package is installed that an agent needs."""
    return entry.needs is None or importlib.util.find_spec(entry.needs) is not None


def score(entry: Entry, game: Any, seed: int, max_cycles: int | None = None) -> float:
    """Train an agent, and return its percentage of right moves at the positions of play.

    Raises:
        ValueError: its values are not one or one for each action at every position.
    """
    env = entry.make_env(game) if entry.make_env else GameEnv(game, max_cycles=max_cycles)
    policy = entry.make(seed, values=True)(env)
    if hasattr(policy, "values"):
        probe = GameEnv(game)
        probe.reset(seed=seed)
        seen = probe.observe(probe.agent_selection)
        rows = policy.values(seen["observation"][None], seen["action_mask"][None])
        if rows.shape not in ((1,), (1, len(seen["action_mask"]))) or not np.isfinite(rows).all():
            raise ValueError(f"{entry.name}: values {rows}")
    return float(optimality(policy, game, "reachable").percent)


def check(words: list[str], seeds: int = 1) -> int:
    """Train all agents whose name, kind or fault contains a word; print scores; count failures."""
    boards = games()
    longer = make_game("nim", heaps=(3, 2), start="uniform")
    failures = 0
    for entry in ENTRIES:
        text = f"{entry.name} {entry.kind} {entry.fault}".lower()
        if not available(entry) or (words and not any(word.lower() in text for word in words)):
            continue
        start = time.perf_counter()
        try:
            scores = [score(entry, game, s) for game in boards.values() for s in range(seeds)]
            scores.append(score(entry, longer, 0, max_cycles=2))
        except Exception as error:
            scores, text = [0.0], f"CRASHED {type(error).__name__}: {error}"
        bad = entry.fault == RIGHT and min(scores) < ENOUGH
        bad = bad or text.startswith("CRASHED")
        failures += bad
        row = " ".join(f"{each:4.0f}" for each in scores)
        spent = time.perf_counter() - start
        note = text if text.startswith("CRASHED") else "NOT RIGHT" if bad else ""
        print(f"{entry.fault:38.38} {entry.name:52.52} {row} {spent:5.1f} s {note}", flush=True)
    return failures
