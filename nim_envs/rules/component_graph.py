"""The graph of a component's moves: the parts that each leaves, and the longest play."""

from __future__ import annotations

import numpy as np

from nim_envs.rules.acyclic import by_rank, ranks
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.typing import IntArray


def levels(component: Component) -> IntArray:
    """Return the length of the longest play from each state of ``component``, by place.

    Where moves leave two parts, play goes on in both: their levels add up, unlike the ranks of
    :func:`nim_envs.rules.acyclic.ranks`.

    Args:
        component: any component.

    Returns:
        ``(num_places,)``: 0 for a terminal state. The level after a move, or the sum of the levels
        of two parts, is smaller than the level before it.

    Raises:
        InvalidGameError: the moves form a cycle; the message names a state on it.
    """
    level = ranks(component.num_places, *component.move_edges)
    if not component.splits:
        return level
    table, second = component.table, component.second_table
    for states in by_rank(level):
        after = 1 + level[np.maximum(table[states], 0)] + level[second[states]]
        level[states] = np.where(table[states] == NO_MOVE, 0, after).max(axis=1)
    return level


def left_by_moves(component: Component, state: int) -> list[tuple[int, ...]]:
    """List the legal moves from a state by the parts that each leaves: one state, or two.

    Args:
        component: owner of the state.
        state: one of its states.

    Returns:
        A tuple for each move. State 0 of a component that splits is an empty slot and is left out.
    """
    _, options, firsts = component.legal_moves(np.array([state], dtype=np.int64))
    if not component.splits:
        return [(part,) for part in firsts.tolist()]
    seconds = component.second_table[state][options]
    return [
        (part, second) if second else (part,)
        for part, second in zip(firsts.tolist(), seconds.tolist(), strict=True)
    ]
