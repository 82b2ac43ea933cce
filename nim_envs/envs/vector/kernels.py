"""The batched environment's compiled functions: moves, replies, new games, observations.

A batch is divided into blocks of games. Each phase of a step is a few tight loops over the games
``first`` to ``last - 1`` of a block. A game has random numbers of its own, so what happens in it
depends neither on the other games nor on the blocks.

A loop over games either looks something up in a table or computes without a branch. The compiler
vectorises the second kind; a branch on the state of a game would be mispredicted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled
from nim_envs.envs.vector.grouping import UInt32Array
from nim_envs.envs.vector.random_numbers import GAMMA, MIX_1, below, fraction, mixed
from nim_envs.envs.vector.tables import (
    ACTIONS,
    END_SLOT,
    FIRST_ACTION,
    FIRST_SLOT,
    LEGAL_AT,
    LEGAL_WIDTH,
    SECONDS_AT,
    STATE_BITS,
    STATES_AT,
    SUCCESSORS_AT,
    WORDS,
    WORDS_AT,
    Tables,
    WordArray,
)
from nim_envs.envs.vector.winning import (
    MISERE_TARGETS,
    ROW_ACTION,
    TARGETS,
    TARGETS_AT,
    Winning,
)
from nim_envs.rules.component import BoolArray, IntArray

FlagArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float32]

BLOCK = 4096
"""Games that go through all phases of a step together, few enough for the processor's cache."""

OBSERVATION_BLOCK = 128
"""Games whose observations are written together, word by word."""

OPENINGS_IN_ONE_CALL = 64
"""Most games begun one after the other in a call where the opponent's first move ends each."""

NO_LIMIT = 2**31 - 1
"""Value of :attr:`Settings.most_moves` without truncation."""

ONGOING, TRUNCATED, LAST_MOVE, FORFEIT, BY_OPPONENT, UNANSWERED = (
    np.uint8(bits) for bits in (0, 1, 2, 4, 8, 16)
)
"""Bits for the end of a game: ``max_cycles`` is reached; no legal move is left; the last move was
illegal; the opponent made the last move; truncated before the opponent's reply. A game with the
second or third bit has terminated, even if it has the first too."""

AUTORESET, MOVE, OPPONENT_MOVE, BEGIN_AND_REPLY, RESULTS, OBSERVE = (1, 2, 4, 8, 16, 32)
"""Phases of a step, in order: mark finished games for replacement; make the moves of the agent, or
in self-play of the player to move; make the moves of an opponent in Python; begin new games and let
the compiled opponent reply; write rewards, terminations, truncations and winners; write
observations."""

AGENT, OPPONENT, NEW_GAME = (np.uint8(due) for due in range(3))
"""The next event in a game: a move of the agent (in self-play, of the player to move), a move of
the opponent, or a new game."""

ZERO, ONE = np.uint32(0), np.uint32(1)
NO_BITS = np.uint64(0)
MISERE = np.uint32(MISERE_TARGETS)
TOP_BIT = np.uint32(31)
U32, U63 = np.uint64(32), np.uint64(63)


class Games(NamedTuple):
    """The games in progress, one entry or one column each."""

    states: UInt32Array  # (groups, games), of the groups of components, packed
    outcomes: FlagArray  # ONGOING, or how the game ended
    due: FlagArray  # AGENT, OPPONENT or NEW_GAME
    seats: npt.NDArray[np.int8]  # in self-play who is to move, else the agent's seat
    moves: npt.NDArray[np.int32]  # made so far, by both players
    game_bits: WordArray  # random state for starts, seats and the opponent
    action_bits: WordArray  # random state for sampled actions


class Starts(NamedTuple):
    """Start positions: a list to draw from, or one prepared by the caller for each game."""

    states: UInt32Array  # (groups, starts) or (groups, games), packed
    cumulative: npt.NDArray[np.float64]  # probabilities summed up; empty: all are equally likely
    prepared: bool  # whether there is one for each game
    used: FlagArray  # (games,), whether a game has begun from the one prepared for it


class Settings(NamedTuple):
    """Settings that stay the same from step to step."""

    last_mover_reward: np.float32  # +1 or -1
    most_moves: np.int32  # of both players in one game
    has_opponent: bool  # else every step makes the move of the seat to move
    replies_in_python: bool  # whether a Python player makes the opponent's moves
    agent_seat: int  # 0 or 1, or -1: drawn for each game
    epsilon: float  # probability of a random move of the opponent; else it plays optimally
    winning: Winning  # the actions of the compiled opponent where it plays optimally


