"""Steps of many games in compiled code, over the arrays that ``tables.py`` makes.

A game on one graph is a word of 32 bits, its row and how it ended::

    bit   31          30         29      28   27    26 ... 0
          TERMINATED  TRUNCATED  HIDDEN  WON  LOST  row

In a sum the row of that word is 0, and each *block* of parts has a word in ``Games.blocks``: the
row of the block in its lower bits, and above them the number of its legal actions.

A loop over games either looks something up or computes without a branch. The compiler vectorises
the second kind; one loop that does both is slower. Arguments that are ``None``, and the branches
that ask for them, are left out when a function is compiled.

Random numbers are those of SplitMix64: a game has a state, and after every ``state += GAMMA``,
``mixed(state)`` is 64 random bits. So they depend on the game's own seed and history alone.

References:
    G. L. Steele, D. Lea & C. H. Flood, "Fast splittable pseudorandom number generators",
    *OOPSLA* (2014).
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]
LongWords = npt.NDArray[np.uint64]

ROW = np.uint32(2**27 - 1)
"""Bits of a word that hold the row."""

LOST = np.uint32(1 << 27)  # by the player who moved in self-play, else by the agent
WON = np.uint32(1 << 28)
HIDDEN = np.uint32(1 << 29)  # the action mask is all zeros, although the position leaves a move
TRUNCATED = np.uint32(1 << 30)
TERMINATED = np.uint32(1 << 31)
FORFEIT = np.uint32(TERMINATED | HIDDEN | LOST)
"""Flags after an illegal move."""

RESULT = np.uint32(WON | LOST)

# The next event in a game, in ``Games.due``.
AGENT = np.uint8(0)  # a move of the agent; in self-play, of the player to move
OPPONENT = np.uint8(1)
NEW_GAME = np.uint8(2)
NOBODY = np.uint8(3)  # as a mover: no move is made

NO_LIMIT = 2**31 - 1
"""``Settings.most_moves`` without truncation."""

ILLEGAL = np.uint32(2**32 - 1)
"""Entry of a block's table of moves for an illegal action."""

OPENINGS = 64
"""Most openings, games that the opponent's first move ends, in a row in one call."""

CHUNK = 2**13
"""Games that go through all phases of a step together, few enough for the processor's cache."""

ROWS_AT_ONCE = 128
"""Rows that are written together."""

WORDS_AT_ONCE = 2**12
"""Most words of these rows."""

LONG_ROW = 32
"""Words from which on a row of a graph is copied in the order of memory."""

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
U11, U27, U30, U31, U32, U63 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32, 63))
ZERO, ONE, NO_BITS = np.uint32(0), np.uint32(1), np.uint64(0)


class GraphTables(NamedTuple):
    """A game on one graph. A *range* is the first index in the lower half, the count above it."""

    after: Words  # word after each row and action, and after passing; flags are the mover's
    stride: np.uint32  # number of actions, and 1
    actions: Words  # lists of actions, one after the other
    legal: LongWords  # by row: range of the legal actions
    replies: LongWords  # by row: range of the actions among which the opponent draws
    rows: LongWords  # by row: observation and action mask


BLOCK = np.dtype(
    [
        ("first_action", np.uint32),
        ("actions", np.uint32),  # their number
        ("bits", np.uint32),  # lower bits of a word of the block, which hold the row
        ("after_at", np.uint32),  # start of its entries in each array of SumTables
        ("legal_at", np.uint32),
        ("legal_width", np.uint32),  # entries of a row; 0: all rows share them
        ("rows_at", np.uint32),
        ("column", np.uint32),  # the first word of the observation that the block writes
        ("words", np.uint32),  # their number
        ("mask_column", np.uint32),  # the same of the mask
        ("mask_words", np.uint32),
        ("is_slot", np.uint32),  # 1 for a slot that writes nothing while it is empty
        ("values_at", np.uint32),  # start of its entries in each array of Targets
        ("ranges_at", np.uint32),
        ("targets", np.uint32),
    ]
)
"""Columns of ``SumTables.blocks``."""

SLOTS = np.dtype([("first", np.uint32), ("end", np.uint32), ("seconds_at", np.uint32)])
"""Columns of ``SumTables.slots``."""


