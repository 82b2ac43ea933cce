"""Sampled moves until a learner plays nearly all positions right, by estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.turn_credit.learning import RunResult, learn
from agents.turn_credit.own import find
from agents.turn_credit.task import Task
from benchmarks.turn_credit.settings import SETTINGS

ENOUGH = 95.0
"""Percent of N-positions that the greedy policy is to play right."""

CAP = 300_000
QUICK_CAP = 5_000
"""Moves of the agent after which a run ends."""

RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
WIDER = 10 / 3
MOST_WIDENINGS = 4
"""Learning rates that are tried, and the factor by which the grid grows past a chosen edge."""

AS_GOOD = 1.1
"""Rates that need up to this many times the fewest moves count as good as the best."""

SEEDS = 5
CHOOSING = (100, 101, 102, 103, 104)
"""Seeds 0 to 4 are reported; learning rates are chosen on these."""


@dataclass(frozen=True)
class MovesToLearn:
    """Moves that an estimator needs to learn a game.

    Attributes:
        setting: a key of :data:`~benchmarks.turn_credit.settings.SETTINGS`.
        estimator: a key of :data:`~agents.turn_credit.estimators.ESTIMATORS`.
        rate: chosen learning rate.
        lowest: the grid's lowest rate, after it was widened.
        highest: its highest.
        runs: one for each seed.
    """

    setting: str
    estimator: str
    rate: float
    lowest: float
    highest: float
    runs: Sequence[RunResult]

    @property
    def median(self) -> float:
        """Median of the moves; infinite where fewer than half of the runs came to the score."""
        return float(np.median([np.inf if run.moves is None else run.moves for run in self.runs]))


def choose(runs_by_rate: dict[float, list[RunResult]], cap: int) -> float:
    """Return the learning rate to use.

    The rates whose mean of moves is within :data:`AS_GOOD` of the least are as good; of these it
    is the middle one. A run that does not come to the score counts as the cap, so that a rate that
    fails in some seeds is not taken for a fast one. Where none does, the mean percent at the end
    decides.

    Args:
        runs_by_rate: runs by learning rate.
        cap: moves after which they ended.
    """
    means = {
        rate: float(np.mean([cap if run.moves is None else run.moves for run in runs]))
        for rate, runs in runs_by_rate.items()
    }
    least = min(means.values())
    if any(run.moves is not None for runs in runs_by_rate.values() for run in runs):
        good = sorted(rate for rate in means if means[rate] <= AS_GOOD * least)
        return good[len(good) // 2]
    return max(
        runs_by_rate, key=lambda rate: float(np.mean([run.percent for run in runs_by_rate[rate]]))
    )


def moves_to_learn(setting: str, estimator: str, quick: bool) -> MovesToLearn:
    """Choose a learning rate on some seeds, then learn with others.

    Args:
        setting: a key of :data:`~benchmarks.turn_credit.settings.SETTINGS`.
        estimator: a key of :data:`~agents.turn_credit.estimators.ESTIMATORS`, or
            ``"module:function"``.
        quick: whether to play few games, with few seeds.
    """
    task = SETTINGS[setting].task()
    cap = QUICK_CAP if quick else CAP
    runs_by_rate = _runs_by_rate(task, estimator, RATES[2:5] if quick else RATES, cap)
    rate = choose(runs_by_rate, cap)
    for _ in range(0 if quick else MOST_WIDENINGS):
        edges = {
            min(runs_by_rate): min(runs_by_rate) / WIDER,
            max(runs_by_rate): max(runs_by_rate) * WIDER,
        }
        if rate not in edges:
            break
        runs_by_rate.update(_runs_by_rate(task, estimator, [edges[rate]], cap))
        rate = choose(runs_by_rate, cap)
    seeds = range(2 if quick else SEEDS)
    runs = learn(task, find(estimator), [(seed, rate) for seed in seeds], cap, ENOUGH)
    return MovesToLearn(setting, estimator, rate, min(runs_by_rate), max(runs_by_rate), runs)


def _runs_by_rate(
    task: Task, estimator: str, rates: Sequence[float], cap: int
) -> dict[float, list[RunResult]]:
    pairs = [(seed, rate) for rate in rates for seed in CHOOSING]
    learned = learn(task, find(estimator), pairs, cap, ENOUGH)
    each = len(CHOOSING)
    return {rate: learned[each * i : each * (i + 1)] for i, rate in enumerate(rates)}