class Buffers(NamedTuple):
    """Buffers for intermediate results of a phase, one entry for each game of a block."""

    active: FlagArray
    flags: FlagArray
    option: UInt32Array
    place: UInt32Array
    after: UInt32Array
    base: UInt32Array
    drawn: WordArray
    replies: IntArray
    ranges: WordArray  # (rows, games): of the winning actions


@compiled(inner=True)
def new_buffers(games: int, rows: int) -> Buffers:
    """Return buffers for the blocks of a batch.

    Args:
        games: number of games.
        rows: number of rows of :attr:`Winning.rows`.
    """
    size = min(games, BLOCK)
    return Buffers(
        np.empty(size, dtype=np.uint8),
        np.empty(size, dtype=np.uint8),
        np.empty(size, dtype=np.uint32),
        np.empty(size, dtype=np.uint32),
        np.empty(size, dtype=np.uint32),
        np.empty(size, dtype=np.uint32),
        np.empty(size, dtype=np.uint64),
        np.empty(size, dtype=np.int64),
        np.empty((rows, size), dtype=np.uint64),
    )


@compiled(inner=True)
def either(flag: np.uint8, one: np.uint8, other: np.uint8) -> np.uint8:
    """Return ``one`` where ``flag`` is 1 and ``other`` where it is 0, without a branch."""
    bits = np.uint8(np.uint8(0) - flag)
    return np.uint8((one & bits) | (other & ~bits))


@compiled
def seed_games(
    game_bits: WordArray, action_bits: WordArray, seeds: WordArray, which: BoolArray
) -> None:
    """Seed the random numbers of the games in ``which``, each by its own entry of ``seeds``."""
    for i in range(len(seeds)):
        if which[i]:
            game_bits[i] = mixed(mixed(seeds[i] + GAMMA))
            action_bits[i] = mixed(game_bits[i] ^ MIX_1)


@compiled(inner=True)
def successor_at(at: np.uint32, count: np.uint32, state: np.uint32, option: np.uint32) -> np.uint32:
    """Return the index in ``Tables.successors`` of a move's result.

    Args:
        at: start of the group's rows.
        count: length of a row.
        state: state of the group, not packed.
        option: index among the group's actions.
    """
    return np.uint32(at + count * state + option)


@compiled(inner=True)
def state_mask(bits: np.uint32) -> np.uint32:
    """Return the mask of the ``bits`` lowest bits, which hold the state in a packed one."""
    return np.uint32((ONE << bits) - ONE)


@compiled
def sample(
    groups: UInt32Array,
    legal_actions: UInt32Array,
    states: UInt32Array,
    bits: WordArray,
    actions: IntArray,
    first: int,
    last: int,
) -> None:
    """Write a legal action for every game, all equally likely; any action where none is legal.

    Args:
        groups: :attr:`Tables.groups`.
        legal_actions: :attr:`Tables.legal_actions`.
        states: packed states of the groups, ``(groups, games)``.
        bits: the games' random states, ``(last - first,)``, advanced.
        actions: ``(last - first,)``, written.
        first: index of the first game.
        last: index after the last game.
    """
    size = min(last - first, BLOCK)
    left, chosen = np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint32)
    for here in range(0, last - first, BLOCK):
        end = min(here + BLOCK, last - first)
        number = end - here
        drawn, action = bits[here:end], actions[here:end]
        left[:number] = ZERO
        for group in range(len(groups)):
            packed = states[group, first + here : first + end]
            bits_of_state = groups[group, STATE_BITS]
            for i in range(number):
                left[i] += packed[i] >> bits_of_state
        for i in range(number):
            drawn[i] += GAMMA
            left[i] = below(mixed(drawn[i]), left[i])
        chosen[:number] = ZERO
        for group in range(len(groups)):
            at, width = groups[group, LEGAL_AT], groups[group, LEGAL_WIDTH]
            bits_of_state = groups[group, STATE_BITS]
            mask = state_mask(bits_of_state)
            packed = states[group, first + here : first + end]
            # Once the group is found, the remainder wraps around to a large number. A remainder at
            # the last group belongs to it.
            if group == len(groups) - 1:
                for i in range(number):
                    found = ONE - (left[i] >> TOP_BIT)
                    chosen[i] += found * np.uint32(at + width * (packed[i] & mask) + left[i])
                break
            for i in range(number):
                count = np.uint32(packed[i] >> bits_of_state)
                found = np.uint32(left[i] < count)
                chosen[i] += found * np.uint32(at + width * (packed[i] & mask) + left[i])
                left[i] -= count
        for i in range(number):
            action[i] = np.int64(legal_actions[chosen[i]])


