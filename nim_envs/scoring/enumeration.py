"""All positions of a game in chunks, with limits and a progress bar."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
from tqdm import tqdm

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray

CHUNK_ENTRIES = 1 << 22
"""Number of (position, action) pairs in a chunk."""

LARGEST_ENUMERATION = 1 << 33
"""Maximum number of (position, action) pairs; scoring that many takes some minutes."""

Item = TypeVar("Item", bound=IntArray)


def number_of_positions(rules: Rules, enough: int | None = None) -> int:
    """Return the number of positions, without points of the lattice that are none.

    Args:
        rules: components of the game.
        enough: counting may stop once the number exceeds this; the result is then a lower bound.

    Example:
        >>> from nim_envs.rules import kayles
        >>> rules = kayles(heaps=(5,))
        >>> number_of_positions(rules), rules.num_positions, len(rules.lattice())
        (60, 216, 60)
    """
    slots = {index for group in rules.slot_groups for index in group}
    count = math.prod(
        component.states if component.listed_states is None else len(component.listed_states)
        for index, component in enumerate(rules.components)
        if index not in slots
    )
    for group in rules.slot_groups:
        # Numbers of ways to fill the slots so far, and of states, by the number of slots needed.
        ways = [1] + [0] * len(group)
        needed = rules.components[group.start].slots_needed
        states_needing = np.bincount(
            needed[needed <= len(group)], minlength=len(group) + 1
        ).tolist()
        for _ in group:
            ways = [
                sum(ways[used - need] * states_needing[need] for need in range(used + 1))
                for used in range(len(ways))
            ]
            # Further slots can stay empty, so the number does not decrease.
            if enough is not None and count * sum(ways) > enough:
                return count * sum(ways)
        count *= sum(ways)
    return count


def check_enumeration(rules: Rules) -> int:
    """Return the number of positions, if all can be scored in reasonable time.

    Raises:
        SearchTooLargeError: there are too many.
    """
    most = LARGEST_ENUMERATION // rules.num_actions
    count = number_of_positions(rules, most)
    if count > most:
        at_least = "at least " if rules.slot_groups else ""
        raise SearchTooLargeError(
            f"{rules.name} with components of {rules.shape} states has {at_least}{count} "
            f"positions of {rules.num_actions} actions each; at most {LARGEST_ENUMERATION} pairs "
            "of them are enumerated. optimality(..., sample=10_000) scores positions drawn at "
            "random"
        )
    return count


def chunks(positions: IntArray, num_actions: int) -> Iterator[IntArray]:
    """Yield ``positions``, or their indices, ``(n, ...)``, in chunks that fit into memory.

    Args:
        positions: array to divide along the first axis.
        num_actions: number of actions of a position.
    """
    size = max(1, CHUNK_ENTRIES // num_actions)
    for first in range(0, len(positions), size):
        yield positions[first : first + size]


def all_positions(rules: Rules) -> Iterator[IntArray]:
    """Yield all positions in mixed-radix order, in chunks ``(n, components)``.

    Raises:
        SearchTooLargeError: there are too many.
    """
    check_enumeration(rules)
    if not rules.every_point_is_a_position:
        yield from chunks(rules.lattice(), rules.num_actions)
        return
    size = max(1, CHUNK_ENTRIES // rules.num_actions)
    for first in range(0, rules.num_positions, size):
        yield rules.positions(np.arange(first, min(first + size, rules.num_positions)))


def with_progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """Yield ``items``, with a progress bar of positions after two seconds.

    Args:
        items: arrays with a length, the number of positions in each.
        total: number of positions in all items.
        what: title of the progress bar.
    """
    with tqdm(desc=what, unit="position", total=total, delay=2, disable=None) as bar:
        for item in items:
            yield item
            bar.update(len(item))
