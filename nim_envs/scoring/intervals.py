"""Confidence intervals of sampled scores."""

from __future__ import annotations

import math

CONFIDENCE = 0.95
"""Confidence of the intervals of sampled scores."""

BISECTIONS = 60


def mean_interval(mean: float, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return a confidence interval of the expectation of numbers from 0 to 1, given their mean.

    It is valid for any distribution on [0, 1] and any number of draws, and has a positive width
    even if all are 0 or all are 1. By Hoeffding's inequality, the mean of ``n`` draws is at least
    as far from the expectation ``p`` as ``m``, on the same side, with a probability of at most
    ``exp(-n KL(m, p))``, where ``KL(m, p) = m ln(m/p) + (1-m) ln((1-m)/(1-p))``.

    Args:
        mean: mean of the numbers, from 0 to 1.
        count: number of independent draws, at least 1.
        confidence: lower bound on the probability that the interval contains the expectation.

    References:
        W. Hoeffding, "Probability inequalities for sums of bounded random variables", *Journal of
        the American Statistical Association* 58 (1963), theorem 1.

    Example:
        >>> low, high = mean_interval(1.0, 1000)
        >>> round(low, 4), high
        (0.9963, 1.0)
    """
    largest = math.log(2 / (1 - confidence)) / count
    return _furthest(mean, 0.0, largest), _furthest(mean, 1.0, largest)


def percent_interval(percent: float, count: int) -> tuple[float, float]:
    """Return :func:`mean_interval` of a score in percent, in percent."""
    low, high = mean_interval(percent / 100, count)
    return 100 * low, 100 * high


def in_words(interval: tuple[float, float] | None) -> str:
    """Return an interval in percent as scores show it, after a space; empty for none."""
    return "" if interval is None else f" ({interval[0]:.2f} to {interval[1]:.2f} %)"


def _furthest(mean: float, end: float, largest: float) -> float:
    """The number furthest from ``mean`` towards ``end`` whose divergence is at most ``largest``."""
    near, far = mean, end
    for _ in range(BISECTIONS):
        middle = (near + far) / 2
        if _divergence(mean, middle) <= largest:
            near = middle
        else:
            far = middle
    return far


def _divergence(mean: float, expectation: float) -> float:
    """The Kullback-Leibler divergence of two Bernoulli distributions, in nats."""
    both = [(mean, expectation), (1 - mean, 1 - expectation)]
    if any(share and not other for share, other in both):
        return math.inf
    return sum(share * math.log(share / other) for share, other in both if share)
