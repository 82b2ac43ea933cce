"""The batched environment's compiled functions: moves, replies, new games, rows.

All of them work on the games ``first`` to ``last - 1`` of a batch, each phase of a step in a few
tight loops. A game has random numbers of its own, so what happens in it depends neither on the
other games nor on how a batch is cut up or shared among threads.

The loops over games either look something up or compute without a branch: the first kind cannot
be vectorised, the second is, and a branch on the state of a game would be mispredicted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled
from nim_envs.envs.vector.tables import (
    ACTIONS,
    ACTIONS_AT,
    FIRST_ACTION,
    WORDS,
    WORDS_AT,
    Tables,
    UInt32Array,
    WordArray,
)
from nim_envs.rules.component import BoolArray, IntArray

FlagArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float32]

BLOCK = 4096
"""Games that go through all phases of a step together: they stay in a processor's cache."""

SHOWN = 128
"""Games whose rows are written together, word by word."""

OPENINGS = 64
"""New games begun in a row, in one call, where the opponent's first move ends them all."""

NO_LIMIT = 2**31 - 1
"""Stands for no limit of moves."""

GOES_ON, TRUNCATED, LAST_MOVE, FORFEIT, REPLY, UNANSWERED = (
    np.uint8(bits) for bits in (0, 1, 2, 4, 8, 16)
)
"""How a game ended, in bits: the most moves allowed were made; no move was left; the move was
illegal; it was the opponent's; it was truncated before the opponent could reply. The second and
the third beat the first."""

RENEW, MOVE, ANSWER, SETTLE, FINISH, SHOW = (1, 2, 4, 8, 16, 32)
"""Phases of a step, in their order: games that are over make way for new ones; the agent moves, or
in self-play the mover; an opponent that is called from outside moves; new games begin and the
compiled opponent replies; rewards and ends are written; positions are shown."""

AGENT, OPPONENT, NEW_GAME = (np.uint8(due) for due in range(3))
"""What is due in a game: a move of the one who steps or of the opponent, or a new game."""

ZERO, ONE = np.uint32(0), np.uint32(1)
NO_BITS = np.uint64(0)
GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U11, U27, U30, U31, U32, U63 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32, 63))


class Games(NamedTuple):
    """The games in progress, one entry or one column each."""

    states: WordArray  # (groups, games), of the groups of components, packed
    outcomes: FlagArray  # GOES_ON, or how the game ended
    due: FlagArray  # AGENT, OPPONENT or NEW_GAME
    seats: npt.NDArray[np.int8]  # in self-play who is to move, else the agent's seat
    moves: npt.NDArray[np.int32]  # made so far, by both players
    game_bits: WordArray  # random state for starts, seats and the opponent
    action_bits: WordArray  # random state for sampled actions


class Starts(NamedTuple):
    """Start positions: a list to draw from, or one for each game, prepared by the caller."""

    states: WordArray  # (groups, starts) or (groups, games), packed
    cumulative: npt.NDArray[np.float64]  # probabilities summed up; empty: all are equally likely
    prepared: bool  # whether there is one for each game
    used: FlagArray  # (games,), whether a game took the one prepared for it


class Settings(NamedTuple):
    """What stays the same from step to step."""

    last_mover_reward: np.float32  # +1 or -1
    most_moves: np.int32  # of both players in one game
    versus: bool  # whether there is an opponent
    called: bool  # whether its moves come from outside
    agent_seat: int  # 0 or 1, or -1: drawn for each game
    epsilon: float  # probability of a random move of the opponent; else it plays optimally
    lost: BoolArray  # whether who is to move loses, by index of the position
    strides: WordArray  # (groups,), of the groups' states in that index


class Scratch(NamedTuple):
    """What a phase of a step writes for itself, one entry a game of a block."""

    active: FlagArray
    flags: FlagArray
    option: UInt32Array
    place: UInt32Array
    after: WordArray
    replies: IntArray