class SumTables(NamedTuple):
    """A game on a sum: the tables of its blocks, one after the other; equal ones share them."""

    blocks: npt.NDArray[np.void]  # (blocks,), of BLOCK
    block_of: Words  # (actions,)
    after: Words  # by row and action of a block: its word, or ILLEGAL
    legal: Words  # by row: the legal actions of a block, then the others; the first entry is 0
    slots: npt.NDArray[np.void]  # (groups,), of SLOTS: ranges of blocks that are slots
    seconds: Words  # by row and action of a slot: the word of the second part, or 0
    rows: LongWords  # by row: the words of observation and mask that the block writes
    any_action: np.uint32  # for games without legal ones
    ended: np.uint32  # flags after a last move


class Targets(NamedTuple):
    """Optimal play of a sum: a block's actions by the Grundy value that they leave, its *target*.

    The first two targets are the misère values 0 and 1, the others normal values; no action
    reaches the last one.
    """

    values: Words  # by row: twice the normal value, and 1 more for a firm row in misère play
    ranges: LongWords  # by row and target: range in ``actions``
    actions: Words
    firm: np.uint32  # firm blocks to begin with: 1 in normal play, where none is needed


class Games(NamedTuple):
    """The games in progress, one entry or column each."""

    words: Words
    blocks: Words  # of a sum (chunks, blocks + 1, games of a chunk); the last row holds the number
    # of legal actions; of a graph without rows
    due: Bytes  # AGENT, OPPONENT or NEW_GAME
    seats: npt.NDArray[np.int8]  # in self-play of the player to move, else the agent's
    moves: npt.NDArray[np.int32]  # made so far, by both players
    game_rng: LongWords  # for starts, seats and the opponent
    action_rng: LongWords  # for sampled actions


class Starts(NamedTuple):
    """Start positions: a list to draw from, or one drawn in advance for each game."""

    words: Words  # (starts,) or (games,)
    blocks: Words  # (blocks + 1, starts) or (blocks + 1, games), as in Games
    cumulative: npt.NDArray[np.float64]  # sums of probabilities; empty: all are equal
    used: Bools  # whether each game has begun from the one drawn for it; empty if there is a list


class Settings(NamedTuple):
    """Settings that stay the same from step to step."""

    has_opponent: bool
    replies_in_python: bool  # whether a Python player makes the opponent's moves
    agent_seat: int  # 0 or 1, or -1: drawn for each game
    epsilon: float  # probability of a random move of the compiled opponent; else it is optimal
    most_moves: int  # of both players in one game
    mask_column: int  # first word of the action mask in a row


Results = tuple[npt.NDArray[np.float32], Bools, Bools, npt.NDArray[np.int8]]
"""Rewards, terminations, truncations, and the winning seats or -1, each ``(games,)``."""


def results_of(size: int) -> Results:
    """Return arrays for the results of a step of ``size`` games, not yet written."""
    return (
        np.empty(size, dtype=np.float32),
        np.empty(size, dtype=np.bool_),
        np.empty(size, dtype=np.bool_),
        np.empty(size, dtype=np.int8),
    )


NO_RESULTS = results_of(0)


@compiled
def mixed(bits: Any) -> Any:
    """Return 64 well mixed bits, uint64: the output function of SplitMix64."""
    bits = (bits ^ (bits >> U30)) * MIX_1
    bits = (bits ^ (bits >> U27)) * MIX_2
    return bits ^ (bits >> U31)


@compiled
def below(bits: np.uint64, bound: np.uint32) -> np.uint32:
    """Return an integer from 0 to ``bound - 1``, all equally likely, from random ``bits``."""
    return np.uint32(((bits >> U32) * np.uint64(bound)) >> U32)


@compiled
def fraction(bits: np.uint64) -> float:
    """Return a number in [0, 1) from random ``bits``."""
    return np.float64(bits >> U11) * 2.0**-53


@compiled
def are_within(actions: Integers, least: int, end: int) -> bool:
    """Return whether all actions are within ``least..end - 1``."""
    outside = 0
    for i in range(len(actions)):
        outside += (actions[i] < least) | (actions[i] >= end)
    return outside == 0


