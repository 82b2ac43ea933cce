"""The length of the longest play of a whole game."""

from __future__ import annotations

import numpy as np

from nim_envs.rules.component import Component
from nim_envs.rules.component_graph import levels
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray


def longest_play(rules: Rules, starts: IntArray | None = None) -> int:
    """Return the number of moves of the longest play of a game.

    It is the sum of the longest plays of the components, as moves interleave freely; for slots, the
    largest sum over parts that fit into them together.

    Args:
        rules: components of the game.
        starts: possible first positions, ``(n, components)``; ``None``: all positions.

    Raises:
        SearchTooLargeError: a table of options is too large.

    Example:
        >>> from nim_envs.rules import octal
        >>> kayles = octal("0.77", heaps=(33,))
        >>> longest_play(kayles, np.array([kayles.initial]))
        33
    """
    longest = {component: levels(component) for component in rules.components}
    if starts is not None:
        moves = np.zeros(len(starts), dtype=np.int64)
        for index, component in enumerate(rules.components):
            moves += longest[component][component.place_of(starts[:, index])]
        return int(moves.max())
    slots = {index for group in rules.slot_groups for index in group}
    total = sum(
        int(longest[component].max())
        for index, component in enumerate(rules.components)
        if index not in slots
    )
    for group in rules.slot_groups:
        component = rules.components[group.start]
        total += _longest_in_slots(component, longest[component], len(group))
    return total


def _longest_in_slots(component: Component, longest: IntArray, slots: int) -> int:
    """Return the most moves of parts in ``slots`` equal slots: a knapsack problem."""
    needed = component.slots_needed
    most = np.zeros(slots + 1, dtype=np.int64)  # by number of slots used, at most
    for room in range(1, slots + 1):
        fits = (needed > 0) & (needed <= room)
        most[room] = (longest[fits] + most[room - needed[fits]]).max(initial=most[room - 1])
    return int(most[slots])
