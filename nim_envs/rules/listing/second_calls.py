"""Whether a function of moves gives the same moves when it is called again."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.listing.checked_positions import as_tuple
from nim_envs.rules.listing.labels import is_hashable
from nim_envs.rules.listing.readers import Moves, RawListing, check_pair, first_moves

SECOND_CALLS = 64
"""Positions at which a function is called a second time."""


def check_second_calls(raw: RawListing, moves: Moves) -> None:
    """Call the function of moves again at some positions, and compare the moves.

    Raises:
        InvalidGameError: they differ; the message names the position.
    """
    count = len(raw.coordinates)
    chosen = np.arange(0, count, -(-count // SECOND_CALLS))
    bounds = np.searchsorted(raw.sources, np.stack([chosen, chosen + 1], axis=1)).tolist()
    for index, (begin, end) in zip(chosen.tolist(), bounds, strict=True):
        position = raw.position(index)
        first = {
            raw.labels[option]: raw.position(target)
            for option, target in zip(raw.options[begin:end], raw.targets[begin:end], strict=True)
        }
        most = len(first) + 1  # one too many is a difference already
        pairs = first_moves(position, moves, most)
        for pair in pairs:
            check_pair(pair, position)
        again = {
            label if is_hashable(label) else repr(label): as_tuple(after) for label, after in pairs
        }
        if first != again:
            raise InvalidGameError(
                f"moves({position}) gives other moves when it is called again: "
                f"{_difference(first, again)}; it must be a function of the position alone"
            )


def _difference(first: dict[Any, Any], again: dict[Any, Any]) -> str:
    """Return in words how the moves of a second call differ from the first ones."""
    for label, after in first.items():
        if label not in again:
            return f"{label!r} is missing"
        if again[label] != after:
            return f"{label!r} leads to {again[label]!r}, and led to {after}"
    return f"{next(label for label in again if label not in first)!r} is new"
