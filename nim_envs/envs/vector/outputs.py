"""Results and observations of the games of a batch, and the memory of observations."""

from __future__ import annotations

import weakref

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.envs.vector.games import (
    BY_OPPONENT,
    FORFEIT,
    LAST_MOVE,
    ONGOING,
    TRUNCATED,
    UNANSWERED,
    FlagArray,
    Games,
    Results,
    Settings,
)
from nim_envs.envs.vector.moves import ZERO, state_mask
from nim_envs.envs.vector.tables import WORD_BYTES, Tables
from nim_envs.typing import UInt32Array, ValueArray, WordArray

SMALL_BOARDS_BLOCK = 128
"""Games on small boards whose observations are written together, word by word."""

LARGE_BOARDS_BLOCK_WORDS = 1 << 12
"""Words of the rows of games on large boards that are written together: they stay in the first
level of the processor's cache."""

REUSED_BYTES = 1 << 25
"""Bytes of an array from which on its memory is used again. The C library gives pieces of this size
back to the operating system, which fills them with zeros before it gives them out anew: that takes
longer than writing observations to them."""

MOST_FREE_PIECES = 2

NO_BITS = np.uint64(0)


class RowMemory:
    """New arrays of rows, in the memory of earlier ones that nothing refers to any more.

    Args:
        games: number of rows of an array.
        words: 64-bit words of a row.
    """

    def __init__(self, games: int, words: int) -> None:
        self._shape = games, words
        self._small = games * words * WORD_BYTES < REUSED_BYTES
        self._free: list[memoryview] = []

    def new_rows(self) -> WordArray:
        """Return an array uint64 ``(games, words)`` with any contents."""
        if self._small:
            return np.empty(self._shape, dtype=np.uint64)
        games, words = self._shape
        memory = self._free.pop() if self._free else np.empty(games * words, dtype=np.uint64).data
        # NumPy lets a view of a view refer to the first array. That is this one, as its memory is
        # given as a memoryview and not as an array: so it lives as long as any of its views.
        owner = np.frombuffer(memory, dtype=np.uint64)
        weakref.finalize(owner, _give_back, self._free, memory).atexit = False
        return owner.reshape(self._shape)


def _give_back(free: list[memoryview], memory: memoryview) -> None:
    """Add ``memory`` to ``free``, unless enough is free already."""
    if len(free) < MOST_FREE_PIECES:
        free.append(memory)


@compiled(inner=True)
def write_results(
    games: Games, settings: Settings, results: Results, first: int, last: int
) -> None:
    """Write the rewards of the players who moved, terminations, truncations and winners."""
    rewards, terminations, truncations, winners = results
    last_movers_reward = settings.last_movers_reward
    outcome, reward = games.outcomes[first:last], rewards[first:last]
    terminated, truncated = terminations[first:last], truncations[first:last]
    for i in range(last - first):
        movers = last_movers_reward if outcome[i] & LAST_MOVE else np.float32(0)
        movers = np.float32(-1) if outcome[i] & FORFEIT else movers
        reward[i] = np.float32(0) - movers if outcome[i] & BY_OPPONENT else movers
    for i in range(last - first):
        terminated[i] = (outcome[i] & (LAST_MOVE | FORFEIT)) != 0
        truncated[i] = (outcome[i] & (LAST_MOVE | FORFEIT | TRUNCATED)) == TRUNCATED
    seat, winner = games.seats[first:last], winners[first:last]
    # Small integers alone: a vector register holds four times as many of them as of floats.
    # In self-play the seat is that of the next mover, the other one than made the move.
    turned = np.uint8(not settings.has_opponent)
    last_mover_loses = LAST_MOVE if last_movers_reward < np.float32(0) else ONGOING
    for i in range(last - first):
        lost = np.uint8((outcome[i] & (last_mover_loses | FORFEIT)) != 0)
        by_opponent = np.uint8((outcome[i] & BY_OPPONENT) != 0)
        goes_on = np.uint8((outcome[i] & (LAST_MOVE | FORFEIT)) == 0)
        winning_seat = np.uint8(np.uint8(seat[i]) ^ turned ^ lost ^ by_opponent)
        # All bits set, which is -1, while the game goes on.
        winner[i] = np.int8(winning_seat | np.uint8(np.uint8(0) - goes_on))


