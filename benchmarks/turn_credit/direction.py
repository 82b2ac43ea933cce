"""Bias and variance of every estimator at a policy, and checks of what both rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.turn_credit.estimators import ESTIMATORS
from agents.turn_credit.exact import GROUP, Exact, turns_left
from agents.turn_credit.groups import Groups, sample
from agents.turn_credit.own import find
from benchmarks.turn_credit.settings import SETTINGS, policy
from nim_envs.typing import FloatArray

BLOCKS = 40
"""Independent blocks of sampled groups; their mean estimates are held against the expectation."""

GROUPS_PER_BLOCK = 100

DIRECTIONS = 8
DIFFERENCE = 3e-4
"""Random directions in which ∇J is held against finite differences, and half their width."""


@dataclass(frozen=True)
class Direction:
    """An estimator at a policy.

    Attributes:
        setting: a key of :data:`~benchmarks.turn_credit.settings.SETTINGS`.
        policy: one of :data:`~benchmarks.turn_credit.settings.POLICIES`.
        draw: index among the policies of this kind.
        estimator: a key of :data:`~agents.turn_credit.estimators.ESTIMATORS`.
        cosine: cosine of E ĝ with ∇J.
        off: 1 − cosine, computed without loss of digits.
        cost: K·E[L]·tr Cov / ‖E ĝ‖², moves until the noise of the mean is as large as the mean;
            those of rollouts count, those of a critic's games do not.
        blocks: mean of n‖ḡ − E ĝ‖² / tr Cov over blocks of n groups; 1 in expectation.
        standard_errors: deviation of that from 1, in standard errors; these two are 0 for
            estimators whose expectation is not known, but estimated from the blocks.
    """

    setting: str
    policy: str
    draw: int
    estimator: str
    cosine: float
    off: float
    cost: float
    blocks: float
    standard_errors: float


@dataclass(frozen=True)
class Checks:
    """Largest absolute differences from identities that hold at every policy.

    Attributes:
        finite_differences: of ∇J along random directions from differences of J.
        seven_eighths: of the estimates of Dr. GRPO from 7/8 of RLOO's, in every sampled block.
        formula: of E ĝ by turn from ∇J_r − Σ_c p_c Σ_t E[r_t | c, L ≥ t] ∇P(L ≥ t | c), for
            groups without end; r is the result in the last turn, kept_win, and 1 in every turn.
        ones: largest entry of E ĝ by turn where the reward is 1 in every turn.
    """

    finite_differences: float
    seven_eighths: float
    formula: float
    ones: float


def measure(
    setting: str, kind: str, draw: int, groups: int, own: Sequence[str] = ()
) -> tuple[list[Direction], Checks]:
    """Return direction and cost of every estimator at a policy, and the checks.

    Args:
        setting: a key of :data:`~benchmarks.turn_credit.settings.SETTINGS`.
        kind: one of :data:`~benchmarks.turn_credit.settings.POLICIES`.
        draw: seed of the policy, and of the games.
        groups: sampled groups in each of the blocks.
        own: more estimators, each ``"module:function"``.
    """
    task = SETTINGS[setting].task()
    exact = policy(task, kind, draw)
    rngs = np.random.default_rng([draw, 1]).spawn(BLOCKS)
    played = sample(
        task, np.broadcast_to(exact.policy, (BLOCKS, *exact.policy.shape)), groups, rngs
    )
    names = [name for name, estimator in ESTIMATORS.items() if estimator.expected]
    expected = np.stack([ESTIMATORS[name].gradient(exact) for name in names])
    credit = np.stack([ESTIMATORS[name].sampled(played) for name in names])
    traces = played.squared_errors(credit, expected).mean(axis=(1, 2))
    truth = exact.objective_gradient
    directions = []
    means = {}
    for name, gradient, sampled, trace in zip(names, expected, credit, traces, strict=True):
        means[name] = played.gradients(sampled)
        errors = groups * ((means[name] - gradient) ** 2).sum(axis=(1, 2)) / trace
        cosine, off = _cosine(gradient, truth)
        rolled = ESTIMATORS[name].rollouts * (exact.mean_visits @ turns_left(task, exact.policy))
        directions.append(
            Direction(
                setting, kind, draw, name, cosine, off,
                float(GROUP * (exact.mean_turns + rolled) * trace / (gradient**2).sum()),
                float(errors.mean()),
                float((errors.mean() - 1) / (errors.std(ddof=1) / np.sqrt(BLOCKS))),
            )
        )  # fmt: skip
    directions += [_from_blocks(setting, kind, draw, name, played, exact) for name in own]
    ratio = 1 - 1 / GROUP
    checks = Checks(
        _against_differences(exact, draw),
        float(np.abs(means["Dr. GRPO"] - ratio * means["RLOO"]).max()),
        *_against_formula(exact),
    )
    return directions, checks


def _from_blocks(
    setting: str, kind: str, draw: int, name: str, played: Groups, exact: Exact
) -> Direction:
    """Direction of an estimator of which only the sampled form is known.

    ‖E ĝ‖² is the mean product of estimates of different blocks, which is free of their noise.
    """
    estimator = find(name)
    means = played.gradients(estimator.sampled(played)).reshape(BLOCKS, -1)
    truth = exact.objective_gradient.reshape(-1)
    total = means.sum(axis=0)
    length = float(total @ total - (means**2).sum()) / (BLOCKS * (BLOCKS - 1))
    trace = played.contexts.shape[1] * means.var(axis=0, ddof=1).sum()
    if length <= 0:  # no direction is to be seen
        length = float("nan")
    cosine = float(total @ truth / BLOCKS / np.sqrt(length * (truth @ truth)))
    moves = float(estimator.moves(played).mean()) / played.contexts.shape[1]
    cost = float(moves * trace / length)
    return Direction(setting, kind, draw, name, cosine, 1 - cosine, cost, 0.0, 0.0)


def _cosine(one: FloatArray, two: FloatArray) -> tuple[float, float]:
    """The cosine of two vectors, and what it lacks of 1: half the square of their unit distance."""
    first, second = (vector / np.sqrt((vector**2).sum()) for vector in (one, two))
    return float((first * second).sum()), float(((first - second) ** 2).sum() / 2)


def _against_differences(exact: Exact, seed: int) -> float:
    """Largest difference of ∇J from central differences of fourth order."""
    worst = 0.0
    rng = np.random.default_rng([seed, 2])
    for _ in range(DIRECTIONS):
        along = rng.normal(size=exact.logits.shape)
        near, far = (
            Exact(exact.task, exact.logits + times * DIFFERENCE * along).objective
            - Exact(exact.task, exact.logits - times * DIFFERENCE * along).objective
            for times in (1, 2)
        )
        slope = (8 * near - far) / (12 * DIFFERENCE)
        worst = max(worst, abs(slope - float((exact.objective_gradient * along).sum())))
    return worst


def _against_formula(exact: Exact) -> tuple[float, float]:
    """Largest difference of E ĝ by turn from the formula, and its entries for rewards of 1."""
    task = exact.task
    worst, ones = 0.0, 0.0
    survival = np.stack([exact.survival_gradient(turn) for turn in range(1, task.turns + 1)])
    everywhere = task.legal.astype(np.float64)
    for reward in (task.last_result, task.keeps_win.astype(np.float64), everywhere):
        means = exact.mean_at_turn(reward)
        by_turn = exact.gradient(exact.summed_credit(reward, 1.0, -means))
        bias = np.tensordot(means * task.context_probabilities, survival, axes=2)
        predicted = exact.gradient(exact.summed_credit(reward)) - bias
        worst = max(worst, float(np.abs(by_turn - predicted).max()))
        if reward is everywhere:
            ones = float(np.abs(by_turn).max())
    return worst, ones
