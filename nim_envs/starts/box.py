"""The box of states, or of coordinates, from which starts are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.rules.component import Component
from nim_envs.rules.coordinate_system import NO_STATE
from nim_envs.rules.rules import Rules
from nim_envs.starts.samplers import LARGEST_SUPPORT
from nim_envs.typing import IntArray

LARGEST_LISTED = 1 << 24
"""Most states or points enumerated for a box of coordinates."""


class Span(NamedTuple):
    """The states of a component in a box."""

    low: int  # at most the smallest
    high: int  # at least the largest
    states: IntArray | None = None  # all of them, ascending; None: those from low to high

    @property
    def size(self) -> int:
        """Number of states."""
        return self.high - self.low + 1 if self.states is None else len(self.states)

    @property
    def listed(self) -> IntArray:
        """All states, ascending."""
        if self.states is not None:
            return self.states
        return np.arange(self.low, self.high + 1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Box:
    """The positions of a game whose states, or coordinates, are within bounds.

    Args:
        rules: components of the game.
        spans: states of each component in the box.
        bounds: smallest and largest coordinates, for messages.
    """

    rules: Rules
    spans: tuple[Span, ...]
    bounds: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def num_points(self) -> int:
        """Number of points in the box; in games that split not all are positions."""
        return math.prod(span.size for span in self.spans)

    def positions(self) -> IntArray:
        """Return the positions that leave a legal move, ``(n, components)``.

        Raises:
            SearchTooLargeError: there are more than ``LARGEST_SUPPORT`` positions.
        """
        if all(span.states is None for span in self.spans):
            low, high = [span.low for span in self.spans], [span.high for span in self.spans]
            box = self.rules.positions_between(low, high, LARGEST_SUPPORT)
        else:
            box = self._product()
        return box[~self.rules.is_terminal(box)]

    def _product(self) -> IntArray:
        """Return the positions whose components are in ``spans``, ``(n, components)``."""
        if self.num_points > LARGEST_SUPPORT:
            raise self.too_large()
        lists = np.meshgrid(*(span.listed for span in self.spans), indexing="ij")
        points = np.stack(lists, axis=-1).reshape(-1, len(lists))
        return points[self.rules.is_position(points)]

    def no_position_error(self, value: int | None, found: str) -> InvalidPositionError:
        """Return the error for a box without a wanted position.

        Args:
            value: 1 for N-positions, 0 for drawn ones, -1 for P-positions, ``None`` for any.
            found: end of the message, such as ``"exists"``.
        """
        kind = {None: "position", 1: "N-position", 0: "drawn position", -1: "P-position"}[value]
        return InvalidPositionError(
            f"no {kind} with a legal move between {list(self.bounds[0])} and "
            f"{list(self.bounds[1])} {found}"
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
        low: smallest state of every component, or one bound for each component; of games with
            coordinates the smallest value of every coordinate, or one for each.
        high: the same for the largest state; ``None``: the largest that the component has.

    Raises:
        InvalidPositionError: bounds that are not states, or an empty box.
    """
    top = tuple(values - 1 for values in rules.fields)
    lowest = _bound(rules, "low", low)
    highest = top if high is None else _bound(rules, "high", high)
    if any(first > last for first, last in zip(lowest, highest, strict=True)):
        raise InvalidPositionError(
            f"the box of starts is empty: low {list(lowest)} exceeds high {list(highest)}"
        )
    spans = tuple(
        _states_between(component, lowest[part], highest[part])
        for component, part in zip(rules.components, rules.field_slices, strict=True)
    )
    if not all(span.size for span in spans):
        raise InvalidPositionError(
            f"the box of starts is empty: {rules.name} has no position between {list(lowest)} and "
            f"{list(highest)}"
        )
    return Box(rules, spans, (lowest, highest))


def _states_between(component: Component, low: tuple[int, ...], high: tuple[int, ...]) -> Span:
    """Return the states of a component in a box, listed only if others lie between.

    Args:
        component: owner of the states.
        low: smallest value of each coordinate.
        high: largest value of each coordinate.

    Raises:
        SearchTooLargeError: there are too many states and too many points to go through.
    """
    fields = component.coordinate_system.fields
    if len(fields) == 1:
        states = None
        if component.listed_states is not None:
            states = component.states_between(low[0], high[0])
        return Span(low[0], high[0], states)
    spans = tuple(last - first + 1 for first, last in zip(low, high, strict=True))
    if spans == tuple(fields):
        return Span(0, component.states - 1)
    points = min(math.prod(spans), component.states)
    if points > LARGEST_LISTED:
        raise SearchTooLargeError(
            f"the box of starts from {list(low)} to {list(high)} has {points} points; the limit is "
            f"{LARGEST_LISTED}"
        )
    if component.states <= math.prod(spans):
        states = np.arange(component.states, dtype=np.int64)
        coordinates = component.coordinate_system.of(states)
        states = states[((coordinates >= low) & (coordinates <= high)).all(axis=-1)]
    else:
        listed = np.transpose(np.unravel_index(np.arange(points), spans)) + low
        listed_states = component.coordinate_system.states_at(listed)
        states = np.sort(listed_states[listed_states != NO_STATE])
    return Span(0, component.states - 1, states)


def _bound(rules: Rules, name: str, bound: Any) -> tuple[int, ...]:
    """Return one bound for each component, or for each coordinate."""
    fields = len(rules.fields)
    try:
        broadcast = np.broadcast_to(np.asarray(bound), (fields,))
    except ValueError:
        broadcast = None
    each = "coordinate" if rules.has_coordinates else "component"
    if broadcast is None or broadcast.dtype.kind not in "iu":
        raise InvalidPositionError(
            f"{name} must be an integer or {fields} integers, one for each {each}, not {bound!r}"
        )
    given: tuple[int, ...] = tuple(broadcast.tolist())
    if any(not 0 <= value < values for value, values in zip(given, rules.fields, strict=True)):
        top = tuple(values - 1 for values in rules.fields)
        raise InvalidPositionError(f"{name} must be from 0 to {top}, not {given}")
    return given
