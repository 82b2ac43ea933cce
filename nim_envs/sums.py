"""Sums: parts side by side, of which a move changes one; never listed unless asked for."""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

from nim_envs.caches import SharedCache
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.graph import LARGEST_TABLE, Graph, Part, check_table
from nim_envs.index import Index
from nim_envs.typing import Array, BoolArray, Int32Array, IntArray, MaskArray, Position

LARGEST_FLAT = 2**22
"""Most entries of the table of moves of a sum that is flattened for an environment."""

PartStates = tuple[int, ...]
"""State of a sum: the state of each part."""


class Sum:
    """A disjunctive sum of parts; action ``part * options + option`` moves in one of them.

    A position is the coordinates of all parts, one after the other. Its state is the states of the
    parts: a tuple of integers, or in arrays the last axis. Methods are those of
    :class:`nim_envs.graph.Graph`.

    Neighbours that are the same part, and split, are the *slots* of a group. The second part that a
    move leaves goes into the first empty slot of the group, one in state 0. Not all combinations of
    states are positions: from a position, play never needs more slots in a group than there are.

    Args:
        parts: the parts; neighbours that are equal, and split, form a group.

    Attributes:
        options: largest number of options of a part.
        groups: groups of slots, each as a range of parts.
        group_of: the group of each part that is a slot.
        slices: the coordinates of each part within a position.
        is_plain: whether the coordinate of each part is its state.
        after: states of the parts after their options, those of distinct parts below one another,
            int32 ``(rows, options)``; -1 where an option is illegal.
        second: likewise states of second parts, 0 for none; ``None``: no option splits.
        first_rows: first row of each part in these tables.
        actions_of: the actions of each part.

    Example:
        >>> from nim_envs.games import kayles
        >>> rows = Sum(kayles(heaps=(5,)).parts)  # one row of five pins, and room for two more
        >>> rows.groups, rows.move((5, 0, 0), 2)  # take the pin in the middle
        ([range(0, 3)], (2, 2, 0))
        >>> rows.state((3, 2, 0)), rows.state((5, 1, 0))  # 5 may need all three slots
        ((3, 2, 0), None)
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        self.options = options = max(part.num_actions for part in self.parts)
        self.actions_of = [slice(i * options, (i + 1) * options) for i in range(len(self.parts))]
        self.num_actions = len(self.parts) * self.options
        runs = [[*run] for _, run in groupby(range(len(self.parts)), lambda i: self.parts[i])]
        self.groups = [
            range(run[0], run[-1] + 1) for run in runs if self.parts[run[0]].second is not None
        ]
        self.group_of = {slot: group for group in self.groups for slot in group}
        self.fields = tuple(size for part in self.parts for size in part.fields)
        ends = [0]
        for part in self.parts:
            ends.append(ends[-1] + len(part.fields))
        self.slices = [slice(*pair) for pair in pairwise(ends)]
        self.is_plain = all(
            len(part.fields) == 1 and part.fields[0] == part.num_positions for part in self.parts
        )
        distinct = [*dict.fromkeys(self.parts)]
        rows = np.cumsum([0, *(part.num_positions for part in distinct)]).tolist()
        first_of = dict(zip(distinct, rows, strict=False))
        self.first_rows = [first_of[part] for part in self.parts]
        self._first = np.array(self.first_rows, dtype=np.int64)
        check_table("the parts of a sum", rows[-1], self.options)
        # The tables of all parts below one another.
        self.after: Int32Array = np.full((rows[-1], self.options), -1, dtype=np.int32)
        self.second: Int32Array | None = None
        if self.groups:
            self.second = np.zeros_like(self.after)
        for part, row in zip(distinct, rows, strict=False):
            there = slice(row, row + part.num_positions), slice(part.num_actions)
            self.after[there] = part.after
            if self.second is not None and part.second is not None:
                self.second[there] = part.second
        self._has_move: BoolArray = self.after.max(axis=1, initial=-1) >= 0

    @cached_property
    def legal(self) -> MaskArray:
        """Which options are legal at the states of the parts, int8, rows as of ``after``."""
        return np.asarray(self.after >= 0).view(np.int8)

    @cached_property
    def has_move(self) -> bytes:
        """Whether some option is legal, 1 or 0, rows as of ``after``: bytes are read soonest."""
        return self._has_move.tobytes()

    def __repr__(self) -> str:
        """Return the numbers of parts, positions and actions."""
        positions, actions = self.num_positions, self.num_actions
        return f"Sum({len(self.parts)} parts, {positions} positions, {actions} actions)"

    def find(self, positions: Array) -> IntArray:
        """Return the states at positions, -1 for none: ``(..., fields)`` to ``(..., parts)``."""
        given = np.asarray(positions)
        pairs = zip(self.parts, self.slices, strict=True)
        states = np.stack([part.find(given[..., fields]) for part, fields in pairs], axis=-1)
        is_position = (states >= 0).all(axis=-1) & self.slots_suffice(states)
        states[~is_position] = -1
        return states

    def positions(self, states: IntArray) -> IntArray:
        """Return the coordinates of states: ``(..., parts)`` to int64 ``(..., fields)``."""
        given = np.asarray(states, dtype=np.int64)
        if self.is_plain:
            return given
        columns = [part.positions(given[..., i]) for i, part in enumerate(self.parts)]
        return np.concatenate(columns, axis=-1)

    def slots_suffice(self, states: IntArray) -> BoolArray:
        """Return where play never has more parts than slots: ``(..., parts)`` to ``(...)``."""
        fits = np.ones(states.shape[:-1], dtype=np.bool_)
        for group in self.groups:
            needed = self.parts[group.start].slots_needed
            fits &= needed[states[..., group.start : group.stop]].sum(axis=-1) <= len(group)
        return fits

    def mask(self, states: IntArray | PartStates) -> MaskArray:
        """Return which actions are legal: ``(..., parts)`` to int8 ``(..., actions)``."""
        after = self.after[self._first + states]
        return np.asarray(after >= 0).view(np.int8).reshape(*after.shape[:-2], self.num_actions)

    def is_over(self, states: IntArray | PartStates) -> BoolArray:
        """Return where no action is legal: ``(..., parts)`` to ``(...)``."""
        return np.asarray(~self._has_move[self._first + states].any(axis=-1))

    def step(self, states: IntArray, actions: IntArray | int) -> IntArray:
        """Return the states after legal actions: ``(..., parts)`` and ``(...)`` to the first."""
        after = np.array(states, dtype=np.int64)
        flat = after.reshape(-1, len(self.parts))  # a view: what changes in it does in `after`
        part, option = np.divmod(np.ravel(actions), self.options)
        number = np.arange(len(flat))
        row = self._first[part] + flat[number, part]
        flat[number, part] = self.after[row, option]
        if self.second is None:
            return after
        second = self.second[row, option]
        for group in self.groups:
            splits = np.flatnonzero((second > 0) & (group.start <= part) & (part < group.stop))
            slots = flat[:, group.start : group.stop]
            slots[splits, (slots[splits] == 0).argmax(axis=1)] = second[splits]
        return after

    def state(self, position: Position) -> PartStates | None:
        """Return the state at one position; ``None`` where there is none."""
        if len(position) != len(self.fields):
            return None
        states = tuple(
            part.index.find_one(position[fields])
            for part, fields in zip(self.parts, self.slices, strict=True)
        )
        if min(states) < 0:
            return None
        for group in self.groups:
            needed = self.parts[group.start].slots_needed
            if sum(needed.item(states[slot]) for slot in group) > len(group):
                return None
        return states

    def position(self, state: PartStates) -> Position:
        """Return the position of one state, a tuple of coordinates."""
        if self.is_plain:
            return state
        coordinates: list[int] = []
        for part, row in zip(self.parts, state, strict=True):
            coordinates += part.coordinates[row].tolist()
        return tuple(coordinates)

    def actions(self, state: PartStates) -> list[int]:
        """Return the legal actions of one state, ascending."""
        legal: list[int] = []
        for index, (part, row) in enumerate(zip(self.parts, state, strict=True)):
            first = index * self.options
            legal += [first + option for option in part.actions(row)]
        return legal

    def move(self, state: PartStates, action: int) -> PartStates | None:
        """Return the state after an action of the sum; ``None`` where it is illegal."""
        index, option = divmod(action, self.options)
        part, row = self.parts[index], state[index]
        first = part.after.item(row, option) if option < part.num_actions else -1
        if first < 0:
            return None
        after = (*state[:index], first, *state[index + 1 :])
        second = 0 if part.second is None else part.second.item(row, option)
        if not second:
            return after
        slot = after.index(0, self.group_of[index].start)
        return (*after[:slot], second, *after[slot + 1 :])

    def longest_play(self, states: IntArray) -> IntArray:
        """Return the length of the longest play: ``(..., parts)`` to ``(...)``.

        Every move lowers it. The ranks of the parts in their own graphs would not do: a split can
        leave two whose ranks add up to more than before.
        """
        columns = [part.longest_play[states[..., i]] for i, part in enumerate(self.parts)]
        return np.asarray(sum(columns))

    @cached_property
    def num_positions(self) -> int:
        """Number of positions, computed without a list of them."""
        return self.count()

    def count(self, rows: Sequence[IntArray] | None = None, most: float = math.inf) -> int:
        """Return the number of positions whose parts are in some states.

        Args:
            rows: states of each part, ascending; ``None``: all.
            most: if all are given, a number above it at which counting may stop.
        """
        if rows is None:
            rows = [np.arange(part.num_positions) for part in self.parts]
        total = math.prod(len(rows[i]) for i in range(len(rows)) if i not in self.group_of)
        for group in self.groups:
            ways = np.array([1], dtype=object)  # to fill the slots so far, by the slots needed
            for index in group:
                with_need = np.bincount(self.parts[index].slots_needed[rows[index]])
                ways = np.convolve(ways, with_need.astype(object))[: len(group) + 1]
                if total * int(ways.sum()) > most:  # the slots to come can be empty
                    break
            total *= int(ways.sum())
        return total

    def states(self, limit: int, rows: Sequence[IntArray] | None = None) -> IntArray:
        """Return the states of all positions, ``(n, parts)``, in lexicographic order.

        Args:
            limit: most positions.
            rows: states of each part, ascending, to which its own are limited; ``None``: all.

        Raises:
            SearchTooLargeError: there are more than ``limit``.
        """
        if rows is None:
            rows = [np.arange(part.num_positions) for part in self.parts]
        number = self.count(rows)
        if number > limit:
            raise SearchTooLargeError(
                f"a sum of {len(self.parts)} parts has {number} positions; at most {limit} are "
                "allowed here"
            )
        if not self.groups:
            return np.stack(np.meshgrid(*rows, indexing="ij"), axis=-1).reshape(number, -1)
        states = np.zeros((1, 0), dtype=np.int64)
        used = np.zeros(1, dtype=np.int64)
        for index, part in enumerate(self.parts):
            group = self.group_of.get(index, range(index, index + 1))
            if index == group.start:
                used = np.zeros(len(states), dtype=np.int64)
            needed = part.slots_needed[rows[index]]
            others = range(index + 1, group.stop)
            free = len(group) - sum(part.slots_needed[rows[i]].min() for i in others)
            row, column = np.nonzero(used[:, np.newaxis] + needed <= free)
            states = np.concatenate([states[row], rows[index][column, np.newaxis]], axis=1)
            used = used[row] + needed[column]
        return states

    def flat(self) -> Graph:
        """Return the sum as one graph, in the same order of positions and actions.

        Raises:
            SearchTooLargeError: its table of moves is too large.
        """
        check_table(f"a sum of {len(self.parts)} parts", self.num_positions, self.num_actions)
        states = self.states(self.num_positions)
        narrow = np.min_scalar_type(max(self.fields))
        coordinates, longest = self.positions(states).astype(narrow), self.longest_play(states)
        table = np.full((len(states), self.num_actions), -1, dtype=np.int32)
        sizes = [part.num_positions for part in self.parts]
        if self.groups:
            index = Index(sizes, states)
            for action in range(self.num_actions):
                slot, option = divmod(action, self.options)
                rows = np.flatnonzero(self.after[self._first[slot] + states[:, slot], option] >= 0)
                table[rows, action] = index.rows(self.step(states[rows], action))
            return Graph(coordinates, table, self.fields, longest)
        # Every point of the box is a position: a move changes its row by a multiple of a stride.
        numbers = np.arange(len(states), dtype=np.int32)
        for place, (part, size) in enumerate(zip(self.parts, sizes, strict=True)):
            box = math.prod(sizes[:place]), size, math.prod(sizes[place + 1 :])
            change = ((part.after - np.arange(size)[:, np.newaxis]) * box[-1]).astype(np.int32)
            begin, options = place * self.options, part.num_actions
            there = table[:, begin : begin + options].reshape(*box, options)
            here, legal = numbers.reshape(*box, 1), part.after[:, np.newaxis] >= 0
            np.add(here, change[:, np.newaxis], out=there, where=legal)
        return Graph(coordinates, table, self.fields, longest)


_sums: SharedCache[tuple[Part, ...], Sum] = SharedCache()
_flat: SharedCache[tuple[Part, ...], Graph] = SharedCache()


def board_of(parts: Sequence[Part], most: int = LARGEST_FLAT) -> Graph | Sum:
    """Return a game's positions and moves as one graph, which is shared, or else as a sum.

    The table of a sum that is flattened has at most ``most`` entries.
    """
    if len(parts) == 1 and parts[0].second is None:
        return parts[0]
    flat = _flat.get(tuple(parts))
    if flat is not None and flat.after.size <= most:
        return flat
    total = _sums.get_or_create(tuple(parts), lambda: Sum(parts))
    if total.count(most=most) * total.num_actions > most:
        return total
    return _flat.get_or_create(total.parts, total.flat)


def graph_of(parts: Sequence[Part], name: str) -> Graph:
    """Return all positions of a game as one graph; ``name`` is that of the game, for the error.

    Raises:
        SearchTooLargeError: its table would be too large.
    """
    board = board_of(parts, LARGEST_TABLE)
    if isinstance(board, Sum):
        check_table(name, board.num_positions, board.num_actions)
    assert isinstance(board, Graph)
    return board


def states_at(board: Graph | Sum, positions: npt.ArrayLike) -> IntArray:
    """Return the states at positions of a board: ``(..., fields)`` to ``(...)`` of a graph.

    Those of a sum are ``(..., parts)``. ``InvalidPositionError`` if one is no position.
    """
    width = len(board.fields)
    try:
        given = np.asarray(positions)
    except ValueError:  # of different lengths
        given = np.empty(0)
    if isinstance(board, Part) and board.has_passes and given.shape[-1:] == (width - 1,):
        given = np.concatenate([given, np.zeros_like(given[..., :1])], axis=-1)
    if given.dtype.kind not in "iu" or given.ndim == 0 or given.shape[-1] != width:
        largest = tuple(size - 1 for size in board.fields)
        raise InvalidPositionError(
            f"a position is {width} integers, from 0 to {largest}, not {positions!r}"
        )
    states = board.find(given)
    missing = np.asarray(states < 0)
    if isinstance(board, Sum):
        missing = np.asarray(missing.any(axis=-1))
    if missing.any():
        first = tuple(given[missing].reshape(-1, width)[0].tolist())
        raise InvalidPositionError(f"{first} is no position of the game")
    return states
