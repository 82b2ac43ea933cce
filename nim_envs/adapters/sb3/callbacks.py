"""Callbacks of Stable-Baselines3: exact scores during training, and a falling entropy bonus."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnv,
    VecMonitor,
    VecNormalize,
)

from nim_envs.adapters.sb3.policy import sb3_policy
from nim_envs.adapters.sb3.vec_env import GameVecEnv
from nim_envs.files import replacing, write_atomically
from nim_envs.scored_policy import HARMLESS, refusal
from nim_envs.scoring import Optimality, optimality
from nim_envs.validation import checked_integer

HARMLESS.add(Monitor)

PERCENTS = ("percent", "random_percent", "illegal_percent")
"""The attributes of a score that are logged."""


class OptimalityCallback(BaseCallback):
    """Scores the model exactly during training, like ``EvalCallback`` but without playing.

    The game and its observations are those of the environment that the model trains in, or of
    ``eval_env``. A score is taken before training, between rollouts, as the model changes only
    there, and when training ends. It is logged as ``optimality/percent``, beside
    ``optimality/random_percent``, ``optimality/illegal_percent`` and ``optimality/games``, and goes
    to TensorBoard where the model has a log there.

    The best model is selected by the exact score, which no other problem provides; so the file name
    says so, and the score of the last model is saved beside it. Compare the last model, not the
    best, with other training.

    Args:
        eval_freq: least number of steps between two scores, of all environments together, where
            ``EvalCallback`` counts the steps of each.
        eval_env: environment with the same game and observations, where that of training is none
            of this package.
        eval_games: least number of games between two scores, instead of steps.
        max_games: games after which training ends, with the step that completes them; ``None``: the
            library's number of steps alone ends it.
        deterministic: whether the model takes its best action instead of drawing one.
        sample: score this many N-positions, drawn uniformly once, instead of all.
        best_model_save_path: directory of ``best_model_selected_by_exact_score.zip``, and of a text
            of the same name with the scores of the best and the last model.
        log_path: directory of ``optimality.csv``, with all scores.
        verbose: 1 prints every score, 0 nothing.

    Attributes:
        steps: steps by the time of each score, of all environments together.
        games: the same in games.
        scores: an :class:`nim_envs.scoring.Optimality` each.
        played: games played so far.

    Raises:
        ValueError: a number is not a positive integer.
    """

    def __init__(
        self,
        eval_freq: int = 10_000,
        *,
        eval_env: Any = None,
        eval_games: int | None = None,
        max_games: int | None = None,
        deterministic: bool = True,
        sample: int | None = None,
        best_model_save_path: str | Path | None = None,
        log_path: str | Path | None = None,
        verbose: int = 1,
    ) -> None:
        super().__init__(verbose)
        self.eval_freq = checked_integer("eval_freq", eval_freq, minimum=1)
        self.eval_env = eval_env
        self.eval_games = _at_least_one("eval_games", eval_games)
        self.max_games = _at_least_one("max_games", max_games)
        self.sample = _at_least_one("sample", sample)
        self.deterministic = deterministic
        self.best_model_save_path = best_model_save_path
        self.log_path = log_path
        self._begin()

    def _begin(self) -> None:
        """Set the games and scores to none."""
        self.played = 0
        self.steps: list[int] = []
        self.games: list[int] = []
        self.scores: list[Optimality] = []
        self._best = 0
        self._due = 0

    @property
    def percents(self) -> list[float]:
        """The scores in percent."""
        return [score.percent for score in self.scores]

    @property
    def remaining(self) -> float:
        """Share of training that is left, in games or, without a limit on games, in steps."""
        if self.max_games is None:
            return float(self.model._current_progress_remaining)
        return max(0.0, 1 - self.played / self.max_games)

    @property
    def summary(self) -> str:
        """The scores of the best and the last model, a line each."""
        how = "exact" if self.sample is None else "sampled"
        return (
            f"best model: {self._line(self._best)}; selected by the {how} score\n"
            f"last model: {self._line(-1)}"
        )

    def _line(self, index: int) -> str:
        """Return one score in words."""
        return f"{self.scores[index]}; {self.games[index]} games, {self.steps[index]} steps"

    def _on_training_start(self) -> None:
        if self.num_timesteps == 0:  # of another model, or of one that begins again
            self._begin()
        self._due = self._now

    def _on_rollout_start(self) -> None:
        if self._now >= self._due:
            self._score()
            self._due = self._now + (self.eval_games or self.eval_freq)

    def _on_step(self) -> bool:
        self.played += int(np.count_nonzero(self.locals["dones"]))
        return self.max_games is None or self.played < self.max_games

    def _on_training_end(self) -> None:
        self._score()
        if self.verbose:
            print(self.summary)

    @property
    def _now(self) -> int:
        """Return the games or steps so far, whichever are counted."""
        return self.num_timesteps if self.eval_games is None else self.played

    def _score(self) -> None:
        policy = sb3_policy(self.model, greedy=self.deterministic)
        env = self.eval_env or scored_environment(self.training_env)
        score = optimality(policy, env, sample=self.sample)
        self.steps.append(self.num_timesteps)
        self.games.append(self.played)
        self.scores.append(score)
        if score.percent > self.scores[self._best].percent:
            self._best = len(self.scores) - 1
        for name in PERCENTS:
            self.logger.record(f"optimality/{name}", getattr(score, name))
        self.logger.record("optimality/games", self.played)
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self.verbose:
            print(self._line(-1))
        if self.log_path is not None:
            write_atomically(Path(self.log_path) / "optimality.csv", self._table())
        if self.best_model_save_path is not None:
            self._save(Path(self.best_model_save_path))

    def _table(self) -> bytes:
        """Return all scores as a CSV file."""
        text = io.StringIO(newline="")
        rows = csv.writer(text)
        rows.writerow(["steps", "games", *PERCENTS])
        for steps, games, score in zip(self.steps, self.games, self.scores, strict=True):
            rows.writerow([steps, games, *(getattr(score, name) for name in PERCENTS)])
        return text.getvalue().encode()

    def _save(self, directory: Path) -> None:
        """Keep the model if it is the best, and the scores of the best and the last."""
        how = "exact" if self.sample is None else "sampled"
        path = directory / f"best_model_selected_by_{how}_score.zip"
        if self._best == len(self.scores) - 1:
            with replacing(path) as file:
                self.model.save(file)
        write_atomically(path.with_suffix(".txt"), f"{self.summary}\n".encode())


def scored_environment(env: VecEnv) -> Any:
    """Return an environment on which a model is scored that trains in a vector environment.

    Args:
        env: games in compiled code, or environments in this process; in wrappers that record, check
            for NaN, or normalize observations, as :func:`sb3_policy` does it.

    Raises:
        TypeError: another vector environment, or another wrapper of one.
    """
    inner: Any = env
    while isinstance(inner, (VecMonitor, VecCheckNan, VecNormalize)):
        inner = inner.venv
    if type(inner) is DummyVecEnv:
        inner = inner.envs[0]
    if isinstance(inner, VecEnv) and not isinstance(inner, GameVecEnv):
        raise refusal(inner, "is a vector environment that a score cannot follow")
    return inner


def _at_least_one(name: str, number: int | None) -> int | None:
    """Return ``number`` if it is ``None`` or at least 1."""
    return None if number is None else checked_integer(name, number, minimum=1)


class EntropyDecay(BaseCallback):
    """Decreases the weight of the entropy bonus linearly, from rollout to rollout.

    A policy that becomes deterministic before the values are right no longer tries the winning
    move. A large weight keeps the probability of every move up; but the values of a random
    policy are not those of optimal play. So the weight begins large and ends small.

    Args:
        first: the weight at the beginning.
        last: at the end.
        remaining: a function that returns the share of training that is left; by default
            that of the library's number of steps.
    """

    def __init__(
        self, first: float, last: float, remaining: Callable[[], float] | None = None
    ) -> None:
        super().__init__()
        self.first = first
        self.last = last
        self.remaining = remaining

    def _on_rollout_start(self) -> None:
        model: Any = self.model
        remaining = self.remaining or (lambda: model._current_progress_remaining)
        model.ent_coef = self.last + (self.first - self.last) * remaining()

    def _on_step(self) -> bool:
        return True
