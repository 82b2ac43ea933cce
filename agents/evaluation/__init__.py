"""Evaluation: exact scores, matches, tournaments, learning curves.

The exact scores are those of :mod:`nim_envs.scoring`.
"""

from agents.evaluation.matches import LARGEST_LIMIT, MatchResult, play_match
from agents.evaluation.visits import VisitRecorder
from nim_envs.game import PLAYERS as SEATS
from nim_envs.scoring import (
    POSITION_SETS,
    Optimality,
    ValueAccuracy,
    WinChances,
    beatable_share,
    best_response,
    optimality,
    optimality_by_size,
    value_accuracy,
    win_chances,
)

__all__ = [
    "LARGEST_LIMIT",
    "POSITION_SETS",
    "SEATS",
    "MatchResult",
    "Optimality",
    "ValueAccuracy",
    "VisitRecorder",
    "WinChances",
    "beatable_share",
    "best_response",
    "optimality",
    "optimality_by_size",
    "play_match",
    "value_accuracy",
    "win_chances",
]
