"""Training of learners that choose their own games."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from tqdm import tqdm

from agents.base import GameChoosingLearner
from agents.games import required_game
from agents.training.log import TrainingLog, TrainingStopped
from nim_envs.starts import as_start


def train_game_choosing_learner(
    env: Any,
    learner: GameChoosingLearner,
    games: int,
    *,
    seed: int,
    progress: bool,
    options: dict[str, Any] | None,
    after_game: Callable[[int], bool | None] | None,
    after_every: int,
) -> TrainingLog:
    """Train a learner that chooses its own games on the game of an environment.

    The arguments are those of :func:`agents.training.train`.

    Raises:
        TypeError: the environment is not one of ``nim_envs``.
        TrainingStopped: a ``KeyboardInterrupt`` that holds the log so far.
    """
    game = required_game(env, type(learner))
    if options and "start" in options:
        game = replace(game, starts=as_start(options["start"]))
    winners: list[int] = []
    lengths: list[int] = []
    began = time.perf_counter()
    games_at_last_call = 0

    def call_after_game() -> bool:
        nonlocal games_at_last_call
        games_at_last_call = len(winners)
        return after_game is not None and bool(after_game(games_at_last_call))

    def finished(winner: int, length: int) -> bool:
        winners.append(winner)
        lengths.append(length)
        bar.update(1)
        return len(winners) % after_every == 0 and call_after_game()

    def log() -> TrainingLog:
        return TrainingLog(
            np.array(winners, dtype=np.int8),
            np.array(lengths, dtype=np.int32),
            time.perf_counter() - began,
        )

    bar = tqdm(desc="training", unit="game", total=games, disable=None if progress else True)
    try:
        with bar:
            learner.fit(game, games, seed, finished)
            if len(winners) > games_at_last_call:
                call_after_game()
            if len(winners) < games:
                end = "proved" if learner.proof else "ended"
                bar.set_description_str(f"{end} after {len(winners):,} games")
    except KeyboardInterrupt:
        raise TrainingStopped(log()) from None
    return log()
