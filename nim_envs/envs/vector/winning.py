"""Tables of winning actions, for an opponent that plays optimally."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nim_envs.caches import SharedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.vector.grouping import LARGEST_SLOT_ENTRIES, Grouping
from nim_envs.envs.vector.tables import (
    ENTRY_BYTES,
    ILLEGAL_ACTION,
    WORD_BYTES,
    ColumnArray,
    GameTables,
    check_tables,
    chunks,
    game_tables,
)
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.component import Component
from nim_envs.rules.convention import Convention
from nim_envs.theory.solution import Solution, SumSolution
from nim_envs.typing import BoolArray, IntArray, UInt32Array, ValueArray, WordArray

MISERE_TARGETS = 2
"""Number of targets before those for normal values: the misère values 0 and 1."""

ROW = np.dtype(
    [
        ("first_action", np.uint32),
        ("targets_at", np.uint32),  # the start of its entries in Winning.ranges
        ("targets", np.uint32),  # their number for each state; no action reaches the last target
    ]
)
"""Columns of :attr:`Winning.rows`."""


class Winning(NamedTuple):
    """The winning actions as arrays.

    In a sum that a theorem solves, each group has a row. Its winning actions are those that move
    to a *target*, a value that follows from the other groups; they are listed by state and target.
    In a game that only a search of all positions solves, there is one row, for the whole position.
    """

    rows: ColumnArray  # (rows,), of ROW
    # By row, state and target: the start of the actions in ``actions`` in the lower half, their
    # count in the upper half.
    ranges: WordArray
    actions: UInt32Array
    # By group and state: twice the nim-sum of the components' values, and 1 more in misère play
    # where one of the components is firm.
    values: UInt32Array
    # Number of firm components besides the groups: one in normal play, where every component may
    # count as firm.
    firm: np.uint32
    # (groups,): strides of the groups' states in a position's index; empty with a theorem.
    strides: WordArray


NO_WINNING_ACTIONS = Winning(
    rows=np.zeros(0, dtype=ROW),
    ranges=np.zeros(0, dtype=np.uint64),
    actions=np.zeros(0, dtype=np.uint32),
    values=np.zeros(0, dtype=np.uint32),
    firm=np.uint32(0),
    strides=np.zeros(0, dtype=np.uint64),
)
"""No winning actions, for games without an optimal opponent."""


class OptimalPlay:
    """Tables of optimal play that batches of equal games share.

    Args:
        game: the game, which is solved.
        encoding: encoding of observations.

    Attributes:
        tables: groups and packed states of the game.
        winning: winning actions as arrays.

    Raises:
        SearchTooLargeError: the tables would be too large, or the game cannot be solved.
    """

    def __init__(self, game: Game, encoding: Encoding) -> None:
        solution = _solution(game)
        if isinstance(solution, SumSolution):
            self.tables = game_tables(game.rules, encoding)
            self.winning = winning_by_values(solution, self.tables)
        else:
            self.tables = game_tables(game.rules, encoding, LARGEST_SLOT_ENTRIES)
            self.winning = winning_by_search(solution, self.tables)


_plays_in_use: SharedCache[tuple[Any, ...], OptimalPlay] = SharedCache()
"""The tables in use, by game."""


def optimal_play(game: Game, encoding: Encoding) -> OptimalPlay:
    """Return the tables for an optimal opponent: those in use if there are any, else new ones.

    Arguments and errors: :class:`OptimalPlay`.
    """
    key = (game.rules.components, game.convention, encoding.name, encoding.space.dtype)
    return _plays_in_use.get_or_create(key, lambda: OptimalPlay(game, encoding))


def _solution(game: Game) -> Solution:
    """Return the solution of ``game``; the error says how large the search would be."""
    try:
        return game.old_solution
    except SearchTooLargeError as error:
        size = game.rules.num_positions * (WORD_BYTES + 1)
        raise SearchTooLargeError(
            f"an optimal opponent needs to know who wins at every position: {error} (a table of "
            f"all of them would take {size} bytes)"
        ) from None


def winning_by_values(solution: SumSolution, tables: GameTables) -> Winning:
    """Return the winning actions of a game solved by the values of its components.

    A move of one group wins if it leaves the sum a P-position. In normal play, and while another
    group is firm, that is a move to the normal value ``rest``, the nim-sum of the other groups;
    else to the misère value ``rest``, which is then 0 or 1. See
    :func:`nim_envs.theory.tame_misere`.

    Args:
        solution: solution of the game.
        tables: tables of the game.

    Raises:
        SearchTooLargeError: the tables would be too large.
    """
    grouping, arrays = tables.grouping, tables.arrays
    misere = solution.convention is Convention.MISERE
    values = np.zeros(len(arrays.packed), dtype=np.uint32)
    place_of: dict[tuple[Component, ...], tuple[int, int]] = {}
    ranges: list[WordArray] = []
    actions: list[UInt32Array] = [np.zeros(1, dtype=np.uint32)]
    rows = np.empty(len(grouping.members), dtype=ROW)
    targets_at, actions_at = 0, 1
    for index, group in enumerate(grouping.members):
        kind = grouping.components(group)
        if kind not in place_of:
            normal, firm = _group_values(solution, grouping, index)
            at = int(arrays.groups["states_at"][index])
            values[at : at + len(normal)] = (normal << 1) | firm
            most = int(normal.max())
            if any(index in slots for slots in grouping.slots):
                most = (1 << most.bit_length()) - 1  # nim-sums of two values
            targets = MISERE_TARGETS + most + 2
            place_of[kind] = targets_at, targets
            targets_at += len(normal) * targets
            check_tables(grouping.rules, "the tables of winning actions", targets_at * WORD_BYTES)
            for moves in _moves(tables, index):
                state, action, target = _with_targets(moves, normal, firm, misere)
                key = state * targets + target
                ranges.append(_ranges(key, moves.states * targets) + np.uint64(actions_at))
                actions.append(action[np.argsort(key, kind="stable")].astype(np.uint32))
                actions_at += len(action)
                needed = targets_at * WORD_BYTES + actions_at * ENTRY_BYTES
                check_tables(grouping.rules, "the tables of winning actions", needed)
        rows[index] = (arrays.groups["first_action"][index], *place_of[kind])
    return NO_WINNING_ACTIONS._replace(
        rows=rows,
        ranges=np.concatenate(ranges),
        actions=np.concatenate(actions),
        values=values,
        firm=np.uint32(0 if misere else 1),
    )


def _group_values(
    solution: SumSolution, grouping: Grouping, index: int
) -> tuple[IntArray, BoolArray]:
    """Nim-sum of the components' values in each state of a group, and where one is firm."""
    group = grouping.members[index]
    states = grouping.member_states(group, np.arange(grouping.sizes[index]))
    normal = np.zeros(len(states), dtype=np.int64)
    firm = np.zeros(len(states), dtype=np.bool_)
    for member, component in enumerate(group):
        values = solution.component_values[component]
        own = values.normal(states[:, member])
        normal ^= own
        if solution.convention is Convention.MISERE:
            firm |= own == values.misere(states[:, member])
    return normal, firm