@compiled(inner=True)
def fill_empty_slots(
    slots: UInt32Array,
    groups: UInt32Array,
    seconds: UInt32Array,
    states: UInt32Array,
    due: FlagArray,
    actions: IntArray,
    mover: np.uint8,
    first: int,
    last: int,
) -> None:
    """Put second parts of moves into the first empty slot, before :func:`move` makes the rest.

    Only where slots are groups of their own. The order does not matter: the slot of a move is not
    empty before it, nor after a move that splits.
    """
    for row in range(len(slots)):
        first_slot, end_slot, at = (
            slots[row, FIRST_SLOT],
            slots[row, END_SLOT],
            slots[row, SECONDS_AT],
        )
        first_action, count = groups[first_slot, FIRST_ACTION], groups[first_slot, ACTIONS]
        mask = state_mask(groups[first_slot, STATE_BITS])
        for i in range(last - first):
            game = np.uint64(first) + np.uint64(i)
            option = np.uint32(np.uint32(actions[i]) - first_action)
            slot = np.uint32(option // count)
            if due[game] != mover or slot >= end_slot - first_slot:
                continue
            state = states[first_slot + slot, game] & mask
            second = seconds[successor_at(at, count, state, np.uint32(option - slot * count))]
            if second != ZERO:
                empty = first_slot
                while states[empty, game] != ZERO:
                    empty += 1
                states[empty, game] = second


@compiled(inner=True)
def move(
    tables: Tables,
    games: Games,
    settings: Settings,
    actions: IntArray,
    buffers: Buffers,
    mover: np.uint8,
    first: int,
    last: int,
) -> None:
    """Make the moves ``actions``, ``(last - first,)``, in the games where ``mover`` is due.

    A negative action, of an opponent in Python, is no legal move and forfeits.

    A game that the opponent's first move ended, before any turn of the agent, does not count, and
    a new one is due.
    """
    number = last - first
    successors = tables.successors
    outcome, due = games.outcomes[first:last], games.due[first:last]
    moves, seat = games.moves[first:last], games.seats[first:last]
    active, flags, option = buffers.active, buffers.flags, buffers.option
    place, after = buffers.place, buffers.after
    for i in range(number):
        active[i] = due[i] == mover
        flags[i] = LAST_MOVE
    for group in range(len(games.states)):
        packed = games.states[group, first:last]
        first_action, count = tables.groups[group, FIRST_ACTION], tables.groups[group, ACTIONS]
        at, bits_of_state = tables.groups[group, SUCCESSORS_AT], tables.groups[group, STATE_BITS]
        mask = state_mask(bits_of_state)
        for i in range(number):
            # An action of an earlier group wraps around to a large number.
            option[i] = np.uint32(actions[i]) - first_action
            there = successor_at(at, count, packed[i] & mask, option[i])
            place[i] = there if option[i] < count else at
        for i in range(number):
            after[i] = successors[place[i]]
        for i in range(number):
            mine = np.uint32(option[i] < count) & np.uint32(active[i])
            forbidden = np.uint32(after[i] >> TOP_BIT)
            chosen = np.uint32(ZERO - np.uint32(mine & ~forbidden))
            packed[i] = (after[i] & chosen) | (packed[i] & ~chosen)
            # It was not the last move if any group has a legal action left.
            alive = LAST_MOVE if packed[i] >> bits_of_state != ZERO else ONGOING
            broken = FORFEIT if mine & forbidden else ONGOING
            flags[i] = np.uint8((flags[i] & ~alive) | broken)
    if settings.replies_in_python and mover == OPPONENT:
        for i in range(number):
            flags[i] |= FORFEIT if actions[i] < 0 else ONGOING
    for i in range(number):
        moves[i] += np.int32(active[i])
    for i in range(number):
        outcome[i] = either(active[i], flags[i], outcome[i])
    if settings.most_moves < NO_LIMIT:
        unanswered = settings.has_opponent and mover == AGENT
        cut_short = TRUNCATED | UNANSWERED if unanswered else TRUNCATED
        for i in range(number):
            late = cut_short if moves[i] >= settings.most_moves else ONGOING
            outcome[i] |= either(active[i], late, ONGOING)
    if not settings.has_opponent:
        for i in range(number):
            seat[i] ^= np.int8(active[i])
    elif mover == AGENT:
        for i in range(number):
            reply = active[i] & np.uint8(outcome[i] == ONGOING)
            due[i] = either(reply, OPPONENT, due[i])
    else:
        for i in range(number):
            ended = active[i] & np.uint8(outcome[i] != ONGOING)
            void = ended & np.uint8(moves[i] == 1)
            ending = either(void, ONGOING, outcome[i] | BY_OPPONENT)
            outcome[i] = either(ended, ending, outcome[i])
            due[i] = either(active[i], either(void, NEW_GAME, AGENT), due[i])


@compiled(inner=True)
def draw_start(cumulative: npt.NDArray[np.float64], number: int, bits: np.uint64) -> int:
    """Return the index of the start, out of ``number``, that random ``bits`` choose."""
    uniform = fraction(bits)
    if len(cumulative) == 0:
        return int(uniform * number)
    # The first cumulative sum above it; rounding may leave the last one slightly below 1.
    low, high = 0, number - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] <= uniform:
            low = middle + 1
        else:
            high = middle
    return low


