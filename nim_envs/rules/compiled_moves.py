"""The move compiled for a single position, :func:`index_after`, and the rules as arrays for it.

The one compiled for batches of games is in :mod:`nim_envs.envs.batched.moves`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray


class CompiledRules(NamedTuple):
    """The rules of a game as arrays."""

    table: IntArray  # (components, states, options): the next state, or -1
    legal_options: IntArray  # same shape: in each state the legal options first, ascending
    legal_counts: IntArray  # (components, states): number of legal options
    strides: IntArray  # (components,): mixed-radix strides of positions
    # Second part of each move, in the shape of the table. None where no move splits: Numba then
    # compiles code without splitting.
    second_table: IntArray | None
    first_slots: IntArray  # (components,): the first slot of each component's group


def compiled_rules(rules: Rules) -> CompiledRules:
    """Return ``rules`` as arrays.

    Raises:
        SearchTooLargeError: the tables would take over ``LARGEST_BYTES``, or a component has wide
            gaps, as tables have an entry for every number.
    """
    if rules.has_wide_gaps:
        raise SearchTooLargeError(
            f"compiled code needs tables with an entry for every number up to the states of "
            f"{rules.name}, {rules.shape}, most of which are not reached: number them from 0 on"
        )
    illegal = rules.mask_table == 0
    first_slots = np.arange(len(rules.shape), dtype=np.int64)
    for group in rules.slot_groups:
        first_slots[group.start : group.stop] = group.start
    return CompiledRules(
        rules.table,
        np.ascontiguousarray(np.argsort(illegal, axis=-1, kind="stable")),
        np.sum(~illegal, axis=-1, dtype=np.int64),
        rules.strides,
        rules.second_table,
        first_slots,
    )


@compiled(inner=True)
def copy_entries(values: npt.NDArray[Any], out: npt.NDArray[Any]) -> None:
    """Write ``values``, ``(n,)``, to the first n entries of ``out``.

    Assignment to a slice would take seconds to compile, because of its error message.
    """
    for index in range(len(values)):
        out[index] = values[index]


@compiled(inner=True)
def write_legal_actions(position: IntArray, rules: CompiledRules, out: IntArray) -> int:
    """Write the legal actions to ``out``, ascending; return their number."""
    options = rules.table.shape[2]
    count = 0
    for component in range(len(position)):
        state = position[component]
        for index in range(rules.legal_counts[component, state]):
            out[count] = component * options + rules.legal_options[component, state, index]
            count += 1
    return count


@compiled(inner=True)
def first_empty_slot(states: npt.NDArray[np.integer], slot: int) -> int:
    """Return the first of ``states`` from ``slot`` on that is 0.

    Args:
        states: states of the components, packed or not: a packed empty slot is 0 too.
        slot: first slot of the group. A group in which a move splits has an empty slot.
    """
    while states[slot] != 0:
        slot += 1
    return slot


@compiled(inner=True)
def index_after(
    rules: CompiledRules,
    second_table: IntArray | None,
    position: IntArray,
    index: int,
    component: int,
    option: int,
) -> tuple[int, int, int, int]:
    """Return the index of the position after a move, and the states that the move leaves.

    Args:
        rules: rules of the game as arrays.
        second_table: ``rules.second_table``; an argument of its own, as Numba removes branches on
            ``is None`` only for arguments.
        position: before the move, ``(components,)``.
        index: index of that position.
        component: component of the move.
        option: option of the move.

    Returns:
        The index, the component's state, a slot, and the second part that goes into the slot; 0
        and 0 if the move does not split.
    """
    before = position[component]
    state = rules.table[component, before, option]
    index += (state - before) * rules.strides[component]
    if second_table is None or second_table[component, before, option] == 0:
        return index, state, 0, 0
    second = second_table[component, before, option]
    slot = first_empty_slot(position, rules.first_slots[component])
    return index + second * rules.strides[slot], state, slot, second


@compiled(inner=True)
def write_position_after(
    rules: CompiledRules,
    position: IntArray,
    index: int,
    component: int,
    option: int,
    after: IntArray,
) -> int:
    """Write the position after a move to ``after``, and return its index.

    Args:
        rules: rules of the game as arrays.
        position: before the move, ``(components,)``.
        index: index of that position.
        component: component of the move.
        option: option of the move.
        after: another array to write to, ``(components,)``.
    """
    index, state, slot, second = index_after(
        rules, rules.second_table, position, index, component, option
    )
    copy_entries(position, after)
    after[component] = state
    if second:
        after[slot] = second
    return index
