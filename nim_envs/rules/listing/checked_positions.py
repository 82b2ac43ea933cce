"""Checks of positions given as tuples of integers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.typing import Position
from nim_envs.validation import LARGEST_STATE, checked_integer, integers_of, is_listing


def checked_position(name: str, position: Any, width: int | None = None) -> Position:
    """Return a position as a tuple of ``int``.

    Args:
        name: beginning of messages.
        position: the value given.
        width: number of coordinates; ``None``: any number of at least one.

    Raises:
        InvalidGameError: not integers of at least 0, or another count of them.
    """
    values = integers_of(position)
    if not values:
        raise InvalidGameError(
            f"{name} must be a position, a tuple of integers such as (3, 4), not {position!r}"
            f"{_hint_on_booleans(position)}"
        )
    if width is not None and len(values) != width:
        raise InvalidGameError(
            f"{name} must have {width} coordinate{'s' if width > 1 else ''}, as the start has, "
            f"not {values}"
        )
    if min(values) < 0:
        raise InvalidGameError(f"{name} must not have a negative coordinate, as {values} has")
    for index, value in enumerate(values):
        checked_integer(f"{name}, coordinate {index},", value, 0, LARGEST_STATE)
    return values


def checked_further_positions(positions: Any, width: int, limit: int) -> list[Position]:
    """Return further positions to list, at most ``limit``.

    Raises:
        InvalidGameError: not a list of positions with ``width`` coordinates.
        SearchTooLargeError: there are more than ``limit``.
    """
    if not is_listing(positions, of_any_order=True):
        raise InvalidGameError(f"positions must be a list of positions, not {positions!r}")
    checked = [
        checked_position(f"position {place}", position, width)
        for place, position in enumerate(islice(positions, limit + 1), start=1)
    ]
    if len(checked) > limit:
        raise SearchTooLargeError(f"positions lists more than {limit} positions, the limit")
    return checked


def are_tuples(values: Iterable[Any]) -> bool:
    """Return whether all values are tuples."""
    return all(issubclass(kind, tuple) for kind in {*map(type, values)})


def as_tuple(position: Any) -> Any:
    """Return a list, or an array of integers, as a tuple; anything else as it is."""
    if isinstance(position, np.ndarray) and position.dtype.kind in "iu":
        return tuple(position.tolist())
    return tuple(position) if isinstance(position, list) else position


def _hint_on_booleans(position: Any) -> str:
    """Return the end of a message about a position with booleans; empty for one without."""
    if not is_listing(position) or not any(isinstance(v, (bool, np.bool_)) for v in position):
        return ""
    return ": write 1 for True and 0 for False"
