"""Measurements of the advantage functions: on every group of the games, and on single cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from agents.turn_credit.adam import Adam
from agents.turn_credit.ascent import NO_NOISE
from agents.turn_credit.exact import Exact
from benchmarks.credit_audit.functions import CreditFunction
from benchmarks.credit_audit.games import SETTINGS, Batch, Games, few
from benchmarks.turn_credit.settings import POLICIES, policy
from nim_envs.typing import FloatArray

STEPS, RATE = 200, 0.3
"""Steps of an ascent along the expected estimate, and their learning rate."""

EXACT = 1e-4
"""Differences up to this are rounding: some functions count in single precision."""


@dataclass(frozen=True)
class Measurement:
    """A function on every group of the games.

    Attributes:
        name: library and function.
        claim: the credit that it states.
        difference: largest difference of a credit from that.
        cosines: cosines of E ĝ with ∇J, by setting and policy.
        lengths: ‖E ĝ − ∇J‖ / ‖∇J‖ of the same.
        ends: J / J* where ascent along E ĝ ends, by setting; none where it was not followed.
        alone: credit of a won and of a lost game that is the only one of its group.
        equal: largest credit in a group whose games are all won.
        cut: a game without an end, in words.
        single: a group of games of one turn, in words.
        apart: largest change of a credit if replies are left out of the sequences.
    """

    name: str
    claim: str
    difference: float
    cosines: Sequence[float]
    lengths: Sequence[float]
    ends: Sequence[float]
    alone: str
    equal: str
    cut: str
    single: str
    apart: float


def _credits_or_error(subject: CreditFunction, function: Any, batch: Batch) -> FloatArray | str:
    """Return credits, or the error in place of them."""
    try:
        credit = subject.credits(function, batch)
    except Exception as error:
        return type(error).__name__
    return credit if np.isfinite(credit).all() else "not finite"


def _alone(subject: CreditFunction, function: Any) -> str:
    """Return the credit of a game that is the only one of its group, won and lost, in words."""
    # Two groups, as a batch of one token cannot be whitened; the second has games enough.
    cells = []
    for result in (1.0, 0.0):
        credit = _credits_or_error(subject, function, few((2, 2, 2), (result, 1.0, 0.0), (0, 1, 1)))
        cells.append(credit if isinstance(credit, str) else f"{credit[0, 0]:.3g}")
    return " / ".join(cells)


def _equal(subject: CreditFunction, function: Any) -> str:
    """Return the largest credit in a group whose games are all won, in words."""
    credit = _credits_or_error(subject, function, few((1, 2, 3), (1.0, 1.0, 1.0), (0, 0, 0)))
    return credit if isinstance(credit, str) else f"{np.abs(credit).max():.3g}"


def _cut(subject: CreditFunction, function: Any) -> str:
    """Return the credit of a game cut off after a reply, beside that of a lost one, in words."""
    lost = few((2, 2, 3), (0.0, 0.0, 0.0), (0, 0, 0))
    ended, cut = (
        _credits_or_error(subject, function, each) for each in (lost, replace(lost, finished=False))
    )
    if isinstance(cut, str) or isinstance(ended, str):
        return cut if isinstance(cut, str) else str(ended)
    return "as a lost one" if np.abs(cut - ended).max() < EXACT else "in another way"


def _single(subject: CreditFunction, function: Any) -> str:
    """Return how games of a single turn are credited, in words."""
    batch = few((1, 1, 1), (1.0, 0.0, 0.0), (0, 0, 0))
    credit = _credits_or_error(subject, function, batch)
    if isinstance(credit, str):
        return credit
    formula = subject.formula(batch)
    return "as stated" if np.abs(credit - formula).max() < EXACT else "in another way"


def measure(
    subject: CreditFunction, settings: Sequence[str], draws: int, steps: int
) -> Measurement:
    """Call a function on all groups of some games, and compare.

    Args:
        subject: the function.
        settings: keys of :data:`SETTINGS`.
        draws: policies of each kind.
        steps: steps of the ascents; 0: none.

    Raises:
        ImportError: the library is not there.
    """
    function = subject.resolve()
    called = partial(subject.credits, function)
    difference = change = 0.0
    cosines, lengths, ends = [], [], []
    for setting in settings:
        games = Games(SETTINGS[setting].task())
        estimates: list[FloatArray] = []
        for draw, kind in product(range(draws), POLICIES):
            exact = policy(games.task, kind, draw)
            if not estimates or subject.policy:
                batches = games.batches(exact)
                estimates = [subject.of_groups(called, batch) for batch in batches]
                claimed = [subject.of_groups(subject.formula, batch) for batch in batches]
                gaps = [np.abs(x - y).max() for x, y in zip(estimates, claimed, strict=True)]
                difference = max(difference, *map(float, gaps))
                bare = [
                    np.abs(subject.of_groups(called, replace(batch, observations=False)) - x)
                    for batch, x in zip(batches, estimates, strict=True)
                ]
                change = max(change, *(float(each.max()) for each in bare))
            gradient, truth = games.gradient(exact.policy, estimates), exact.objective_gradient
            size = float(np.linalg.norm(truth))
            cosines.append(float((gradient * truth).sum() / np.linalg.norm(gradient) / size))
            lengths.append(float(np.linalg.norm(gradient - truth) / size))
        if steps and not subject.policy:
            ends.append(ascend(games, estimates, steps))
    return Measurement(
        subject.name, subject.claim, difference, cosines, lengths, ends,
        _alone(subject, function), _equal(subject, function), _cut(subject, function),
        _single(subject, function), change,
    )  # fmt: skip


def ascend(games: Games, estimates: Sequence[FloatArray], steps: int) -> float:
    """Return J / J* where ascent with Adam along E ĝ ends, from equal chances of all moves.

    Args:
        games: every group.
        estimates: credits for each context; they do not depend on the policy.
        steps: number of steps, of which the second half has a falling learning rate.
    """
    task = games.task
    logits = np.zeros(task.legal.shape)
    adam = Adam(logits.shape, tiny=NO_NOISE)
    for step in range(steps):
        gradient = games.gradient(Exact(task, logits).policy, estimates)
        logits = logits + RATE * min(1.0, 2 - 2 * step / steps) * adam.direction(gradient)
    return Exact(task, logits).objective / task.optimal_win_probability