@compiled(inner=True)
def new_scratch(games: int) -> Scratch:
    """Return room for blocks out of ``games`` games."""
    size = min(games, BLOCK)
    return Scratch(
        np.empty(size, dtype=np.uint8),
        np.empty(size, dtype=np.uint8),
        np.empty(size, dtype=np.uint32),
        np.empty(size, dtype=np.uint32),
        np.empty(size, dtype=np.uint64),
        np.empty(size, dtype=np.int64),
    )


@compiled
def mixed(bits: np.uint64) -> np.uint64:
    """Return 64 well mixed bits.

    References:
        G. L. Steele, D. Lea & C. H. Flood, "Fast splittable pseudorandom number generators",
        *OOPSLA* (2014): the output function of SplitMix64, the generator used here.
    """
    bits = (bits ^ (bits >> U30)) * MIX_1
    bits = (bits ^ (bits >> U27)) * MIX_2
    return bits ^ (bits >> U31)


@compiled(inner=True)
def below(bits: np.uint64, number: np.uint32) -> np.uint32:
    """Return an integer from 0 to ``number - 1``, all equally likely, from random ``bits``."""
    return np.uint32(((bits >> U32) * np.uint64(number)) >> U32)


@compiled(inner=True)
def fraction(bits: np.uint64) -> float:
    """Return a number in [0, 1) from random ``bits``."""
    return np.float64(bits >> U11) * 2.0**-53


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
    """Return where in ``Tables.successors`` a move leads; every move goes through here.

    Args:
        at: where the group's rows begin.
        count: how long they are.
        state: of the group.
        option: the action, counted from the group's first.
    """
    return np.uint32(at + count * state + option)


@compiled(inner=True)
def state_of(packed: np.uint64) -> np.uint32:
    """Return the state in an entry of ``Tables.successors`` or ``Games.states``."""
    return np.uint32(packed)


@compiled(inner=True)
def legal_count_of(packed: np.uint64) -> np.uint32:
    """Return how many of the group's actions are legal in that state."""
    return np.uint32(packed >> U32)