@compiled(inner=True)
def begin(
    starts: Starts, games: Games, settings: Settings, buffers: Buffers, first: int, last: int
) -> None:
    """Begin the new games that are due, unless the prepared start is used already."""
    number = last - first
    new, chosen = buffers.flags, buffers.option
    states, used, prepared = games.states, starts.used, starts.prepared
    bits, outcome = games.game_bits[first:last], games.outcomes[first:last]
    due, moves, seats = games.due[first:last], games.moves[first:last], games.seats[first:last]
    count = starts.states.shape[1]
    for i in range(number):
        new[i] = due[i] == NEW_GAME
    if count == 1 and not prepared and settings.agent_seat >= 0:
        # All begin at the same position and in the same seat: no branch is needed.
        for group in range(len(states)):
            packed, start = states[group, first:last], starts.states[group, 0]
            for i in range(number):
                packed[i] = start if new[i] else packed[i]
        seat = np.uint8(settings.agent_seat)
        for i in range(number):
            seats[i] = np.int8(either(new[i], seat, np.uint8(seats[i])))
    else:
        length = 0
        for i in range(number):
            chosen[length] = i
            length += new[i]
        for j in range(length):
            at = np.uint64(chosen[j])
            game = np.uint64(first) + at
            column = np.int64(0)
            if prepared:
                if used[game]:
                    new[at] = 0
                    continue
                used[game] = 1
                column = np.int64(game)
            elif count > 1:
                bits[at] += GAMMA
                column = np.int64(draw_start(starts.cumulative, count, mixed(bits[at])))
            for group in range(len(states)):
                states[group, game] = starts.states[group, column]
            drawn = np.int64(settings.agent_seat)
            if drawn < 0:
                bits[at] += GAMMA
                drawn = np.int64(mixed(bits[at]) >> U63)
            seats[at] = drawn
    for i in range(number):
        moves[i] = np.int32(0) if new[i] else moves[i]
    for i in range(number):
        second = np.uint8(seats[i]) & np.uint8(settings.has_opponent)
        outcome[i] = either(new[i], ONGOING, outcome[i])
        due[i] = either(new[i], either(second, OPPONENT, AGENT), due[i])


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
    groups: UInt32Array,
    strides: WordArray,
    ranges: WordArray,
    states: UInt32Array,
    found: WordArray,
    count: UInt32Array,
    first: int,
    last: int,
) -> None:
    """Write the start of each position's winning actions to ``found``, the number to ``count``."""
    for i in range(last - first):
        game, position = np.uint64(first) + np.uint64(i), NO_BITS
        for group in range(len(strides)):
            mask = state_mask(groups[group, STATE_BITS])
            position += strides[group] * np.uint64(states[group, game] & mask)
        found[0, i] = ranges[position]
        count[i] = np.uint32(found[0, i] >> U32)


