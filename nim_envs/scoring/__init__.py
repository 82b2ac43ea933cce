"""Exact scores of any policy: optimality, best response, expected scores."""

from nim_envs.players import AnyPlayer, Mover, Policy
from nim_envs.scoring.induction import (
    ExpectedScores,
    beatable_share,
    best_response,
    expected_scores,
)
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
    "ExpectedScores",
    "Mover",
    "Optimality",
    "Policy",
    "ValueAccuracy",
    "beatable_share",
    "best_response",
    "expected_scores",
    "mean_interval",
    "optimality",
    "optimality_by_size",
    "value_accuracy",
]