@compiled(nogil=True)
def sample(
    groups: UInt32Array,
    legal_actions: UInt32Array,
    states: WordArray,
    bits: WordArray,
    actions: IntArray,
    first: int,
    last: int,
) -> None:
    """Write a legal action for every game, all equally likely; any where none is legal.

    Args:
        groups: of the rules' tables.
        legal_actions: of the rules' tables.
        states: packed, of the groups, ``(groups, games)``.
        bits: random states, ``(last - first,)``, moved on.
        actions: ``(last - first,)``, written.
        first: first game.
        last: where the games end.
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
            for i in range(number):
                left[i] += legal_count_of(packed[i])
        for i in range(number):
            drawn[i] += GAMMA
            left[i] = below(mixed(drawn[i]), left[i])
        chosen[:number] = ZERO
        for group in range(len(groups)):
            at, width = groups[group, ACTIONS_AT], groups[group, ACTIONS]
            packed = states[group, first + here : first + end]
            # Once the group is found, what is left wraps around to a large number. What is left
            # for the last group is found there.
            if group == len(groups) - 1:
                for i in range(number):
                    found = ONE - (left[i] >> np.uint32(31))
                    chosen[i] += found * np.uint32(at + width * state_of(packed[i]) + left[i])
                break
            for i in range(number):
                count = legal_count_of(packed[i])
                found = np.uint32(left[i] < count)
                chosen[i] += found * np.uint32(at + width * state_of(packed[i]) + left[i])
                left[i] -= count
        for i in range(number):
            action[i] = np.int64(legal_actions[chosen[i]])


@compiled(inner=True)
def move(
    tables: Tables,
    games: Games,
    settings: Settings,
    actions: IntArray,
    scratch: Scratch,
    mover: np.uint8,
    first: int,
    last: int,
) -> None:
    """Make the moves ``actions``, ``(last - first,)``, in the games where ``mover`` is due.

    A game that the opponent opened and ended with the same move was over before the agent's
    turn came: it does not count, and a new one is due.
    """
    number = last - first
    successors = tables.successors
    outcome, due = games.outcomes[first:last], games.due[first:last]
    moves, seat = games.moves[first:last], games.seats[first:last]
    active, flags, option = scratch.active, scratch.flags, scratch.option
    place, after = scratch.place, scratch.after
    for i in range(number):
        active[i] = due[i] == mover
        flags[i] = LAST_MOVE
    for group in range(len(games.states)):
        packed = games.states[group, first:last]
        first_action, count = tables.groups[group, FIRST_ACTION], tables.groups[group, ACTIONS]
        at = tables.groups[group, ACTIONS_AT]
        for i in range(number):
            # An action of a group before wraps around to a large number.
            option[i] = np.uint32(actions[i]) - first_action
            there = successor_at(at, count, state_of(packed[i]), option[i])
            place[i] = there if option[i] < count else at
        for i in range(number):
            after[i] = successors[place[i]]
        for i in range(number):
            mine = np.uint64(option[i] < count) & np.uint64(active[i])
            forbidden = after[i] >> U63
            chosen = NO_BITS - (mine & ~forbidden)
            packed[i] = (after[i] & chosen) | (packed[i] & ~chosen)
            # Any group with a legal action takes the last move back.
            alive = LAST_MOVE if legal_count_of(packed[i]) != ZERO else GOES_ON
            broken = FORFEIT if mine & forbidden else GOES_ON
            flags[i] = np.uint8((flags[i] & ~alive) | broken)
    for i in range(number):
        moves[i] += np.int32(active[i])
    for i in range(number):
        outcome[i] = either(active[i], flags[i], outcome[i])
    if settings.most_moves < NO_LIMIT:
        unanswered = settings.versus and mover == AGENT
        cut_short = TRUNCATED | UNANSWERED if unanswered else TRUNCATED
        for i in range(number):
            late = cut_short if moves[i] >= settings.most_moves else GOES_ON
            outcome[i] |= either(active[i], late, GOES_ON)
    if not settings.versus:
        for i in range(number):
            seat[i] ^= np.int8(active[i])
    elif mover == AGENT:
        for i in range(number):
            reply = active[i] & np.uint8(outcome[i] == GOES_ON)
            due[i] = either(reply, OPPONENT, due[i])
    else:
        for i in range(number):
            ended = active[i] & np.uint8(outcome[i] != GOES_ON)
            void = ended & np.uint8(moves[i] == 1)
            ending = either(void, GOES_ON, outcome[i] | REPLY)
            outcome[i] = either(ended, ending, outcome[i])
            due[i] = either(active[i], either(void, NEW_GAME, AGENT), due[i])


@compiled(inner=True)
def draw_start(cumulative: npt.NDArray[np.float64], number: int, bits: np.uint64) -> int:
    """Return which of ``number`` starts to begin from, by random ``bits``."""
    uniform = fraction(bits)
    if len(cumulative) == 0:
        return int(uniform * number)
    # The first sum above it; rounding may leave the last one a sliver below 1.
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
    starts: Starts, games: Games, settings: Settings, scratch: Scratch, first: int, last: int
) -> None:
    """Begin the games that are due, but those whose prepared start is used up."""
    number = last - first
    new, chosen = scratch.flags, scratch.option
    states, used, prepared = games.states, starts.used, starts.prepared
    bits, outcome = games.game_bits[first:last], games.outcomes[first:last]
    due, moves, seats = games.due[first:last], games.moves[first:last], games.seats[first:last]
    count = starts.states.shape[1]
    for i in range(number):
        new[i] = due[i] == NEW_GAME
    if count == 1 and not prepared and settings.agent_seat >= 0:
        # All begin alike, which takes no branch.
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
        second = np.uint8(seats[i]) & np.uint8(settings.versus)
        outcome[i] = either(new[i], GOES_ON, outcome[i])
        due[i] = either(new[i], either(second, OPPONENT, AGENT), due[i])


@compiled(inner=True)
def choose_replies(
    tables: Tables, games: Games, settings: Settings, scratch: Scratch, first: int, last: int
) -> None:
    """Write the compiled opponent's actions to ``scratch.replies`` where it is due."""
    actions = scratch.replies
    bits, due = games.game_bits[first:last], games.due[first:last]
    groups, successors, legal_actions = tables.groups, tables.successors, tables.legal_actions
    states, moved_on = games.states, scratch.after
    for i in range(last - first):
        moved_on[i] = bits[i]
    sample(groups, legal_actions, states, moved_on, actions, first, last)
    for i in range(last - first):
        # The other games draw nothing: how often this is called is none of their business.
        bits[i] = moved_on[i] if due[i] == OPPONENT else bits[i]
    epsilon = settings.epsilon
    if epsilon >= 1.0:
        return
    strides, lost = settings.strides, settings.lost
    for i in range(last - first):
        if due[i] != OPPONENT:
            continue
        if epsilon > 0.0:
            bits[i] += GAMMA
            if fraction(mixed(bits[i])) < epsilon:
                continue
        game = np.uint64(first) + np.uint64(i)
        position = NO_BITS
        for group in range(len(groups)):
            position += strides[group] * np.uint64(state_of(states[group, game]))
        found = ZERO
        for group in range(len(groups)):
            state, stride = state_of(states[group, game]), strides[group]
            at, count = groups[group, ACTIONS_AT], groups[group, ACTIONS]
            row = successor_at(at, count, state, ZERO)
            rest = position - stride * np.uint64(state)
            for j in range(legal_count_of(states[group, game])):
                action = legal_actions[np.uint32(row + np.uint32(j))]
                option = np.uint32(action - groups[group, FIRST_ACTION])
                after = state_of(successors[successor_at(at, count, state, option)])
                if lost[rest + stride * np.uint64(after)]:
                    # Reservoir sampling: the n-th one found takes over with probability 1/n.
                    found += ONE
                    bits[i] += GAMMA
                    if below(mixed(bits[i]), found) == 0:
                        actions[i] = np.int64(action)


