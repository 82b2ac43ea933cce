"""How well a hypothesis explains the moves of a policy, whatever it has not learned yet.

A hypothesis expects certain moves. A policy that it describes makes them with probability ``1 - ε``
at a position, and with ``ε`` a random legal move, since it was not trained for ever. The error rate
ε does not fall with the distance from the end of the game, from where values are learned.
"""

from __future__ import annotations

import numpy as np

from nim_envs.players import FloatArray
from nim_envs.rules.component import BoolArray, IntArray

ERRORS = np.array([0.0, 0.03, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
"""The error rates that are compared."""

SLIP = 1e-3
"""Probability of any action at all, legal or not, under every hypothesis."""

STEPS = 400
"""Steps in which the knowledge of a partly trained policy is added up."""


def log_chances(expected: FloatArray, noise: FloatArray, actions: int) -> FloatArray:
    """Return the log-likelihood of moves by error rate, ``(k, errors)``.

    Args:
        expected: probability of each move by the hypothesis, ``(k,)``.
        noise: its probability among random moves, ``(k,)``.
        actions: number of actions.
    """
    chances = expected[:, np.newaxis] * (1 - ERRORS) + noise[:, np.newaxis] * ERRORS
    return np.log((1 - SLIP) * chances + SLIP / actions)


def by_distance(amounts: FloatArray, lengths: IntArray) -> FloatArray:
    """Return sums of rows ``(k, errors)`` over positions of equal length, ``(lengths, errors)``."""
    found, classes = np.unique(lengths, return_inverse=True)
    sums = np.zeros((len(found), amounts.shape[1]))
    np.add.at(sums, classes.reshape(-1), amounts)
    return sums


def mean_likelihood(likelihoods: FloatArray) -> float:
    """Return the log of the likelihood's mean over error rates that never fall with the distance.

    The first rate is uniform; at each distance it stays with probability ``1 - 1 / distances``, and
    else becomes any larger one.

    Args:
        likelihoods: logarithms, ``(distances, errors)``.
    """
    if not len(likelihoods):
        return 0.0
    number = len(ERRORS)
    stay = 1 - 1 / len(likelihoods)
    rises = np.triu(np.ones((number, number)), k=1)
    rises /= np.maximum(rises.sum(axis=1, keepdims=True), 1)
    change = stay * np.eye(number) + (1 - stay) * rises
    change[-1, -1] = 1.0
    total = likelihoods[0] - np.log(number)
    for row in likelihoods[1:]:
        largest = total.max()
        with np.errstate(divide="ignore"):
            total = np.log(np.exp(total - largest) @ change) + largest + row
    largest = float(total.max())
    return largest + float(np.log(np.exp(total - largest).sum()))


def best_likelihoods(likelihoods: FloatArray, knowledge: FloatArray) -> FloatArray:
    """Return the largest likelihood by how much is known, over error rates that never fall.

    Args:
        likelihoods: logarithms, ``(distances, errors)``.
        knowledge: what each class adds to the knowledge, in shares of the knowledge that is asked
            for, same shape.

    Returns:
        ``(STEPS + 1,)`` by knowledge in steps, the last for all that is asked for; -inf where no
        error rates come to it.
    """
    steps = np.ceil(knowledge * STEPS - 1e-9).astype(np.int64).clip(0, STEPS)
    best = np.full((len(ERRORS), STEPS + 1), -np.inf)
    best[0, 0] = 0.0
    for row, step in zip(likelihoods, steps, strict=True):
        before = np.maximum.accumulate(best, axis=0)
        best = np.full_like(best, -np.inf)
        for error, shift in enumerate(step):
            moved = best[error]
            moved[shift:] = before[error, : STEPS + 1 - shift] + row[error]
            moved[STEPS] = before[error, STEPS - shift :].max() + row[error]
    found: FloatArray = best.max(axis=0)
    return found


def both(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the largest likelihoods of two games together, as :func:`best_likelihoods` does."""
    found = np.full(STEPS + 1, -np.inf)
    for known in np.flatnonzero(np.isfinite(one)):
        sums = one[known] + other
        found[known:] = np.maximum(found[known:], sums[: STEPS + 1 - known])
        found[STEPS] = max(found[STEPS], sums[STEPS - known :].max())
    return found


def evenly(actions: BoolArray) -> FloatArray:
    """Return equal probabilities of the actions in each row, zeros in rows without one."""
    share: FloatArray = actions / np.maximum(actions.sum(axis=1, keepdims=True), 1)
    return share


def ranked(
    actions: IntArray, candidates: BoolArray, groups: IntArray, learned_from: BoolArray
) -> BoolArray:
    """Return the moves that a fixed order of preference would make, known from the moves before.

    In each group of positions, an action that was preferred to another is expected to be preferred
    again. The expectation at a position uses earlier rows alone, so that expectations have
    probabilities as if they had been announced.

    Args:
        actions: the moves, ``(k,)``.
        candidates: the actions among which each was chosen, ``(k, actions)``.
        groups: the group of each row, ``(k,)``.
        learned_from: the rows that tell of the preference, ``(k,)``.

    Returns:
        The expected actions, ``(k, actions)``; all candidates where nothing is known of them.
    """
    number = candidates.shape[1]
    preferred: dict[int, IntArray] = {}
    expected = candidates.copy()
    for row, (action, group) in enumerate(zip(actions.tolist(), groups.tolist(), strict=True)):
        among = np.flatnonzero(candidates[row])
        wins = preferred.get(group)
        if wins is not None:
            here = wins[np.ix_(among, among)]
            best = among[~(here > here.T).any(axis=0)]
            if len(best):
                expected[row] = False
                expected[row, best] = True
        if learned_from[row] and action < number and candidates[row, action]:
            if wins is None:
                wins = preferred[group] = np.zeros((number, number), dtype=np.int64)
            wins[action, among] += 1
            wins[action, action] = 0
    return expected
