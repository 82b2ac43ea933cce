"""Graphs of positions: a game that can be listed, and a part of a sum with its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.caches import LimitedCache
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.index import Index
from nim_envs.typing import Array, BoolArray, Int32Array, IntArray, MaskArray, Position, ValueArray
from nim_envs.validation import shortly

LARGEST_TABLE = 2**26
"""Most entries, positions times actions, of a table of moves."""

AT_ONCE = 2**20
"""Entries of tables that are looked up at once, so that buffers take tens of megabytes."""

MOST_NAMED = 12
"""Most positions of a cycle that a message names."""


def check_table(name: str, positions: int, actions: int) -> None:
    """Raise ``SearchTooLargeError`` if a table of moves has over :data:`LARGEST_TABLE` entries."""
    if positions * actions > LARGEST_TABLE:
        raise SearchTooLargeError(
            f"{name} has {shortly(positions)} positions with {actions} actions, a table of "
            f"{shortly(positions * actions)} entries; at most {LARGEST_TABLE} are allowed"
        )


class Graph:
    """The positions of a game and the moves between them, one row for each position.

    A position is a tuple of *coordinates*; its *state* is its row. States are integers, or integer
    arrays of any shape.

    Args:
        coordinates: the positions, integers of at least 0, ``(n, fields)``, in lexicographic order,
            none twice.
        after: row after each action, int32 ``(n, actions)``; -1 where it is illegal.
        fields: number of values of each coordinate; ``None``: one more than the largest.
        longest_play: number of moves of the longest play from each position, ``(n,)``, or any that
            every move lowers; ``None``: it is computed when it is needed.

    Attributes:
        has_cycles: whether moves form cycles; only parts with an outcome may have them.

    Example:
        >>> strip = Graph(np.array([[0], [1], [2]]), np.array([[-1, -1], [0, -1], [1, 0]]))
        >>> strip.move(2, 1), strip.actions(2), strip.position(2), strip.state((3,))
        (0, [0, 1], (2,), None)
        >>> strip.mask(np.array([0, 2])).tolist(), strip.is_over(np.array([0, 2])).tolist()
        ([[0, 0], [1, 1]], [True, False])
    """

    has_cycles: bool = False

    def __init__(
        self,
        coordinates: npt.ArrayLike,
        after: npt.ArrayLike,
        fields: Sequence[int] | None = None,
        longest_play: IntArray | None = None,
    ) -> None:
        given = np.asarray(coordinates)
        narrow = np.min_scalar_type(int(given.max(initial=0)))
        self.coordinates: Array = given.astype(narrow, copy=False)
        self.after: Int32Array = np.ascontiguousarray(after, dtype=np.int32)
        self.fields = tuple((given.max(axis=0) + 1).tolist() if fields is None else fields)
        for array in (self.coordinates, self.after):
            array.setflags(write=False)
        if longest_play is not None:
            self.__dict__["longest_play"] = longest_play

    def __repr__(self) -> str:
        """Return the numbers of positions and actions."""
        return f"{type(self).__name__}({self.num_positions} positions, {self.num_actions} actions)"

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        """Return the graph itself: it is immutable."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave what is computed on first access out of pickles."""
        of_class = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(of_class, name, None), cached_property)
        }

    @property
    def num_positions(self) -> int:
        """Number of positions."""
        return len(self.coordinates)

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return int(self.after.shape[1])

    @cached_property
    def index(self) -> Index:
        """The rows by coordinates."""
        return Index(self.fields, self.coordinates)

    @cached_property
    def ends(self) -> BoolArray:
        """Whether no action is legal, ``(n,)``."""
        return np.asarray(self.after.max(axis=1, initial=-1) < 0)

    @cached_property
    def legal(self) -> MaskArray:
        """Which actions are legal at each position, int8 ``(n, actions)``."""
        return np.asarray(self.after >= 0).view(np.int8)

    @cached_property
    def wide(self) -> Array:
        """The coordinates, as int64 where they are few: rows of it are copied sooner."""
        few = self.coordinates.size <= AT_ONCE
        return self.coordinates.astype(np.int64) if few else self.coordinates

    def find(self, positions: Array) -> IntArray:
        """Return the states at positions, -1 where none is: ``(..., fields)`` to ``(...)``."""
        return self.index.find(np.asarray(positions))

    def positions(self, states: IntArray) -> IntArray:
        """Return the coordinates of states: ``(...)`` to int64 ``(..., fields)``."""
        return np.asarray(self.coordinates[states], dtype=np.int64)

    def mask(self, states: IntArray | int) -> MaskArray:
        """Return which actions are legal: ``(...)`` to int8 ``(..., actions)``."""
        return np.asarray(self.after[states] >= 0).view(np.int8)

    def is_over(self, states: IntArray | int) -> BoolArray:
        """Return where no action is legal: ``(...)`` to ``(...)``."""
        return np.asarray(self.ends[states])

    def step(self, states: IntArray, actions: IntArray | int) -> IntArray:
        """Return the states after legal actions; all ``(...)``."""
        return np.asarray(self.after[states, actions], dtype=np.int64)

    def state(self, position: Position) -> int | None:
        """Return the state at one position; ``None`` where there is none."""
        found = self.index.find_one(position)
        return None if found < 0 else found

    def position(self, state: int) -> Position:
        """Return the position of one state, a tuple of coordinates."""
        return tuple(self.coordinates[state].tolist())

    @cached_property
    def _legal(self) -> LimitedCache[int, list[int]]:
        return LimitedCache(2**12)

    def actions(self, state: int) -> list[int]:
        """Return the legal actions of one state, ascending; the list must not be changed."""
        legal = self._legal.get(state)
        if legal is None:
            legal = np.flatnonzero(self.after[state] >= 0).tolist()
            self._legal.get_or_create(state, lambda: legal)
        return legal

    def move(self, state: int, action: int) -> int | None:
        """Return the state after an action of the graph; ``None`` where it is illegal."""
        after: int = self.after.item(state, action)
        return None if after < 0 else after

    @cached_property
    def longest_play(self) -> IntArray:
        """Number of moves of the longest play from each position, ``(n,)``.

        Raises:
            InvalidGameError: the moves form a cycle; the message names its positions.
        """
        return self._ranks(self.after)

    def levels(self) -> Iterator[IntArray]:
        """Yield the rows with a move, those of the shortest longest play first.

        So all rows to which a row leads come before it.
        """
        yield from rows_by_value(self.longest_play)

    def _ranks(self, moves: Int32Array) -> IntArray:
        """Return the length of the longest chain of moves from each row, ``(n, k)`` to ``(n,)``.

        References:
            A. B. Kahn, "Topological sorting of large networks", *Communications of the ACM* 5
            (1962), level by level.
        """
        sources = Sources(moves)
        open_moves = sources.num_moves
        ranks = np.zeros(len(moves), dtype=np.int64)
        rows, rank = np.flatnonzero(open_moves == 0), 0
        while len(rows):
            ranks[rows] = rank
            before = sources.of(rows)
            np.subtract.at(open_moves, before, 1)
            rows = np.unique(before[open_moves[before] == 0])
            rank += 1
        if open_moves.any():
            raise self._cycle_error(moves, open_moves > 0)
        return ranks

    def _cycle_error(self, moves: Int32Array, stuck: BoolArray) -> InvalidGameError:
        """Return the error that names a cycle; each ``stuck`` row has a move to another."""
        row, path = int(np.argmax(stuck)), dict[int, None]()
        while row not in path:
            path[row] = None
            row = next(after for after in moves[row].tolist() if after >= 0 and stuck[after])
        rows = [*path][[*path].index(row) :]
        named = [str(self.position(each)) for each in rows[:MOST_NAMED]]
        more = ["…"] * (len(rows) > MOST_NAMED)
        cycle = " -> ".join([*named, *more, str(self.position(row))])
        return InvalidGameError(f"the moves form a cycle: {cycle}; every play must come to an end")


