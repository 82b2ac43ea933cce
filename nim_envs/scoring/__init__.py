"""Exact scores of any policy: optimality, best response, win chances."""

from nim_envs.players import AnyPlayer, Mover, Policy
from nim_envs.scoring.chances import WinChances, beatable_share, best_response, win_chances
from nim_envs.scoring.intervals import mean_interval
from nim_envs.scoring.scores import (
    POSITION_SETS,
    Optimality,
    ValueAccuracy,
    optimality,
    optimality_by_size,
    value_accuracy,
)

__all__ = [
    "POSITION_SETS",
    "AnyPlayer",
    "Mover",
    "Optimality",
    "Policy",
    "ValueAccuracy",
    "WinChances",
    "beatable_share",
    "best_response",
    "mean_interval",
    "optimality",
    "optimality_by_size",
    "value_accuracy",
    "win_chances",
]
