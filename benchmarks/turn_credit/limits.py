"""End points of ascent along the expectation of an estimator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.turn_credit.ascent import STEPS, limit
from agents.turn_credit.estimators import ESTIMATORS
from agents.turn_credit.exact import Exact
from benchmarks.turn_credit.settings import SETTINGS

QUICK_STEPS = 50


@dataclass(frozen=True)
class Limit:
    """The end of the ascent from equal chances of all moves.

    Attributes:
        setting: a key of :data:`~benchmarks.turn_credit.settings.SETTINGS`.
        estimator: a key of :data:`~agents.turn_credit.estimators.ESTIMATORS`.
        share: J / J*, the chance of winning there as a share of the best that is possible.
        halfway: the same after half as many steps, to see whether it has ended.
    """

    setting: str
    estimator: str
    share: float
    halfway: float


def limit_of(setting: str, estimator: str, quick: bool) -> Limit:
    """Return where an estimator's expectation leads.

    Args:
        setting: a key of :data:`~benchmarks.turn_credit.settings.SETTINGS`.
        estimator: a key of :data:`~agents.turn_credit.estimators.ESTIMATORS`.
        quick: whether to take few steps.
    """
    task = SETTINGS[setting].task()
    steps = QUICK_STEPS if quick else STEPS
    halfway, share = (
        Exact(task, limit(task, ESTIMATORS[estimator], np.zeros(task.legal.shape), count)).objective
        / task.optimal_win_probability
        for count in (steps // 2, steps)
    )
    return Limit(setting, estimator, share, halfway)
