"""Promises in the docstrings of environments: the entries of infos, the public methods."""

from __future__ import annotations

import re

import numpy as np

from tests.outcome_games import random_game


def documented_entries(kind):
    """The entries of infos that the docstring of an environment names, in its order."""
    section = re.search(r"## Information\n(.*?)\n\s*(##|Args:)", kind.__doc__, re.DOTALL)
    return list(dict.fromkeys(re.findall(r'``"(\w+)"``', section[1])))


def game_with(entry, game):
    """``game``, or one with draws for the entries that only those have."""
    return random_game(1).game if entry in {"value", "kept_value"} else game


def public_methods(kind):
    """The public methods and properties that a class of environments defines itself."""
    return {name for name in vars(kind) if not name.startswith("_")}


def spoiled(value):
    """A wrong value of the same type: truths inverted, seats and winners changed."""
    if isinstance(value, dict):
        return {key: spoiled(one) for key, one in value.items()}
    if isinstance(value, bool):
        return not value
    if isinstance(value, np.ndarray) and value.dtype == object:
        changed = value.copy()
        changed[:] = [None if one is None else spoiled(one) for one in value]
        return changed
    if np.asarray(value).dtype == np.bool_:
        return ~value
    return value ^ 1
