"""Set C: agents that judge the diagnosis once, written by someone who has not seen it."""

import contextlib
import importlib

from .registry import ENTRIES as ENTRIES

_NUMPY = (
    "tables", "traces", "own_turn", "sarsa", "monte_carlo", "afterstates", "search", "dqn",
    "gradients",
)  # fmt: skip
for _name in _NUMPY:
    importlib.import_module(f"{__name__}.{_name}")
for _name in "torch_dqn", "sb3_ppo":  # without torch or sb3_contrib
    with contextlib.suppress(ImportError):
        importlib.import_module(f"{__name__}.{_name}")