@compiled
def play(
    graph: GraphTables | None,
    total: SumTables | None,
    targets: Targets | None,
    starts: Starts,
    games: Games,
    settings: Settings,
    mover: np.uint8,
    actions: Integers,
    begins: bool,
    results: Results,
    rows: LongWords,
) -> int:
    """Run the requested phases of a step, in all games.

    Args:
        graph: tables of a game on one graph, else ``None``.
        total: tables of a game on a sum, else ``None``.
        targets: optimal play of a sum, for an opponent that needs it.
        starts: start positions of new games.
        games: games in progress, changed.
        settings: settings of the environment.
        mover: mover of ``actions``: ``AGENT``, before whose move finished games are marked for
            replacement; ``OPPONENT``, one in Python; or ``NOBODY``.
        actions: ``(games,)``; a negative one, of an opponent in Python, is no legal move.
        begins: whether new games begin where they are due and the compiled opponent replies.
        results: written, unless empty.
        rows: observations and masks ``(games, words)``, written, unless empty.

    Returns:
        Number of games where it is not the agent's turn yet: they wait for an opponent in Python or
        a prepared start, or the opponent's first move ended :data:`OPENINGS` games in a row. If
        there are any, the rows written are out of date.
    """
    waiting = 0
    for chunk in range(len(games.blocks)):
        some, here = chunk_of(games, chunk)
        if mover == AGENT:
            for i in range(len(some.words)):
                some.due[i] = NEW_GAME if some.words[i] > ROW else AGENT
                some.words[i] &= ROW
        if mover != NOBODY:
            move(graph, total, some, settings, mover, actions[here:])
        if begins:
            for _ in range(OPENINGS):
                begin(starts, some, settings, here)
                if settings.replies_in_python or not settings.has_opponent:
                    break
                replies = np.empty(len(some.words), dtype=np.int64)
                reply(graph, total, targets, some, settings.epsilon, replies)
                move(graph, total, some, settings, OPPONENT, replies)
                if number_due(some.due, NEW_GAME) == 0:
                    break
            if settings.has_opponent:
                waiting += len(some.words) - number_due(some.due, AGENT)
        if len(results[0]):
            finish(some, settings, results, here)
        if len(rows):
            show(graph, total, some, settings.mask_column, rows[here:])
    return waiting


@compiled
def chunk_of(games: Games, chunk: int) -> tuple[Games, int]:
    """Return the games of a chunk, with two-dimensional blocks, and the index of the first one."""
    first = chunk * games.blocks.shape[2]
    last = min(first + games.blocks.shape[2], len(games.words))
    some = Games(
        games.words[first:last],
        games.blocks[chunk],
        games.due[first:last],
        games.seats[first:last],
        games.moves[first:last],
        games.game_rng[first:last],
        games.action_rng[first:last],
    )
    return some, first


@compiled
def number_due(due: Bytes, event: np.uint8) -> int:
    """Return the number of games where an event is due."""
    count = 0
    for i in range(len(due)):
        count += due[i] == event
    return count


@compiled
def move(
    graph: GraphTables | None,
    total: SumTables | None,
    games: Games,
    settings: Settings,
    mover: np.uint8,
    actions: Integers,
) -> None:
    """Make the moves where ``mover`` is due: flags of the word, and who is to move next.

    A game that the opponent's first move ended, before any turn of the agent, does not count, and
    a new one is due.
    """
    words, due, moves = games.words, games.due, games.moves
    size = len(words)
    after = np.empty(size, dtype=np.uint32)
    if graph is not None:
        entry = np.empty(size, dtype=np.uint32)
        stride, passing = graph.stride, np.uint32(graph.stride - ONE)
        for i in range(size):
            action = min(np.uint32(actions[i]), passing) if due[i] == mover else passing
            entry[i] = np.uint32(np.uint32(words[i] & ROW) * stride + action)
        for i in range(size):
            after[i] = graph.after[entry[i]]
    if total is not None:
        if len(total.slots) == 0:
            move_in_blocks(total, games, mover, actions, after)
        else:
            move_with_slots(total, games, mover, actions, after)
    if mover == OPPONENT:
        for i in range(size):
            after[i] |= FORFEIT if (due[i] == mover) & (actions[i] < 0) else ZERO
        for i in range(size):  # the agent's result is the opposite one
            swapped = np.uint32((after[i] & LOST) << ONE) | np.uint32((after[i] & WON) >> ONE)
            after[i] = np.uint32(after[i] & ~RESULT) | swapped
    for i in range(size):
        words[i] = after[i] | np.uint32(words[i] & ~ROW)
    for i in range(size):
        moves[i] += np.int32(due[i] == mover)
    if settings.most_moves < NO_LIMIT:
        cut = TRUNCATED | HIDDEN if settings.has_opponent and mover == AGENT else TRUNCATED
        for i in range(size):
            late = (due[i] == mover) & (moves[i] >= settings.most_moves) & (words[i] < TERMINATED)
            words[i] |= cut if late else ZERO
    if not settings.has_opponent:
        for i in range(size):
            games.seats[i] ^= np.int8(due[i] == mover)
    elif mover == AGENT:
        for i in range(size):
            due[i] |= np.uint8(due[i] == AGENT) & np.uint8(words[i] <= ROW)  # to OPPONENT
    else:
        for i in range(size):
            opening = (due[i] == mover) & (moves[i] == 1) & (words[i] > ROW)
            words[i] &= ROW if opening else ILLEGAL
            following = NEW_GAME if opening else AGENT
            due[i] = following if due[i] == mover else due[i]


