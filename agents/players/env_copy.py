"""Exact copies of turn-based environments, for search."""

from __future__ import annotations

import copy
from typing import Any

from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

Env = AECEnv[str, Any, Any]

UNCOPIED = ("screen", "clock", "window", "board_image")
"""Attributes for drawing, which cannot be copied and are not used by a search."""


def copy_env(env: Env) -> Env:
    """Return a copy of the game in progress, without wrappers and without drawing.

    PettingZoo's classic games derive from ``EzPickle``, so ``copy.deepcopy`` constructs them anew
    and loses the position. Their attributes are copied instead. Spaces are shared.

    Args:
        env: deterministic environment whose attributes can be copied.
    """
    base = env.unwrapped
    # deepcopy takes what its memo holds as copied already, and so leaves these as they are.
    memo = {id(value): value for name, value in vars(base).items() if _is_shared(name, value)}
    twin: Any
    if isinstance(base, EzPickle):
        twin = object.__new__(type(base))
        twin.__dict__.update(copy.deepcopy(vars(base), memo))
    else:
        twin = copy.deepcopy(base, memo)
    if getattr(twin, "render_mode", None) is not None:
        twin.render_mode = None
    copied: Env = twin
    return copied


def _is_shared(name: str, value: Any) -> bool:
    """Return whether the copy has this attribute in common with the original."""
    if isinstance(value, dict):
        return bool(value) and all(isinstance(entry, spaces.Space) for entry in value.values())
    return name in UNCOPIED or isinstance(value, spaces.Space)