@compiled(inner=True)
def count_due(due: FlagArray, what: np.uint8, first: int, last: int) -> int:
    """Return in how many games ``what`` is due."""
    count = 0
    for i in range(first, last):
        count += due[i] == what
    return count


@compiled(inner=True)
def call_up(games: Games, first: int, last: int) -> None:
    """Let new games be due in place of those that are over."""
    outcome, due = games.outcomes[first:last], games.due[first:last]
    for i in range(last - first):
        due[i] = either(np.uint8(outcome[i] != GOES_ON), NEW_GAME, AGENT)
        outcome[i] = GOES_ON


@compiled(inner=True)
def finish(
    games: Games,
    settings: Settings,
    rewards: FloatArray,
    terminations: BoolArray,
    truncations: BoolArray,
    first: int,
    last: int,
) -> None:
    """Write what a step brought to the one who stepped."""
    last_mover_reward = settings.last_mover_reward
    outcome, reward = games.outcomes[first:last], rewards[first:last]
    terminated, truncated = terminations[first:last], truncations[first:last]
    for i in range(last - first):
        mover = last_mover_reward if outcome[i] & LAST_MOVE else np.float32(0)
        mover = np.float32(-1) if outcome[i] & FORFEIT else mover
        reward[i] = np.float32(0) - mover if outcome[i] & REPLY else mover
    for i in range(last - first):
        terminated[i] = (outcome[i] & (LAST_MOVE | FORFEIT)) != 0
        truncated[i] = (outcome[i] & (LAST_MOVE | FORFEIT | TRUNCATED)) == TRUNCATED