class _Moves(NamedTuple):
    """The legal moves from some neighbouring states of a group, one entry each."""

    states: int  # number of these states
    state: IntArray  # counted from the first of them
    action: IntArray
    first: UInt32Array  # the state that the group is left in
    # In a slot: the second part, put into the empty slot; 0 for none.
    second: UInt32Array | None


def _successors(tables: GameTables, index: int) -> tuple[UInt32Array, np.uint32]:
    """Return a group's packed next states, ``(states, actions)``, and the mask of their states."""
    group = tables.arrays.groups[index]
    at, shape = int(group["successors_at"]), (tables.grouping.sizes[index], int(group["actions"]))
    successors = tables.arrays.successors[at : at + math.prod(shape)].reshape(shape)
    return successors, np.uint32((1 << int(group["state_bits"])) - 1)


def _moves(tables: GameTables, index: int) -> Iterator[_Moves]:
    """Yield the moves of a group, some states at a time."""
    grouping, arrays = tables.grouping, tables.arrays
    successors, mask = _successors(tables, index)
    states, actions = successors.shape
    seconds = None
    for row, slots in enumerate(grouping.slots):
        if index in slots:
            at = int(arrays.slots["seconds_at"][row])
            seconds = arrays.seconds[at : at + states * actions].reshape(states, actions)
    for first, last in chunks(states, actions):
        here = successors[first:last]
        state, action = np.nonzero(here != ILLEGAL_ACTION)
        second = None if seconds is None else seconds[first + state, action] & mask
        yield _Moves(len(here), state, action, here[state, action] & mask, second)