@compiled
def move_in_blocks(
    total: SumTables, games: Games, mover: np.uint8, actions: Integers, after: Words
) -> None:
    """Move in the blocks of sums, and write how that ends the games: words ``after`` of row 0."""
    size, due, legal = len(after), games.due, games.blocks[-1]
    entry = np.empty(size, dtype=np.uint32)
    moved = np.empty(size, dtype=np.uint32)
    moves = np.empty(size, dtype=np.bool_)
    for i in range(size):
        after[i] = ZERO
    for block in range(len(total.blocks)):
        own, states = total.blocks[block], games.blocks[block]
        first, count, at, bits = own["first_action"], own["actions"], own["after_at"], own["bits"]
        mask = np.uint32((ONE << bits) - ONE)
        for i in range(size):
            # An action of an earlier block wraps around to a large number.
            option = np.uint32(np.uint32(actions[i]) - first)
            moves[i] = (due[i] == mover) & (option < count)
            index = np.uint32(at + np.uint32(states[i] & mask) * count + option)
            entry[i] = index if moves[i] else at
        for i in range(size):
            moved[i] = total.after[entry[i]]
        for i in range(size):
            before, is_legal = states[i], moved[i] != ILLEGAL
            states[i] = moved[i] if moves[i] & is_legal else before
            legal[i] += np.uint32((states[i] >> bits) - (before >> bits))
            after[i] |= FORFEIT if moves[i] & (not is_legal) else ZERO
    for i in range(size):
        after[i] |= total.ended if (due[i] == mover) & (legal[i] == ZERO) else ZERO


@compiled
def move_with_slots(
    total: SumTables, games: Games, mover: np.uint8, actions: Integers, after: Words
) -> None:
    """Do the same, game by game, where moves split.

    The second part that a move leaves goes into the first empty slot.
    """
    blocks, states, counts = total.blocks, games.blocks, games.blocks[-1]
    for i in range(len(after)):
        after[i] = ZERO
        action = np.uint32(actions[i])
        if games.due[i] != mover or action >= len(total.block_of):
            continue
        block = total.block_of[action]
        bits = blocks[block]["bits"]
        before = states[block, i]
        row = np.uint32(before & np.uint32((ONE << bits) - ONE))
        option = np.uint32(action - blocks[block]["first_action"])
        index = np.uint32(row * blocks[block]["actions"] + option)
        moved = total.after[np.uint32(blocks[block]["after_at"] + index)]
        if moved == ILLEGAL:
            after[i] = FORFEIT
            continue
        legal = np.uint32(counts[i] - (before >> bits) + (moved >> bits))
        for group in range(len(total.slots)):
            first = total.slots[group]["first"]
            if first <= block < total.slots[group]["end"]:
                second = total.seconds[np.uint32(total.slots[group]["seconds_at"] + index)]
                if second != ZERO:
                    slot = first
                    while states[slot, i] != ZERO:
                        slot = np.uint32(slot + ONE)
                    states[slot, i] = second
                    legal = np.uint32(legal + (second >> bits))
        states[block, i] = moved
        counts[i] = legal
        after[i] = total.ended if legal == ZERO else ZERO


