"""Slots: neighbouring equal components that split, and the positions for which they suffice.

A move that splits makes one heap into two, and a position has a fixed number of entries. So a game
has spare entries, its *slots*. Kayles on a row of 5 pins has three of them::

    heaps on the table          position
    5                           5 0 0
    take 1, leave 2 and 2       2 2 0      2 stays in its slot, 2 goes into the first empty one
    take 2 from the first       0 2 0      the slot of a heap that is gone is empty again

1.  Equal neighbouring components that split are the slots of one *group*. Second parts go into
    slots of the group of the move.
2.  State 0 is an empty slot, and has no move.
3.  A move leaves a first part, which stays in its slot, and perhaps a second one, which goes into
    the first empty slot of the group: :func:`first_empty` for arrays, :func:`first_empty_slot` for
    one position.
4.  A second part of 0 stands for none. So arrays of moves need no case distinction: the entry of
    the first empty slot is overwritten, by what it holds already where a move does not split
    (:meth:`Slots.fill`).
5.  Where no slot is empty, the "first empty slot" is any slot of the group. Nothing is lost, as no
    move splits there.
6.  That holds because not every point of the lattice is a position. ``Component.slots_needed`` has
    for each state the most slots that play from it can fill; a point is a position if in each group
    these add up to at most the slots that there are (:meth:`Slots.suffice`).
7.  Positions are listed without going through all points: each slot gets the states that leave the
    later ones as many slots as they need at least (:meth:`Slots.positions_between`).

Example:
    >>> from nim_envs.rules import kayles
    >>> rules = kayles(heaps=(5,))
    >>> rules.initial, rules.slot_groups
    ((5, 0, 0), (range(0, 3),))
    >>> rules.step(np.array([5, 0, 0]), np.array(2)).tolist(), rules.describe_action(2, (5, 0, 0))
    ([2, 2, 0], 'heap 0: take 1, leave 2 and 2')
    >>> rules.components[0].slots_needed.tolist()
    [0, 1, 1, 2, 2, 3]
    >>> rules.is_position(np.array([[5, 0, 0], [3, 2, 0], [5, 1, 0]])).tolist()
    [True, True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from nim_envs.rules.component import Component
from nim_envs.typing import BoolArray, IntArray


class Slots:
    """The slots of a game: the second part that a move leaves goes into the first empty one.

    Args:
        components: the components of a game.

    Attributes:
        groups: the groups of slots, each as a range of components.
    """

    def __init__(self, components: tuple[Component, ...]) -> None:
        self._components = components
        runs = [[*run] for _, run in groupby(range(len(components)), key=components.__getitem__)]
        self.groups = tuple(range(run[0], run[-1] + 1) for run in runs if components[run[0]].splits)

    def suffice(self, points: IntArray) -> BoolArray:
        """Return where play never has more parts than slots: ``(..., components)`` to ``(...)``."""
        fits = np.ones(points.shape[:-1], dtype=np.bool_)
        for group in self.groups:
            slots = points[..., group.start : group.stop]
            needed = self._components[group.start].slots_needed
            fits &= needed[slots].sum(axis=-1) <= len(group)
        return fits

    def shortage(self, point: Sequence[int]) -> str:
        """Return words for the group that has too few slots at ``point``, which is no position."""
        for group in self.groups:
            component = self._components[group.start]
            needed = sum(component.slots_needed[point[index]].item() for index in group)
            if needed > len(group):
                return (
                    f"can come to need {needed} slots for the {component.kind}s {group.start} to "
                    f"{group.stop - 1}; there are {len(group)}"
                )
        raise ValueError(f"{point} has slots enough")

    def fill(self, positions: IntArray, component: IntArray, second: IntArray) -> None:
        """Put second parts of moves into the first empty slots of ``positions``, in place.

        Args:
            positions: positions with the first parts, ``(..., components)``.
            component: component of each move, ``(...)``.
            second: second part that each move leaves, ``(...)``; 0 for none.
        """
        for group in self.groups:
            splits = (second > 0) & (group.start <= component) & (component < group.stop)
            slot = first_empty(positions, group)[..., np.newaxis]
            there = np.take_along_axis(positions, slot, axis=-1)[..., 0]
            filled = np.where(splits, second, there)[..., np.newaxis]
            np.put_along_axis(positions, slot, filled, axis=-1)

    def positions_between(
        self, low: Sequence[int], high: Sequence[int], check: Callable[[int], None]
    ) -> IntArray:
        """Return the positions of a box, ``(n, components)``, in mixed-radix order.

        Args:
            low: smallest state of each component.
            high: largest state of each component.
            check: called with the number of rows before they are listed; may raise an error.
        """
        rows = np.zeros((1, 0), dtype=np.int64)
        groups = {index: group for group in self.groups for index in group}
        for index, (bottom, top) in enumerate(zip(low, high, strict=True)):
            if index not in groups:
                states = self._components[index].states_between(bottom, top)
                check(len(rows) * len(states))
                column = np.tile(states, len(rows))[:, np.newaxis]
                rows = np.concatenate([np.repeat(rows, len(states), axis=0), column], axis=1)
                continue
            group, needed = groups[index], self._components[index].slots_needed
            # Later slots are given the least that they need, so every row can be completed.
            later = sum(needed[low[slot]].item() for slot in group if slot > index)
            if index == group.start:
                used = np.zeros(len(rows), dtype=np.int64)  # slots needed so far
            # By the slots left for this component, from -1: the states that fit.
            fits = needed[bottom : top + 1] < np.arange(len(group) + 2)[:, np.newaxis]
            fitting = bottom + np.nonzero(fits)[1]
            fit_counts = fits.sum(axis=1)
            room = np.maximum(len(group) - later - used + 1, 0)
            counts = fit_counts[room]
            check(int(counts.sum()))
            # Each row is repeated for each of the states that fit there.
            row = np.repeat(np.arange(len(rows)), counts)
            place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
            state = fitting[(np.cumsum(fit_counts) - fit_counts)[room][row] + place]
            used = used[row] + needed[state]
            rows = np.concatenate([rows[row], state[:, np.newaxis]], axis=1)
        return rows


def first_empty_slot(states: Sequence[int], group: range) -> int:
    """Return the first component of ``group`` in state 0; if none is, the first one.

    Then no move splits.

    Args:
        states: state number of each component.
        group: a group of slots.
    """
    return next((slot for slot in group if not states[slot]), group.start)


def first_empty(positions: IntArray, group: range) -> IntArray:
    """Return the first component of ``group`` in state 0: ``(..., components)`` to ``(...)``.

    If none is in state 0, the result is any component of the group; then no move splits.
    """
    empty = positions[..., group.start : group.stop] == 0
    return np.asarray(group.start + empty.argmax(axis=-1))
