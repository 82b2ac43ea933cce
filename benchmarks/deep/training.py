"""MaskablePPO in the deep benchmark: trained with its own settings, and as published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from agents import Policy
from agents.deep import PolicyAgent
from benchmarks.deep.settings import (
    BOARDS,
    ENTROPY,
    LEARNING_RATE,
    NUM_ENVS,
    OPPONENTS,
    PPO,
    SCORES,
    WIDTHS,
    Recipe,
    TrainingTask,
)
from nim_envs import GameEnv
from nim_envs.adapters.sb3 import (
    NEGAMAX,
    EntropyDecay,
    GameVecEnv,
    OptimalityCallback,
    sb3_policy,
)
from nim_envs.typing import Array

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NO_END = 10**9
"""Steps after which training ends where games are counted: more than any run takes."""

Trained = tuple[Policy, int, int, tuple[tuple[int, float], ...]]
"""The greedy policy, the games and steps it took, and its learning curve."""


def train_ppo(task: TrainingTask, games: int, log: Path | None) -> Trained:
    """Train MaskablePPO in many games at once.

    Args:
        task: the board, encoding, opponent and seed.
        games: number of games.
        log: directory of its TensorBoard log, if any.
    """
    torch.set_num_threads(1)
    game = BOARDS[task.board].make().game
    opponent = OPPONENTS[task.opponent]
    seat = None if opponent is None else "random"
    env = GameVecEnv(game, NUM_ENVS, opponent=opponent, seat=seat, encoding=task.encoding)
    scores = OptimalityCallback(eval_games=games // SCORES, max_games=games, verbose=0)
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


def train_recipe(task: TrainingTask, steps: int, recipe: Recipe, log: Path | None) -> Trained:
    """Train MaskablePPO as the published recipe does, or with its discount and starts changed.

    Args:
        task: the board, encoding and seed.
        steps: number of moves.
        recipe: its discount and starts.
        log: directory of its TensorBoard log, if any.
    """
    torch.set_num_threads(1)
    env = AlternatingEnv(BOARDS[task.board].make(), recipe.start)
    scores = OptimalityCallback(eval_games=steps // 4 // SCORES, verbose=0)
    model = MaskablePPO("MlpPolicy", env, gamma=recipe.discount, seed=task.seed, device="cpu")
    return _learn(model, env, steps, scores, [], log)


def _learn(
    model: MaskablePPO,
    env: GameVecEnv | AlternatingEnv,
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


class AlternatingEnv(gymnasium.Env[Array, int]):
    """Both seats of a turn-based environment as if they were one player, as published.

    Each step returns the observation of the player to move next and the reward of the mover.

    Args:
        aec: the turn-based environment.
        start: name of the start of games.
    """

    def __init__(self, aec: GameEnv, start: str) -> None:
        self.aec = aec
        self.game = aec.game
        self.encoding = aec.encoding
        self.start = start
        spaces: Any = aec.observation_space("player_0")
        self.observation_space = spaces["observation"]
        self.action_space = aec.action_space("player_0")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin a new game."""
        self.aec.reset(seed=seed, options={"start": self.start})
        return self._seen(), {}

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Make a move."""
        mover = self.aec.agent_selection
        self.aec.step(int(action))
        aec = self.aec
        ends = (aec.terminations[mover], aec.truncations[mover])
        return self._seen(), aec.rewards[mover], *ends, {}

    def _seen(self) -> Array:
        return self.aec.observe(self.aec.agent_selection)["observation"]

    def action_masks(self) -> Array:
        """Return which actions are legal now."""
        mask = self.aec.observe(self.aec.agent_selection)["action_mask"]
        return mask.astype(np.bool_)