@compiled
def begin(starts: Starts, games: Games, settings: Settings, here: int) -> None:
    """Begin the new games that are due, unless the start that is prepared is used already.

    The first game has the prepared start ``here``.
    """
    words, due, seats, rng = games.words, games.due, games.seats, games.game_rng
    size, count = len(words), len(starts.words)
    is_fixed = count == 1 and len(starts.used) == 0 and settings.agent_seat >= 0
    new = np.empty(size, dtype=np.uint8)
    which = np.empty(size, dtype=np.uint32)  # the games that begin at a drawn start or seat
    for i in range(size):
        new[i] = due[i] == NEW_GAME
    if is_fixed:  # without a branch for each game
        start, fixed_seat = starts.words[0], np.int8(settings.agent_seat)
        for i in range(size):
            words[i] = start if new[i] else words[i]
        for i in range(size):
            seats[i] = fixed_seat if new[i] else seats[i]
        for block in range(len(games.blocks)):
            states, state = games.blocks[block], starts.blocks[block, 0]
            for i in range(size):
                states[i] = state if new[i] else states[i]
    length = 0
    for i in range(0 if is_fixed else size):
        which[length] = i
        length += new[i]
    for j in range(length):
        i, column, seat = int(which[j]), 0, settings.agent_seat
        if len(starts.used):
            column = here + i
            if starts.used[column]:
                new[i] = 0
                continue
            starts.used[column] = True
        elif count > 1:
            rng[i] += GAMMA
            uniform = fraction(mixed(rng[i]))
            column = int(uniform * count)
            if len(starts.cumulative):
                # The first sum above it; rounding may leave the last one slightly below 1.
                above = np.searchsorted(starts.cumulative, uniform, side="right")
                column = min(int(above), count - 1)
        if seat < 0:
            rng[i] += GAMMA
            seat = int(mixed(rng[i]) >> U63)
        words[i] = starts.words[column]
        for block in range(len(games.blocks)):
            games.blocks[block, i] = starts.blocks[block, column]
        seats[i] = seat
    for i in range(size):
        games.moves[i] = np.int32(0) if new[i] else games.moves[i]
    for i in range(size):
        first = np.uint8(seats[i]) & np.uint8(settings.has_opponent)  # OPPONENT or AGENT
        due[i] = first if new[i] else due[i]


@compiled
def sample(
    graph: GraphTables | None, total: SumTables | None, games: Games, actions: Integers
) -> None:
    """Write a legal action for every game, all equally likely; any action where none is legal."""
    for chunk in range(len(games.blocks)):
        some, here = chunk_of(games, chunk)
        rng = some.action_rng
        for i in range(len(rng)):
            rng[i] += GAMMA
        if graph is not None:
            ranges = np.empty(len(rng), dtype=np.uint64)
            for i in range(len(rng)):
                ranges[i] = graph.legal[np.uint32(some.words[i] & ROW)]
            draw_in_ranges(graph, ranges, rng, actions[here:])
        if total is not None:
            draw_legal(total, some, rng, actions[here:])


@compiled
def draw_in_ranges(
    graph: GraphTables, ranges: LongWords, rng: LongWords, actions: Integers
) -> None:
    """Write an action for every game, drawn from its range of the lists."""
    index = np.empty(len(rng), dtype=np.uint32)
    for i in range(len(rng)):
        chosen = below(mixed(rng[i]), np.uint32(ranges[i] >> U32))
        index[i] = np.uint32(np.uint32(ranges[i]) + chosen)
    for i in range(len(rng)):
        actions[i] = np.int64(graph.actions[index[i]])


@compiled
def draw_legal(total: SumTables, games: Games, rng: LongWords, actions: Integers) -> None:
    """Write a legal action for every game on a sum; any where none is legal."""
    size, counts = len(rng), games.blocks[-1]
    remainder = np.empty(size, dtype=np.uint32)
    index = np.empty(size, dtype=np.uint32)
    first = np.empty(size, dtype=np.uint32)
    for i in range(size):
        remainder[i] = below(mixed(rng[i]), counts[i])
        index[i] = ZERO
        first[i] = total.any_action if counts[i] == ZERO else ZERO
    for block in range(len(total.blocks)):
        states, own = games.blocks[block], total.blocks[block]
        bits, at, width = own["bits"], own["legal_at"], own["legal_width"]
        mask, first_action = np.uint32((ONE << bits) - ONE), own["first_action"]
        for i in range(size):
            # Once the block is found, the remainder wraps around to a large number.
            count = np.uint32(states[i] >> bits)
            here = np.uint32(remainder[i] < count)
            index[i] += here * np.uint32(at + width * (states[i] & mask) + remainder[i])
            first[i] += here * first_action
            remainder[i] -= count
    for i in range(size):
        actions[i] = np.int64(np.uint32(total.legal[index[i]] + first[i]))


