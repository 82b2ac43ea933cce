"""Breadth-first listing of the positions and moves of a game given by a function."""

from __future__ import annotations

import re
import struct
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, count, islice, starmap
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.progress import bar_if_installed
from nim_envs.rules.array_moves import (
    moves_of_many,
    moves_of_one,
    value_of_one,
    values_of_many,
)
from nim_envs.rules.move_rows import MOVE_BYTES, MoveRows
from nim_envs.typing import Array, Int32Array, IntArray, Position, ValueArray
from nim_envs.validation import (
    LARGEST_STATE,
    check_bytes,
    checked_integer,
    integers_of,
    is_listing,
    largest_bytes,
)

Moves = Callable[[Position], Iterable[tuple[Hashable, Position]]]
Outcome = Callable[[Position], int]

LARGEST_LISTING = 2_000_000
"""Default limit on the number of positions of a listing."""

MOST_LABELS = 1 << 18
"""Limit on the number of labels, and so of moves at a position."""

SECOND_CALLS = 64
"""Positions at which the function of moves is called a second time."""

READ_AT_ONCE = 1024
"""Most moves, and most positions, that are read between two checks of the limits."""

POSITIONS_PER_CALL = 4096
"""Most positions in one call of a function of arrays."""

ENTRY_BYTES = np.dtype(np.int64).itemsize

NARROW, WIDE = "B", "Q"
"""Codes of unsigned integers of 1 and of 8 bytes, the coordinates of packed positions."""


class Listing(NamedTuple):
    """Positions and moves of a game.

    Attributes:
        coordinates: the positions in lexicographic order, ``(positions, coordinates)``, of a type
            of integers that holds them.
        moves: the moves, with the indices of positions in this order as states.
        labels: label of each option.
        first_seen: first position with each label; ``None`` where no position has it.
        values: value of each position without moves, int8 ``(positions,)``, and 0 at the others;
            ``None`` where the last move decides.
    """

    coordinates: Array
    moves: MoveRows
    labels: tuple[Hashable, ...]
    first_seen: tuple[Position | None, ...]
    values: ValueArray | None


def list_positions(
    name: str,
    starts: Sequence[Position],
    moves: Any,
    actions: Iterable[Hashable] | None,
    limit: int,
    outcome: Any = None,
    *,
    vectorized: bool = False,
) -> Listing:
    """Return all positions reachable from ``starts``.

    Limits are checked while moves are read, so that a function without an end is refused at once.

    Args:
        name: name of the game, for messages.
        starts: checked positions, all of one length.
        moves: the moves at a position, as pairs of a label and the position that it leads to.
        actions: the labels in the order of the options; ``None``: those that occur, in natural
            order.
        limit: most positions to list.
        outcome: the value of a position without moves to the player to move; ``None``: the last
            move decides who wins.
        vectorized: whether both are functions of arrays of positions.

    Raises:
        InvalidGameError: ``moves`` raises, or gives anything but such pairs; ``outcome`` raises, or
            gives anything but 1, 0 or -1; or a second call of either gives another result. The
            message names the position.
        SearchTooLargeError: more than ``limit`` positions, more than ``MOST_LABELS`` labels, or
            positions and moves over the limit of bytes.
    """
    reader = _FunctionReader(name, starts, moves, actions, limit, vectorized=vectorized)
    read_breadth_first(reader)
    if not reader.options:
        others = "" if reader.found == 1 else ", nor at any other position"
        raise InvalidGameError(
            f"there is no move at {reader.position(0)}{others}: the game is over"
        )
    moves_read = map(np.asarray, (reader.sources, reader.options, reader.targets))
    raw = _RawListing(reader.take_positions(), [*reader.option_of], *moves_read)
    _check_second_calls(raw, moves_of_one(moves) if vectorized else moves)
    values = None if outcome is None else _end_values(raw, outcome, vectorized=vectorized)
    return _in_order(reader, raw, values)


class _RawListing(NamedTuple):
    """The positions and moves of a game, with indices in the order of reading.

    Attributes:
        coordinates: the positions, ``(positions, coordinates)``.
        labels: label of each option.
        sources: position before each move, ascending, ``(moves,)``.
        options: option of each move, ``(moves,)``.
        targets: position after each move, ``(moves,)``.
    """

    coordinates: Array
    labels: list[Hashable]
    sources: Int32Array
    options: Int32Array
    targets: Int32Array

    def position(self, index: int) -> Position:
        """Return a position."""
        return tuple(self.coordinates[index].tolist())


