"""Evaluation: exact scores, matches, tournaments, learning curves.

The exact scores are those of :mod:`nim_envs.scoring`.
"""

from agents.evaluation.matches import MatchResult, play_match
from agents.evaluation.visits import VisitRecorder
from nim_envs.game import PLAYERS as SEATS
from nim_envs.scoring import (
    POSITION_SETS,
    ExpectedScores,
    Optimality,
    ValueAccuracy,
    beatable_share,
    best_response,
    expected_scores,
    optimality,
    optimality_by_size,
    value_accuracy,
)

__all__ = [
    "POSITION_SETS",
    "SEATS",
    "ExpectedScores",
    "MatchResult",
    "Optimality",
    "ValueAccuracy",
    "VisitRecorder",
    "beatable_share",
    "best_response",
    "expected_scores",
    "optimality",
    "optimality_by_size",
    "play_match",
    "value_accuracy",
]