@compiled
def reply(
    graph: GraphTables | None,
    total: SumTables | None,
    targets: Targets | None,
    games: Games,
    epsilon: float,
    actions: Integers,
) -> None:
    """Write the actions of the compiled opponent; where it is not due, any.

    Only where it is due, the game's own generator advances: so its random numbers do not depend on
    how often this is called.
    """
    rng, due = games.game_rng, games.due
    size, mixes = len(rng), 0.0 < epsilon < 1.0
    drawn = np.empty(size, dtype=np.uint64)
    is_random = np.empty(size, dtype=np.bool_)
    is_random[:] = epsilon > 0.0
    for i in range(size):
        drawn[i] = rng[i] + GAMMA
        rng[i] = drawn[i] if due[i] == OPPONENT else rng[i]
    if mixes:
        for i in range(size):
            later = rng[i] + GAMMA
            is_random[i] = fraction(mixed(later)) < epsilon
            rng[i] = later if due[i] == OPPONENT else rng[i]
    if graph is not None:
        ranges = np.empty(size, dtype=np.uint64)
        for i in range(size):
            ranges[i] = graph.replies[np.uint32(games.words[i] & ROW)]
        if mixes:
            for i in range(size):
                row = np.uint32(games.words[i] & ROW)
                ranges[i] = graph.legal[row] if is_random[i] else ranges[i]
        draw_in_ranges(graph, ranges, drawn, actions)
    if total is not None:
        draw_legal(total, games, drawn, actions)
        if targets is not None:
            draw_optimal(total, targets, games, drawn, is_random, actions)


@compiled
def draw_optimal(
    total: SumTables,
    targets: Targets,
    games: Games,
    drawn: LongWords,
    is_random: Bools,
    actions: Integers,
) -> None:
    """Replace random legal actions by winning ones, where there are any.

    A move of one block wins if it leaves the sum a P-position. In normal play, and while another
    block is firm, it leaves the normal value ``rest``, the nim-sum of the other blocks; else the
    misère value ``rest``, which is then 0 or 1. See :func:`nim_envs.theorems.tame_misere`.
    """
    size, blocks = len(drawn), total.blocks
    nim_sum = np.empty(size, dtype=np.uint32)
    firm = np.empty(size, dtype=np.uint32)
    count = np.empty(size, dtype=np.uint32)
    ranges = np.empty((len(blocks), size), dtype=np.uint64)
    for i in range(size):
        nim_sum[i], firm[i], count[i] = ZERO, targets.firm, ZERO
    for block in range(len(blocks)):
        states, at = games.blocks[block], blocks[block]["values_at"]
        mask = np.uint32((ONE << blocks[block]["bits"]) - ONE)
        for i in range(size):
            value = targets.values[np.uint32(at + (states[i] & mask))]
            nim_sum[i] ^= value >> ONE
            firm[i] += value & ONE
    for block in range(len(blocks)):
        states, here = games.blocks[block], ranges[block]
        at, begins = blocks[block]["values_at"], blocks[block]["ranges_at"]
        width, mask = blocks[block]["targets"], np.uint32((ONE << blocks[block]["bits"]) - ONE)
        for i in range(size):
            row = np.uint32(states[i] & mask)
            value = targets.values[np.uint32(at + row)]
            rest = np.uint32(nim_sum[i] ^ (value >> ONE))
            others_firm = firm[i] != (value & ONE)
            target = min(np.uint32(rest + np.uint32(2)), np.uint32(width - ONE))
            target = target if others_firm else rest
            here[i] = targets.ranges[np.uint32(begins + width * row + target)]
            count[i] += np.uint32(here[i] >> U32)
    index = np.empty(size, dtype=np.uint32)
    first = np.empty(size, dtype=np.uint32)
    for i in range(size):
        is_random[i] |= count[i] == ZERO
        count[i] = below(mixed(drawn[i]), count[i])
        index[i] = ZERO
        first[i] = ZERO
    for block in range(len(blocks)):
        here, first_action = ranges[block], blocks[block]["first_action"]
        for i in range(size):  # as in draw_legal
            own = np.uint32(here[i] >> U32)
            found = np.uint32(count[i] < own)
            index[i] += found * np.uint32(np.uint32(here[i]) + count[i])
            first[i] += found * first_action
            count[i] -= own
    for i in range(size):
        action = np.int64(np.uint32(targets.actions[index[i]] + first[i]))
        actions[i] = actions[i] if is_random[i] else action


