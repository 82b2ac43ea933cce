"""Set B: agents that judge the diagnosis, written by someone who has not seen it."""

from __future__ import annotations

import contextlib
import importlib

from .registry import ENTRIES, FAULTS, NOT_LISTED, RIGHT, Entry

__all__ = ["ENTRIES", "FAULTS", "NOT_LISTED", "RIGHT", "Entry"]

_NUMPY = "actor_critic", "dqn", "episodes", "odd", "own_turn", "planning", "q_learning", "sarsa"
for _name in _NUMPY:
    importlib.import_module(f"{__name__}.{_name}")
with contextlib.suppress(ImportError):  # without torch
    importlib.import_module(f"{__name__}.torch_agents")
with contextlib.suppress(ImportError):  # without Gymnasium
    importlib.import_module(f"{__name__}.sb3_agents")
