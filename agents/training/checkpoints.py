"""Checkpoints: files from which training runs can be resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from agents import storage
from agents.base import Agent, Learner
from agents.restoring.checks import check_same_arrays
from agents.restoring.errors import as_storage_error
from agents.restoring.schema import check_value
from agents.training.log import TrainingLog
from agents.training.opponents import Opponents
from agents.training.processes import Environment, environment_of, process_of, seats_of
from nim_envs import Game, GameEnv
from nim_envs.typing import Array

Env = AECEnv[str, Any, Any]


class SavedRun(TypedDict):
    """Contents of a checkpoint; see :class:`TrainingRun`.

    Attributes:
        training: number of games played.
        games: number of games to play.
        seed: seed of the run.
        process: process that the run learns from, in words by name.
        environment: environment, if a file can hold it.
        options: options of every reset, if a file can hold them.
        seats: index of each seat's learner in ``learners``, if no other agent plays.
        seconds: seconds of training.
        rng: generator of the players' choices.
        env_rng: generator of the environment.
        winners: as in :class:`agents.training.TrainingLog`.
        lengths: likewise.
        learners: learners, each once.
    """

    training: int
    games: int
    seed: int
    process: dict[str, str]
    environment: Environment | None
    options: dict[str, Any] | None
    seats: list[int] | None
    seconds: float
    rng: np.random.Generator
    env_rng: np.random.Generator | None
    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    learners: list[Any]


class RunArguments(NamedTuple):
    """Arguments of :func:`agents.training.train` that resume a run from its checkpoint.

    Attributes:
        env: new environment of the run's game.
        agents: learners of the two seats, as they were saved.
        games: number of games to play.
        seed: seed of the run.
        options: options of every reset.
    """

    env: GameEnv
    agents: tuple[Learner, Learner]
    games: int
    seed: int
    options: dict[str, Any] | None


def saved_run(path: str | Path, game: Game | None = None) -> RunArguments:
    """Return the arguments that resume a run from its checkpoint.

    Args:
        path: the checkpoint.
        game: game of a run whose game is not registered here; ignored where it is.

    Raises:
        StorageError: the file is damaged or no checkpoint, or it does not hold the environment, the
            options or an opponent: they are then given to :func:`agents.training.train` as before.
        FileNotFoundError: there is no such file.

    Example:
        >>> import tempfile
        >>> from agents import QLearning
        >>> from agents.training import saved_run, train
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("misere_nim", heaps=(1, 2)))
        >>> path = Path(tempfile.mkdtemp()) / "run.zip"
        >>> learner = QLearning.for_env(env)
        >>> log = train(env, learner, 10, seed=0, progress=False, checkpoint=path)
        >>> env, agents, games, seed, options = saved_run(path)
        >>> env.game.summary, agents[0] is agents[1], games, seed, options
        ('nim, heaps 1-2, misère play', True, 10, 0, None)
    """
    saved = _content(Path(path), game)
    environment, seats, learners = saved["environment"], saved["seats"], saved["learners"]
    parts = {"environment": environment, "options": saved["options"], "agents": seats}
    lacking = [f"{name} ({saved['process'].get(name)})" for name in parts if parts[name] is None]
    if environment is None or seats is None or lacking:
        raise storage.StorageError(
            f"{path} does not hold all of its run, which goes on where these are given as before: "
            f"{', '.join(lacking)}"
        )
    if len(seats) != 2 or not all(0 <= seat < len(learners) for seat in seats):
        raise storage.StorageError(f"{path} is damaged: there are no seats {seats}")
    with as_storage_error(f"the environment of {path}"):
        env = GameEnv(**environment)
    first, second = (learners[seat] for seat in seats)
    return RunArguments(
        env, (first, second), saved["games"], saved["seed"], saved["options"] or None
    )


def _content(path: Path, game: Game | None) -> Any:
    """Return the contents of a checkpoint.

    Raises:
        StorageError: the file is damaged or no checkpoint.
    """
    saved = storage.load_content(path, game)
    if "training" not in saved:
        raise storage.StorageError(f"{path} holds {sorted(saved)}, not a training run")
    check_value(f"the training run in {path}", saved, SavedRun)
    if saved["training"] < 0:
        raise storage.StorageError(f"{path}: training must be from 0 on, not {saved['training']}")
    return saved


@dataclass
class TrainingRun:
    """State of a training run, from which it can be resumed.

    Attributes:
        env: environment of the run.
        agents: players of the two seats, or a learner and its opponents.
        learners: learners among them, each once.
        games: number of games to play.
        seed: seed of the run.
        options: options of every reset.
        rng: generator of the players' choices; resuming replaces it.
        seconds: seconds of training until the last checkpoint.
        winners: as in :class:`agents.training.TrainingLog`, with space for all games.
        lengths: likewise.
    """

    env: Env
    agents: tuple[Agent, Agent] | Opponents
    learners: list[Learner]
    games: int
    seed: int
    options: dict[str, Any] | None
    rng: np.random.Generator
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.winners = np.empty(self.games, dtype=np.int8)
        self.lengths = np.empty(self.games, dtype=np.int32)

    def log(self, done: int, began: float) -> TrainingLog:
        """Return the log of the first ``done`` games, for a run that began at ``began``."""
        seconds = time.perf_counter() - began
        return TrainingLog(self.winners[:done], self.lengths[:done], seconds)

    def saved(self, done: int) -> SavedRun:
        """Return the contents of a checkpoint after ``done`` games."""
        options = dict(self.options or {})
        return {
            "training": done,
            "games": self.games,
            "seed": self.seed,
            "process": self._process(),
            "environment": environment_of(self.env),
            "options": options if storage.is_savable(options) else None,
            "seats": seats_of(self.agents, self.learners),
            "seconds": self.seconds,
            "rng": self.rng,
            "env_rng": _generator_of(self.env),
            "winners": self.winners[:done],
            "lengths": self.lengths[:done],
            "learners": self.learners,
        }

    def save(self, path: Path, done: int) -> None:
        """Save the run after ``done`` games.

        Raises:
            StorageError: a learner has diverged: its numbers are not finite.
            OSError: the file cannot be written.
        """
        storage.save_content({**self.saved(done)}, path)

    def resume(self, path: Path) -> int:
        """Restore the run saved at ``path``; return the number of games played in it.

        Raises:
            StorageError: the file is no checkpoint, or is of a run with another process, seed or
                learner, or with more games.
        """
        games = (getattr(learner, "game", None) for learner in self.learners)
        game = next((game for game in games if game is not None), None)
        saved = _content(path, game)
        done: int = saved["training"]
        earlier = {**saved["process"], "seed": saved["seed"]}
        for name, now in {**self._process(), "seed": self.seed}.items():
            before = earlier.get(name)
            if before != now:
                raise storage.StorageError(
                    f"{path} is of a run with {name} {before}, this one has {now}"
                )
        if done > self.games:
            raise storage.StorageError(
                f"{path} is of a run of {done} games already, this one has {self.games}"
            )
        own: dict[str, Array] = {"winners": self.winners[:done], "lengths": self.lengths[:done]}
        try:
            check_same_arrays({name: saved[name] for name in own}, own)
            for learner, saved_learner in zip(self.learners, saved["learners"], strict=True):
                storage.restore(learner, saved_learner)
        except ValueError as error:
            raise storage.StorageError(f"{path} is of another run, or damaged: {error}") from error
        self.rng = saved["rng"]
        generator = _generator_of(self.env)
        if generator is not None and saved["env_rng"] is not None:
            with as_storage_error(f"the environment's source of randomness in {path}"):
                generator.bit_generator.state = saved["env_rng"].bit_generator.state
        self.winners[:done], self.lengths[:done] = saved["winners"], saved["lengths"]
        self.seconds = float(saved["seconds"])
        return done

    def _process(self) -> dict[str, str]:
        return process_of(self.env, self.agents, self.learners, self.options)


def _generator_of(env: Env) -> np.random.Generator | None:
    """The environment's random generator, if it has one."""
    for name in ("_rng", "np_random", "_np_random"):
        generator = getattr(env.unwrapped, name, None)
        if isinstance(generator, np.random.Generator):
            return generator
    return None
