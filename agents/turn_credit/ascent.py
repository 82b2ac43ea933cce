"""Ascent along expected estimates: where they lead, without any noise."""

from __future__ import annotations

import numpy as np

from agents.turn_credit.adam import Adam
from agents.turn_credit.estimators import Estimator
from agents.turn_credit.exact import Exact
from agents.turn_credit.task import FloatArray, Task

STEPS = 500
RATE = 0.3
"""Steps of an ascent, and their learning rate."""

NO_NOISE = 1e-30
"""Added to Adam's divisor: exact gradients may be as small as they like."""

LARGEST_CHANGE = 0.1
"""Most by which a step towards a half-trained policy changes a logit."""

BISECTIONS = 40


def limit(
    task: Task, estimator: Estimator, logits: FloatArray, steps: int = STEPS, rate: float = RATE
) -> FloatArray:
    """Return where ascent with Adam along the expectation of an estimator ends.

    The learning rate is constant in the first half of the steps, then falls to zero in a line, so
    that the end is a point and no circle around it.

    Args:
        task: the game and the opponent.
        estimator: whose expectation is followed.
        logits: where it begins, ``(positions, actions)``.
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
    """Return the logits on the path of ∇J at which half of what there is to win is won.

    Their J is half-way between that of ``logits`` and the best that is possible.

    Args:
        task: the game and the opponent.
        logits: where it begins, ``(positions, actions)``.
    """
    target = (Exact(task, logits).objective + task.most_won) / 2
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
