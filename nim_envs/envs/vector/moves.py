"""Moves of batches of games, compiled, on the packed states of ``tables.Tables``.

The one compiled for a single position is in :mod:`nim_envs.rules.compiled_moves`.
"""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.envs.vector.games import (
    AGENT,
    BY_OPPONENT,
    FORFEIT,
    LAST_MOVE,
    NEW_GAME,
    NO_LIMIT,
    ONGOING,
    OPPONENT,
    TRUNCATED,
    UNANSWERED,
    FlagArray,
    Games,
    Settings,
    select,
)
from nim_envs.envs.vector.tables import Tables
from nim_envs.rules.compiled_moves import first_empty_slot
from nim_envs.typing import IntArray

ZERO, ONE = np.uint32(0), np.uint32(1)
TOP_BIT = np.uint32(31)


@compiled(inner=True)
def successor_index(
    at: np.uint32, count: np.uint32, state: np.uint32, option: np.uint32
) -> np.uint32:
    """Return the index in ``Tables.successors`` of a move's result.

    Args:
        at: index of the group's first entry.
        count: number of actions of the group.
        state: state of the group, not packed.
        option: index among the group's actions.
    """
    return np.uint32(at + count * state + option)


@compiled(inner=True)
def state_mask(bits: np.uint32) -> np.uint32:
    """Return the mask of the ``bits`` lowest bits of a packed state, which hold the state."""
    return np.uint32((ONE << bits) - ONE)


