"""The credit that the functions claim to give, computed from their statements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.credit_audit.games import Batch
from nim_envs.typing import FloatArray

LAMBDA = 0.95
"""λ of GAE."""


def _by_group(batch: Batch, of_group: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
    """Return a credit of each game by its group's scores and lengths, for every turn."""
    credit = np.zeros(len(batch.scores))
    for group in np.unique(batch.groups):
        here = batch.groups == group
        credit[here] = of_group(batch.scores[here], batch.reached[here].sum(axis=1))
    return credit[:, np.newaxis] * batch.reached


def centred(batch: Batch, std: bool = False) -> FloatArray:
    """R − mean, over the standard deviation of the sample; R itself where a game is alone."""

    def of_group(scores: FloatArray, lengths: FloatArray) -> FloatArray:
        if len(scores) == 1:
            return scores
        spread = scores.std(ddof=1) if std else 1.0
        return np.asarray((scores - scores.mean()) / (spread if spread > 0 else 1.0))

    return _by_group(batch, of_group)


def leave_one_out(batch: Batch) -> FloatArray:
    """R − the mean of the others; without others 0."""

    def of_group(scores: FloatArray, lengths: FloatArray) -> FloatArray:
        others = max(len(scores) - 1, 1)
        return np.asarray((scores - (scores.sum() - scores) / others) * (len(scores) > 1))

    return _by_group(batch, of_group)


def by_length(batch: Batch) -> FloatArray:
    """R − the mean weighted by the lengths of the games."""
    return _by_group(batch, lambda scores, lengths: scores - (scores @ lengths) / lengths.sum())


def best_alone(batch: Batch) -> FloatArray:
    """Best R − second R, over the standard deviation, for the best game; 0 for the others."""

    def of_group(scores: FloatArray, lengths: FloatArray) -> FloatArray:
        order = np.argsort(-scores, kind="stable")
        gap = scores[order[0]] - scores[order[1]]
        spread = scores.std(ddof=1)
        return np.where(np.arange(len(scores)) == order[0], gap / (spread or 1.0), 0.0)

    return _by_group(batch, of_group)


def over_mean(batch: Batch) -> FloatArray:
    """R − mean, over the mean."""
    return _by_group(batch, lambda scores, _: (scores - scores.mean()) / (scores.mean() or 1.0))


def by_share_won(batch: Batch) -> FloatArray:
    """R − mean, over the share of games whose R is not 0."""
    won = max(int((batch.scores != 0).sum()), 1)
    return centred(batch) * (len(batch.scores) / won)


def result(batch: Batch) -> FloatArray:
    """R itself."""
    return batch.scores[:, np.newaxis] * batch.reached


def _whitened(batch: Batch, tokens: FloatArray, replies: bool = False) -> FloatArray:
    """Return credits less their mean, over their standard deviation, over all tokens of a batch."""
    inside = tokens[batch.mask(replies) > 0]
    spread = np.sqrt(inside.var(ddof=1) + 1e-8)
    return batch.turns((tokens - inside.mean()) / spread) * batch.reached


def white_turns(credit: Callable[[Batch], FloatArray], batch: Batch) -> FloatArray:
    """Another credit, whitened over the agent's tokens."""
    return _whitened(batch, batch.tokens(credit(batch)))


def white_result(batch: Batch, replies: bool = False) -> FloatArray:
    """R, whitened over the agent's tokens, or over those of replies as well."""
    return _whitened(batch, batch.tokens(result(batch), result(batch)), replies)


def white_advantages(batch: Batch, replies: bool = False) -> FloatArray:
    """GAE over the agent's tokens, or over those of replies as well, then whitened."""
    values, mask = batch.tokens(batch.values, batch.afterwards), batch.mask(replies)
    credit = np.zeros_like(values)
    for game, here in enumerate(mask > 0):
        later = following = 0.0
        for at in np.flatnonzero(here)[::-1]:
            error = batch.rewards[game, at] + following - values[game, at]
            later = error + LAMBDA * later
            credit[game, at], following = later, values[game, at]
    return _whitened(batch, credit, replies)


def energy(batch: Batch) -> FloatArray:
    """R − Σ R W / Σ W over those that reached the turn, W the sum of 1 − 2π + Σ π² so far."""
    weight = np.cumsum((1 - 2 * batch.chances + batch.squares) * batch.reached, axis=1)
    credit = result(batch)
    for group in np.unique(batch.groups):
        here = np.flatnonzero(batch.groups == group)
        inside = weight[here] * batch.reached[here]
        if len(here) == 1:
            continue
        total = inside.sum(axis=0)
        mean = (credit[here] * inside).sum(axis=0) / np.where(total > 0, total, 1.0)
        # No baseline where one game alone reached the turn.
        mean = np.where(batch.reached[here].sum(axis=0) > 1, mean, 0.0)
        credit[here] = (credit[here] - mean) * batch.reached[here]
    return credit
