"""MaskablePPO in this study: trained with its own settings, and as published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from agents import Policy
from agents.research.policy import PolicyAgent
from benchmarks.studies.alphazero.settings import (
    BOARDS,
    CURVE_POINTS,
    ENTROPY,
    LEARNING_RATE,
    NUM_ENVS,
    OPPONENTS,
    PPO,
    RECIPES,
    WIDTHS,
    TrainingTask,
)
from benchmarks.studies.both_seats import BothSeats
from nim_envs.adapters.sb3 import (
    NEGAMAX,
    EntropyDecay,
    GameVecEnv,
    OptimalityCallback,
    sb3_policy,
)
from nim_envs.registry import make_aec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NO_END = 10**9
"""Steps after which training ends where games are counted: more than any run takes."""

Trained = tuple[Policy, int, int, tuple[tuple[int, float], ...]]
"""The greedy policy, the games and steps it took, and its learning curve."""


def train_ppo(task: TrainingTask, games: int, log: Path | None) -> Trained:
    """Train MaskablePPO in many games at once."""
    torch.set_num_threads(1)
    game = BOARDS[task.board].make().game
    opponent = OPPONENTS[task.opponent]
    seat = None if opponent is None else "random"
    env = GameVecEnv(game, NUM_ENVS, opponent=opponent, seat=seat, encoding=task.encoding)
    scores = OptimalityCallback(eval_games=games // CURVE_POINTS, max_games=games, verbose=0)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        gamma=NEGAMAX if opponent is None else 1.0,
        learning_rate=lambda _: LEARNING_RATE * scores.remaining,
        policy_kwargs={"net_arch": [WIDTHS[task.board]] * 2, "activation_fn": torch.nn.ReLU},
        seed=task.seed,
        device="cpu",
        **PPO,
    )
    decay = EntropyDecay(*ENTROPY, lambda: scores.remaining)
    return _learn(model, env, NO_END, scores, [decay], log)


def train_recipe(task: TrainingTask, steps: int, log: Path | None) -> Trained:
    """Train MaskablePPO as the published recipe does, or with its discount and starts changed."""
    torch.set_num_threads(1)
    setting, (discount, start) = BOARDS[task.board], RECIPES[task.learner]
    aec = make_aec(setting.name, **{**setting.arguments, "start": start})
    env, curve_games = BothSeats(aec), steps // 4 // CURVE_POINTS
    scores = OptimalityCallback(eval_env=aec, eval_games=curve_games, verbose=0)
    model = MaskablePPO("MlpPolicy", env, gamma=discount, seed=task.seed, device="cpu")
    return _learn(model, env, steps, scores, [], log)


def _learn(
    model: MaskablePPO,
    env: GameVecEnv | BothSeats,
    steps: int,
    scores: OptimalityCallback,
    others: Sequence[Any],
    log: Path | None,
) -> Trained:
    if log is not None:
        model.set_logger(configure(str(log), ["tensorboard"]))
    model.learn(steps, callback=CallbackList([scores, *others]))
    policy = PolicyAgent(sb3_policy(model), env.game, encoding=env.encoding.name)
    curve = tuple(zip(scores.games, scores.percents, strict=True))
    return policy, scores.played, model.num_timesteps, curve
