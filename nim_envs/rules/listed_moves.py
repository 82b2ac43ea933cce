"""Rules from a function of moves: positions are tuples of integers, listed from the start."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.rules.acyclic import cycle_among
from nim_envs.rules.component import (
    NO_STATE,
    IntArray,
    TableComponent,
    inside_box,
    read_only,
    strides_of,
)
from nim_envs.rules.moves_listing import (
    LARGEST_LISTING,
    Listing,
    Moves,
    Position,
    checked_position,
    listing,
)
from nim_envs.rules.rules import Rules
from nim_envs.rules.validation import checked_integer, is_listing

LARGEST_KEY = 2**62
"""Number of points of a box of coordinates from which keys are bytes instead of integers."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ListedComponent(TableComponent):
    """A component with coordinates, given by the list of its positions and its table of options.

    Components are equal if their digests are.

    Args:
        positions: coordinates of each state, integers ``(states, fields)``, in lexicographic order
            and none twice; with a single coordinate, ``0..states-1``.
        rows: as of :class:`TableComponent`.
        words: description of each option.
        kind: name of such a component.
        board: shape into which the coordinates reshape.
        picture: as of :class:`Component`.
        move_in_words: a move in words.

    Raises:
        InvalidGameError: positions that are not in order, or arrays that do not fit together.
    """

    positions: IntArray
    words: tuple[str, ...]
    kind: str
    picture: str | None

    def __init__(
        self,
        positions: npt.ArrayLike,
        rows: npt.ArrayLike,
        words: Sequence[str],
        *,
        kind: str = "position",
        board: tuple[int, ...] | None = None,
        picture: str | None = None,
        move_in_words: str | None = None,
    ) -> None:
        super().__init__(rows)
        listed = read_only(np.array(positions, dtype=np.int64, order="C"))
        if listed.ndim != 2 or len(listed) != self.states or len(words) != self.options:
            raise InvalidGameError(
                f"positions of shape {listed.shape} and {len(words)} words do not fit a table of "
                f"{self.states} states and {self.options} options"
            )
        for name, value in {
            "positions": listed,
            "words": tuple(words),
            "kind": kind,
            "picture": picture,
            "_board": None if board is None else tuple(board),
            "_move_in_words": move_in_words,
        }.items():
            object.__setattr__(self, name, value)
        keys = self._keys
        if listed.min(initial=0) < 0 or not (keys[:-1] < keys[1:]).all():
            raise InvalidGameError("positions must be in lexicographic order, and none twice")

    def __repr__(self) -> str:
        """Return the kind and the size of the table."""
        return f"{type(self).__name__}({self.kind}, {self.states} states, {self.options} options)"

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
        """Digest of the positions, the table, the words, the board and the picture."""
        shapes = (self.positions.shape, self.rows.shape)
        others = (self.kind, self.words, self.board, self.picture, self._move_in_words)
        digest = blake2b(repr((shapes, others)).encode())
        digest.update(self.positions.data)
        digest.update(self.rows.data)
        return digest.digest()

    _board: tuple[int, ...] | None
    _move_in_words: str | None

    @cached_property
    def fields(self) -> tuple[int, ...]:
        """Number of values of each coordinate: one more than the largest that occurs."""
        return tuple((self.positions.max(axis=0) + 1).tolist())

    @property
    def board(self) -> tuple[int, ...] | None:
        """Shape into which the coordinates of a state reshape, if there is one."""
        return self._board

    def coordinates(self, states: IntArray) -> IntArray:
        """Return the coordinates of states: ``(...)`` to int64 ``(..., len(fields))``."""
        return np.asarray(self.positions[states])

    def states_at(self, coordinates: IntArray) -> IntArray:
        """Return the states at coordinates ``(..., len(fields))``; -1 where there is none."""
        given = np.asarray(coordinates, dtype=np.int64)
        inside = inside_box(given, self.fields)
        keys = self._keys_of(np.where(inside[..., np.newaxis], given, 0))
        found = np.minimum(np.searchsorted(self._keys, keys), self.states - 1)
        return np.where(inside & (self._keys[found] == keys), found, NO_STATE)

    @cached_property
    def _keys(self) -> npt.NDArray[Any]:
        """Keys of the states, ascending, ``(states,)``."""
        return self._keys_of(self.positions)

    def _keys_of(self, coordinates: IntArray) -> npt.NDArray[Any]:
        """Return keys that sort as points do lexicographically: ``(..., fields)`` to ``(...)``.

        They are numbers of points where these fit in 64 bits, else the coordinates as big-endian
        bytes.
        """
        strides = self._strides
        if strides is not None:
            return np.asarray(coordinates @ strides)
        width = coordinates.shape[-1]
        high_first = np.ascontiguousarray(coordinates, dtype=">u8")
        return high_first.view(f"S{8 * width}")[..., 0]

    @cached_property
    def _strides(self) -> IntArray | None:
        """Mixed-radix strides of the box of coordinates; ``None`` where it is too large."""
        return None if math.prod(self.fields) > LARGEST_KEY else strides_of(self.fields)

    @cached_property
    def cycle(self) -> str:
        """Description of a cycle of moves by coordinates; empty where there is none."""
        return cycle_among(self.rows, lambda state: str(tuple(self.positions[state].tolist())))

    def describe_option(self, option: int, state: int | None = None) -> str:
        """Return the description of the move ``option``."""
        return self.words[option]

    @property
    def move_in_words(self) -> str:
        """A move in words."""
        if self._move_in_words is not None:
            return self._move_in_words
        return "make one of its moves"

    @property
    def tells_moves(self) -> bool:
        """Whether it was given a move in words."""
        return self._move_in_words is not None


