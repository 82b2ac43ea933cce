"""Choice of actions: random legal ones, and replies of the compiled opponent."""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.envs.vector.games import BLOCK, OPPONENT, Games
from nim_envs.envs.vector.moves import ONE, TOP_BIT, ZERO, state_mask
from nim_envs.envs.vector.random_numbers import GAMMA, below, fraction, mixed
from nim_envs.envs.vector.tables import ColumnArray, Tables
from nim_envs.envs.vector.winning import MISERE_TARGETS, Winning
from nim_envs.typing import IntArray, UInt32Array, WordArray

MISERE = np.uint32(MISERE_TARGETS)
U32 = np.uint64(32)


@compiled
def sample(
    groups: ColumnArray,
    legal_actions: UInt32Array,
    states: UInt32Array,
    rng: WordArray,
    actions: IntArray,
    first: int,
    last: int,
) -> None:
    """Write a legal action for every game, all equally likely; any action where none is legal.

    Args:
        groups: :attr:`Tables.groups`.
        legal_actions: :attr:`Tables.legal_actions`.
        states: packed states of the groups, ``(groups, games)``.
        rng: states of the games' generators, ``(last - first,)``, advanced.
        actions: ``(last - first,)``, written.
        first: index of the first game.
        last: index after the last game.
    """
    size = min(last - first, BLOCK)
    arrays = np.empty((2, size), dtype=np.uint32)
    remainder, chosen = arrays[0], arrays[1]
    for here in range(0, last - first, BLOCK):
        end = min(here + BLOCK, last - first)
        length = end - here
        block_rng, action = rng[here:end], actions[here:end]
        remainder[:length] = ZERO
        for group in range(len(groups)):
            packed = states[group, first + here : first + end]
            state_bits = groups[group]["state_bits"]
            for i in range(length):
                remainder[i] += packed[i] >> state_bits
        for i in range(length):
            block_rng[i] += GAMMA
            remainder[i] = below(mixed(block_rng[i]), remainder[i])
        chosen[:length] = ZERO
        for group in range(len(groups)):
            at, width = groups[group]["legal_at"], groups[group]["legal_width"]
            state_bits = groups[group]["state_bits"]
            mask = state_mask(state_bits)
            packed = states[group, first + here : first + end]
            # Once the group is found, the remainder wraps around to a large number. A remainder at
            # the last group belongs to it.
            if group == len(groups) - 1:
                for i in range(length):
                    is_here = ONE - (remainder[i] >> TOP_BIT)
                    chosen[i] += is_here * np.uint32(at + width * (packed[i] & mask) + remainder[i])
                break
            for i in range(length):
                count = np.uint32(packed[i] >> state_bits)
                is_here = np.uint32(remainder[i] < count)
                chosen[i] += is_here * np.uint32(at + width * (packed[i] & mask) + remainder[i])
                remainder[i] -= count
        for i in range(length):
            action[i] = np.int64(legal_actions[chosen[i]])


@compiled(inner=True)
def random_replies(
    tables: Tables, games: Games, first: int, last: int
) -> tuple[IntArray, WordArray]:
    """Return random legal actions, and the states of the generators that drew them.

    Both ``(last - first,)``. Only where the opponent is due, the game's own generator advances.
    """
    actions = np.empty(last - first, dtype=np.int64)
    drawn_by = np.empty(last - first, dtype=np.uint64)
    rng, due = games.game_rng[first:last], games.due[first:last]
    for i in range(last - first):
        drawn_by[i] = rng[i]
    sample(tables.groups, tables.legal_actions, games.states, drawn_by, actions, first, last)
    for i in range(last - first):
        # The other games draw nothing, so their random numbers do not depend on how often this
        # is called.
        rng[i] = drawn_by[i] if due[i] == OPPONENT else rng[i]
    return actions, drawn_by


@compiled(inner=True)
def find_by_position(
    tables: Tables,
    winning: Winning,
    games: Games,
    ranges: WordArray,
    counts: UInt32Array,
    first: int,
    last: int,
) -> None:
    """Write the range of each position's winning actions to ``ranges``, their count to ``counts``.

    Args:
        tables: rules of the games.
        winning: winning actions by position.
        games: games in progress.
        ranges: ``(rows of winning, last - first)``, written.
        counts: ``(last - first,)``, written.
        first: index of the first game.
        last: index after the last game.
    """
    groups, states, strides = tables.groups, games.states, winning.strides
    for i in range(last - first):
        game, position = np.uint64(first) + np.uint64(i), np.uint64(0)
        for group in range(len(strides)):
            mask = state_mask(groups[group]["state_bits"])
            position += strides[group] * np.uint64(states[group, game] & mask)
        ranges[0, i] = winning.ranges[position]
        counts[i] = np.uint32(ranges[0, i] >> U32)