class Reader(Protocol):
    """Reads the moves of positions, and so finds further positions.

    Attributes:
        name: name of the game.
        found: number of positions found.
        done: number of those whose moves are read.
    """

    name: str
    done: int

    @property
    def found(self) -> int:
        """Number of positions found."""

    def read_some(self) -> None:
        """Read the moves of the next position or positions."""


def read_breadth_first(reader: Reader) -> None:
    """Read the moves of all positions, with a progress bar after some seconds if tqdm is there."""
    with bar_if_installed(desc=f"positions of {reader.name}", unit="position") as bar:
        while reader.done < reader.found:
            reader.read_some()
            bar.total = reader.found  # grows, and the time left with it
            bar.update(reader.done - bar.n)


def _check_second_calls(raw: _RawListing, moves: Moves) -> None:
    """Call the function of moves again at some positions, and compare the moves.

    Raises:
        InvalidGameError: they differ; the message names the position.
    """
    count = len(raw.coordinates)
    chosen = np.arange(0, count, -(-count // SECOND_CALLS))
    bounds = np.searchsorted(raw.sources, np.stack([chosen, chosen + 1], axis=1)).tolist()
    for index, (begin, end) in zip(chosen.tolist(), bounds, strict=True):
        position = raw.position(index)
        first = {
            raw.labels[option]: raw.position(target)
            for option, target in zip(raw.options[begin:end], raw.targets[begin:end], strict=True)
        }
        most = len(first) + 1  # one too many is a difference already
        pairs = _first_moves(position, moves, most)
        for pair in pairs:
            _check_pair(pair, position)
        again = {
            label if _is_hashable(label) else repr(label): _as_tuple(after)
            for label, after in pairs
        }
        if first != again:
            raise InvalidGameError(
                f"moves({position}) gives other moves when it is called again: "
                f"{_difference(first, again)}; it must be a function of the position alone"
            )


def _end_values(raw: _RawListing, outcome: Any, *, vectorized: bool) -> ValueArray:
    """Return the values of positions without moves, in the order of reading, and 0 at the others.

    Raises:
        InvalidGameError: as :func:`list_positions`.
    """
    values = np.zeros(len(raw.coordinates), dtype=np.int8)
    finished = np.flatnonzero(np.bincount(raw.sources, minlength=len(values)) == 0)
    for begin in range(0, len(finished), READ_AT_ONCE):
        some = finished[begin : begin + READ_AT_ONCE]
        if vectorized:
            values[some] = values_of_many(raw.coordinates[some].astype(np.int64), outcome)
        else:
            positions = map(tuple, raw.coordinates[some].tolist())
            values[some] = [_end_value(position, outcome) for position in positions]
    of_one = value_of_one(outcome) if vectorized else outcome
    for index in finished[:: max(1, -(-len(finished) // SECOND_CALLS))].tolist():
        position = raw.position(index)
        again = _end_value(position, of_one)
        if again != values[index]:
            raise InvalidGameError(
                f"outcome({position}) gives {again} when it is called again, and gave "
                f"{values[index]}; it must be a function of the position alone"
            )
    return values


def _end_value(position: Position, outcome: Outcome) -> int:
    """Return the value of a position without moves."""
    try:
        value = outcome(position)
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if is_number and value in (1, 0, -1):
            return int(value)
    except Exception as error:
        raise InvalidGameError(
            f"outcome({position}) raised {type(error).__name__}: {error}"
        ) from error
    raise InvalidGameError(
        f"outcome({position}) must be 1, 0 or -1, a win, a draw or a loss of the player to move, "
        f"not {value!r}"
    )


def _in_order(reader: _FunctionReader, raw: _RawListing, values: ValueArray | None) -> Listing:
    """Return the listing, with positions and labels in order."""
    labels, coordinates = raw.labels, raw.coordinates
    order = list(range(len(labels)))
    if not reader.labels_are_fixed:
        order.sort(key=lambda option: _natural_key(labels[option]))
    option_of = _inverse(np.array(order, dtype=np.int64))
    lexicographic = np.lexsort(coordinates.T[::-1])
    state_of = _inverse(lexicographic)
    moves = MoveRows.of(
        len(coordinates), state_of[raw.sources], option_of[raw.options], state_of[raw.targets]
    )
    ordered = tuple(labels[option] for option in order)
    return Listing(
        coordinates[lexicographic],
        moves,
        ordered,
        tuple(map(reader.first_seen.get, ordered)),
        None if values is None else values[lexicographic],
    )


class _FunctionReader:
    """Reads a function of moves; positions and labels get indices in the order of reading.

    Positions are packed into bytes, which take a third of the memory of tuples: a byte for each
    coordinate, or eight for each once a coordinate needs more. Moves are read one position
    after the other, and added ``READ_AT_ONCE`` at a time.

    Arguments: those of :func:`list_positions`.

    Attributes:
        option_of: option of each label.
        first_seen: first position with each label.
        sources: position before each move, ascending.
        options: option of each move.
        targets: position after each move.
        done: number of positions all of whose moves are read.
        labels_are_fixed: whether the caller lists the labels.
    """

    def __init__(
        self,
        name: str,
        starts: Sequence[Position],
        moves: Any,
        actions: Iterable[Hashable] | None,
        limit: int,
        *,
        vectorized: bool,
    ) -> None:
        self.name, self.moves, self._limit = name, moves, limit
        self._vectorized = vectorized
        self.labels_are_fixed = actions is not None
        labels = [] if actions is None else _checked_actions(actions)
        self.option_of = {label: option for option, label in enumerate(labels)}
        self.first_seen: dict[Hashable, Position] = {}
        self.sources, self.options, self.targets = array("i"), array("i"), array("i")
        self.done = 0
        self._width = len(starts[0])
        self._most_bytes = largest_bytes()
        self._position_bytes = ENTRY_BYTES * (self._width + 1)
        self._packing, self._packed = struct.Struct(""), bytearray()
        self._pack_in(NARROW)
        self._indices_of(starts)

    @property
    def found(self) -> int:
        """Number of positions found."""
        return len(self._index_of)

    def position(self, index: int) -> Position:
        """Return a position."""
        return self._packing.unpack_from(self._packed, index * self._packing.size)

    def take_positions(self) -> Array:
        """Return all positions, ``(positions, coordinates)``; nothing more can be read then."""
        self._index_of.clear()
        return np.frombuffer(self._packed, self._dtype).reshape(-1, self._width)

    def read_some(self) -> None:
        """Read the moves of some positions; add the positions and labels that are new."""
        (self._read_array if self._vectorized else self._read_one_by_one)()

    def _read_array(self) -> None:
        """Read the moves of some positions from a function of arrays."""
        first, last = (n * self._packing.size for n in (self.done, self.done + POSITIONS_PER_CALL))
        positions = np.frombuffer(bytes(self._packed[first:last]), self._dtype)
        here = positions.reshape(-1, self._width).astype(np.int64)
        rows, labels, after = moves_of_many(here, self.moves)
        sources = (rows + self.done).astype(np.int32)
        distinct, firsts, which = np.unique(labels, return_index=True, return_inverse=True)
        options = np.array(self._options_of(distinct.tolist(), sources[firsts]), np.int32)[which]
        self._check_labels(sources, options)
        self._extend(sources, options, self._indices_in_array(after, labels, sources))
        self.done += len(here)
        self._check_bytes()

    def _read_one_by_one(self) -> None:
        """Read the moves of some positions, one position after the other."""
        pairs: list[Any] = []
        counts: list[int] = []
        returned: Any = ()
        first, last = (n * self._packing.size for n in (self.done, self.done + READ_AT_ONCE))
        for position in self._packing.iter_unpack(self._packed[first:last]):
            before = len(pairs)
            try:
                returned = self.moves(position)
                iterator = iter(returned)
                pairs.extend(islice(iterator, READ_AT_ONCE - before))
            except Exception as error:
                raise _moves_error(position, returned, error) from error
            counts.append(len(pairs) - before)
            if len(pairs) == READ_AT_ONCE:
                self._add(counts, pairs, last_may_have_more=True)
                self._read_rest(position, iterator, counts[-1])
                pairs, counts = [], []
        self._add(counts, pairs)

    def _read_rest(self, position: Position, iterator: Iterator[Any], count: int) -> None:
        """Read the moves of a position after its first ``count`` ones, which are added."""
        first = len(self.options) - count
        while True:
            try:
                pairs = [*islice(iterator, READ_AT_ONCE)]
            except Exception as error:
                raise _moves_error(position, (), error) from error
            if not pairs:
                break
            self._add([len(pairs)], pairs, last_may_have_more=True)
            if len(self.options) - first > len(self.option_of):
                break  # a label occurs twice, even if the moves have no end
        self._check_labels(self.sources[first:], self.options[first:])
        self.done += 1

    def _add(
        self, counts: list[int], pairs: list[Any], *, last_may_have_more: bool = False
    ) -> None:
        """Add moves, given one position after the other, from the first that is not done.

        Args:
            counts: number of moves of each position.
            pairs: the moves.
            last_may_have_more: whether the last position is not done after these.
        """
        sources = np.repeat(np.arange(self.done, self.done + len(counts), dtype=np.int32), counts)
        if {*map(type, pairs)} - {tuple} or {*map(len, pairs)} - {2}:
            for source, pair in zip(sources.tolist(), pairs, strict=True):
                _check_pair(pair, self.position(source))
        flat = [*chain.from_iterable(pairs)]
        labels, after = flat[::2], flat[1::2]
        options = self._options_of(labels, sources)
        self._check_labels(sources, options)
        targets = self._indices_after(after, labels, sources)
        self._extend(sources, options, targets)
        self.done += len(counts) - last_may_have_more
        self._check_bytes()

    def _extend(self, sources: Int32Array, options: npt.ArrayLike, targets: list[int]) -> None:
        """Add moves."""
        self.sources.frombytes(sources.tobytes())
        self.options.frombytes(np.asarray(options, dtype=np.int32).tobytes())
        self.targets.extend(targets)

    def _check_labels(self, sources: Any, options: Any) -> None:
        """Raise ``InvalidGameError`` if an option occurs twice at a position."""
        moves = np.asarray(sources).astype(np.int64) * len(self.option_of) + np.asarray(options)
        moves.sort()
        twice = np.flatnonzero(moves[1:] == moves[:-1])
        if len(twice):
            source, option = divmod(int(moves[twice[0]]), len(self.option_of))
            label = [*self.option_of][option]
            raise InvalidGameError(
                f"moves({self.position(source)}) gives the label {label!r} twice"
            )

    def _options_of(self, labels: list[Any], sources: Int32Array) -> list[int]:
        """Return the option of each label; add the labels that are new."""
        options = _look_up(self.option_of, labels)
        if None in options:
            for move in [move for move, option in enumerate(options) if option is None]:
                options[move] = self._option_of(labels[move], int(sources[move]))
        return options

    def _option_of(self, label: Any, source: int) -> int:
        """Return the option of a label, which is added if it is new."""
        position = self.position(source)
        if not _is_hashable(label):
            raise InvalidGameError(
                f"moves({position}): a label must be hashable, such as a string, an "
                f"integer or a tuple of them, not {label!r}"
            )
        if label in self.option_of:
            return self.option_of[label]
        if self.labels_are_fixed:
            raise InvalidGameError(
                f"actions must list every label, and moves({position}) gives {label!r}"
            )
        if len(self.option_of) == MOST_LABELS:
            raise SearchTooLargeError(
                f"{self.name} has more than {MOST_LABELS} labels of moves, the limit; "
                f"moves({position}) gives {label!r} beyond it: is there an end to the moves of "
                "every position?"
            )
        self.first_seen[label] = position
        return self.option_of.setdefault(label, len(self.option_of))

    def _indices_after(self, after: list[Any], labels: list[Any], sources: Int32Array) -> list[int]:
        """Return the index of the position after each move; add the positions that are new.

        Args:
            after: the positions as they were given.
            labels: labels of the moves.
            sources: positions before the moves.
        """

        def check(moves: Iterable[int]) -> None:
            for move in moves:
                position = self.position(int(sources[move]))
                where = f"the position after move {labels[move]!r} at {position}"
                after[move] = checked_position(where, after[move], self._width)

        if not _are_tuples(after):
            after = [*map(_as_tuple, after)]
            if not _are_tuples(after):
                check(range(len(after)))
        known = self.found
        try:
            indices = self._indices_of(after)
        except struct.error:
            check(range(len(after)))
            indices = self._indices_of(after)
        if self._dtype != NARROW:  # eight bytes hold numbers beyond the largest
            check(move for move, index in enumerate(indices) if index >= known)
        return indices

    def _indices_of(self, positions: Sequence[Position]) -> list[int]:
        """Return the index of each position; add those that are new.

        Raises:
            struct.error: a position cannot be packed.
            SearchTooLargeError: there are too many positions.
        """
        try:
            keys = [*starmap(self._packing.pack, positions)]
        except struct.error:
            self._pack_in(WIDE)
            keys = [*starmap(self._packing.pack, positions)]
        return self._indices_of_packed(keys)

    def _indices_in_array(self, after: Array, labels: Array, sources: Int32Array) -> list[int]:
        """Return the index of each position of an array; add those that are new.

        Args:
            after: the positions.
            labels: labels of the moves.
            sources: positions before the moves.
        """
        wrong = np.flatnonzero(((after < 0) | (after > LARGEST_STATE)).any(axis=1))
        if len(wrong):
            move = wrong[0]
            position, label = self.position(int(sources[move])), labels[move].item()
            where = f"the position after move {label!r} at {position}"
            checked_position(where, tuple(after[move].tolist()), self._width)
        if self._dtype.itemsize == 1 and after.max(initial=0) > np.iinfo(self._dtype).max:
            self._pack_in(WIDE)
        packed = np.ascontiguousarray(after, dtype=self._dtype)
        return self._indices_of_packed(packed.view(f"V{self._packing.size}").ravel().tolist())

    def _indices_of_packed(self, keys: list[bytes]) -> list[int]:
        """Return the index of each packed position; add those that are new.

        Raises:
            SearchTooLargeError: there are too many positions.
        """
        known = self.found
        indices = [*map(self._index_of.__getitem__, keys)]  # a new key gets the next index
        if self.found > known:
            if self.found > self._limit:
                raise SearchTooLargeError(
                    f"{self.name} has more than {self._limit} positions, the limit: is there an "
                    "end to every play? A larger limit may be given as limit=..."
                )
            new = [*islice(reversed(self._index_of), self.found - known)]
            self._packed += b"".join(reversed(new))
        return indices

    def _pack_in(self, code: str) -> None:
        """Pack positions with coordinates of a type, also those that are packed already."""
        before = self._packing.iter_unpack(self._packed) if self._packed else ()
        self._packing, self._dtype = struct.Struct(f"={self._width}{code}"), np.dtype(code)
        keys = [*starmap(self._packing.pack, before)]
        self._packed = bytearray().join(keys)
        indices = {key: index for index, key in enumerate(keys)}
        self._index_of = defaultdict(count(len(keys)).__next__, indices)

    def _check_bytes(self) -> None:
        """Raise ``SearchTooLargeError`` if positions and moves take too many bytes."""
        needed = self.found * self._position_bytes + len(self.options) * MOVE_BYTES
        if needed > self._most_bytes:
            check_bytes(
                f"{self.found} positions of {self.name}, and the {len(self.options)} "
                f"moves of the first {self.done},",
                needed,
            )


def checked_position(name: str, position: Any, width: int | None = None) -> Position:
    """Return a position as a tuple of ``int``.

    Args:
        name: beginning of messages.
        position: the value given.
        width: number of coordinates; ``None``: any number of at least one.

    Raises:
        InvalidGameError: not integers of at least 0, or another count of them.
    """
    values = integers_of(position)
    if not values:
        raise InvalidGameError(
            f"{name} must be a position, a tuple of integers such as (3, 4), not {position!r}"
            f"{_hint_on_booleans(position)}"
        )
    if width is not None and len(values) != width:
        raise InvalidGameError(
            f"{name} must have {width} coordinate{'s' if width > 1 else ''}, as the start has, "
            f"not {values}"
        )
    if min(values) < 0:
        raise InvalidGameError(f"{name} must not have a negative coordinate, as {values} has")
    for index, value in enumerate(values):
        checked_integer(f"{name}, coordinate {index},", value, 0, LARGEST_STATE)
    return values


def checked_further_positions(positions: Any, width: int, limit: int) -> list[Position]:
    """Return further positions to list, at most ``limit``.

    Raises:
        InvalidGameError: not a list of positions with ``width`` coordinates.
        SearchTooLargeError: there are more than ``limit``.
    """
    if not is_listing(positions, of_any_order=True):
        raise InvalidGameError(f"positions must be a list of positions, not {positions!r}")
    checked = [
        checked_position(f"position {place}", position, width)
        for place, position in enumerate(islice(positions, limit + 1), start=1)
    ]
    if len(checked) > limit:
        raise SearchTooLargeError(f"positions lists more than {limit} positions, the limit")
    return checked


def _hint_on_booleans(position: Any) -> str:
    """Return the end of a message about a position with booleans; empty for one without."""
    if not is_listing(position) or not any(isinstance(v, (bool, np.bool_)) for v in position):
        return ""
    return ": write 1 for True and 0 for False"


def _check_pair(move: Any, position: Position) -> None:
    """Raise ``InvalidGameError`` unless a move is a pair, a tuple or a list."""
    if not isinstance(move, (tuple, list)) or len(move) != 2:
        raise InvalidGameError(
            f"moves({position}) must give pairs of a label and a position, not {move!r}"
        )


def _look_up(indices: dict[Any, int], keys: Iterable[Any]) -> list[Any]:
    """Return the index of each key, ``None`` for a new one; ``None`` for all if some is a list."""
    try:
        return [*map(indices.get, keys)]
    except TypeError:  # not hashable
        return [None for _ in keys]


def _first_moves(position: Position, moves: Moves, most: int) -> list[Any]:
    """Return the first moves at a position, at most ``most``, unchecked."""
    returned: Any = ()
    try:
        returned = moves(position)
        return [*islice(iter(returned), most)]
    except Exception as error:
        raise _moves_error(position, returned, error) from error


def _moves_error(position: Position, returned: Any, error: Exception) -> InvalidGameError:
    """Return the error for moves that could not be read.

    Args:
        position: the position.
        returned: result of ``moves``, at this position or at one before.
        error: the exception that was raised.
    """
    if isinstance(returned, Iterable):
        return InvalidGameError(f"moves({position}) raised {type(error).__name__}: {error}")
    return InvalidGameError(
        f"moves({position}) must give pairs of a label and a position, or nothing where the "
        f"game is over ([]), not {returned!r}"
    )


def _are_tuples(values: Iterable[Any]) -> bool:
    """Return whether all values are tuples."""
    return all(issubclass(kind, tuple) for kind in {*map(type, values)})


def _as_tuple(position: Any) -> Any:
    """Return a list, or an array of integers, as a tuple; anything else as it is."""
    if isinstance(position, np.ndarray) and position.dtype.kind in "iu":
        return tuple(position.tolist())
    return tuple(position) if isinstance(position, list) else position


def _difference(first: dict[Any, Any], again: dict[Any, Any]) -> str:
    """Return in words how the moves of a second call differ from the first ones."""
    for label, after in first.items():
        if label not in again:
            return f"{label!r} is missing"
        if again[label] != after:
            return f"{label!r} leads to {again[label]!r}, and led to {after}"
    return f"{next(label for label in again if label not in first)!r} is new"


def _inverse(order: IntArray) -> Int32Array:
    """Return the inverse of a permutation."""
    inverse = np.empty(len(order), dtype=np.int32)
    inverse[order] = np.arange(len(order))
    return inverse


def _is_hashable(label: Any) -> bool:
    """Return whether a label, and all that it consists of, can be hashed."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _checked_actions(actions: Iterable[Hashable]) -> list[Hashable]:
    """Return the labels that the caller lists, each once."""
    if not is_listing(actions):
        raise InvalidGameError(f"actions must be a list of labels, not {actions!r}")
    labels = list(islice(actions, MOST_LABELS + 1))
    if len(labels) > MOST_LABELS:
        raise SearchTooLargeError(f"actions lists more than {MOST_LABELS} labels, the limit")
    unhashable = [label for label in labels if not _is_hashable(label)]
    if unhashable:
        raise InvalidGameError(f"actions must list hashable labels, not {unhashable[0]!r}")
    if not labels or len(set(labels)) < len(labels):
        raise InvalidGameError(f"actions must list at least one label and none twice, not {labels}")
    return labels


def _natural_key(label: Hashable) -> tuple[list[Any], str]:
    """Return the key that sorts labels by the size of numbers in them: ``"left 2", "left 10"``."""
    words = str(label)
    if isinstance(label, (int, np.integer)):
        return ["", int(label), ""], words
    parts: list[Any] = re.split(r"(\d+)", words)
    parts[1::2] = map(int, parts[1::2])
    return parts, words
