"""Checkpoints: files from which training runs can be resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from agents import storage
from agents.base import Learner
from agents.storage.errors import refusing
from agents.storage.restoring import check_same_arrays
from agents.storage.schema import check_value
from agents.training.log import TrainingLog

Env = AECEnv[str, Any, Any]


class SavedRun(TypedDict):
    """Contents of a checkpoint; see :class:`TrainingRun`."""

    training: int  # number of games played
    seed: int
    seconds: float
    rng: np.random.Generator
    env_rng: np.random.Generator | None
    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    learners: list[Any]


@dataclass
class TrainingRun:
    """State of a training run, besides its learners, from which it can be resumed.

    Attributes:
        rng: generator of the players' choices.
        winners: as in :class:`agents.training.TrainingLog`, with space for all games.
        lengths: likewise.
        seconds: seconds of training until the last checkpoint.
    """

    rng: np.random.Generator
    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    seconds: float = 0.0

    def log(self, done: int, began: float) -> TrainingLog:
        """Return the log of the first ``done`` games, for a run that began at ``began``."""
        seconds = time.perf_counter() - began
        return TrainingLog(self.winners[:done], self.lengths[:done], seconds)

    def save(self, path: Path, env: Env, learners: list[Learner], seed: int, done: int) -> None:
        """Save the run after ``done`` games."""
        storage.save_content(
            {
                "training": done,
                "seed": seed,
                "seconds": self.seconds,
                "rng": self.rng,
                "env_rng": _generator_of(env),
                "winners": self.winners[:done],
                "lengths": self.lengths[:done],
                "learners": learners,
            },
            path,
        )

    def resume(self, path: Path, env: Env, learners: list[Learner], seed: int) -> int:
        """Restore the run saved at ``path``; return the number of games played in it.

        Raises:
            StorageError: the file is no checkpoint, or is of a run with another seed, more games
                or other learners.
        """
        games = (getattr(learner, "game", None) for learner in learners)
        game = next((game for game in games if game is not None), None)
        saved = storage.load_content(path, game)
        if "training" not in saved:
            raise storage.StorageError(f"{path} holds {sorted(saved)}, not a training run")
        check_value(f"the training run in {path}", saved, SavedRun)
        done: int = saved["training"]
        if done < 0:
            raise storage.StorageError(f"{path}: training must be from 0 on, not {done}")
        if saved["seed"] != seed:
            raise storage.StorageError(
                f"{path} is of a run with seed {saved['seed']}, this one has {seed}"
            )
        if done > len(self.winners):
            raise storage.StorageError(
                f"{path} is of a run of {done} games already, this one has {len(self.winners)}"
            )
        if [type(learner) for learner in learners] != [
            type(learner) for learner in saved["learners"]
        ]:
            raise storage.StorageError(f"{path} is of a run with other learners")
        own: dict[str, npt.NDArray[Any]] = {
            "winners": self.winners[:done],
            "lengths": self.lengths[:done],
        }
        try:
            check_same_arrays({name: saved[name] for name in own}, own)
        except ValueError as error:
            raise storage.StorageError(f"{path} is damaged: {error}") from error
        for learner, before in zip(learners, saved["learners"], strict=True):
            storage.restore(learner, before)
        self.rng = saved["rng"]
        generator = _generator_of(env)
        if generator is not None and saved["env_rng"] is not None:
            with refusing(f"the environment's source of randomness in {path}"):
                generator.bit_generator.state = saved["env_rng"].bit_generator.state
        self.winners[:done], self.lengths[:done] = saved["winners"], saved["lengths"]
        self.seconds = float(saved["seconds"])
        return done


def _generator_of(env: Env) -> np.random.Generator | None:
    """The environment's random generator, if it has one."""
    for name in ("_rng", "np_random", "_np_random"):
        generator = getattr(env.unwrapped, name, None)
        if isinstance(generator, np.random.Generator):
            return generator
    return None