def _with_targets(
    moves: _Moves, normal: IntArray, firm: BoolArray, misere: bool
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the state, the action and the target of every move, one entry for each target.

    A move has one target for the normal value that it leaves, and in misère play another if the
    misère value that it leaves is 0 or 1.

    Args:
        moves: moves of one group.
        normal: normal values of the group's states.
        firm: whether each state is firm.
        misere: whether it is misère play.
    """
    left, left_firm = normal[moves.first], firm[moves.first]
    if moves.second is not None:
        left, left_firm = left ^ normal[moves.second], left_firm | firm[moves.second]
    state, action, target = moves.state, moves.action, MISERE_TARGETS + left
    if misere:
        # The two values of a firm state are equal; those of a fickle one are 0 and 1, or 1 and 0.
        other = np.where(left_firm, left, left ^ 1)
        more = np.flatnonzero(other < MISERE_TARGETS)
        state, action = np.append(state, state[more]), np.append(action, action[more])
        target = np.append(target, other[more])
    return state, action, target


def _ranges(keys: IntArray, count: int) -> WordArray:
    """Return the start and the count in sorted ``keys`` of each key below ``count``.

    The start is in the lower half of each entry, the count in the upper half.
    """
    counts = np.bincount(keys, minlength=count).astype(np.uint64)
    starts: WordArray = np.cumsum(counts, dtype=np.uint64) - counts
    return starts | (counts << np.uint64(32))


def winning_by_search(solution: Solution, tables: GameTables) -> Winning:
    """Return the winning actions of a game solved by search, by the index of the position.

    At drawn positions they are those that keep the draw.

    Args:
        solution: solution of the game.
        tables: tables of the game.

    Raises:
        SearchTooLargeError: the tables would be too large.
    """
    grouping, rules = tables.grouping, tables.grouping.rules
    count = grouping.num_positions
    check_tables(rules, "the table of who wins at each position", count * (WORD_BYTES + 1))
    values = np.full(count, -1, dtype=np.int8)  # -1 also where there is no position
    for states, indices in _states_and_indices(grouping, 1):
        positions = grouping.positions(states)
        exists = rules.is_position(positions)
        values[indices[exists]] = solution.value(positions[exists])
    ranges = np.empty(count, dtype=np.uint64)
    actions: list[UInt32Array] = [np.zeros(1, dtype=np.uint32)]
    length = 1
    for states, indices in _states_and_indices(grouping, rules.num_actions):
        keeping = np.concatenate(
            [_keeping(values, tables, index, indices, own) for index, own in enumerate(states)],
            axis=1,
        )
        position, action = np.nonzero(keeping)
        ranges[indices] = _ranges(position, len(indices)) + np.uint64(length)
        actions.append(action.astype(np.uint32))
        length += len(action)
        needed = count * (WORD_BYTES + 1) + length * ENTRY_BYTES
        check_tables(rules, "the table of winning actions at each position", needed)
    return NO_WINNING_ACTIONS._replace(
        rows=np.zeros(1, dtype=ROW),
        ranges=ranges,
        actions=np.concatenate(actions),
        strides=grouping.strides.astype(np.uint64),
    )


def _states_and_indices(grouping: Grouping, actions: int) -> Iterator[tuple[UInt32Array, IntArray]]:
    """Yield the groups' states ``(groups, n)`` and the indices ``(n,)`` of all positions."""
    for first, last in chunks(grouping.num_positions, actions):
        indices = np.arange(first, last)
        yield np.stack(np.unravel_index(indices, grouping.sizes)).astype(np.uint32), indices


def _keeping(
    values: ValueArray, tables: GameTables, index: int, indices: IntArray, states: UInt32Array
) -> BoolArray:
    """Return which actions of a group keep a win or a draw at positions, ``(n, actions)``."""
    successors, mask = _successors(tables, index)
    after = successors[states]
    stride = int(tables.grouping.strides[index])
    change = (after & mask).astype(np.int64) - states[:, np.newaxis]
    legal = after != ILLEGAL_ACTION
    indices_after = np.where(legal, indices[:, np.newaxis] + change * stride, 0)
    here = values[indices][:, np.newaxis]
    return np.asarray(legal & (here >= 0) & (values[indices_after] == -here))
