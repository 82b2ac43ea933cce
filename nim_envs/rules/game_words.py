"""Games and their actions in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from nim_envs.rules.component import Component
from nim_envs.rules.coordinates import state_summary
from nim_envs.typing import IntArray

MOST_STATES = 12
"""Most states of an initial position that a summary shows."""


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


def option_description(
    components: Sequence[Component],
    index: int,
    option: int,
    position: Sequence[int] | IntArray | None,
) -> str:
    """Return a description of an option, such as ``"heap 1: take 2"``.

    Args:
        components: components of the game.
        index: index of the component of the move.
        option: option of the move.
        position: position before it; ``None``: any.
    """
    component = components[index]
    state = None if position is None else int(position[index])
    description = (
        component.words.describe(option, state)
        if option < component.options
        else f"option {option}, which it does not have"
    )
    return f"{component.kind} {index}: {description}"
