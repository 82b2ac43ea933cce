"""Likelihood of a policy's moves under a hypothesis, whatever it has not learned yet.

A hypothesis expects certain moves. A policy that it describes makes them with probability ``1 - ε``
at a position, and with ``ε`` a random legal move, since it was not trained for ever. The error rate
ε does not fall with the distance from the end of the game, from where values are learned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nim_envs.typing import BoolArray, FloatArray, IntArray

ERRORS = np.array([0.0, 0.03, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
"""The error rates that are compared."""

PRIOR = np.array([0.35, 0.15, 0.1, *[0.04] * 10])
"""Probability of each error rate before the moves are seen: faults are looked for in agents that
were trained."""

SLIP = 1e-3
"""Probability of any action at all, legal or not, under every hypothesis."""

ROUNDING = 1e-9

TINY = np.finfo(np.float64).tiny

STEPS = 200
"""Steps in which the knowledge of a partly trained policy is added up."""


def log_chances(shares: FloatArray, expected: FloatArray, noise: FloatArray) -> FloatArray:
    """Return the log-likelihood of moves by error rate, ``(k, errors)``.

    Args:
        shares: the moves, equal shares of those between which the policy makes no difference,
            ``(k, actions + 1)``: the mean over them counts.
        expected: probabilities of actions by the hypothesis, ``(k, actions)``.
        noise: their probabilities among random moves, ``(k, actions)``.
    """
    slip = SLIP / shares.shape[1]
    rows, actions = np.nonzero(shares[:, :-1])
    chances = (
        expected[rows, actions, np.newaxis] * (1 - ERRORS)
        + noise[rows, actions, np.newaxis] * ERRORS
    )
    logs = shares[rows, actions, np.newaxis] * np.log((1 - SLIP) * chances + slip)
    found = np.outer(shares[:, -1], np.full(len(ERRORS), np.log(slip)))
    np.add.at(found, rows, logs)
    return found


def by_distance(amounts: FloatArray, lengths: IntArray) -> FloatArray:
    """Return sums of rows ``(k, errors)`` over positions of equal length, ``(lengths, errors)``."""
    found, classes = np.unique(lengths, return_inverse=True)
    sums = np.zeros((len(found), amounts.shape[1]))
    np.add.at(sums, classes.reshape(-1), amounts)
    return sums


def mean_likelihood(games: Sequence[FloatArray]) -> float:
    """Return the log of the likelihood's mean over error rates that never fall with the distance.

    With probability 1/2 there is one rate for all games and distances. Else each game has its own,
    which rises, once on average in two games, to any larger one.

    Args:
        games: log-likelihoods of each game, ``(distances, errors)``.
    """
    together = log_sum(np.sum([game.sum(axis=0) for game in games], axis=0) + np.log(PRIOR))
    apart = sum(_of_rising_errors(game) for game in games)
    return float(np.logaddexp(together, apart) - np.log(2))


def _of_rising_errors(likelihoods: FloatArray) -> float:
    """Return the log of the mean likelihood of one game, ``(distances, errors)``."""
    number = len(ERRORS)
    rise = 0.5 / len(likelihoods)
    rises = np.triu(np.ones((number, number)), k=1)
    rises /= np.maximum(rises.sum(axis=1, keepdims=True), 1)
    change = (1 - rise) * np.eye(number) + rise * rises
    change[-1, -1] = 1.0
    total = likelihoods[0] + np.log(PRIOR)
    for row in likelihoods[1:]:
        largest = total.max()
        total = np.log(np.exp(total - largest) @ change + TINY) + largest + row
    return log_sum(total)


def log_sum(logs: FloatArray) -> float:
    """Return the logarithm of a sum of numbers with given logarithms."""
    return float(np.logaddexp.reduce(logs))


def log_of_share(one: float, other: float) -> float:
    """Return the log-likelihood of two counts, where every share is equally probable."""
    return math.lgamma(one + 1) + math.lgamma(other + 1) - math.lgamma(one + other + 2)


def best_likelihood(likelihoods: FloatArray) -> float:
    """Return the log of the largest likelihood over error rates that never fall with the distance.

    Args:
        likelihoods: logarithms, ``(distances, errors)``.
    """
    best = np.zeros(len(ERRORS))
    for row in likelihoods:
        best = np.maximum.accumulate(best) + row
    return float(best.max())


def best_by_knowledge(likelihoods: FloatArray, knowledge: FloatArray) -> FloatArray:
    """Return the same by how much is known.

    Args:
        likelihoods: logarithms, ``(distances, errors)``.
        knowledge: what each class adds to the knowledge, in shares of the knowledge that is asked
            for, same shape.

    Returns:
        ``(STEPS + 1,)`` by knowledge in steps, the last for all that is asked for; -inf where no
        error rates come to it.
    """
    steps = np.rint(knowledge * STEPS).astype(np.int64).clip(0, STEPS)
    best = np.full((len(ERRORS), STEPS + 1), -np.inf)
    best[0, 0] = 0.0
    for row, step in zip(likelihoods, steps, strict=True):
        before = np.maximum.accumulate(best, axis=0) + row[:, np.newaxis]
        best = np.full_like(best, -np.inf)
        for error, shift in enumerate(step.tolist()):
            best[error, shift:] = before[error, : STEPS + 1 - shift]
            best[error, STEPS] = before[error, STEPS - shift :].max()
    found: FloatArray = best.max(axis=0)
    return found


def both(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the largest likelihoods of two games together, as :func:`best_by_knowledge` does."""
    known = np.arange(STEPS + 1)
    sums = one[:, np.newaxis] + other
    found = np.full(STEPS + 1, -np.inf)
    np.maximum.at(found, np.minimum(known[:, np.newaxis] + known, STEPS), sums)
    return found


def evenly(actions: BoolArray) -> FloatArray:
    """Return equal probabilities of the actions in each row, zeros in rows without one."""
    share: FloatArray = actions / np.maximum(actions.sum(axis=1, keepdims=True), 1)
    return share


def ranked(
    shares: FloatArray, candidates: BoolArray, groups: IntArray, learned_from: FloatArray
) -> BoolArray:
    """Return the moves that a fixed order of preference would make, known from the moves before.

    In each group of positions, an action that was preferred to another is expected to be preferred
    again. The expectation at a position uses earlier rows alone, so that expectations have
    probabilities as if they had been announced.

    Args:
        shares: the moves, as :func:`log_chances` takes them.
        candidates: the actions among which each was chosen, ``(k, actions)``.
        groups: the group of each row, ``(k,)``.
        learned_from: how much each row tells of the preference, ``(k,)``.

    Returns:
        The expected actions, ``(k, actions)``; all candidates where nothing is known of them.
    """
    number = candidates.shape[1]
    preferred: dict[int, FloatArray] = {}
    expected = candidates.copy()
    for row, group in enumerate(groups.tolist()):
        among = candidates[row]
        wins = preferred.get(group)
        if wins is not None:
            beaten = among & (wins > wins.T + ROUNDING).T
            best = among & ~beaten.any(axis=1)
            if best.any():
                expected[row] = best
        if learned_from[row] > 0:
            if wins is None:
                wins = preferred[group] = np.zeros((number, number))
            wins += learned_from[row] * np.outer(among * shares[row, :-1], among)
    return expected
