"""Positions in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from nim_envs.rules.component import Component

MOST_STATES = 12
"""Most states of an initial position that a summary shows."""

MOST_COORDINATES = 25
"""Most coordinates of a state that a summary shows."""


def position_summary(
    components: Sequence[Component], slot_groups: Sequence[range], position: Sequence[int]
) -> list[str]:
    """Return the states of a position by kind, such as ``["heaps 3-4-5", "queen (2, 1)"]``.

    Args:
        components: components of the game.
        slot_groups: groups of slots, of which empty ones are left out.
        position: state of each component.
    """
    slots = {index for group in slot_groups for index in group}
    filled = [
        (component.kind, state_summary(component, state))
        for index, (component, state) in enumerate(zip(components, position, strict=True))
        if state or index not in slots
    ]
    parts = []
    for kind, group in groupby(filled, key=itemgetter(0)):
        states = [state for _, state in group]
        listed = "-".join(states[:MOST_STATES] + ["…"] * (len(states) > MOST_STATES))
        parts.append(f"{kind}{'s' if len(states) > 1 else ''} {listed}")
    return parts


def state_summary(component: Component, state: int) -> str:
    """Return a summary of a state: its first coordinates or, without coordinates, its number."""
    if not component.has_coordinates:
        return str(state)
    values = component.coordinate_system.of(np.array(state)).tolist()
    more = ["…"] * (len(values) > MOST_COORDINATES)
    return f"({', '.join([*map(str, values[:MOST_COORDINATES]), *more])})"