class Sources:
    """The rows from which ``moves``, int32 ``(n, k)``, lead to each row; -1 for none.

    There are ``num_moves`` from each row, and ``counts`` to each, both ``(n,)``.
    """

    def __init__(self, moves: Int32Array) -> None:
        step = max(1, AT_ONCE // max(1, moves.shape[1]))  # in pieces, which saves memory
        pieces = [(begin, moves[begin : begin + step]) for begin in range(0, len(moves), step)]
        self.num_moves = np.concatenate([(piece >= 0).sum(axis=1) for _, piece in pieces])
        targets_of = (np.bincount(piece[piece >= 0], minlength=len(moves)) for _, piece in pieces)
        self.counts: IntArray = sum(targets_of, np.zeros(len(moves), dtype=np.int64))
        self._first = np.cumsum(self.counts) - self.counts
        # The rows before each move, by the row after it.
        self._rows, filled = np.empty(int(self.counts.sum()), dtype=np.int32), self._first.copy()
        for begin, piece in pieces:
            rows, columns = np.nonzero(piece >= 0)
            targets = piece[rows, columns]
            order = np.argsort(targets, kind="stable")
            targets = targets[order]
            place = np.arange(len(targets)) - np.searchsorted(targets, targets)
            self._rows[filled[targets] + place] = begin + rows[order]
            np.add.at(filled, targets, 1)

    def of(self, rows: IntArray) -> Int32Array:
        """Return the sources of some rows, ``counts[row]`` of each row after one another."""
        length = self.counts[rows]
        start = np.repeat(self._first[rows] - np.cumsum(length) + length, length)
        return np.asarray(self._rows[start + np.arange(len(start))])


def rows_by_value(values: IntArray) -> Iterator[IntArray]:
    """Yield the rows of each value above 0, by ascending value; ``values`` ``(n,)``."""
    order = np.argsort(values, kind="stable")
    bounds = np.flatnonzero(np.diff(values[order], prepend=0, append=-1)).tolist()
    for begin, end in pairwise(bounds):
        yield order[begin:end]


class Words(NamedTuple):
    """Words for the moves of a part.

    To be pickled, the functions of a part without ``made_by`` stand at the top level of a module.

    Attributes:
        kind: name of such a part, as in ``"heap 0"``.
        describe: function of the label of an option and the position before it, or ``None`` for
            words that hold at every position.
        move: a move in words, such as ``"take any number of objects"``; ``None``: not known.
        removal: function of a label and the position before it to words for parts that are removed
            after the move, ``""`` for none; ``None``: none ever is.
        numbers: function of a label and the position before it to the numbers that a person types
            for the move; ``None``: the number of the option.
        state: phrases for a position of one number, for 1 and for any other, such as
            ``("has {} object", "has {} objects")``; ``None``: it has coordinates.
        details: a sentence beside the move, such as which nodes of a graph are neighbours.
        is_unordered: whether the order of what "and" joins in a move has no meaning.
        states_result: whether a move ends with the position after it, behind a comma.
        names_states: whether numbers are names of positions, as nodes are, and may be exchanged.
        who_wins: who wins a game of this part alone, in normal and in misère play; ``None``: by
            the last move.
    """

    kind: str
    describe: Callable[[Any, Position | None], str]
    move: str | None = None
    removal: Callable[[Any, Position], str] | None = None
    numbers: Callable[[Any, Position], tuple[int, ...]] | None = None
    state: tuple[str, str] | None = None
    details: str = ""
    is_unordered: bool = False
    states_result: bool = False
    names_states: bool = False
    who_wins: tuple[str, str] | None = None


class Picture(NamedTuple):
    """The look of a part in pictures.

    Attributes:
        style: a number of objects in a ``"heap"``, one that splits, ``"slots"``, or one from whose
            middle moves take, ``"pins"``; a place on a ``"track"`` or a ``"graph"``; a board with a
            ``"piece"``, ``"cells"``, ``"rows"``, ``"coins"``, ``"crosses"`` or ``"discs"``; or
            ``"nodes"`` of a graph, of which option ``j`` takes node ``j``. ``None``: boxes with
            numbers.
        names: names of the coordinates, which label boxes.
        board: shape of the coordinates as an array; ``None``: they have no such shape.
        edges: pairs of nodes that a line joins.
    """

    style: str | None = None
    names: tuple[str, ...] = ()
    board: tuple[int, ...] | None = None
    edges: tuple[tuple[int, int], ...] = ()


class Part(Graph):
    """A graph with words for its moves: one part of a sum, or a game of its own.

    An option may *split* a part: it leaves two. The first one stays where it is, and the second one
    goes into the first empty *slot* of its group, one in state 0, which has no move: see
    :class:`nim_envs.sums.Sum`.

    Args:
        coordinates: as of :class:`Graph`.
        after: as of :class:`Graph`; of two parts, the first one.
        labels: label of each option, from which ``words`` make words.
        words: words for the moves.
        picture: look in pictures.
        second: state of the second part that each option leaves, int32 ``(n, options)``; 0 for
            none. ``None``: no option splits.

    Attributes:
        outcome: value of each position without moves to the player to move, 1, 0 or -1, and 0 at
            the others, int8 ``(n,)``; ``None``: the last move decides who wins.
        has_passes: whether the last coordinate is 1 where the only move is a forced pass, as the
            other player moves again; positions given without it have no pass due.
        made_by: constructor and arguments by which pickles find the part; ``None``: they keep it.
    """

    outcome: ValueArray | None = None
    has_passes = False
    made_by: tuple[Callable[..., Part], tuple[Any, ...]] | None = None

    def __init__(
        self,
        coordinates: npt.ArrayLike,
        after: npt.ArrayLike,
        labels: Sequence[Any],
        words: Words,
        picture: Picture | None = None,
        second: npt.ArrayLike | None = None,
    ) -> None:
        super().__init__(coordinates, after)
        self.labels, self.words, self.picture = labels, words, picture or Picture()
        self.second: Int32Array | None = None
        if second is not None:
            self.second = np.ascontiguousarray(second, dtype=np.int32)

    def __repr__(self) -> str:
        """Return the kind, and the numbers of positions and options."""
        size = f"{self.num_positions} positions, {self.num_actions} options"
        return f"Part({self.words.kind}, {size})"

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same constructor and arguments, or the same content."""
        if self is other or not isinstance(other, Part):
            return self is other
        if self.made_by is not None or other.made_by is not None:
            return self.made_by == other.made_by
        return self.digest == other.digest

    def __hash__(self) -> int:
        """Return a number that is the same for equal parts."""
        return hash(self.digest if self.made_by is None else self.made_by)

    @cached_property
    def digest(self) -> bytes:
        """Digest of the positions, moves, outcome, labels, kind, words of a move, and picture."""
        words = self.words.kind, self.words.move, [*self.labels], self.picture
        digest = blake2b(repr((self.coordinates.shape, self.after.shape, words)).encode())
        for array in (self.coordinates, self.after, self.second, self.outcome):
            if array is not None:
                digest.update(np.ascontiguousarray(array).data)
        return digest.digest()

    def __reduce__(self) -> Any:
        """Return what pickles make it of: the constructor, or all of it."""
        return self.made_by or (object.__new__, (Part,), self.__getstate__())

    @cached_property
    def longest_play(self) -> IntArray:
        """Number of moves of the longest play from each position; those of two parts add up."""
        if self.second is None:
            return self._ranks(self.after)
        second = np.where(self.second > 0, self.second, -1)
        ranks = self._ranks(np.concatenate([self.after, second], axis=1))
        longest = np.zeros_like(ranks)
        for rows in rows_by_value(ranks):
            after = 1 + longest[self.after[rows]] + longest[self.second[rows]]
            longest[rows] = np.where(self.after[rows] < 0, 0, after).max(axis=1)
        return longest

    @cached_property
    def slots_needed(self) -> IntArray:
        """Most slots that play from each position can fill, ``(n,)``; 0 for an empty one."""
        needed = np.ones(self.num_positions, dtype=np.int64)
        if self.second is None:
            return needed
        needed[0] = 0
        for rows in self.levels():
            after = needed[self.after[rows]] + needed[self.second[rows]]
            needed[rows] = np.where(self.after[rows] < 0, 1, after).max(axis=1, initial=1)
        return needed

    def describe(self, option: int, position: Position | None = None) -> str:
        """Return an option in words, at the position before it if that is given."""
        return self.words.describe(self.labels[option], position)

    def removal(self, option: int, position: Position) -> str:
        """Return words for the parts that are removed after an option; ``""`` if none is."""
        removal = self.words.removal
        return "" if removal is None else removal(self.labels[option], position)

    def numbers(self, option: int, position: Position) -> tuple[int, ...]:
        """Return the numbers that a person types to choose an option."""
        if self.words.numbers is not None:
            return self.words.numbers(self.labels[option], position)
        in_labels = [re.findall(r"\d+", str(label)) for label in self.labels]
        named = {int(each[0]) for each in in_labels if len(each) == 1}
        # Labels with a number each, such as "take 3", are chosen by it.
        return (int(in_labels[option][0]),) if len(named) == len(self.labels) else (option,)
