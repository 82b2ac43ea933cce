"""Breadth-first listing of the positions and moves of a game given by a function."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.optional import installed
from nim_envs.progress import progress_bar
from nim_envs.rules.move_rows import MOVE_BYTES, MoveRows
from nim_envs.rules.validation import (
    LARGEST_STATE,
    check_bytes,
    checked_integer,
    integers_of,
    is_listing,
    largest_bytes,
)
from nim_envs.typing import Int32Array, IntArray, ValueArray

Position = tuple[int, ...]
Moves = Callable[[Position], Iterable[tuple[Hashable, Position]]]
Outcome = Callable[[Position], int]

LARGEST_LISTING = 2_000_000
"""Default limit on the number of positions of a listing."""

MOST_LABELS = 1 << 18
"""Limit on the number of labels, and so of moves at a position."""

SECOND_CALLS = 64
"""Positions at which the function of moves is called a second time."""

READ_AT_ONCE = 1024
"""Moves that are read between two checks of the limits."""

SECONDS_WITHOUT_PROGRESS = 2.0

POSITIONS_PER_UPDATE = 64
"""Positions between two steps of the progress bar."""

ENTRY_BYTES = np.dtype(np.int64).itemsize


class Listing(NamedTuple):
    """Positions and moves of a game.

    Attributes:
        coordinates: the positions in lexicographic order, int64 ``(positions, coordinates)``.
        moves: the moves, with the indices of positions in this order as states.
        labels: label of each option.
        first_seen: first position with each label; ``None`` where no position has it.
        values: value of each position without moves, int8 ``(positions,)``, and 0 at the others;
            ``None`` where the last move decides.
    """

    coordinates: IntArray
    moves: MoveRows
    labels: tuple[Hashable, ...]
    first_seen: tuple[Position | None, ...]
    values: ValueArray | None


def list_positions(
    name: str,
    starts: Sequence[Position],
    moves: Moves,
    actions: Iterable[Hashable] | None,
    limit: int,
    outcome: Outcome | None = None,
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

    Raises:
        InvalidGameError: ``moves`` raises, gives anything but such pairs, or gives other moves
            when it is called again, or ``outcome`` raises, gives no 1, 0 or -1, or another one; the
            message names the position.
        SearchTooLargeError: more than ``limit`` positions, more than ``MOST_LABELS`` labels, or
            positions and moves over the limit of bytes.
    """
    reader = _Reader(name, starts, moves, actions, limit)
    _read_breadth_first(reader)
    _check_second_calls(reader)
    values = None if outcome is None else _end_values(reader, outcome)
    return _in_order(reader, values)


def _read_breadth_first(reader: _Reader) -> None:
    """Read the moves of all positions, of which there are more with each position that is read.

    Raises:
        InvalidGameError: no position has a move, or as :func:`list_positions`.
        SearchTooLargeError: as :func:`list_positions`.
    """
    with ExitStack() as stack:
        bar: Any = None
        if installed("tqdm"):
            bar = stack.enter_context(
                progress_bar(
                    desc=f"positions of {reader.name}",
                    unit="position",
                    unit_scale=True,
                    delay=SECONDS_WITHOUT_PROGRESS,
                )
            )
        for index, position in enumerate(reader.positions):
            if bar is not None and index % POSITIONS_PER_UPDATE == 0:
                bar.update(index - bar.n)
            reader.read(position)
    if not reader.options:
        others = "" if len(reader.positions) == 1 else ", nor at any other position"
        raise InvalidGameError(
            f"there is no move at {reader.positions[0]}{others}: the game is over"
        )


