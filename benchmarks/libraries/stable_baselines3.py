"""MaskablePPO of Stable-Baselines3's contributions, in one seat and in self-play."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from benchmarks.libraries.recipes import BOARDS, board_game
from nim_envs.envs.aec import GameEnv
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction
from nim_envs.registration import make_versus

with imports_for("this benchmark's learners of Stable-Baselines3", "sb3"):
    from sb3_contrib import MaskablePPO

    from nim_envs.adapters.sb3 import sb3_policy


class BothSeats(gymnasium.Env[Any, Any]):
    """Both seats of a turn-based game as one stream of steps, as in PettingZoo's tutorial.

    A step returns the reward of the player who moved, and the observation of the player to move
    next, who is the opponent.
    """

    def __init__(self, env: GameEnv) -> None:
        self.env = env
        player = env.possible_agents[0]
        observed: Any = env.observation_space(player)
        self.observation_space = observed["observation"]
        self.action_space = env.action_space(player)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new game."""
        super().reset(seed=seed)
        self.env.reset(seed=seed, options=options)
        return self._observed(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move for the player to move."""
        mover = self.env.agent_selection
        self.env.step(int(action))
        return (
            self._observed(), self.env.rewards[mover], self.env.terminations[mover],
            self.env.truncations[mover], {},
        )  # fmt: skip

    def action_masks(self) -> Any:
        """Return the action mask of the player to move."""
        return self.env.observe(self.env.agent_selection)["action_mask"]

    def _observed(self) -> Any:
        return self.env.observe(self.env.agent_selection)["observation"]


def self_play(board: str, moves: int, seed: int, *, gamma: float) -> list[PolicyFunction]:
    """Train as PettingZoo's tutorial for Connect Four does.

    Args:
        board: name of the board.
        moves: number of moves, of both seats.
        seed: seed of the model and of the starts.
        gamma: discount; the tutorial's is the default of the library, 0.99.
    """
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
