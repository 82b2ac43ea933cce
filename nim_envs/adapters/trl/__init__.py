"""TRL: positions and their rewards, and whole games by tools or as text."""

from nim_envs.adapters.trl.moves import kept_win, legal_move, positions_dataset
from nim_envs.adapters.trl.rollouts import GameRollouts, game_result
from nim_envs.adapters.trl.tools import game_environment

__all__ = [
    "GameRollouts",
    "game_environment",
    "game_result",
    "kept_win",
    "legal_move",
    "positions_dataset",
]
