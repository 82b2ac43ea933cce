"""The learners compared with published ones, trained for a number of games or of seconds."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents import Opponents, Trainable, train
from benchmarks.tasks import GameSetting
from nim_envs import GameEnv

Scores = Mapping[str, float]
"""Scores by name."""

Players = Trainable | tuple[Trainable, Trainable] | Opponents

MOST_GAMES = 20_000_000
"""Most games of a training that is limited by seconds."""


@dataclass(frozen=True)
class TrainingResult:
    """The scores of one training, its games, and its seconds without compilation."""

    scores: Scores
    games: int
    seconds: float


@dataclass(frozen=True)
class Contender:
    """One learner, its game, and its knowledge besides observations and rewards, in words."""

    name: str
    knows: str
    game: GameSetting
    make: Callable[[GameEnv], Players]
    score: Callable[[tuple[Any, ...], GameEnv], Scores]

    def train(self, seed: int, games: int | None = None, *, seconds: float = 0.0) -> TrainingResult:
        """Train new players for ``games``, or for as many as fit in ``seconds``, and score them."""
        env = self.game.make()
        # Compiled functions are loaded before the time is measured.
        train(env, self.make(env), 2, seed=0, progress=False)
        players = self.make(env)
        ends = time.perf_counter() + seconds
        log = train(
            env,
            players,
            MOST_GAMES if games is None else games,
            seed=seed,
            progress=False,
            after_game=None if games is not None else lambda _: time.perf_counter() >= ends,
            # Often enough to stop in time, rarely enough to cost little.
            after_every=100 if seconds < 0.1 else 2_000,
        )
        return TrainingResult(self.score(_learners(players), env), log.games, log.seconds)


def _learners(players: Players) -> tuple[Trainable, ...]:
    if isinstance(players, Opponents):
        return (players.learner,)
    return players if isinstance(players, tuple) else (players,)
