"""The learners compared with published ones, trained for a number of games or of seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents import Trainable
from agents.training import Opponents, train
from benchmarks.tasks import GameSetting
from nim_envs import GameEnv

Scores = Mapping[str, float]
"""Scores by name."""

Players = Trainable | tuple[Trainable, Trainable] | Opponents

MOST_GAMES = 20_000_000
"""No training is longer than this many games, however many seconds it may take."""


@dataclass(frozen=True)
class Trained:
    """The result of one training.

    Attributes:
        scores: by name.
        games: games played.
        seconds: of training alone, compilation not included.
    """

    scores: Scores
    games: int
    seconds: float


@dataclass(frozen=True)
class Contender:
    """One learner, the game that it plays, and what it knows.

    Args:
        name: in words, with the settings that distinguish it.
        knows: what it knows besides its observations and rewards.
        game: the game that it learns, starts included.
        make: returns new players for an environment: one learner for both seats, one for each,
            or one with opponents.
        score: scores the learners, one for both seats or one for each, in an environment.
    """

    name: str
    knows: str
    game: GameSetting
    make: Callable[[GameEnv], Players]
    score: Callable[[tuple[Any, ...], GameEnv], Scores]

    def train(self, seed: int, *, games: int | None = None, seconds: float = 0.0) -> Trained:
        """Train new players and score them.

        Args:
            seed: of all random numbers.
            games: how many; ``None``: as many as fit in ``seconds``.
            seconds: of training.
        """
        env = self.game.make()
        # Compiled functions are loaded before the clock starts.
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
            # Often enough to stop in time, and not so often that asking costs time.
            after_every=100 if seconds < 0.1 else 2_000,
        )
        return Trained(self.score(_learners(players), env), log.games, log.seconds)


def _learners(players: Players) -> tuple[Trainable, ...]:
    if isinstance(players, Opponents):
        return (players.learner,)
    return players if isinstance(players, tuple) else (players,)


def spaces(env: GameEnv) -> tuple[Any, Any]:
    """Return the spaces that a learner from observations is made with."""
    return env.observation_space("player_0"), env.action_space("player_0")
