"""Deep learners beside the tabular one: MaskablePPO of sb3-contrib, scored exactly.

python -m benchmarks.deep --help explains every option.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents import QLearning, RandomAgent
from agents.evaluation import optimality
from agents.training import train
from benchmarks.optimality import GameSetting
from benchmarks.parallel import add_options, in_parallel
from benchmarks.report import machine, positive, table, write_csv, write_text
from nim_envs.encoding import ENCODINGS

BOARDS: dict[str, GameSetting] = {
    "nim-3-4-5": GameSetting("nim", {"heaps": (3, 4, 5), "start": "uniform"}, 60_000, 2_000),
    "five-heaps": GameSetting(
        "nim", {"heaps": (1, 3, 5, 7, 9), "start": "uniform"}, 200_000, 2_000
    ),
    "addition-10-100": GameSetting(
        "addition", {"k": 10, "n": 100, "start": "uniform"}, 100_000, 2_000
    ),
}
"""By name; every game starts from a uniformly drawn position."""

OPPONENTS: dict[str, str | float | None] = {
    "self-play": None,
    "random": "random",
    "optimal": "optimal",
    "half-optimal": 0.5,
}
"""By name, as :class:`nim_envs.vector.VectorGameEnv` takes them."""
