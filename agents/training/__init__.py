"""Training: the loop, opponents, checkpoints, seeds, and metrics."""

from agents.training.checkpoints import Env, RunArguments, saved_run
from agents.training.log import DRAW, TrainingLog, TrainingStopped
from agents.training.loop import train
from agents.training.one_game import Seat, play_and_learn
from agents.training.opponents import Opponents, as_pair

__all__ = [
    "DRAW",
    "Env",
    "Opponents",
    "RunArguments",
    "Seat",
    "TrainingLog",
    "TrainingStopped",
    "as_pair",
    "play_and_learn",
    "saved_run",
    "train",
]
