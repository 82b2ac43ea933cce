"""Exact scores of any policy: optimality, best response, win chances."""

from nim_envs.scoring.chances import WinChances, beatable_share, best_response, win_chances
from nim_envs.scoring.policies import CHUNK_ENTRIES, Policy
from nim_envs.scoring.scores import (
    POSITION_SETS,
    Optimality,
    ValueAccuracy,
    optimality,
    optimality_by_size,
    value_accuracy,
)

__all__ = [
    "CHUNK_ENTRIES",
    "POSITION_SETS",
    "Optimality",
    "Policy",
    "ValueAccuracy",
    "WinChances",
    "beatable_share",
    "best_response",
    "optimality",
    "optimality_by_size",
    "value_accuracy",
    "win_chances",
]
