"""The name that :mod:`agents.training.seeds` had in the first version, for those who use it."""

from agents.training.seeds import SeedRun, train_seeds

__all__ = ["SeedRun", "train_seeds"]
