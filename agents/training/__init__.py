"""Training: the loop, opponents, seeds, metrics, and compiled self-play."""

from agents.training.loop import (
    DRAW,
    ORDERS,
    SEATINGS,
    Env,
    Opponents,
    TrainingLog,
    TrainingStopped,
    as_pair,
    play_and_learn,
    train,
)

__all__ = [
    "DRAW",
    "ORDERS",
    "SEATINGS",
    "Env",
    "Opponents",
    "TrainingLog",
    "TrainingStopped",
    "as_pair",
    "play_and_learn",
    "train",
]
