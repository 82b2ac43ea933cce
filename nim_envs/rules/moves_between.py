"""Moves between two given positions; the order of heaps in slots does not matter."""

from __future__ import annotations

import numpy as np

from nim_envs.rules.rules import Rules
from nim_envs.typing import BoolArray, IntArray


def actions_to(rules: Rules, position: IntArray, after: IntArray) -> IntArray:
    """Return the legal actions at ``position`` that lead to ``after``, ascending.

    Args:
        rules: rules whose options can be tabulated.
        position: ``(components,)``.
        after: ``(components,)``; the order of the heaps in slots does not matter.
    """
    actions = np.flatnonzero(rules.action_mask(position))
    reached = rules.step(np.broadcast_to(position, (len(actions), len(position))), actions)
    same = (_sorted_slots(rules, reached) == _sorted_slots(rules, after)).all(axis=-1)
    return np.asarray(actions[same])


def are_moves(rules: Rules, positions: IntArray, after: IntArray) -> BoolArray:
    """Return which pairs of positions are joined by a legal move.

    Args:
        rules: rules of any game; where a component splits, its options must be few enough to be
            tabulated.
        positions: ``(n, components)``.
        after: ``(n, components)``; points that are not positions are allowed.

    Returns:
        ``(n,)``.
    """
    if rules.slot_groups:
        pairs = zip(positions, after, strict=True)
        return np.array([len(actions_to(rules, *pair)) > 0 for pair in pairs], dtype=np.bool_)
    changed = positions != after
    inside = (after >= 0) & (after < np.array(rules.shape, dtype=np.int64))
    moved = inside.all(axis=-1) & (changed.sum(axis=-1) == 1)
    for index, component in enumerate(rules.components):
        here = moved & changed[:, index]
        moved[here] = component.leads_to(positions[here, index], after[here, index])
    return np.asarray(moved)


def legal_counts(rules: Rules, positions: IntArray) -> IntArray:
    """Return the number of legal actions at positions ``(n, components)``, ``(n,)``."""
    counts = [
        component.legal_count(positions[:, index])
        for index, component in enumerate(rules.components)
    ]
    return np.asarray(np.sum(counts, axis=0), dtype=np.int64)


def _sorted_slots(rules: Rules, positions: IntArray) -> IntArray:
    """Return positions ``(..., components)`` with the states of each group of slots sorted."""
    positions = positions.copy()
    for group in rules.slot_groups:
        slots = slice(group.start, group.stop)
        positions[..., slots] = np.sort(positions[..., slots], axis=-1)
    return positions