@compiled
def finish(games: Games, settings: Settings, results: Results, here: int) -> None:
    """Write rewards, terminations, truncations and winners, from the index ``here`` on."""
    rewards, terminations = results[0][here:], results[1][here:]
    truncations, winners = results[2][here:], results[3][here:]
    words, seats = games.words, games.seats
    for i in range(len(words)):
        won = np.int32(np.uint32(words[i] & WON) != ZERO)
        rewards[i] = np.float32(won - np.int32(np.uint32(words[i] & LOST) != ZERO))
    for i in range(len(words)):
        terminations[i] = words[i] >= TERMINATED
        truncations[i] = np.uint32(words[i] & TRUNCATED) != ZERO
    # In self-play the seat is already that of the next player.
    turned = np.uint8(not settings.has_opponent)
    for i in range(len(words)):
        lost = np.uint8(np.uint32(words[i] & LOST) != ZERO)
        goes_on = np.uint8(np.uint32(words[i] & RESULT) == ZERO)
        # All bits set, which is -1, where nobody has won.
        seat = np.uint8(np.uint8(seats[i]) ^ turned ^ lost)
        winners[i] = np.int8(seat | np.uint8(np.uint8(0) - goes_on))


@compiled
def show(
    graph: GraphTables | None,
    total: SumTables | None,
    games: Games,
    mask_column: int,
    rows: LongWords,
) -> None:
    """Write the observation and the action mask of every game of a chunk, one row each."""
    width = rows.shape[1]
    step = max(1, min(ROWS_AT_ONCE, WORDS_AT_ONCE // max(1, width)))
    for begins in range(0, len(games.words), step):
        words, here = games.words[begins : begins + step], rows[begins:]
        if graph is not None:
            show_graph(graph, words, here)
        if total is not None:
            show_sum(total, games.blocks, begins, len(words), here)
        flags = ZERO
        for i in range(len(words)):
            flags |= words[i]
        if flags & HIDDEN:
            for i in range(len(words)):
                if words[i] & HIDDEN:
                    here[i, mask_column:] = NO_BITS


@compiled
def show_graph(graph: GraphTables, words: Words, rows: LongWords) -> None:
    """Write the rows of some games on a graph: word by word, or row by row if they are long."""
    width = rows.shape[1]
    if width < LONG_ROW:
        for column in range(width):
            for i in range(len(words)):
                at = np.uint64(words[i] & ROW) * np.uint64(width)
                rows[i, column] = graph.rows[at + np.uint64(column)]
    else:
        for i in range(len(words)):
            at = np.uint64(words[i] & ROW) * np.uint64(width)
            for column in range(width):
                rows[i, column] = graph.rows[at + np.uint64(column)]


@compiled
def show_sum(total: SumTables, blocks: Words, begins: int, size: int, rows: LongWords) -> None:
    """Write the rows of some games on a sum: zeros first, then the words of each block."""
    for i in range(size):
        for column in range(rows.shape[1]):
            rows[i, column] = NO_BITS
    which = np.arange(size).astype(np.uint32)
    for block in range(len(total.blocks)):
        own, states = total.blocks[block], blocks[block, begins : begins + size]
        mask, words = np.uint32((ONE << own["bits"]) - ONE), own["words"] + own["mask_words"]
        length = size
        if own["is_slot"]:
            length = 0
            for i in range(size):
                which[length] = i
                length += states[i] != ZERO
        for word in range(words):
            place = own["column"] + word
            if word >= own["words"]:
                place = own["mask_column"] + (word - own["words"])
            at = np.uint32(own["rows_at"] + np.uint32(word))
            if own["is_slot"]:
                for j in range(length):
                    i = which[j]
                    rows[i, place] |= total.rows[np.uint32(at + words * (states[i] & mask))]
            else:
                for i in range(size):
                    rows[i, place] |= total.rows[np.uint32(at + words * (states[i] & mask))]
