"""The box of states that starts are drawn from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.rules.component import IntArray
from nim_envs.rules.rules import Rules
from nim_envs.starts.samplers import LARGEST_SUPPORT


@dataclass(frozen=True)
class Box:
    """The positions of a game whose components are within bounds.

    Args:
        rules: components of the game.
        low: smallest state of each component.
        high: largest state of each component.
    """

    rules: Rules
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def num_points(self) -> int:
        """Number of points; in games that split not all of them are positions."""
        return math.prod(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    def positions(self) -> IntArray:
        """Return the positions that leave a legal move, ``(n, components)``.

        Raises:
            SearchTooLargeError: there are more than ``LARGEST_SUPPORT`` positions.
        """
        box = self.rules.positions_between(self.low, self.high, LARGEST_SUPPORT)
        return box[~self.rules.is_terminal(box)]

    def lacks(self, wanted: bool | None, found: str) -> InvalidPositionError:
        """Return the error for a box without a wanted position.

        Args:
            wanted: true for N-positions, false for P-positions, ``None`` for either.
            found: end of the message, such as ``"exists"``.
        """
        kind = {None: "position", True: "N-position", False: "P-position"}[wanted]
        return InvalidPositionError(
            f"no {kind} with a legal move between {list(self.low)} and {list(self.high)} {found}"
        )

    def too_large(self) -> SearchTooLargeError:
        """Return the error for a box with too many positions to list."""
        return SearchTooLargeError(
            f"the box of starts has {self.num_points} points; the limit for listing its "
            f"positions is {LARGEST_SUPPORT}"
        )


def checked_box(rules: Rules, low: Any, high: Any) -> Box:
    """Return the box between two bounds.

    Args:
        rules: components of the game.
        low: smallest state of every component, or one bound for each component.
        high: the same for the largest state; ``None``: the largest that the component has.

    Raises:
        InvalidPositionError: bounds that are not states, or an empty box.
    """
    top = tuple(states - 1 for states in rules.shape)
    lowest = _bound(rules, "low", low)
    highest = top if high is None else _bound(rules, "high", high)
    if any(first > last for first, last in zip(lowest, highest, strict=True)):
        raise InvalidPositionError(
            f"the box of starts is empty: low {list(lowest)} exceeds high {list(highest)}"
        )
    return Box(rules, lowest, highest)


def _bound(rules: Rules, name: str, bound: Any) -> tuple[int, ...]:
    """Return one bound for each component."""
    number = len(rules.components)
    try:
        broadcast = np.broadcast_to(np.asarray(bound), (number,))
    except ValueError:
        broadcast = None
    if broadcast is None or broadcast.dtype.kind not in "iu":
        raise InvalidPositionError(
            f"{name} must be an integer or {number} integers, one for each component, not {bound!r}"
        )
    return tuple(rules.checked_points(broadcast).tolist())
