"""MaskablePPO of Stable-Baselines3's contributions, in one seat and in self-play."""

from typing import Any

import numpy as np

from benchmarks.studies.both_seats import BothSeats
from benchmarks.studies.libraries.recipes import BOARDS, board_game
from nim_envs.envs.turn_based import GameEnv
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction
from nim_envs.registry import make_versus

with imports_for("this benchmark's learners of Stable-Baselines3", "sb3"):
    from sb3_contrib import MaskablePPO

    from nim_envs.adapters.sb3 import sb3_policy


def self_play(board: str, moves: int, seed: int, *, gamma: float) -> list[PolicyFunction]:
    """Train as PettingZoo's tutorial for Connect Four does, where ``gamma`` is 0.99."""
    env = BothSeats(GameEnv(board_game(board), encoding="one_hot"))
    return _trained(env, moves, seed, gamma)


def against_random(board: str, moves: int, seed: int) -> list[PolicyFunction]:
    """Train in one seat, drawn for each game, against a random opponent, with all defaults."""
    name, arguments = BOARDS[board]
    env = make_versus(
        name, opponent="random", seat="random", start="uniform", encoding="one_hot",
        mask_in_observation=False, **arguments,
    )  # fmt: skip
    return _trained(env, moves, seed, 0.99)


def _trained(env: Any, moves: int, seed: int, gamma: float) -> list[PolicyFunction]:
    model = MaskablePPO("MlpPolicy", env, seed=seed, gamma=gamma, device="cpu")
    model.learn(moves)
    policy = sb3_policy(model)
    return [lambda observations, masks: np.asarray(policy(observations, masks))]