@compiled(inner=True)
def fill_empty_slots(
    tables: Tables, games: Games, actions: IntArray, mover: np.uint8, first: int, last: int
) -> None:
    """Put second parts of moves into the first empty slot, before :func:`move` changes the rest.

    Only where slots are groups of their own. The order does not matter: the slot of a move is not
    empty before it, nor after a move that splits.
    """
    slots, groups, seconds = tables.slots, tables.groups, tables.seconds
    states, due = games.states, games.due
    for row in range(len(slots)):
        first_slot, end_slot, at = (
            slots[row]["first_slot"],
            slots[row]["end_slot"],
            slots[row]["seconds_at"],
        )
        first_action, count = groups[first_slot]["first_action"], groups[first_slot]["actions"]
        mask = state_mask(groups[first_slot]["state_bits"])
        for i in range(last - first):
            game = np.uint64(first) + np.uint64(i)
            option = np.uint32(np.uint32(actions[i]) - first_action)
            slot = np.uint32(option // count)
            if due[game] != mover or slot >= end_slot - first_slot:
                continue
            state = states[first_slot + slot, game] & mask
            second = seconds[successor_index(at, count, state, np.uint32(option - slot * count))]
            if second != ZERO:
                states[first_empty_slot(states[:, game], first_slot), game] = second


@compiled(inner=True)
def move(
    tables: Tables,
    games: Games,
    settings: Settings,
    actions: IntArray,
    mover: np.uint8,
    first: int,
    last: int,
) -> None:
    """Make the moves ``actions``, ``(last - first,)``, in the games where ``mover`` is due.

    A negative action, of an opponent in Python, is no legal move and forfeits.

    A game that the opponent's first move ended, before any turn of the agent, does not count, and
    a new one is due.
    """
    fill_empty_slots(tables, games, actions, mover, first, last)
    size = last - first
    flags = np.empty((2, size), dtype=np.uint8)
    moves_now, ends = flags[0], flags[1]
    due = games.due[first:last]
    for i in range(size):
        moves_now[i] = due[i] == mover
        ends[i] = LAST_MOVE
    if tables.is_large:
        change_states_by_game(tables, games, actions, moves_now, ends, first, last)
    else:
        change_states_by_group(tables, games, actions, moves_now, ends, first, last)
    if settings.replies_in_python and mover == OPPONENT:
        for i in range(size):
            ends[i] |= FORFEIT if actions[i] < 0 else ONGOING
    end_games(games, settings, mover, moves_now, ends, first, last)
    pass_turn(games, settings, mover, moves_now, first, last)


@compiled(inner=True)
def change_states_by_group(
    tables: Tables,
    games: Games,
    actions: IntArray,
    moves_now: FlagArray,
    ends: FlagArray,
    first: int,
    last: int,
) -> None:
    """Write the groups' states after the legal moves, and how these end their games.

    Args:
        tables: rules of the games.
        games: games in progress; only their states are changed.
        actions: one for each game of the block.
        moves_now: 1 where a move is made, else 0.
        ends: ``LAST_MOVE``; written: ``ONGOING``, ``LAST_MOVE`` or ``FORFEIT``.
        first: index of the first game.
        last: index after the last game.
    """
    size, successors = last - first, tables.successors
    arrays = np.empty((3, size), dtype=np.uint32)
    option, entry, after = arrays[0], arrays[1], arrays[2]
    for group in range(len(games.states)):
        packed = games.states[group, first:last]
        first_action, count = tables.groups[group]["first_action"], tables.groups[group]["actions"]
        at = tables.groups[group]["successors_at"]
        state_bits = tables.groups[group]["state_bits"]
        mask = state_mask(state_bits)
        for i in range(size):
            # An action of an earlier group wraps around to a large number.
            option[i] = np.uint32(actions[i]) - first_action
            index = successor_index(at, count, packed[i] & mask, option[i])
            entry[i] = index if option[i] < count else at
        for i in range(size):
            after[i] = successors[entry[i]]
        for i in range(size):
            moved = np.uint32(option[i] < count) & np.uint32(moves_now[i])
            illegal = np.uint32(after[i] >> TOP_BIT)
            chosen = np.uint32(ZERO - np.uint32(moved & ~illegal))  # all bits, or none
            packed[i] = (after[i] & chosen) | (packed[i] & ~chosen)
            # It was not the last move if any group has a legal action left.
            cleared = LAST_MOVE if packed[i] >> state_bits != ZERO else ONGOING
            forfeit = FORFEIT if moved & illegal else ONGOING
            ends[i] = np.uint8((ends[i] & ~cleared) | forfeit)


@compiled(inner=True)
def change_states_by_game(
    tables: Tables,
    games: Games,
    actions: IntArray,
    moves_now: FlagArray,
    ends: FlagArray,
    first: int,
    last: int,
) -> None:
    """Do the same as :func:`change_states_by_group`, faster where there are many groups."""
    groups, states, size = tables.groups, games.states, last - first
    legal = np.empty(size, dtype=np.uint32)  # not 0 where a legal action is left
    for i in range(size):
        legal[i] = ZERO
        # A negative action wraps around to a large number.
        action = np.uint32(actions[i])
        if moves_now[i] and action < len(tables.group_of_action):
            group, game = tables.group_of_action[action], np.uint64(first) + np.uint64(i)
            at, count = groups[group]["successors_at"], groups[group]["actions"]
            state = states[group, game] & state_mask(groups[group]["state_bits"])
            option = np.uint32(action - groups[group]["first_action"])
            after = tables.successors[successor_index(at, count, state, option)]
            if after >> TOP_BIT:
                ends[i] |= FORFEIT
            else:
                states[group, game] = after
    for group in range(len(groups)):
        packed, state_bits = states[group, first:last], groups[group]["state_bits"]
        for i in range(size):
            legal[i] |= packed[i] >> state_bits
    for i in range(size):
        ends[i] &= FORFEIT if legal[i] != ZERO else LAST_MOVE | FORFEIT


@compiled(inner=True)
def end_games(
    games: Games,
    settings: Settings,
    mover: np.uint8,
    moves_now: FlagArray,
    ends: FlagArray,
    first: int,
    last: int,
) -> None:
    """Count the moves, and write the outcomes of the games in which they are made."""
    outcome, move_counts = games.outcomes[first:last], games.move_counts[first:last]
    for i in range(last - first):
        move_counts[i] += np.int32(moves_now[i])
    for i in range(last - first):
        outcome[i] = select(moves_now[i], ends[i], outcome[i])
    if settings.most_moves < NO_LIMIT:
        unanswered = settings.has_opponent and mover == AGENT
        cut_short = TRUNCATED | UNANSWERED if unanswered else TRUNCATED
        for i in range(last - first):
            late = cut_short if move_counts[i] >= settings.most_moves else ONGOING
            outcome[i] |= select(moves_now[i], late, ONGOING)


@compiled(inner=True)
def pass_turn(
    games: Games,
    settings: Settings,
    mover: np.uint8,
    moves_now: FlagArray,
    first: int,
    last: int,
) -> None:
    """Write the next event after the moves to ``due``: the other player's move, or a new game."""
    outcome, due = games.outcomes[first:last], games.due[first:last]
    move_counts, seat = games.move_counts[first:last], games.seats[first:last]
    if not settings.has_opponent:
        for i in range(last - first):
            seat[i] ^= np.int8(moves_now[i])
    elif mover == AGENT:
        for i in range(last - first):
            reply = moves_now[i] & np.uint8(outcome[i] == ONGOING)
            due[i] = select(reply, OPPONENT, due[i])
    else:
        for i in range(last - first):
            ended = moves_now[i] & np.uint8(outcome[i] != ONGOING)
            before_agent = ended & np.uint8(move_counts[i] == 1)
            ending = select(before_agent, ONGOING, outcome[i] | BY_OPPONENT)
            following = select(before_agent, NEW_GAME, AGENT)
            outcome[i] = select(ended, ending, outcome[i])
            due[i] = select(moves_now[i], following, due[i])


@compiled
def first_illegal(tables: Tables, games: Games, actions: IntArray, mover: np.uint8) -> int:
    """Return the first game where ``mover`` is due and its action is illegal, or -1."""
    groups, successors = tables.groups, tables.successors
    states, outcomes, due = games.states, games.outcomes, games.due
    for i in range(len(actions)):
        if outcomes[i] != ONGOING or due[i] != mover:
            continue
        if actions[i] < 0:
            return i
        for group in range(len(groups)):
            option = np.uint32(np.uint32(actions[i]) - groups[group]["first_action"])
            at, count = groups[group]["successors_at"], groups[group]["actions"]
            state = states[group, i] & state_mask(groups[group]["state_bits"])
            index = successor_index(at, count, state, option)
            if option < count and successors[index] >> TOP_BIT:
                return i
    return -1
