"""Learning curves: training with scores of the greedy policy at intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.base import Learner
from agents.loop import Env
from agents.training import TrainingLog, train
from nim_envs import Game, GameEnv
from nim_envs.game import PLAYERS
from nim_envs.scoring import optimality
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_integer

NO_GAMES = TrainingLog(np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int32), 0.0)


@dataclass(frozen=True)
class LearningCurve:
    """Scores of the greedy policy during training.

    Attributes:
        games: games played when each score was taken, int64 ``(points,)``.
        seconds: training time by then, without scoring and compilation, float64 ``(points,)``.
        percent: optimality of the greedy policy, float64 ``(points,)``; with one learner for each
            seat, the mean over both seats' positions.
        log: winners and lengths of all games of the run.
    """

    games: IntArray
    seconds: FloatArray
    percent: FloatArray
    log: TrainingLog

    def __repr__(self) -> str:
        """Return the last score, and the game from which it stayed at 100 %."""
        if not len(self.games):
            return "LearningCurve(no points)"
        since = self.games_to_sustained
        perfect = "" if since is None else f"; 100 % from {since} games on"
        return (
            f"LearningCurve({len(self.games)} points, {self.percent[-1]:.1f} % after "
            f"{self.games[-1]} games{perfect})"
        )

    @property
    def first_sustained(self) -> int | None:
        """Index of the first point from which the score stays 100 %; ``None`` if there is none."""
        below = np.flatnonzero(self.percent < 100)
        first = int(below[-1]) + 1 if len(below) else 0
        return first if first < len(self.percent) else None

    @property
    def games_to_sustained(self) -> int | None:
        """Games to the first sustained 100 %; ``None`` if it was not reached."""
        first = self.first_sustained
        return None if first is None else int(self.games[first])

    @property
    def seconds_to_sustained(self) -> float | None:
        """Training seconds to the first sustained 100 %; ``None`` if it was not reached."""
        first = self.first_sustained
        return None if first is None else float(self.seconds[first])


def learning_curve(
    env: Env,
    agents: Learner | tuple[Learner, Learner],
    game: Game,
    games: int,
    *,
    seed: int,
    every: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
    stop: Callable[[LearningCurve], bool] | None = None,
) -> LearningCurve:
    """Train in self-play and score the greedy policy at intervals.

    Scoring draws no random numbers, so the learners end as they do after
    :func:`agents.training.train`.

    Args:
        env: environment to train in.
        agents: one learner for both seats, scored over all N-positions, or one for each seat,
            scored over those at which that seat can be to move.
        game: the game of ``env``, for the scores; these are of its process where it has wrappers.
        games: number of games to play.
        seed: seeds the environment's starts and the agents' choices.
        every: games between two scores; there is always a score after the last game.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``.
        stop: called after every score with the curve so far; the run ends if it returns true.

    Returns:
        The scores and the log of the training.

    Raises:
        ValueError: ``every`` is below 1.
        TypeError: a wrapper of ``env`` cannot be followed by scores.
    """
    checked_integer("every", every, minimum=1)
    learners: Sequence[Learner] = agents if isinstance(agents, tuple) else (agents,)
    sets = PLAYERS if len(learners) == 2 else ("all",)
    wrapped = env is not env.unwrapped and isinstance(env.unwrapped, GameEnv)
    scored: Any = env if wrapped else game
    points: list[tuple[int, float, float]] = []
    scoring = 0.0
    began = time.perf_counter()

    def curve(log: TrainingLog) -> LearningCurve:
        games, seconds, percent = zip(*points, strict=True) if points else ((), (), ())
        return LearningCurve(
            np.array(games, dtype=np.int64), np.array(seconds), np.array(percent), log
        )

    def score(games: int) -> bool:
        nonlocal scoring
        now = time.perf_counter()
        scores = [
            optimality(learner.greedy(), scored, positions)
            for learner, positions in zip(learners, sets, strict=True)
        ]
        weights = [score.count for score in scores]
        percent = float(np.average([score.percent for score in scores], weights=weights))
        points.append((games, now - began - scoring, percent))
        scoring += time.perf_counter() - now
        return stop is not None and stop(curve(NO_GAMES))

    log = train(
        env, agents, games, seed=seed, progress=progress, options=options, after_game=score,
        after_every=every,
    )  # fmt: skip
    compilation = time.perf_counter() - began - log.seconds
    finished = curve(log)
    return replace(finished, seconds=finished.seconds - compilation)
