"""A component given by a list of its positions, and of the moves at each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.rules.acyclic import cycle_along
from nim_envs.rules.component import NO_MOVE, Component, read_only, strides_of
from nim_envs.rules.coordinate_system import NO_STATE, CoordinateSystem, inside_box
from nim_envs.rules.move_rows import MoveRows, by_option
from nim_envs.rules.move_words import MoveWords
from nim_envs.typing import Array, IntArray, ValueArray

LARGEST_KEY = 2**62
"""Number of points of a box of coordinates from which keys are bytes instead of integers."""

CHUNK = 1 << 14
"""Positions whose coordinates are converted at a time."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ListedComponent(Component):
    """A component given by the list of its positions and of the moves at each.

    A single coordinate is the number of the state. Numbers that no position has are no states;
    a component of some hundred positions may have numbers up to ``10**9``.

    Components are equal if their digests are.

    Several coordinates are kept in the smallest type of integers that holds them.

    Args:
        positions: coordinates of each position, integers ``(positions, fields)``, in lexicographic
            order and none twice.
        moves: the moves at each position, with places in this order as states.
        descriptions: description of each option.
        kind: name of such a component.
        board: shape into which the coordinates reshape.
        picture: as of :class:`CoordinateSystem`.
        move_in_words: a move in words.
        values: value of each position without moves to the player to move, int8 ``(positions,)``,
            1, 0 or -1, and 0 at the others; ``None``: the last move decides who wins.

    Raises:
        InvalidGameError: positions that are not in order, or moves or values that do not fit them.
    """

    _listed: Array
    moves: MoveRows
    descriptions: tuple[str, ...]
    kind: str
    picture: str | None
    board: tuple[int, ...] | None
    move_in_words: str | None
    values: ValueArray | None

    def __init__(
        self,
        positions: npt.ArrayLike,
        moves: MoveRows,
        descriptions: Sequence[str],
        *,
        kind: str = "position",
        board: tuple[int, ...] | None = None,
        picture: str | None = None,
        move_in_words: str | None = None,
        values: npt.ArrayLike | None = None,
    ) -> None:
        listed = read_only(_compact(positions))
        if listed.ndim != 2 or not listed.size or len(listed) != len(moves.firsts) - 1:
            raise InvalidGameError(
                f"positions of shape {listed.shape} do not fit the moves of "
                f"{len(moves.firsts) - 1} states"
            )
        for entries, count, name in (
            (moves.after, len(listed), "positions"),
            (moves.options, len(descriptions), "descriptions"),
        ):
            if len(entries) and not 0 <= entries.min() <= entries.max() < count:
                raise InvalidGameError(
                    f"{count} {name} do not fit moves with the entries {entries.min()} to "
                    f"{entries.max()}"
                )
        checked_values = None if values is None else _checked_values(values, moves)
        for array in moves:
            read_only(array)
        for name, value in {
            "_listed": listed,
            "moves": moves,
            "descriptions": tuple(descriptions),
            "kind": kind,
            "picture": picture,
            "board": None if board is None else tuple(board),
            "move_in_words": move_in_words,
            "values": checked_values,
        }.items():
            object.__setattr__(self, name, value)
        if listed.min() < 0 or not self.coordinate_system.are_in_order:
            raise InvalidGameError("positions must be in lexicographic order, and none twice")

    def __repr__(self) -> str:
        """Return the kind, and the numbers of positions and options."""
        size = f"{len(self._listed)} positions, {self.options} options"
        return f"{type(self).__name__}({self.kind}, {size})"

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same digest."""
        if not isinstance(other, ListedComponent) or type(other) is not type(self):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        """Return a number that is the same in every process."""
        return int.from_bytes(self.digest[:7], "big")

    @cached_property
    def digest(self) -> bytes:
        """Digest of the positions, moves, values, words, board and picture."""
        shapes = (self._listed.shape, len(self.moves.options))
        others = (self.kind, self.descriptions, self.board, self.picture, self.move_in_words)
        digest = blake2b(repr((shapes, others)).encode())
        for some in _in_chunks(self._listed):
            digest.update(some.data)
        for array in self.moves:
            digest.update(array.data)
        if self.values is not None:
            digest.update(self.values.data)
        return digest.digest()

    @property
    def positions(self) -> IntArray:
        """Coordinates of each position, in lexicographic order, ``(positions, fields)``."""
        return self._listed.astype(np.int64)

    @cached_property
    def states(self) -> int:
        """Number of states; of a single coordinate, one more than the largest."""
        fields = self.coordinate_system.fields
        return len(self._listed) if len(fields) > 1 else fields[0]

    @property
    def options(self) -> int:
        """Number of option slots: one for each label."""
        return len(self.descriptions)

    @cached_property
    def listed_states(self) -> IntArray | None:
        """The states, ascending; ``None`` where no number below the largest is missing."""
        return None if self.states == len(self._listed) else self._listed[:, 0]

    def place_of(self, states: IntArray) -> IntArray:
        """Return the place of each state in arrays with an entry for each, elementwise."""
        if not self.has_wide_gaps:
            return states
        places = np.searchsorted(self._listed[:, 0], states)
        return np.minimum(places, len(self._listed) - 1)

    def states_at_places(self, places: IntArray) -> IntArray:
        """Return the states at ``places``, elementwise."""
        return self._listed[places, 0] if self.has_wide_gaps else places

    @cached_property
    def _rows(self) -> MoveRows:
        """The moves by place: of all numbers, unless there are wide gaps between the states."""
        if self.listed_states is None or self.has_wide_gaps:
            return self.moves
        counts = np.zeros(self.states, dtype=np.int64)
        counts[self.listed_states] = self.moves.counts
        firsts = np.concatenate([[0], np.cumsum(counts)])
        return MoveRows(
            firsts, self.moves.options, self.listed_states[self.moves.after].astype(np.int32)
        )

    @cached_property
    def end_values(self) -> ValueArray | None:
        """Values of positions without moves by place; see :attr:`Component.end_values`."""
        if self.values is None or self.listed_states is None or self.has_wide_gaps:
            return self.values
        by_state = np.zeros(self.states, dtype=np.int8)
        by_state[self.listed_states] = self.values
        return read_only(by_state)

    @property
    def move_edges(self) -> tuple[Array, Array]:
        """Place before each move and after it, both int32 ``(moves,)``."""
        return self._rows.sources, self._rows.after

    def legal_moves(self, states: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the legal moves of states; see :meth:`Component.legal_moves`."""
        existing = np.flatnonzero(self.is_state(states)) if self.has_wide_gaps else None
        places = self.place_of(states if existing is None else states[existing])
        index, moves = self._rows.at(places)
        after = self._rows.after[moves].astype(np.int64)
        if existing is not None:
            index, after = existing[index], self.states_at_places(after)
        return index, self._rows.options[moves].astype(np.int64), after

    def moves_by_option(self, states: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield the legal moves of states by option; see :meth:`Component.moves_by_option`."""
        index, options, after = self.legal_moves(states)
        for option, moves in by_option(options, self.options):
            yield option, index[moves], after[moves]

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of legal options in each state, in the shape of ``states``."""
        places = self.place_of(np.asarray(states))
        counts = self._rows.firsts[places + 1] - self._rows.firsts[places]
        return np.asarray(
            np.where(self.is_state(states), counts, 0) if self.has_wide_gaps else counts
        )

    def successors(self, states: IntArray) -> IntArray:
        """Return the state after each option, or ``NO_MOVE``: ``(...)`` to ``(..., options)``."""
        given = np.asarray(states)
        index, options, after = self.legal_moves(given.reshape(-1))
        options_after = np.full((given.size, self.options), NO_MOVE, dtype=np.int64)
        options_after[index, options] = after
        return options_after.reshape(*given.shape, self.options)

    @cached_property
    def coordinate_system(self) -> ListedCoordinates:
        """The coordinates of the positions."""
        return ListedCoordinates(self._listed, picture=self.picture, board=self.board)

    @cached_property
    def words(self) -> OptionDescriptions:
        """The descriptions of the options."""
        return OptionDescriptions(self.descriptions, self.move_in_words)

    @cached_property
    def cycle_of_moves(self) -> str:
        """Description of a cycle of moves by coordinates; empty where there is none."""
        return cycle_along(
            len(self._listed),
            self.moves.sources,
            self.moves.after,
            lambda place: str(tuple(self._listed[place].tolist())),
        )


def _compact(positions: npt.ArrayLike) -> Array:
    """Return a copy: several coordinates in the smallest type that holds them, one as int64."""
    given = np.asarray(positions)
    several = given.dtype.kind in "iu" and given.ndim == 2 and given.shape[1] > 1 and given.size
    narrow = several and given.min() >= 0
    dtype = np.min_scalar_type(int(given.max())) if narrow else np.dtype(np.int64)
    return np.array(given, dtype=dtype, order="C")


def _in_chunks(positions: Array) -> Iterator[IntArray]:
    """Yield positions as int64, some at a time."""
    for first in range(0, len(positions), CHUNK):
        yield positions[first : first + CHUNK].astype(np.int64)


def _checked_values(values: npt.ArrayLike, moves: MoveRows) -> ValueArray:
    """Return the values of positions without moves.

    Raises:
        InvalidGameError: they do not fit the positions, or are not 1, 0 or -1.
    """
    given = np.array(values)
    finished = moves.counts == 0
    if (
        given.shape != finished.shape
        or not np.isin(given, (-1, 0, 1)).all()
        or given[~finished].any()
    ):
        raise InvalidGameError(
            f"values must be 1, 0 or -1 for each of {len(finished)} positions, and 0 where there "
            f"is a move, not {given!r}"
        )
    return read_only(given.astype(np.int8))


class ListedCoordinates(CoordinateSystem):
    """The coordinates of listed positions; a single one is the number of the state.

    Args:
        positions: coordinates of each position, integers ``(positions, fields)``, in lexicographic
            order.
        picture: style of pictures; see :class:`CoordinateSystem`.
        board: shape into which they reshape.
    """

    def __init__(
        self, positions: Array, *, picture: str | None, board: tuple[int, ...] | None
    ) -> None:
        fields = tuple(largest + 1 for largest in positions.max(axis=0).tolist())
        super().__init__(fields, picture=picture, board=board)
        self._positions = positions

    def of(self, states: IntArray) -> IntArray:
        """Return the coordinates of states: ``(...)`` to int64 ``(..., len(fields))``."""
        if len(self.fields) == 1:
            return np.asarray(states, dtype=np.int64)[..., np.newaxis]
        return self._positions[states].astype(np.int64)

    def states_at(self, coordinates: IntArray) -> IntArray:
        """Return the states at coordinates ``(..., len(fields))``; -1 where there is none."""
        given = np.asarray(coordinates, dtype=np.int64)
        inside = inside_box(given, self.fields)
        points = np.where(inside[..., np.newaxis], given, 0)
        keys = self._keys_of(points)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._positions) - 1)
        exists = inside & (self._keys[places] == keys)
        return np.where(exists, points[..., 0] if len(self.fields) == 1 else places, NO_STATE)

    @property
    def are_in_order(self) -> bool:
        """Whether the positions are in lexicographic order, and none occurs twice."""
        return bool((self._keys[:-1] < self._keys[1:]).all())

    @cached_property
    def _keys(self) -> npt.NDArray[Any]:
        """Keys of the positions, ascending, ``(positions,)``."""
        return np.concatenate([*map(self._keys_of, _in_chunks(self._positions))])

    def _keys_of(self, coordinates: IntArray) -> npt.NDArray[Any]:
        """Return keys that sort as points do lexicographically: ``(..., fields)`` to ``(...)``.

        They are numbers of points where these fit in 64 bits, else the coordinates as big-endian
        bytes.
        """
        strides = self._strides
        if strides is not None:
            return np.asarray(coordinates @ strides)
        width = coordinates.shape[-1]
        high_first = np.ascontiguousarray(coordinates, self._positions.dtype.newbyteorder(">"))
        return high_first.view(f"S{width * high_first.itemsize}")[..., 0]

    @cached_property
    def _strides(self) -> IntArray | None:
        """Mixed-radix strides of the box of coordinates; ``None`` where it is too large."""
        return None if math.prod(self.fields) > LARGEST_KEY else strides_of(self.fields)


@dataclass(frozen=True)
class OptionDescriptions(MoveWords):
    """The description of each option, as it was given.

    Args:
        descriptions: description of each option.
        given_move: a move in words; ``None``: none was given.
    """

    descriptions: tuple[str, ...]
    given_move: str | None

    @property
    def move(self) -> str:
        """A move in words."""
        return "make one of its moves" if self.given_move is None else self.given_move

    @property
    def is_generic(self) -> bool:
        """Whether no move in words was given."""
        return self.given_move is None

    def describe(self, option: int, state: int | None = None) -> str:
        """Return the description of the move ``option``."""
        return self.descriptions[option]
