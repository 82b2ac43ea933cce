"""A run of the open track: a learner on a task with one seed, scored after each number of games."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agents import HypothesisError, RandomAgent
from benchmarks.entries import TrainedLearner, learns, train_learner
from benchmarks.report import mean_of
from benchmarks.studies.open_track.tasks import GAMES, SAMPLE, TASKS
from nim_envs import Game, GameEnv, optimality
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.scoring import Optimality

QUICK_GAMES = (10, 30, 100)
QUICK_SAMPLE = 100

BOARDS = ("learned", "larger")
"""The boards of a task."""

PLAYS, RANDOM, REFUSED = "plays", "random moves", "refused"
"""Ways to play a board; a learner that cannot, or refuses to learn the game, moves at random."""


@dataclass(frozen=True)
class OpenRun:
    """A learner's scores on one board of a task, with one seed.

    ``percents`` has the share of N-positions played right after each number of games; ``plays``
    is :data:`PLAYS`, :data:`RANDOM` or :data:`REFUSED`, of the last number of games.
    """

    task: str
    board: str
    learner: str
    seed: int
    percents: tuple[float, ...]
    random_percent: float
    count: int
    plays: str


@cache
def _game(task: str, board: str) -> Game:
    return TASKS[task].board(board)


@cache
def _random(task: str, board: str, sample: int) -> Optimality:
    return _score(RandomAgent(), task, board, sample)


def _score(policy: Any, task: str, board: str, sample: int) -> Optimality:
    """Score a policy of both seats: on the larger board at drawn positions."""
    if board == "larger":
        return optimality(policy, _game(task, board), sample=sample, seed=0)
    return optimality(policy, _game(task, board), "reachable")


def run(task: str, learner: str, seed: int, quick: bool) -> list[OpenRun]:
    """Train a learner on a task, anew for each number of games, and score it on both boards."""
    sample = QUICK_SAMPLE if quick else SAMPLE
    scores: list[tuple[float, float, str, str]] = []
    for games in QUICK_GAMES if quick else GAMES:
        if not scores or learns(learner):
            entry = _scored(task, learner, games, seed, sample)
        scores.append(entry)
    learned, larger, *ways_to_play = zip(*scores, strict=True)
    random = [_random(task, board, sample) for board in BOARDS]
    return [
        OpenRun(task, board, learner, seed, percents, score.percent, score.count, ways[-1])
        for board, percents, score, ways in zip(
            BOARDS, (learned, larger), random, ways_to_play, strict=True
        )
    ]


def _scored(
    task: str, learner: str, games: int, seed: int, sample: int
) -> tuple[float, float, str, str]:
    """Return the scores on the learned and the larger board, in percent, and the ways to play."""
    at_random = [_random(task, board, sample).percent for board in BOARDS]
    try:
        entry = train_learner(learner, GameEnv(_game(task, "learned")), games, seed)
    except (HypothesisError, InvalidGameError, SearchTooLargeError):
        return at_random[0], at_random[1], REFUSED, REFUSED
    percent = mean_of(entry.scores("reachable"), "percent")
    elsewhere = _on_the_larger(entry, task)
    if elsewhere is None:
        return percent, at_random[1], PLAYS, RANDOM
    return percent, _score(elsewhere, task, "larger", sample).percent, PLAYS, PLAYS


def _on_the_larger(entry: TrainedLearner, task: str) -> Any:
    """Return the policy on the larger board; ``None`` if there is none."""
    if entry.policy_on is None:
        return None
    try:
        return entry.policy_on(_game(task, "larger"))
    except ValueError:
        return None


def area(percents: Sequence[float], games: Sequence[int] = GAMES) -> float:
    """Return the area under the curve of scores over the logarithm of games, in percent.

    The area under straight lines between the scores is divided by the width, so that a constant
    score is its own area.

    Example:
        >>> area([0.0, 50.0, 100.0]), area([70.0, 70.0, 70.0])
        (50.0, 70.0)
    """
    x, y = np.log10(games), np.asarray(percents)
    return float(np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) / (x[-1] - x[0]))
