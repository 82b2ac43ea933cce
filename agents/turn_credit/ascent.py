"""Gradient ascent along expected estimates, without the noise of samples."""

from __future__ import annotations

import numpy as np

from agents.turn_credit.adam import Adam
from agents.turn_credit.estimators import Estimator
from agents.turn_credit.exact import Exact
from agents.turn_credit.task import Task
from nim_envs.typing import FloatArray

STEPS = 500
RATE = 0.3
"""Steps of an ascent, and their learning rate."""

NO_NOISE = 1e-30
"""Added to Adam's divisor: exact gradients may be very small."""

LARGEST_CHANGE = 0.1
"""Most by which a step towards a half-trained policy changes a logit."""

BISECTIONS = 40
"""Bisections of the last step towards a half-trained policy."""


def limit(
    task: Task, estimator: Estimator, logits: FloatArray, steps: int = STEPS, rate: float = RATE
) -> FloatArray:
    """Return the logits at which ascent with Adam along an estimator's expectation ends.

    The learning rate is constant in the first half of the steps, then decreases linearly to zero,
    so that the ascent converges.

    Args:
        task: the game and the opponent.
        estimator: estimator whose expectation is followed.
        logits: initial logits, ``(positions, actions)``.
        steps: number of steps.
        rate: learning rate.

    Returns:
        The logits at the end.
    """
    adam = Adam(logits.shape, tiny=NO_NOISE)
    for step in range(steps):
        gradient = estimator.gradient(Exact(task, logits))
        logits = logits + rate * min(1.0, 2 - 2 * step / steps) * adam.direction(gradient)
    return logits


def half_trained(task: Task, logits: FloatArray) -> FloatArray:
    """Return logits on the ascent path of ∇J, with J half-way from its first to its best value.

    Args:
        task: the game and the opponent.
        logits: initial logits, ``(positions, actions)``.
    """
    target = (Exact(task, logits).objective + task.optimal_win_probability) / 2
    while True:
        gradient = Exact(task, logits).objective_gradient
        step = gradient * (LARGEST_CHANGE / np.abs(gradient).max())
        if Exact(task, logits + step).objective >= target:
            break
        logits = logits + step
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if Exact(task, logits + middle * step).objective < target:
            low = middle
        else:
            high = middle
    return np.asarray(logits + high * step)
