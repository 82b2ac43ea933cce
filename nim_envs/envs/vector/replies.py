"""Replies of the compiled opponent, random or optimal."""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.envs.vector.games import OPPONENT, Buffers, FlagArray, Games
from nim_envs.envs.vector.moves import ONE, ZERO, state_mask
from nim_envs.envs.vector.random_numbers import GAMMA, below, fraction, mixed
from nim_envs.envs.vector.sampling import sample
from nim_envs.envs.vector.tables import Tables, WordArray
from nim_envs.envs.vector.winning import MISERE_TARGETS, Winning

NO_BITS = np.uint64(0)
MISERE = np.uint32(MISERE_TARGETS)
U32 = np.uint64(32)


@compiled(inner=True)
def choose_replies(tables: Tables, games: Games, buffers: Buffers, first: int, last: int) -> None:
    """Write random legal actions to ``buffers.replies``, drawn where the opponent is due.

    The random bits that choose them are left in ``buffers.drawn``.
    """
    actions, drawn = buffers.replies, buffers.drawn
    bits, due = games.game_bits[first:last], games.due[first:last]
    for i in range(last - first):
        drawn[i] = bits[i]
    sample(tables.groups, tables.legal_actions, games.states, drawn, actions, first, last)
    for i in range(last - first):
        # The other games draw nothing, so their random numbers do not depend on how often this
        # is called.
        bits[i] = drawn[i] if due[i] == OPPONENT else bits[i]


@compiled(inner=True)
def find_by_position(
    tables: Tables, winning: Winning, games: Games, buffers: Buffers, first: int, last: int
) -> None:
    """Write the range of each position's winning actions to ``buffers.ranges``.

    Their number is written to ``buffers.option``.
    """
    groups, states = tables.groups, games.states
    strides, ranges = winning.strides, winning.ranges
    found, count = buffers.ranges, buffers.option
    for i in range(last - first):
        game, position = np.uint64(first) + np.uint64(i), NO_BITS
        for group in range(len(strides)):
            mask = state_mask(groups[group]["state_bits"])
            position += strides[group] * np.uint64(states[group, game] & mask)
        found[0, i] = ranges[position]
        count[i] = np.uint32(found[0, i] >> U32)


@compiled(inner=True)
def find_by_values(
    tables: Tables, winning: Winning, games: Games, buffers: Buffers, first: int, last: int
) -> None:
    """Write the range of each group's winning actions, those to its target, to ``buffers.ranges``.

    Their number in all groups is written to ``buffers.option``.
    """
    groups, states = tables.groups, games.states
    total, firm, count, values = buffers.after, buffers.place, buffers.option, winning.values
    number = last - first
    for i in range(number):
        total[i] = ZERO
        firm[i] = winning.firm
        count[i] = ZERO
    for group in range(len(states)):
        packed = states[group, first:last]
        at, mask = groups[group]["states_at"], state_mask(groups[group]["state_bits"])
        for i in range(number):
            value = values[np.uint32(at + (packed[i] & mask))]
            total[i] ^= value >> ONE
            firm[i] += value & ONE
    for group in range(len(states)):
        packed, found = states[group, first:last], buffers.ranges[group]
        at, mask = groups[group]["states_at"], state_mask(groups[group]["state_bits"])
        targets_at, targets = winning.rows[group]["targets_at"], winning.rows[group]["targets"]
        none = np.uint32(targets - ONE)
        for i in range(number):
            state = np.uint32(packed[i] & mask)
            value = values[np.uint32(at + state)]
            rest = np.uint32(total[i] ^ (value >> ONE))
            others_firm = firm[i] != value & ONE
            target = min(np.uint32(rest + MISERE), none) if others_firm else rest
            found[i] = winning.ranges[np.uint32(targets_at + targets * state + target)]
            count[i] += np.uint32(found[i] >> U32)


@compiled(inner=True)
def choose_winning(
    winning: Winning, epsilon: float, bits: WordArray, due: FlagArray, buffers: Buffers
) -> None:
    """Replace random replies by winning actions, all equally likely, where there are any.

    With probability ``epsilon`` the random reply stays. ``buffers.ranges`` holds the ranges of the
    winning actions and ``buffers.option`` their number.
    """
    number = len(due)
    optimal, left, drawn = buffers.flags, buffers.option, buffers.drawn
    chosen, base, actions = buffers.after, buffers.base, buffers.replies
    for i in range(number):
        optimal[i] = np.uint8(due[i] == OPPONENT) & np.uint8(left[i] != ZERO)
        left[i] = below(mixed(drawn[i]), left[i])
        chosen[i] = ZERO
        base[i] = ZERO
    if epsilon > 0.0:
        for i in range(number):
            if due[i] == OPPONENT:
                bits[i] += GAMMA
                optimal[i] &= np.uint8(fraction(mixed(bits[i])) >= epsilon)
    for row in range(len(winning.rows)):
        found, first_action = buffers.ranges[row], winning.rows[row]["first_action"]
        # As in :func:`sample`: after its row is found, the remainder is a large number.
        for i in range(number):
            count = np.uint32(found[i] >> U32)
            here = np.uint32(left[i] < count)
            chosen[i] += here * np.uint32(np.uint32(found[i]) + left[i])
            base[i] += here * first_action
            left[i] -= count
    for i in range(number):
        action = np.int64(np.uint32(winning.actions[chosen[i]] + base[i]))
        actions[i] = action if optimal[i] else actions[i]