@compiled(inner=True)
def find_by_values(
    tables: Tables,
    winning: Winning,
    games: Games,
    ranges: WordArray,
    counts: UInt32Array,
    first: int,
    last: int,
) -> None:
    """Write the range of each group's winning actions, those to its target, to ``ranges``.

    Their count in all groups is written to ``counts``. Arguments: :func:`find_by_position`.
    """
    groups, states, values = tables.groups, games.states, winning.values
    size = last - first
    nim_sum = np.empty(size, dtype=np.uint32)
    firm = np.empty(size, dtype=np.uint32)  # count of firm components
    for i in range(size):
        nim_sum[i] = ZERO
        firm[i] = winning.firm
        counts[i] = ZERO
    for group in range(len(states)):
        packed = states[group, first:last]
        at, mask = groups[group]["states_at"], state_mask(groups[group]["state_bits"])
        for i in range(size):
            value = values[np.uint32(at + (packed[i] & mask))]
            nim_sum[i] ^= value >> ONE
            firm[i] += value & ONE
    for group in range(len(states)):
        packed, row = states[group, first:last], ranges[group]
        at, mask = groups[group]["states_at"], state_mask(groups[group]["state_bits"])
        targets_at, targets = winning.rows[group]["targets_at"], winning.rows[group]["targets"]
        unreachable = np.uint32(targets - ONE)
        for i in range(size):
            state = np.uint32(packed[i] & mask)
            value = values[np.uint32(at + state)]
            rest = np.uint32(nim_sum[i] ^ (value >> ONE))
            # Firm components besides this group; in normal play ``winning.firm`` is one.
            others_firm = firm[i] != (value & ONE)
            normal_target = min(np.uint32(rest + MISERE), unreachable)
            target = normal_target if others_firm else rest
            row[i] = winning.ranges[np.uint32(targets_at + targets * state + target)]
            counts[i] += np.uint32(row[i] >> U32)


@compiled(inner=True)
def winning_replies(
    tables: Tables,
    winning: Winning,
    games: Games,
    epsilon: float,
    drawn_by: WordArray,
    actions: IntArray,
    first: int,
    last: int,
) -> None:
    """Replace random replies by winning actions, all equally likely, where there are any.

    Args:
        tables: rules of the games.
        winning: the winning actions.
        games: games in progress; their generators advance.
        epsilon: probability with which a random reply stays.
        drawn_by: states of generators that :func:`random_replies` returned; their random numbers
            choose again, among the winning actions.
        actions: the actions that it returned, written.
        first: index of the first game.
        last: index after the last game.
    """
    size = last - first
    rng, due = games.game_rng[first:last], games.due[first:last]
    ranges = np.empty((len(winning.rows), size), dtype=np.uint64)
    remainder = np.empty(size, dtype=np.uint32)  # at first the count of winning actions
    if len(winning.strides) > 0:
        find_by_position(tables, winning, games, ranges, remainder, first, last)
    else:
        find_by_values(tables, winning, games, ranges, remainder, first, last)
    optimal = np.empty(size, dtype=np.uint8)
    chosen = np.empty(size, dtype=np.uint32)
    base = np.empty(size, dtype=np.uint32)
    for i in range(size):
        optimal[i] = np.uint8(due[i] == OPPONENT) & np.uint8(remainder[i] != ZERO)
        remainder[i] = below(mixed(drawn_by[i]), remainder[i])
        chosen[i] = ZERO
        base[i] = ZERO
    if epsilon > 0.0:
        for i in range(size):
            if due[i] == OPPONENT:
                rng[i] += GAMMA
                optimal[i] &= np.uint8(fraction(mixed(rng[i])) >= epsilon)
    for row in range(len(winning.rows)):
        action_ranges, first_action = ranges[row], winning.rows[row]["first_action"]
        # As in :func:`sample`: after its row is found, the remainder is a large number.
        for i in range(size):
            count = np.uint32(action_ranges[i] >> U32)
            here = np.uint32(remainder[i] < count)
            chosen[i] += here * np.uint32(np.uint32(action_ranges[i]) + remainder[i])
            base[i] += here * first_action
            remainder[i] -= count
    for i in range(size):
        action = np.int64(np.uint32(winning.actions[chosen[i]] + base[i]))
        actions[i] = action if optimal[i] else actions[i]
