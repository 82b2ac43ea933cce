"""TRL: positions and their rewards, whole games by tools or as text, and credit by turn."""

from nim_envs.adapters.trl.moves import kept_win, legal_move, positions_dataset
from nim_envs.adapters.trl.rollouts import GameRollouts, TurnCreditTrainer, game_result
from nim_envs.adapters.trl.tools import game_environment

__all__ = [
    "GameRollouts",
    "TurnCreditTrainer",
    "game_environment",
    "game_result",
    "kept_win",
    "legal_move",
    "positions_dataset",
]
