"""The rules of a game as arrays, and moves on them in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Array, IntArray
from agents.tabular.index import mixed_radix_number
from nim_envs import Game
from nim_envs.compilation import compiled


class CompiledRules(NamedTuple):
    """The rules of a game as arrays."""

    table: IntArray  # (components, states, options): the next state, or -1
    legal_options: IntArray  # same shape: in each state the legal options first, ascending
    legal_counts: IntArray  # (components, states): number of legal options
    strides: IntArray  # (components,): mixed-radix strides of positions
    # The second part of a move that splits, in the shape of the table. None where no move splits;
    # the other type makes Numba compile code without splitting for such games.
    second_table: IntArray | None
    first_slots: IntArray  # (components,): the first slot of each component's group


def compiled_rules(game: Game) -> CompiledRules:
    """Return the rules of ``game`` as arrays."""
    rules = game.rules
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
def write_legal_actions(observation: Array, rules: CompiledRules, out: IntArray) -> int:
    """Write the legal actions to ``out``, ascending; return their number."""
    options = rules.table.shape[2]
    count = 0
    for component in range(len(observation)):
        state = observation[component]
        for number in range(rules.legal_counts[component, state]):
            out[count] = component * options + rules.legal_options[component, state, number]
            count += 1
    return count


@compiled(inner=True)
def slot_to_fill(
    second_table: IntArray | None,
    first_slots: IntArray,
    observation: Array,
    component: int,
    option: int,
) -> tuple[int, int]:
    """Return the slot that a move fills with a second part, and that part; (0, 0) if none.

    Args:
        second_table: as in :class:`CompiledRules`.
        first_slots: as in :class:`CompiledRules`.
        observation: position before the move, ``(components,)``.
        component: component of the move.
        option: option of the move.
    """
    if second_table is None:
        return 0, 0
    second = second_table[component, observation[component], option]
    if second == 0:
        return 0, 0
    slot = first_slots[component]
    # Every position with a move that splits has an empty slot.
    while observation[slot] != 0:
        slot += 1
    return slot, second


@compiled(inner=True)
def number_after(
    rules: CompiledRules, observation: Array, number: int, component: int, option: int
) -> int:
    """Return the number of the position after a move.

    Args:
        rules: rules of the game as arrays.
        observation: position before the move, ``(components,)``.
        number: number of that position.
        component: component of the move.
        option: option of the move.
    """
    before = observation[component]
    number += (rules.table[component, before, option] - before) * rules.strides[component]
    slot, second = slot_to_fill(
        rules.second_table, rules.first_slots, observation, component, option
    )
    return int(number + second * rules.strides[slot])


@compiled(inner=True)
def sorted_number(observation: Array, strides: IntArray, order: IntArray | None) -> int:
    """Return the number of a position, after sorting it in place if there is an ``order``.

    Args:
        observation: position, ``(components,)``.
        strides: mixed-radix strides, ``(components,)``.
        order: order of the components; see :class:`agents.tabular.symmetry.Symmetry`.
    """
    if order is not None:
        for end in range(1, len(order)):
            state = observation[order[end]]
            place = end
            while place > 0 and observation[order[place - 1]] > state:
                observation[order[place]] = observation[order[place - 1]]
                place -= 1
            observation[order[place]] = state
    return mixed_radix_number(observation, strides, 0)