def rules_from_moves(
    name: str,
    start: Position,
    moves: Moves,
    *,
    positions: Iterable[Position] | None = None,
    actions: Iterable[Hashable] | None = None,
    describe: Callable[[Any], str] | None = None,
    kind: str | None = None,
    board: tuple[int, ...] | None = None,
    picture: str | None = None,
    move_in_words: str | None = None,
    limit: int = LARGEST_LISTING,
) -> Rules:
    """Rules of a game given by a function that lists its moves, with positions as coordinates.

    Positions are listed breadth-first from the start. The labels of moves are the actions: moves
    with the same label are the same action at every position.

    Args:
        name: short name of the game.
        start: the initial position, a tuple of integers of at least 0.
        moves: function from a position, such a tuple, to pairs of a label, a string or an integer,
            and the position that the move leads to; no pairs where play ends.
        positions: further positions to list, with all that moves reach from them.
        actions: the labels in the order of the actions; by default those that occur, in natural
            order, in which ``"left 2"`` comes before ``"left 10"``.
        describe: function from a label to the move in words; by default the label itself.
        kind: name of the component in descriptions; by default ``name``.
        board: shape of the coordinates as an array, such as ``(4, 4)``.
        picture: how they are drawn: ``"piece"``, a piece on a board, whose one or two coordinates
            are its place; ``"cells"``, those that are not 0, on ``board`` or else in a circle;
            ``"rows"`` of squares or stacks of ``"coins"``, as many as each coordinate says;
            ``None``: numbers in boxes.
        move_in_words: a move in words, as in ``"move the queen left, down or diagonally"``.
        limit: most positions to list.

    Raises:
        InvalidGameError: the moves form a cycle, lead to a negative coordinate or to another number
            of coordinates; two labels are alike in words, or one occurs twice at a position;
            ``moves`` raises. The message names the position.
        SearchTooLargeError: there are more than ``limit`` positions, or their table would take over
            the limit of bytes.

    Example:
        >>> def moves(position):  # a coin on a strip moves one or two squares to the left
        ...     (square,) = position
        ...     return [(f"left {n}", (square - n,)) for n in (1, 2) if n <= square]
        >>> rules = rules_from_moves("coin", (5,), moves)
        >>> rules.describe_action(1, (5,))
        'coin 0: left 2'
    """
    first = checked_position("start", start)
    if positions is not None and not is_listing(positions, of_any_order=True):
        raise InvalidGameError(f"positions must be a list of positions, not {positions!r}")
    kind = name if kind is None else kind
    if not isinstance(kind, str):
        raise InvalidGameError(f"name must be a string, not {kind!r}")
    if not callable(moves):
        raise InvalidGameError(f"moves must be a function of a position, not {moves!r}")
    others = [
        checked_position(f"position {number}", position, len(first))
        for number, position in enumerate(positions or (), start=1)
    ]
    found = listing(kind, [first, *others], moves, actions, checked_integer("limit", limit, 1))
    component = ListedComponent(
        found.coordinates,
        found.rows,
        _words(found, describe),
        kind=kind,
        board=board,
        picture=picture,
        move_in_words=move_in_words,
    )
    return Rules(name, (component,), (int(component.states_at(np.array(first))),))


def _words(found: Listing, describe: Callable[[Any], str] | None) -> list[str]:
    """Return the descriptions of labels, which must differ."""
    words: dict[str, tuple[Hashable, Position | None]] = {}
    for label, position in zip(found.labels, found.first_seen, strict=True):
        try:
            said = str(label) if describe is None else describe(label)
        except Exception as error:
            raise InvalidGameError(
                f"describe({label!r}) raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(said, str) or not said.strip():
            raise InvalidGameError(
                f"the words of label {label!r}, at {position}, must be a string that is not "
                f"empty, not {said!r}"
            )
        if said in words:
            other, where = words[said]
            raise InvalidGameError(
                f"two labels are alike in words, {said!r}: {other!r}, at {where}, and {label!r}, "
                f"at {position}"
            )
        words[said] = label, position
    return list(words)