@compiled(nogil=True)
def show(
    groups: UInt32Array,
    words: WordArray,
    columns: UInt32Array,
    shared: BoolArray,
    states: WordArray,
    outcomes: FlagArray,
    mask_column: int,
    rows: WordArray,
    first: int,
    last: int,
) -> None:
    """Write what is shown of the positions.

    No action is legal where a game has terminated, or was truncated with the opponent to move.

    Args:
        groups: of the rules' tables.
        words: of the rules' tables.
        columns: of the rules' tables.
        shared: of the rules' tables.
        states: packed, of the groups, ``(groups, games)``.
        outcomes: ``(games,)``.
        mask_column: the first word of a row that holds the mask.
        rows: ``(games, words)``, written.
        first: first game.
        last: where the games end.
    """
    for here in range(first, last, SHOWN):
        end = min(here + SHOWN, last)
        number = end - here
        outcome, row = outcomes[here:end], rows[here:end]
        for group in range(len(states)):
            count = groups[group, WORDS]
            packed = states[group, here:end]
            for part in range(count):
                at = groups[group, WORDS_AT] + np.uint32(part)
                column = columns[group, part]
                if shared[group, part]:
                    for i in range(number):
                        row[i, column] |= words[np.uint32(at + count * state_of(packed[i]))]
                else:
                    for i in range(number):
                        row[i, column] = words[np.uint32(at + count * state_of(packed[i]))]
        ends = GOES_ON
        for i in range(number):
            ends |= outcome[i]
        # After a last move there is no action in the row anyway.
        if ends & (FORFEIT | UNANSWERED):
            for i in range(number):
                if outcome[i] & (FORFEIT | UNANSWERED):
                    for column in range(mask_column, rows.shape[1]):
                        row[i, column] = NO_BITS


@compiled(nogil=True)
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
    mask_column: int,
    rows: WordArray,
    first: int,
    last: int,
) -> int:
    """Go through those phases of a step that ``phases`` names; return what is left to settle.

    Left are the replies of an opponent that is called from outside, games that need a start to
    be prepared, and those that the opponent's first move ended too many times in a row. Rows
    that were written are then yet to be written again.

    All is one function because what is called from several compiled functions is compiled in
    each of them.
    """
    left = 0
    scratch = new_scratch(last - first)
    for here in range(first, last, BLOCK):
        end = min(here + BLOCK, last)
        if phases & RENEW:
            call_up(games, here, end)
        if phases & (MOVE | ANSWER):
            mover = AGENT if phases & MOVE else OPPONENT
            move(tables, games, settings, actions[here:end], scratch, mover, here, end)
        if phases & SETTLE:
            for _ in range(OPENINGS):
                begin(starts, games, settings, scratch, here, end)
                if settings.called or not settings.versus:
                    break
                choose_replies(tables, games, settings, scratch, here, end)
                move(tables, games, settings, scratch.replies, scratch, OPPONENT, here, end)
                if count_due(games.due, NEW_GAME, here, end) == 0:
                    break
            if settings.versus:
                left += end - here - count_due(games.due, AGENT, here, end)
        if phases & FINISH:
            finish(games, settings, rewards, terminations, truncations, here, end)
        if phases & SHOW:
            show(
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
def first_outside(actions: IntArray, number: int) -> int:
    """Return the first index of ``actions`` that is not within 0 to ``number - 1``, or -1."""
    found = False
    for i in range(len(actions)):
        found |= (actions[i] < 0) | (actions[i] >= number)
    if found:
        for i in range(len(actions)):
            if not 0 <= actions[i] < number:
                return i
    return -1


@compiled
def first_illegal(tables: Tables, games: Games, actions: IntArray, mover: np.uint8) -> int:
    """Return the first game where ``mover`` is due and its action is illegal, or -1."""
    groups, successors = tables.groups, tables.successors
    states, outcomes, due = games.states, games.outcomes, games.due
    for i in range(len(actions)):
        if outcomes[i] != GOES_ON or due[i] != mover:
            continue
        for group in range(len(groups)):
            option = np.uint32(np.uint32(actions[i]) - groups[group, FIRST_ACTION])
            at, count = groups[group, ACTIONS_AT], groups[group, ACTIONS]
            there = successor_at(at, count, state_of(states[group, i]), option)
            if option < count and successors[there] >> U63:
                return i
    return -1