@compiled(inner=True)
def find_by_values(
    groups: UInt32Array,
    winning: Winning,
    states: UInt32Array,
    buffers: Buffers,
    first: int,
    last: int,
) -> None:
    """Write the range of each group's winning actions, those to its target, to ``buffers.ranges``.

    Their number in all groups is written to ``buffers.option``.
    """
    total, firm, count, values = buffers.after, buffers.place, buffers.option, winning.values
    number = last - first
    for i in range(number):
        total[i] = ZERO
        firm[i] = winning.firm
        count[i] = ZERO
    for group in range(len(states)):
        packed = states[group, first:last]
        at, mask = groups[group, STATES_AT], state_mask(groups[group, STATE_BITS])
        for i in range(number):
            value = values[np.uint32(at + (packed[i] & mask))]
            total[i] ^= value >> ONE
            firm[i] += value & ONE
    for group in range(len(states)):
        packed, found = states[group, first:last], buffers.ranges[group]
        at, mask = groups[group, STATES_AT], state_mask(groups[group, STATE_BITS])
        targets_at, targets = winning.rows[group, TARGETS_AT], winning.rows[group, TARGETS]
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
        found, first_action = buffers.ranges[row], winning.rows[row, ROW_ACTION]
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


@compiled(inner=True)
def count_due(due: FlagArray, what: np.uint8, first: int, last: int) -> int:
    """Return the number of games where ``what`` is due."""
    count = 0
    for i in range(first, last):
        count += due[i] == what
    return count


@compiled(inner=True)
def autoreset(games: Games, first: int, last: int) -> None:
    """Mark finished games for replacement by new ones."""
    outcome, due = games.outcomes[first:last], games.due[first:last]
    for i in range(last - first):
        due[i] = either(np.uint8(outcome[i] != ONGOING), NEW_GAME, AGENT)
        outcome[i] = ONGOING


@compiled(inner=True)
def write_results(
    games: Games,
    settings: Settings,
    rewards: FloatArray,
    terminations: BoolArray,
    truncations: BoolArray,
    winners: npt.NDArray[np.int8],
    first: int,
    last: int,
) -> None:
    """Write the rewards of the players who moved, terminations, truncations and winners."""
    last_mover_reward = settings.last_mover_reward
    outcome, reward = games.outcomes[first:last], rewards[first:last]
    terminated, truncated = terminations[first:last], truncations[first:last]
    for i in range(last - first):
        mover = last_mover_reward if outcome[i] & LAST_MOVE else np.float32(0)
        mover = np.float32(-1) if outcome[i] & FORFEIT else mover
        reward[i] = np.float32(0) - mover if outcome[i] & BY_OPPONENT else mover
    for i in range(last - first):
        terminated[i] = (outcome[i] & (LAST_MOVE | FORFEIT)) != 0
        truncated[i] = (outcome[i] & (LAST_MOVE | FORFEIT | TRUNCATED)) == TRUNCATED
    seat, winner = games.seats[first:last], winners[first:last]
    # Small integers alone: a vector register holds four times as many of them as of floats.
    # In self-play it is now the turn of the seat that did not move.
    turned = np.uint8(not settings.has_opponent)
    last_mover_loses = LAST_MOVE if last_mover_reward < np.float32(0) else ONGOING
    for i in range(last - first):
        lost = np.uint8((outcome[i] & (last_mover_loses | FORFEIT)) != 0)
        by_opponent = np.uint8((outcome[i] & BY_OPPONENT) != 0)
        goes_on = np.uint8((outcome[i] & (LAST_MOVE | FORFEIT)) == 0)
        who = np.uint8(np.uint8(seat[i]) ^ turned ^ lost ^ by_opponent)
        # All bits set, which is -1, while the game goes on.
        winner[i] = np.int8(who | np.uint8(np.uint8(0) - goes_on))


@compiled
def write_observations(
    groups: UInt32Array,
    words: WordArray,
    columns: UInt32Array,
    shared: BoolArray,
    states: UInt32Array,
    outcomes: FlagArray,
    mask_column: int,
    rows: WordArray,
    first: int,
    last: int,
) -> None:
    """Write the observations and action masks, one row for each game.

    The mask is all zeros where a game has terminated, or was truncated with the opponent to move.

    Args:
        groups: :attr:`Tables.groups`.
        words: :attr:`Tables.words`.
        columns: :attr:`Tables.columns`.
        shared: :attr:`Tables.shared`.
        states: packed states of the groups, ``(groups, games)``.
        outcomes: ``(games,)``.
        mask_column: the first word of a row that holds the mask.
        rows: ``(games, words)``, written.
        first: index of the first game.
        last: index after the last game.
    """
    for here in range(first, last, OBSERVATION_BLOCK):
        end = min(here + OBSERVATION_BLOCK, last)
        number = end - here
        outcome, row = outcomes[here:end], rows[here:end]
        for group in range(len(states)):
            count = groups[group, WORDS]
            packed, mask = states[group, here:end], state_mask(groups[group, STATE_BITS])
            for part in range(count):
                at = groups[group, WORDS_AT] + np.uint32(part)
                column = columns[group, part]
                if shared[group, part]:
                    for i in range(number):
                        row[i, column] |= words[np.uint32(at + count * (packed[i] & mask))]
                else:
                    for i in range(number):
                        row[i, column] = words[np.uint32(at + count * (packed[i] & mask))]
        ends = ONGOING
        for i in range(number):
            ends |= outcome[i]
        # After a last move the mask is all zeros anyway.
        if ends & (FORFEIT | UNANSWERED):
            for i in range(number):
                if outcome[i] & (FORFEIT | UNANSWERED):
                    for column in range(mask_column, rows.shape[1]):
                        row[i, column] = NO_BITS