@compiled
def write_outcomes(
    tables: Tables, games: Games, settings: Settings, end_values: ValueArray, results: Results
) -> None:
    """Write rewards and winners of games that end by an outcome of their own, after the others.

    A function of its own, so that games that the last move decides are stepped as fast without.

    Args:
        tables: rules of the games, with one group.
        games: games in progress, those that have ended at their last position.
        settings: settings of the environment.
        end_values: values of positions without moves to the player to move there, int8, by state.
        results: written where a game has ended without a forfeit.
    """
    rewards, _, _, winners = results
    mask, turned = state_mask(tables.groups[0]["state_bits"]), not settings.has_opponent
    for i in range(len(rewards)):
        outcome = games.outcomes[i]
        if (outcome & (LAST_MOVE | FORFEIT)) == LAST_MOVE:
            value = np.int64(end_values[games.states[0, i] & mask])
            # As integers, so that the reward of a draw is 0 and not -0.
            reward = value if outcome & BY_OPPONENT else -value
            seat = np.int64(games.seats[i]) ^ np.int64(turned)
            rewards[i] = np.float32(reward)
            winners[i] = -1 if reward == 0 else seat ^ np.int64(reward < 0)


@compiled
def write_observations(
    tables: Tables,
    states: UInt32Array,
    outcomes: FlagArray,
    rows: WordArray,
    first: int,
    last: int,
) -> None:
    """Write the observations and action masks, one row for each game.

    The mask is all zeros where a game has terminated, or was truncated with the opponent to move.

    Args:
        tables: the rules as arrays.
        states: packed states of the groups, ``(groups, games)``.
        outcomes: ``(games,)``.
        rows: ``(games, words)``, written.
        first: index of the first game.
        last: index after the last game.
    """
    if tables.is_large:
        write_large_boards(tables, states, rows, first, last)
    else:
        write_small_boards(tables, states, rows, first, last)
    for here in range(first, last, SMALL_BOARDS_BLOCK):
        end = min(here + SMALL_BOARDS_BLOCK, last)
        outcome, row = outcomes[here:end], rows[here:end]
        ends = ONGOING
        for i in range(len(row)):
            ends |= outcome[i]
        # After a last move the mask is all zeros anyway.
        if ends & (FORFEIT | UNANSWERED):
            for i in range(len(row)):
                if outcome[i] & (FORFEIT | UNANSWERED):
                    for column in range(tables.mask_column, rows.shape[1]):
                        row[i, column] = NO_BITS


# Inlined: as a call it makes large boards a tenth slower.
@compiled(inline=True)
def write_group(tables: Tables, group: int, packed: UInt32Array, rows: WordArray) -> None:
    """Write the words of a group to the rows of a block of games, each word for all of them."""
    words, count = tables.words, tables.groups[group]["words"]
    mask = state_mask(tables.groups[group]["state_bits"])
    for word in range(count):
        at = tables.groups[group]["words_at"] + np.uint32(word)
        column = tables.columns[group, word]["column"]
        if tables.columns[group, word]["shared"]:
            for i in range(len(packed)):
                rows[i, column] |= words[np.uint32(at + count * (packed[i] & mask))]
        else:
            for i in range(len(packed)):
                rows[i, column] = words[np.uint32(at + count * (packed[i] & mask))]


@compiled(inner=True)
def write_small_boards(
    tables: Tables, states: UInt32Array, rows: WordArray, first: int, last: int
) -> None:
    """Write the rows of games, each word of a row for a block of games."""
    for here in range(first, last, SMALL_BOARDS_BLOCK):
        end = min(here + SMALL_BOARDS_BLOCK, last)
        for group in range(len(states)):
            write_group(tables, group, states[group, here:end], rows[here:end])


@compiled(inner=True)
def write_large_boards(
    tables: Tables, states: UInt32Array, rows: WordArray, first: int, last: int
) -> None:
    """Write the rows of games on large boards.

    As for small boards, but rows are first filled with zeros, which fetches them into the cache in
    the order of memory; and of slots, most of which are empty, only the others are written.
    """
    groups, words = tables.groups, tables.words
    block = max(1, LARGE_BOARDS_BLOCK_WORDS // rows.shape[1])
    filled = np.empty(block, dtype=np.uint32)
    for here in range(first, last, block):
        end = min(here + block, last)
        size, row = end - here, rows[here:end]
        all_words = row.reshape(-1)
        for i in range(len(all_words)):
            all_words[i] = NO_BITS
        for group in range(len(states)):
            count = groups[group]["words"]
            packed, mask = states[group, here:end], state_mask(groups[group]["state_bits"])
            if groups[group]["zeros_if_empty"]:
                length = 0
                for i in range(size):
                    filled[length] = i
                    length += packed[i] != ZERO
                for j in range(length):
                    i = int(filled[j])
                    at = np.uint32(groups[group]["words_at"] + count * (packed[i] & mask))
                    for word in range(count):
                        column = tables.columns[group, word]["column"]
                        row[i, column] |= words[np.uint32(at + np.uint32(word))]
            else:
                write_group(tables, group, packed, row)
