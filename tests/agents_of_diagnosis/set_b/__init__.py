"""Set B: agents that judge the diagnosis, written by someone who has not seen it."""

import contextlib
import importlib

from .registry import ENTRIES as ENTRIES

_NUMPY = "actor_critic", "dqn", "episodes", "odd", "own_turn", "planning", "q_learning", "sarsa"
for _name in _NUMPY:
    importlib.import_module(f"{__name__}.{_name}")
for _name in "torch_agents", "sb3_agents":  # without torch or Gymnasium
    with contextlib.suppress(ImportError):
        importlib.import_module(f"{__name__}.{_name}")
