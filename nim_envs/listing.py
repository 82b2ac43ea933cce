"""Parts from their moves: from a function, by vectors that moves subtract, by cells they take."""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from nim_envs.caches import SharedCache
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.graph import LARGEST_TABLE, Part, Picture, Words, check_table
from nim_envs.index import Index, keys_of
from nim_envs.typing import Array, BoolArray, Int32Array, IntArray, Position, ValueArray
from nim_envs.validation import LARGEST_STATE, integers_of, is_listing

LARGEST_LISTING = 2_000_000
"""Default limit on the number of positions that are listed."""

AT_ONCE = 2**12
"""Positions in one call of a function of arrays."""

PASS = "pass"
"""Label of the forced pass of a player whose opponent moves again."""

HOPELESS = 16
"""A listing is given up where its levels grow to that many times the positions that are allowed."""

MOST_KEPT = 2**16
"""Entries of the table of a part that stays for the next game, even while it is not in use."""

Moves = Callable[[Any], Any]
Parameters = ParamSpec("Parameters")
_shared: SharedCache[Hashable, Part] = SharedCache()
_recent: deque[Part] = deque(maxlen=64)


def shared(make: Callable[Parameters, Part]) -> Callable[Parameters, Part]:
    """Return a constructor of parts that makes equal parts one object while it is in use.

    Args:
        make: constructor at the top level of a module, whose positional arguments are hashable.
    """

    @wraps(make)
    def constructor(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Part:
        part = _shared.get_or_create((make, args), lambda: make(*args, **kwargs))
        part.made_by = constructor, args
        if part.after.size <= MOST_KEPT:
            _recent.append(part)
        return part

    return constructor


def part_of_vectors(
    sizes: Sequence[int],
    vectors: npt.ArrayLike,
    labels: Sequence[Any],
    words: Words,
    picture: Picture | None = None,
) -> Part:
    """Return a part whose moves subtract vectors from the coordinates, not below 0.

    Args:
        sizes: number of values of each coordinate; all points of this box are positions.
        vectors: what each option subtracts, integers of at least 0, ``(options, fields)``.
        labels: label of each option.
        words: words for the moves.
        picture: look in pictures.
    """
    box = Index(sizes)
    check_table(f"a {words.kind}", box.size, len(labels))
    subtracted = np.asarray(vectors, dtype=np.int64).reshape(len(labels), len(sizes))
    points = np.stack(np.unravel_index(np.arange(box.size), sizes), axis=-1)
    legal = np.ones((len(points), len(labels)), dtype=np.bool_)
    for field in range(len(sizes)):
        legal &= points[:, field, np.newaxis] >= subtracted[:, field]
    rows = np.arange(len(points), dtype=np.int32)[:, np.newaxis]
    after = np.where(legal, rows - box.keys(subtracted).astype(np.int32), -1)
    return Part(points, after, labels, words, picture)


def cell_moves(
    needed: BoolArray, taken: BoolArray, positions: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Take cells: moves of positions with 1 for each cell that is taken, and 0 for a free one.

    Args:
        needed: cells that must be free for each option, ``(options, cells)``.
        taken: cells that each option takes, ``(options, cells)``.
        positions: ``(n, cells)``.

    Returns:
        Row, option and next position of each move, as :func:`part_from_moves` takes them.
    """
    cells = positions.astype(np.int8)
    rows, options = np.nonzero(positions @ needed.T == 0)
    return rows, options, cells[rows] | taken[options]


def part_from_moves(
    start: Position,
    moves: Moves,
    words: Words,
    picture: Picture | None = None,
    *,
    outcome: Callable[[Any], Any] | None = None,
    positions: Iterable[Position] = (),
    actions: Iterable[Hashable] | None = None,
    limit: int = LARGEST_LISTING,
    vectorized: bool = False,
    cycles: bool = False,
) -> Part:
    """Return the part whose moves a function gives, with the positions that they lead to.

    Args:
        start: the first position to list.
        moves: function of a position, a tuple of integers of at least 0, that gives its moves as
            pairs of a label, a string or an integer, and the position after the move; with a third
            element ``True`` where the same player moves again. Positions then have one coordinate
            more, the last, 1 where the other player passes: the one move there is :data:`PASS`, the
            last option.
        words: words for the moves.
        picture: look in pictures.
        outcome: function of a position without moves that gives its value to the player to move, 1,
            0 or -1; ``None``: the last move decides who wins.
        positions: further positions to list, and all that moves lead to from them.
        actions: the labels in the order of the options; ``None``: those that occur, in natural
            order, in which ``"left 2"`` comes before ``"left 10"``.
        limit: most positions to list.
        vectorized: whether both functions are of arrays, as of :func:`nim_envs.game_from_moves`.
        cycles: whether moves may form cycles.

    Raises:
        InvalidGameError: the functions give anything else, a label twice at a position, labels that
            differ in case or spaces alone or are the forced pass's, or moves that form a cycle and
            may not; in one sentence, with the position.
        SearchTooLargeError: there are too many positions, or positions times labels.
    """
    first = checked_position("start", start)
    if not is_listing(positions, of_any_order=True):
        raise InvalidGameError(f"positions must be a list of positions, not {positions!r}")
    found = {first: None}
    for place, position in enumerate(islice(positions, limit + 1), start=1):
        found[checked_position(f"position {place}", position, len(first))] = None
    labels = _Labels(words.kind, actions, limit)
    labels.check_size(len(found))
    read = _read_arrays if vectorized else _read_one_by_one
    points, chunks = read([*found], moves, labels)
    if not any(len(options) for _, options, _ in chunks):
        raise InvalidGameError(f"there is no move at {first}: the game is over")
    option_of = labels.places()
    points, after, _ = table_of_moves(words.kind, points, chunks, option_of)
    if after.shape[1] > len(option_of):
        labels.add_pass(len(points))
    part = Part(points, after, labels.in_order(), words, picture)
    part.has_passes = labels.has_passes
    rows, legal = np.arange(len(after))[:, np.newaxis], after >= 0
    if not ((after < rows).all() or (legal <= (after > rows)).all()):
        find_cycles(part, cycles)
    if outcome is not None:
        part.outcome = _outcomes(part, outcome, vectorized)
    return part


def find_cycles(part: Part, allowed: bool) -> None:
    """Set whether moves of a part form cycles; ``InvalidGameError`` where they must not."""
    try:
        _ = part.longest_play  # it raises an error for a cycle
    except InvalidGameError:
        if not allowed:
            raise
        part.has_cycles = True


def say_label(label: Any, position: Position | None) -> str:
    """Return a label as the words of its option."""
    return str(label)


def checked_position(name: str, position: Any, width: int | None = None) -> Position:
    """Return a position as a tuple of ``int``.

    Raises:
        InvalidGameError: it is none, or has not ``width`` coordinates.
    """
    values = integers_of(position)
    if not values or (width or len(values)) != len(values) or min(values) < 0:
        count = "" if width is None else f"{width} "
        raise InvalidGameError(
            f"{name} must be a position, a tuple of {count}integers of at least 0, not {position!r}"
        )
    if max(values) > LARGEST_STATE:
        raise InvalidGameError(f"{name} has a coordinate over {LARGEST_STATE}: {values}")
    return values


def grow_beyond(most: int, levels: Sequence[int], moves: int) -> bool:
    """Return whether the levels of a game grow to far more positions than are allowed.

    The factor from level to level is taken to fall further, as fast as at the last levels: less
    than it falls in most games, where moves run out.

    Args:
        most: positions that are allowed.
        levels: number of new positions after each number of moves; of the last one, so far.
        moves: most moves of a game.
    """
    logs, left = np.log(np.maximum(levels[-5:], 1)), moves - len(levels) + 1
    if len(logs) < 3 or left < 1:
        return False
    growth = np.diff(logs)
    slowing = max(0.0, (growth[0] - growth[-1]) / (len(growth) - 1))
    largest = logs[-1] + np.cumsum(growth[-1] - slowing * np.arange(1, left + 1)).max()
    return bool(largest > np.log(HOPELESS * most))


class _Labels:
    """Labels of moves, each with an option: those that the caller lists, or those that occur."""

    def __init__(self, kind: str, actions: Iterable[Hashable] | None, limit: int) -> None:
        self.kind, self.limit = kind, limit
        self.option_of: dict[Hashable, int] = {}
        self._by_words: dict[str, tuple[Any, Position | None]] = {}
        self._are_fixed = self.has_passes = False
        if actions is not None:
            if not is_listing(actions):
                raise InvalidGameError(f"actions must be a list of labels, not {actions!r}")
            for label in actions:
                self.add(label, None, 1)
            self._are_fixed = True

    def add(self, label: Any, position: Position | None, found: int) -> int:
        """Return the option of a new label.

        Args:
            label: the label.
            position: the position at which it occurs; ``None``: it is listed.
            found: number of positions found so far.
        """
        where = "actions" if position is None else f"moves({position})"
        if isinstance(label, (bool, np.bool_)) or not isinstance(label, (str, int, np.integer)):
            raise InvalidGameError(
                f"{where}: a label must be a string or an integer, not {label!r}"
            )
        if self._are_fixed:
            raise InvalidGameError(f"actions must list every label, and {where} gives {label!r}")
        words = " ".join(str(label).casefold().split())
        if not words:
            raise InvalidGameError(f"{where}: a label must not be empty, as {label!r} is")
        if words in self._by_words:
            other, there = self._by_words[words]
            first = "" if there is None else f", at {there}"
            raise InvalidGameError(
                f"{where} gives the label {label!r}, which differs from {other!r}{first} in case, "
                "spaces or type alone"
            )
        self._by_words[words] = label, position
        option = self.option_of[label] = len(self.option_of)
        self.check_size(found)
        return option

    def add_pass(self, found: int) -> None:
        """Add the forced pass, the last option, to a game of some positions."""
        if PASS in self._by_words:
            label, _ = self._by_words[PASS]
            raise InvalidGameError(
                f"the label {label!r} is that of the forced pass after which the same player moves "
                "again: give your move another label"
            )
        self.has_passes = True
        self.option_of[PASS] = len(self.option_of)
        self.check_size(found)

    def check_size(self, found: int) -> None:
        """Raise ``SearchTooLargeError`` for too many positions, or positions times labels."""
        if found > self.limit:
            raise SearchTooLargeError(
                f"{self.kind} has more than {self.limit} positions, the limit: is there an end to "
                "every play? A larger limit may be given as limit=..."
            )
        if found * len(self.option_of) > LARGEST_TABLE:
            check_table(f"{self.kind} so far", found, len(self.option_of))

    def in_order(self) -> list[Any]:
        """Return the labels in the order of ``actions``, or in natural order."""
        labels = [*self.option_of]
        passes = [labels.pop()] if self.has_passes else []
        return [*(labels if self._are_fixed else sorted(labels, key=_natural_key)), *passes]

    def places(self) -> IntArray:
        """Return the place of each option in this order."""
        return np.argsort([self.option_of[label] for label in self.in_order()])


def _natural_key(label: Any) -> tuple[list[Any], str]:
    """Return the key that sorts labels by the numbers in them: ``"left 2", "left 10"``."""
    words = str(label)
    if not isinstance(label, str):
        return ["", int(label), ""], words
    parts: list[Any] = re.split(r"(\d+)", words)
    parts[1::2] = map(int, parts[1::2])
    return parts, words


Chunks = list[tuple[Any, Any, Any]]
"""Moves, some at a time: indices of the positions before them, options, indices after them, of
which ``~index`` where the same player moves again."""


def table_of_moves(
    name: str, points: Array, chunks: Chunks, option_of: IntArray, also: Sequence[int] = ()
) -> tuple[Array, Int32Array, Int32Array]:
    """Sort positions, and make the table of their moves.

    Before each position at which the same player moves again there is one more, the forced pass of
    the other player. If there is any, positions have one coordinate more, the last, 1 at passes,
    and the table has one option more, the last, the pass.

    Args:
        name: name of the game in errors.
        points: coordinates, ``(n, fields)``; to save memory, they are sorted where they are.
        chunks: moves; to save memory, they are removed.
        option_of: column of each option in the table.
        also: indices of further positions before which there is a pass.

    Returns:
        Positions, the table, and the index of the position in each row, after its pass.

    Raises:
        SearchTooLargeError: the table is too large.
    """
    count, num_options = len(points), len(option_of)
    moved = [~targets[targets < 0] for _, _, targets in chunks]
    again = np.unique(np.concatenate([np.array(also, dtype=np.int32), *moved]))
    if len(again):
        is_pass = np.repeat(np.array([0, 1], dtype=points.dtype), [count, len(again)])
        points = np.column_stack([np.concatenate([points, points[again]]), is_pass])
        num_options += 1
    check_table(name, len(points), num_options)
    order = np.argsort(keys_of(points))
    row_of = np.empty(len(points), dtype=np.int32)
    row_of[order] = np.arange(len(points))
    for column in points.T:
        column[:] = column[order]
    row_before = row_of[:count].copy()  # where the same player moves again, of the pass
    row_before[again] = row_of[count:]
    after = np.full((len(points), num_options), -1, dtype=np.int32)
    after[row_of[count:], -1] = row_of[again]
    while chunks:
        sources, options, targets = chunks.pop()
        rows = np.where(targets < 0, row_before[~targets], row_of[targets])
        after[row_of[sources], option_of[options]] = rows
    return points, after, np.append(np.arange(count, dtype=np.int32), again)[order]


def _read_one_by_one(found: list[Position], moves: Moves, labels: _Labels) -> tuple[Array, Chunks]:
    """Return all positions, in the order in which they are found, and all moves."""
    index_of = {position: index for index, position in enumerate(found)}
    counts, options, targets = array("i"), array("i"), array("i")
    option_of, width = labels.option_of, len(found[0])
    for position in found:  # grows meanwhile
        seen = set()
        for pair in _pairs(moves, position):
            try:
                again = len(pair) == 3
                label, given = _with_extra_turn(pair) if again else pair
                after = given if type(given) is tuple else _copied(given)
                target = index_of.get(after, -1)
                option = option_of.get(label)
            except (TypeError, ValueError):
                raise InvalidGameError(
                    f"moves({position}) must give pairs of a label, a string or an integer, and a "
                    f"position, a tuple of {width} integers of at least 0, not {pair!r}; a third "
                    "element, True, says that the same player moves again"
                ) from None
            if option is None:
                option = labels.add(label, position, len(found))
            if option in seen:
                raise InvalidGameError(f"moves({position}) gives the label {label!r} twice")
            seen.add(option)
            if target < 0:
                name = f"the position after move {label!r} at {position}"
                after = checked_position(name, after, width)
                target = index_of[after] = len(found)
                found.append(after)
                labels.check_size(len(found))
            options.append(option)
            targets.append(~target if again and pair[2] else target)
        counts.append(len(seen))
    sources = np.repeat(np.arange(len(found), dtype=np.int32), counts)
    return np.array(found, dtype=np.int64), [(sources, np.asarray(options), np.asarray(targets))]


def _with_extra_turn(move: Any) -> tuple[Any, Any]:
    """Return the label and the position of a move with a third element, a boolean."""
    label, given, again = move
    if not isinstance(again, (bool, np.bool_)):
        raise TypeError
    return label, given


def _copied(position: Any) -> Position:
    """Return a copy of a list or an array, which may be used again for the next move."""
    given = position.tolist() if isinstance(position, np.ndarray) else position
    if not isinstance(given, (tuple, list)):
        raise TypeError
    return tuple(given)


def _pairs(moves: Moves, position: Position) -> Iterator[Any]:
    """Yield what a function gives as the moves at a position."""
    try:
        yield from moves(position)
    except Exception as error:
        raise InvalidGameError(
            f"moves({position}) raised {type(error).__name__}: {error}"
        ) from error


class Numbers:
    """Numbers of keys, in the order in which keys are first added.

    Keys stand in ascending runs, each over half as long as the one before it at most: adding n keys
    takes time in proportion to n log² n.

    Attributes:
        count: number of different keys.
    """

    def __init__(self) -> None:
        self.count = 0
        self._runs: list[tuple[Array, Int32Array]] = []

    def add(self, keys: Array) -> tuple[Int32Array, IntArray]:
        """Return the number of each key, ``(n,)``, and the places at which new ones first occur."""
        distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.full(len(distinct), -1, dtype=np.int32)
        for listed, their_numbers in self._runs:
            place = np.minimum(np.searchsorted(listed, distinct), len(listed) - 1)
            numbers = np.where(listed[place] == distinct, their_numbers[place], numbers)
        is_new = numbers < 0
        places = np.sort(first[is_new])
        if len(places):
            numbers[is_new] = self.count + np.searchsorted(places, first[is_new])
            self.count += len(places)
            self._append(distinct[is_new], numbers[is_new])
        return numbers[which], places

    def _append(self, keys: Array, numbers: Int32Array) -> None:
        """Append a run, joined with those before it that are too short."""
        while self._runs and len(self._runs[-1][0]) < 2 * len(keys):
            pairs = zip(self._runs.pop(), (keys, numbers), strict=True)
            keys, numbers = map(np.concatenate, pairs)
            order = np.argsort(keys, kind="stable")
            keys, numbers = keys[order], numbers[order]
        self._runs.append((keys, numbers))


class _Found:
    """Positions found so far, numbered in the order in which they are found.

    Attributes:
        blocks: coordinates of the positions, some at a time.
        numbers: their numbers.
    """

    def __init__(self, width: int) -> None:
        self.blocks: list[Array] = []
        self.numbers = Numbers()
        self._box = Index([2] * width)

    def add(self, points: IntArray) -> Int32Array:
        """Return the number of each point, ``(n, fields)`` to ``(n,)``; new ones are added."""
        largest = points.max(axis=0, initial=0)
        if (largest >= self._box.sizes).any():
            # Room for twice as much, so that keys change a few times only.
            self._box = Index(np.maximum(self._box.sizes, 2 * largest + 1).tolist())
            self.numbers = Numbers()
            if self.blocks:
                self.numbers.add(self._box.keys(self.points()))
        numbers, new = self.numbers.add(self._box.keys(points))
        block = points[new]
        self.blocks.append(block.astype(np.min_scalar_type(int(block.max(initial=0)))))
        return numbers

    def points(self) -> Array:
        """Return all positions in the order of their numbers, ``(count, fields)``."""
        return np.concatenate(self.blocks)


def _read_arrays(found: list[Position], moves: Moves, labels: _Labels) -> tuple[Array, Chunks]:
    """Return all positions, in the order in which they are found, and all moves."""
    listed, chunks, done = _Found(len(found[0])), Chunks(), 0
    listed.add(np.array(found, dtype=np.int64))
    for block in listed.blocks:  # grows meanwhile
        for begin in range(0, len(block), AT_ONCE):
            here = block[begin : begin + AT_ONCE].astype(np.int64)
            rows, given, after, again = _moves_of_many(here, moves)
            names, first, which = np.unique(given, return_index=True, return_inverse=True)
            options = np.array(
                [
                    labels.option_of[label]
                    if label in labels.option_of
                    else labels.add(label, _tuple(here[rows[move]]), listed.numbers.count)
                    for label, move in zip(names.tolist(), first.tolist(), strict=True)
                ],
                dtype=np.int32,
            )[which.reshape(-1)]
            both = np.sort(rows * len(labels.option_of) + options)
            twice = both[1:][both[1:] == both[:-1]].tolist()
            if twice:
                row, option = divmod(twice[0], len(labels.option_of))
                raise InvalidGameError(
                    f"moves({_tuple(here[row])}) gives the label {[*labels.option_of][option]!r} "
                    "twice"
                )
            wrong = np.flatnonzero((after < 0).any(axis=1) | (after > LARGEST_STATE).any(axis=1))
            for move in wrong[:1].tolist():
                name = (
                    f"the position after move {given[move].item()!r} at {_tuple(here[rows[move]])}"
                )
                checked_position(name, _tuple(after[move]))
            targets = listed.add(after)
            targets = np.where(again, ~targets, targets)
            chunks.append(((rows + done).astype(np.int32), options, targets))
            labels.check_size(listed.numbers.count)
            done += len(here)
    return listed.points(), chunks


def _moves_of_many(
    positions: IntArray, moves: Moves
) -> tuple[IntArray, Array, IntArray, BoolArray]:
    """Return the row, label, next position, and extra turn of each move at some positions."""
    count, width = positions.shape
    given = _called("moves", moves, positions)
    if not isinstance(given, (tuple, list)) or len(given) not in (3, 4):
        raise InvalidGameError(
            "moves of arrays must give three arrays, the row of each move, its label, and the "
            "position after it, or four, with whether the same player moves again, not "
            f"{given!r}"
        )
    rows, labels, after = map(np.asarray, given[:3])
    again = np.asarray(given[3] if len(given) == 4 else np.zeros(rows.shape, dtype=np.bool_))
    if not rows.size and not labels.size and not after.size:  # of any shape and type
        none = np.empty(0, np.int64)
        return none, none, np.empty((0, width), np.int64), np.empty(0, np.bool_)
    fits = (rows.shape, after.shape) == (labels.shape, (rows.size, width)) and rows.ndim == 1
    kinds = rows.dtype.kind, labels.dtype.kind, after.dtype.kind
    if not fits or not all(map(str.__contains__, ("iu", "iuU", "iu"), kinds)):
        shapes = ", ".join(f"{each.dtype} {each.shape}" for each in (rows, labels, after))
        raise InvalidGameError(
            "moves of arrays must give the rows of moves, integers (moves,), their labels, "
            f"integers or strings (moves,), and next positions, integers (moves, {width}), not "
            f"{shapes}"
        )
    if again.shape != rows.shape or again.dtype != np.bool_:
        raise InvalidGameError(
            "the fourth array, whether the same player moves again, must be of booleans "
            f"{rows.shape}, not {again.dtype} {again.shape}"
        )
    if not 0 <= rows.min() <= rows.max() < count:
        raise InvalidGameError(
            f"the rows of moves of {count} positions must be from 0 to {count - 1}, not "
            f"{rows.min()} to {rows.max()}"
        )
    return rows.astype(np.int64), labels, after, again


def _outcomes(part: Part, outcome: Callable[[Any], Any], vectorized: bool) -> ValueArray:
    """Return the value of each position without moves, and 0 at the others, ``(n,)``."""
    values = np.zeros(part.num_positions, dtype=np.int8)
    ends = part.positions(np.flatnonzero(part.ends))
    ends = ends[:, :-1] if part.has_passes else ends
    tuples = [*map(tuple, ends.tolist())]
    if vectorized:
        given = np.asarray(_called("outcome", outcome, ends)).tolist()
        if not isinstance(given, list) or len(given) != len(ends):
            raise InvalidGameError(f"outcome must give a value for each of {len(ends)} positions")
    else:
        given = [_called("outcome", outcome, position) for position in tuples]
    for position, value in zip(tuples, given, strict=True):
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not is_number or value not in (1, 0, -1):
            raise InvalidGameError(
                f"outcome({position}) must be 1, 0 or -1, a win, a draw or a loss of the player to "
                f"move, not {value!r}"
            )
    values[part.ends] = given
    return values


def _called(name: str, function: Callable[[Any], Any], given: Any) -> Any:
    """Return what a user's function gives for a position, or for an array of them."""
    try:
        return function(given)
    except Exception as error:
        these = given
        if isinstance(given, np.ndarray):
            these = f"{len(given)} positions from {_tuple(given[0])} on"
        raise InvalidGameError(f"{name}({these}) raised {type(error).__name__}: {error}") from error


def _tuple(position: IntArray) -> Position:
    return tuple(position.tolist())