def _check_second_calls(reader: _Reader) -> None:
    """Call the function of moves again at some positions, and compare the moves.

    Raises:
        InvalidGameError: they differ; the message names the position.
    """
    firsts = np.concatenate([[0], np.cumsum(reader.counts)]).tolist()
    labels = list(reader.option_of)
    count = len(reader.positions)
    for index in range(0, count, -(-count // SECOND_CALLS)):
        position, moves = reader.positions[index], slice(firsts[index], firsts[index + 1])
        first = {
            labels[option]: reader.positions[target]
            for option, target in zip(reader.options[moves], reader.targets[moves], strict=True)
        }
        most = len(first) + 1  # more are others already
        pairs = list(islice(chain.from_iterable(_pairs_at(position, reader.moves)), most))
        _check_pairs(pairs, position)
        again = {
            label if _is_hashable(label) else repr(label): _as_tuple(after)
            for label, after in pairs
        }
        if first != again:
            raise InvalidGameError(
                f"moves({position}) gives other moves when it is called again: "
                f"{_difference(first, again)}; it must be a function of the position alone"
            )


def _end_values(reader: _Reader, outcome: Outcome) -> ValueArray:
    """Return the values of positions without moves, in the order of reading, and 0 at the others.

    Raises:
        InvalidGameError: as :func:`list_positions`.
    """
    values = np.zeros(len(reader.positions), dtype=np.int8)
    finished = np.flatnonzero(np.array(reader.counts) == 0)
    for index in finished.tolist():
        values[index] = _end_value(reader.positions[index], outcome)
    for index in finished[:: -(-len(finished) // SECOND_CALLS)].tolist():
        position = reader.positions[index]
        again = _end_value(position, outcome)
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
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if number and value in (1, 0, -1):
            return int(value)
    except Exception as error:
        raise InvalidGameError(
            f"outcome({position}) raised {type(error).__name__}: {error}"
        ) from error
    raise InvalidGameError(
        f"outcome({position}) must be 1, 0 or -1, a win, a draw or a loss of the player to move, "
        f"not {value!r}"
    )


def _in_order(reader: _Reader, values: ValueArray | None) -> Listing:
    """Return the listing, with positions and labels in order."""
    labels = list(reader.option_of)
    order = list(range(len(labels)))
    if not reader.labels_are_fixed:
        order.sort(key=lambda option: _natural_key(labels[option]))
    column = _inverse(np.array(order, dtype=np.int64))
    coordinates = np.array(reader.positions, dtype=np.int64)
    lexicographic = np.lexsort(coordinates.T[::-1])
    state = _inverse(lexicographic)
    moves = MoveRows.of(
        len(coordinates),
        np.repeat(state, np.array(reader.counts)),
        column[np.array(reader.options)],
        state[np.array(reader.targets)],
    )
    ordered = tuple(labels[option] for option in order)
    return Listing(
        coordinates[lexicographic],
        moves,
        ordered,
        tuple(map(reader.first_seen.get, ordered)),
        None if values is None else values[lexicographic],
    )


class _Reader:
    """Reads the moves of a game, and numbers positions and labels in the order of reading.

    Arguments: those of :func:`list_positions`.

    Attributes:
        positions: the positions, without an end until all are read.
        option_of: option of each label.
        first_seen: first position with each label.
        options: option of each move.
        targets: index of the position that each move leads to.
        counts: number of moves at each position that is read.
        labels_are_fixed: whether the caller lists the labels.
    """

    def __init__(
        self,
        name: str,
        starts: Sequence[Position],
        moves: Moves,
        actions: Iterable[Hashable] | None,
        limit: int,
    ) -> None:
        self.name, self.moves, self._limit = name, moves, limit
        self.labels_are_fixed = actions is not None
        labels = [] if actions is None else _checked_actions(actions)
        self.option_of = {label: option for option, label in enumerate(labels)}
        self.first_seen: dict[Hashable, Position] = {}
        self.positions = list(dict.fromkeys(starts))
        if len(self.positions) > limit:
            raise self._too_many()
        self._index_of = {position: index for index, position in enumerate(self.positions)}
        self._width = len(starts[0])
        self.options, self.targets, self.counts = array("i"), array("i"), array("i")
        self._most_bytes = largest_bytes()
        self._position_bytes = ENTRY_BYTES * (self._width + 1)

    def read(self, position: Position) -> None:
        """Read the moves at one position; add the positions and labels that are new."""
        before = len(self.options)
        for pairs in _pairs_at(position, self.moves):
            if {*map(type, pairs)} != {tuple} or {*map(len, pairs)} != {2}:
                _check_pairs(pairs, position)
            labels, after = zip(*pairs, strict=True)
            options, targets = _look_up(self.option_of, labels), _look_up(self._index_of, after)
            for place in _places_of_none(options):
                options[place] = self._option_of(labels[place], position)
            for place in _places_of_none(targets):
                targets[place] = self._position_index(after[place], labels[place], position)
            self.options.extend(options)
            self.targets.extend(targets)
            if len(self.options) - before > len(self.option_of):
                break  # a label occurs twice, even if the moves have no end
        self._check_labels(self.options[before:], position)
        self.counts.append(len(self.options) - before)
        self._check_bytes()

    def _check_labels(self, options: Sequence[int], position: Position) -> None:
        """Raise ``InvalidGameError`` if an option occurs twice at a position."""
        if len(set(options)) < len(options):
            twice = next(label for label, i in self.option_of.items() if options.count(i) > 1)
            raise InvalidGameError(f"moves({position}) gives the label {twice!r} twice")

    def _option_of(self, label: Any, position: Position) -> int:
        """Return the option of a label, which is added if it is new."""
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

    def _position_index(self, after: Any, label: Any, position: Position) -> int:
        """Return the index of a position, which is checked and added if it is new."""
        checked = _as_tuple(after)
        if not _is_plain(checked, self._width):
            where = f"the position after move {label!r} at {position}"
            checked = checked_position(where, after, self._width)
        index = self._index_of.setdefault(checked, len(self.positions))
        if index == len(self.positions):
            if index >= self._limit:
                raise self._too_many()
            self.positions.append(checked)
            self._check_bytes()
        return index

    def _too_many(self) -> SearchTooLargeError:
        """Return the error for more positions than the limit."""
        return SearchTooLargeError(
            f"{self.name} has more than {self._limit} positions, the limit: is there an end to "
            "every play? A larger limit may be given as limit=..."
        )

    def _check_bytes(self) -> None:
        """Raise ``SearchTooLargeError`` if positions and moves take too many bytes."""
        needed = len(self.positions) * self._position_bytes + len(self.options) * MOVE_BYTES
        if needed > self._most_bytes:
            check_bytes(
                f"{len(self.positions)} positions of {self.name}, and the {len(self.options)} "
                f"moves of the first {len(self.counts)},",
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


def _is_plain(position: Any, width: int) -> bool:
    """Return whether a position is a tuple of ``width`` ``int`` that needs no further check."""
    return (
        type(position) is tuple
        and len(position) == width
        and {*map(type, position)} == {int}
        and 0 <= min(position) <= max(position) <= LARGEST_STATE
    )


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


def _check_pairs(moves: Sequence[Any], position: Position) -> None:
    """Raise ``InvalidGameError`` unless each move is a pair, a tuple or a list."""
    for move in moves:
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


def _places_of_none(values: list[Any]) -> list[int]:
    """Return where there is ``None`` among ``values``."""
    if None not in values:
        return []
    return [place for place, value in enumerate(values) if value is None]


def _pairs_at(position: Position, moves: Moves) -> Iterator[list[Any]]:
    """Yield in pieces whatever ``moves`` gives at ``position``; an error names the position."""
    try:
        pairs = moves(position)
        if isinstance(pairs, Iterable):
            iterator = iter(pairs)
            while piece := list(islice(iterator, READ_AT_ONCE)):
                yield piece
            return
    except Exception as error:
        raise InvalidGameError(
            f"moves({position}) raised {type(error).__name__}: {error}"
        ) from error
    raise InvalidGameError(
        f"moves({position}) must give pairs of a label and a position, or nothing where the "
        f"game is over ([]), not {pairs!r}"
    )


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
    """Return what sorts labels with the numbers in them by size: ``"left 2", "left 10"``."""
    words = str(label)
    if isinstance(label, (int, np.integer)):
        return ["", int(label), ""], words
    parts: list[Any] = re.split(r"(\d+)", words)
    parts[1::2] = map(int, parts[1::2])
    return parts, words
