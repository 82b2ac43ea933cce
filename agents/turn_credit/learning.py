"""Learning from sampled groups with Adam: number of moves until the greedy policy plays right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.turn_credit.adam import Adam
from agents.turn_credit.estimators import Estimator
from agents.turn_credit.groups import sample
from agents.turn_credit.task import Task, softmax
from nim_envs.typing import FloatArray

GROUPS = 16
"""Groups of games in an update."""


@dataclass(frozen=True)
class RunResult:
    """Result of a run.

    Attributes:
        moves: moves of the agent until the score was first reached; ``None`` if it was not.
        percent: of N-positions that the greedy policy played right, at the end.
    """

    moves: int | None
    percent: float


def percent_right(task: Task, logits: FloatArray) -> FloatArray:
    """Return the mean probability that greedy policies keep the win, over all N-positions.

    Where draws exist: that they keep the value, over all positions that are not lost. Ties are
    played with equal probability.

    Args:
        task: the game.
        logits: ``(runs, positions, actions)``.

    Returns:
        Percent, ``(runs,)``.
    """
    here = task.minimax > 0
    of_legal = np.where(task.legal[here], logits[:, here], -np.inf)
    greedy = of_legal == of_legal.max(axis=-1, keepdims=True)
    right = (greedy & task.keeps_win[here]).sum(axis=-1) / greedy.sum(axis=-1)
    return np.asarray(100 * right.mean(axis=-1))


def learn(
    task: Task,
    estimator: Estimator,
    runs: Sequence[tuple[int, float]],
    cap: int,
    enough: float,
    groups: int = GROUPS,
) -> list[RunResult]:
    """Learn from sampled games, from equal logits, until the greedy policy is good enough.

    Args:
        task: the game and the opponent.
        estimator: estimator of the credit of turns.
        runs: seed and learning rate of each; none depends on the others.
        cap: moves after which a run ends.
        enough: percent of N-positions, by :func:`percent_right`, at which it ends; it is measured
            after every update.
        groups: groups of games in an update.

    Returns:
        How each run went, in order.
    """
    rngs = [np.random.default_rng(seed) for seed, _ in runs]
    rates = np.array([rate for _, rate in runs])
    logits = np.zeros((len(runs), *task.legal.shape))
    adam = Adam(logits.shape)
    moves = np.zeros(len(runs), dtype=np.int64)
    active = np.arange(len(runs))
    results: dict[int, RunResult] = {}
    while len(active):
        playing = [rngs[run] for run in active]
        played = sample(task, softmax(logits, task.legal), groups, playing, sharing=groups)
        gradients = played.gradients(estimator.sampled(played))
        logits += rates[active, np.newaxis, np.newaxis] * adam.direction(gradients)
        moves += estimator.moves(played)
        percent = percent_right(task, logits)
        good = percent >= enough
        over = good | (moves >= cap)
        for index in np.flatnonzero(over):
            reached = int(moves[index]) if good[index] else None
            results[int(active[index])] = RunResult(reached, float(percent[index]))
        if over.any():
            adam.keep(~over)
            logits, moves, active = logits[~over], moves[~over], active[~over]
    return [results[run] for run in range(len(runs))]
