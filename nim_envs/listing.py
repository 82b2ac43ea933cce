"""Parts from their moves: from a function, by vectors that moves subtract, by cells they take."""

import re
from array import array
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import wraps
from inspect import signature
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

MOST_KEPT = 2**16
"""Entries of the table of a part that stays for the next game, even while it is not in use."""

Moves = Callable[[Any], Any]
Parameters = ParamSpec("Parameters")
_shared: SharedCache[Hashable, Part] = SharedCache()
_recent: deque[Part] = deque(maxlen=64)


def shared(make: Callable[Parameters, Part]) -> Callable[Parameters, Part]:
    """Return a constructor whose equal parts, of hashable arguments, are one object.

    Pickles find it by its name, so that it stands at the top level of a module.
    """
    arguments_of = signature(make).bind

    @wraps(make)
    def constructor(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Part:
        given = arguments_of(*args, **kwargs).args
        part = _shared.get_or_create((make, given), lambda: make(*args, **kwargs))
        part.made_by = constructor, given
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
        vectors: integers of at least 0, ``(options, fields)``.
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
    """Return the moves that take cells, as vectorized moves are given: row, option, position after.

    Args:
        needed: cells that must be free for each option, ``(options, cells)``.
        taken: cells that each option takes, ``(options, cells)``.
        positions: 1 for each cell that is taken, and 0 for a free one, ``(n, cells)``.
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
    """Return the part of a function of moves, with all positions that they lead to.

    Arguments and errors are those of :func:`nim_envs.game_from_moves`; ``cycles``: whether moves
    may form cycles.
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
    in_order = labels.in_order()
    option_of = np.argsort([labels.option_of[label] for label in in_order])
    points, after, _ = table_of_moves(words.kind, points, chunks, option_of)
    has_passes = after.shape[1] > len(in_order)
    if has_passes:
        labels.check_pass()
        labels.check_size(len(points))
        in_order.append(PASS)
    part = Part(points, after, in_order, words, picture)
    part.has_passes = has_passes
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
    except InvalidGameError as error:
        if not allowed:
            raise InvalidGameError(f'{error}, or with cycles="draw" is drawn') from None
        part.has_cycles = True


def say_label(label: Any, position: Position | None) -> str:
    """Return a label as the words of its option."""
    return str(label)


def checked_position(name: str, position: Any, width: int | None = None) -> Position:
    """Return a position, which must have ``width`` coordinates, as a tuple of ``int``."""
    values = integers_of(position)
    if not values or (width or len(values)) != len(values) or min(values) < 0:
        count = "" if width is None else f"{width} "
        raise InvalidGameError(
            f"{name} must be a position, a tuple of {count}integers of at least 0, not {position!r}"
        )
    if max(values) > LARGEST_STATE:
        raise InvalidGameError(f"{name} has a coordinate over {LARGEST_STATE}: {values}")
    return values


class _Labels:
    """Labels of moves, each with an option: those that the caller lists, or those that occur."""

    def __init__(self, kind: str, actions: Iterable[Hashable] | None, limit: int) -> None:
        self.kind, self.limit = kind, limit
        self.option_of: dict[Hashable, int] = {}
        self._by_words: dict[str, tuple[Any, Position | None]] = {}
        self._are_fixed = False
        if actions is not None:
            if not is_listing(actions):
                raise InvalidGameError(f"actions must be a list of labels, not {actions!r}")
            for label in actions:
                self.add(label, None, 1)
            self._are_fixed = True

    def add(self, label: Any, position: Position | None, found: int) -> int:
        """Return the option of a new label, at a position; ``found`` positions are known so far."""
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

    def check_pass(self) -> None:
        """Raise ``InvalidGameError`` if a label is that of the forced pass."""
        if PASS in self._by_words:
            label, _ = self._by_words[PASS]
            raise InvalidGameError(
                f"the label {label!r} is that of the forced pass after which the same player moves "
                "again: give your move another label"
            )

    def check_size(self, found: int) -> None:
        """Raise ``SearchTooLargeError`` for too many positions, or positions times labels."""
        if found > self.limit:
            raise SearchTooLargeError(
                f"{self.kind} has more than {self.limit} positions, the limit; if every play "
                f"ends, limit= may be larger, with at most {LARGEST_TABLE:,} positions times "
                "labels"
            )
        if found * len(self.option_of) > LARGEST_TABLE:
            check_table(f"{self.kind} so far", found, len(self.option_of))

    def in_order(self) -> list[Any]:
        """Return the labels in the order of ``actions``, or in natural order."""
        labels = [*self.option_of]
        return labels if self._are_fixed else sorted(labels, key=_natural_key)


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
                if len(pair) == 3:
                    label, given, again = pair
                    if not isinstance(again, (bool, np.bool_)):
                        raise TypeError
                else:
                    (label, given), again = pair, False
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
            targets.append(~target if again else target)
        counts.append(len(seen))
    sources = np.repeat(np.arange(len(found), dtype=np.int32), counts)
    return np.array(found, dtype=np.int64), [(sources, np.asarray(options), np.asarray(targets))]


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
    """Numbers of keys, in the order in which keys are first added; ``count`` of them."""

    def __init__(self) -> None:
        self._number_of: dict[Any, int] = {}

    @property
    def count(self) -> int:
        """Number of different keys."""
        return len(self._number_of)

    def add(self, keys: Array) -> tuple[Int32Array, IntArray]:
        """Return the number of each key, ``(n,)``, and the places at which new ones first occur."""
        distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.array([self._number_of.get(key, -1) for key in distinct.tolist()], np.int32)
        new = np.flatnonzero(numbers < 0)
        new = new[np.argsort(first[new])]
        numbers[new] = np.arange(len(new)) + self.count
        self._number_of.update(zip(distinct[new].tolist(), numbers[new].tolist(), strict=True))
        return numbers[which], first[new]


class _Found:
    """Positions found so far, some at a time in ``blocks``, in the order of their ``numbers``."""

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
            if len(after) and not 0 <= after.min() <= after.max() <= LARGEST_STATE:
                for row, label, position in zip(rows, given.tolist(), after.tolist(), strict=True):
                    name = f"the position after move {label!r} at {_tuple(here[row])}"
                    checked_position(name, position)
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
    given = called("moves", moves, positions)
    if not isinstance(given, (tuple, list)) or len(given) not in (3, 4):
        raise InvalidGameError(
            "moves of arrays must give three arrays, the row of each move, its label, and the "
            "position after it, or four, with whether the same player moves again, not "
            f"{given!r}"
        )
    rows, labels, after, *more = arrays = [*map(np.asarray, given)]
    again = more[0] if more else np.zeros(rows.shape, dtype=np.bool_)
    if not rows.size and not labels.size and not after.size:  # of any shape and type
        none = np.empty(0, np.int64)
        return none, none, np.empty((0, width), np.int64), np.empty(0, np.bool_)
    fits = rows.shape == labels.shape == again.shape == (rows.size,)
    kinds = rows.dtype.kind, labels.dtype.kind, after.dtype.kind, again.dtype.kind
    allowed = "iu", "iuU", "iu", "b"
    if not (
        fits and after.shape == (rows.size, width) and all(map(str.__contains__, allowed, kinds))
    ):
        shapes = ", ".join(f"{each.dtype} {each.shape}" for each in arrays)
        raise InvalidGameError(
            "moves of arrays must give the rows of moves, integers (moves,), their labels, "
            f"integers or strings (moves,), next positions, integers (moves, {width}), and perhaps "
            f"whether the same player moves again, booleans (moves,), not {shapes}"
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
        given = np.asarray(called("outcome", outcome, ends)).tolist()
        if not isinstance(given, list) or len(given) != len(ends):
            raise InvalidGameError(f"outcome must give a value for each of {len(ends)} positions")
    else:
        given = [called("outcome", outcome, position) for position in tuples]
    for position, value in zip(tuples, given, strict=True):
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not is_number or value not in (1, 0, -1):
            raise InvalidGameError(
                f"outcome({position}) must be 1, 0 or -1, a win, a draw or a loss of the player to "
                f"move, not {value!r}"
            )
    values[part.ends] = given
    return values


def called(name: str, function: Callable[[Any], Any], given: Any) -> Any:
    """Return what a user's function gives for a position, an array of them, or a label."""
    try:
        return function(given)
    except Exception as error:
        these = repr(given)
        if isinstance(given, np.ndarray):
            these = f"{len(given)} positions from {_tuple(given[0])} on"
        raise InvalidGameError(f"{name}({these}) raised {type(error).__name__}: {error}") from error


def _tuple(position: IntArray) -> Position:
    return tuple(position.tolist())