@compiled
def play(
    tables: Tables,
    starts: Starts,
    games: Games,
    settings: Settings,
    phases: int,
    actions: IntArray,
    rewards: FloatArray,
    terminations: BoolArray,
    truncations: BoolArray,
    winners: npt.NDArray[np.int8],
    mask_column: int,
    rows: WordArray,
) -> int:
    """Run the phases of a step that ``phases`` names, in all games.

    They are one compiled function, because a function that several compiled functions call is
    compiled again for each of them.

    Returns:
        Number of games where it is not the agent's turn yet: they wait for the reply of an opponent
        in Python or for a prepared start, or the opponent's first move ended
        :data:`OPENINGS_IN_ONE_CALL` games in a row. If there are any, the observations written are
        out of date.
    """
    left, size = 0, len(games.outcomes)
    winning = settings.winning
    buffers = new_buffers(size, len(winning.rows))
    for here in range(0, size, BLOCK):
        end = min(here + BLOCK, size)
        if phases & AUTORESET:
            autoreset(games, here, end)
        if phases & (MOVE | OPPONENT_MOVE):
            mover = AGENT if phases & MOVE else OPPONENT
            fill_empty_slots(
                *(tables.slots, tables.groups, tables.seconds, games.states, games.due),
                *(actions[here:end], mover, here, end),
            )
            move(tables, games, settings, actions[here:end], buffers, mover, here, end)
        if phases & BEGIN_AND_REPLY:
            for _ in range(OPENINGS_IN_ONE_CALL):
                begin(starts, games, settings, buffers, here, end)
                if settings.replies_in_python or not settings.has_opponent:
                    break
                choose_replies(tables, games, buffers, here, end)
                if settings.epsilon < 1.0:
                    if len(winning.strides) > 0:
                        find_by_position(
                            *(tables.groups, winning.strides, winning.ranges, games.states),
                            *(buffers.ranges, buffers.option, here, end),
                        )
                    else:
                        find_by_values(tables.groups, winning, games.states, buffers, here, end)
                    bits, due = games.game_bits[here:end], games.due[here:end]
                    choose_winning(winning, settings.epsilon, bits, due, buffers)
                fill_empty_slots(
                    *(tables.slots, tables.groups, tables.seconds, games.states, games.due),
                    *(buffers.replies, OPPONENT, here, end),
                )
                move(tables, games, settings, buffers.replies, buffers, OPPONENT, here, end)
                if count_due(games.due, NEW_GAME, here, end) == 0:
                    break
            if settings.has_opponent:
                left += end - here - count_due(games.due, AGENT, here, end)
        if phases & RESULTS:
            write_results(games, settings, rewards, terminations, truncations, winners, here, end)
        if phases & OBSERVE:
            write_observations(
                tables.groups,
                tables.words,
                tables.columns,
                tables.shared,
                games.states,
                games.outcomes,
                mask_column,
                rows,
                here,
                end,
            )
    return left


@compiled
def first_outside(actions: IntArray, least: int, number: int) -> int:
    """Return the first index of ``actions`` that is not within ``least..number - 1``, or -1."""
    found = False
    for i in range(len(actions)):
        found |= (actions[i] < least) | (actions[i] >= number)
    if found:
        for i in range(len(actions)):
            if not least <= actions[i] < number:
                return i
    return -1


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
            option = np.uint32(np.uint32(actions[i]) - groups[group, FIRST_ACTION])
            at, count = groups[group, SUCCESSORS_AT], groups[group, ACTIONS]
            state = states[group, i] & state_mask(groups[group, STATE_BITS])
            there = successor_at(at, count, state, option)
            if option < count and successors[there] >> TOP_BIT:
                return i
    return -1
