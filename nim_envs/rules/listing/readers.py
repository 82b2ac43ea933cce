"""Reading a function of moves, breadth first."""

from __future__ import annotations

import struct
from abc import abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules.listing.array_moves import moves_of_many
from nim_envs.rules.listing.checked_positions import are_tuples, as_tuple, checked_position
from nim_envs.rules.listing.labels import Labels
from nim_envs.rules.listing.packed_positions import PackedPositions
from nim_envs.rules.move_rows import MOVE_BYTES
from nim_envs.typing import Array, Int32Array, Position
from nim_envs.validation import LARGEST_STATE, check_bytes, largest_bytes

Moves = Callable[[Position], Iterable[tuple[Hashable, Position]]]

READ_AT_ONCE = 1024
"""Most moves, and most positions, that are read between two checks of the limits."""

POSITIONS_PER_CALL = 4096
"""Most positions in one call of a function of arrays."""

ENTRY_BYTES = np.dtype(np.int64).itemsize


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
    """Read the moves of all positions, with a progress bar after two seconds."""
    with tqdm(desc=f"positions of {reader.name}", unit="position", delay=2, disable=None) as bar:
        while reader.done < reader.found:
            reader.read_some()
            bar.total = reader.found  # grows, and the time left with it
            bar.update(reader.done - bar.n)


class RawListing(NamedTuple):
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


class MovesReader:
    """Positions and moves of a function of moves, with indices in the order of reading.

    Arguments: those of :func:`~nim_envs.rules.listing.listing.list_positions`.

    Attributes:
        name: name of the game.
        labels: labels of the moves.
        done: number of positions all of whose moves are read.
    """

    def __init__(
        self,
        name: str,
        starts: Sequence[Position],
        moves: Any,
        actions: Iterable[Hashable] | None,
        limit: int,
    ) -> None:
        self.name, self._moves, self._limit = name, moves, limit
        self.labels = Labels(name, actions)
        self.done = 0
        self._width = len(starts[0])
        self._positions = PackedPositions(self._width)
        self._sources, self._options, self._targets = array("i"), array("i"), array("i")
        self._most_bytes = largest_bytes()
        self._position_bytes = ENTRY_BYTES * (self._width + 1)
        self._positions.add(starts)
        self._check_sizes()

    @property
    def found(self) -> int:
        """Number of positions found."""
        return len(self._positions)

    @abstractmethod
    def read_some(self) -> None:
        """Read the moves of some positions; add the positions and labels that are new."""

    def take(self) -> RawListing:
        """Return all positions and moves; nothing more can be read then."""
        moves = map(np.asarray, (self._sources, self._options, self._targets))
        return RawListing(self._positions.take(), [*self.labels.option_of], *moves)

    def _options_of(self, labels: list[Any], sources: Int32Array) -> list[int]:
        """Return the option of each label; add the labels that are new."""
        return self.labels.options(
            labels, lambda move: self._positions.position(int(sources[move]))
        )

    def _extend(self, sources: Int32Array, options: npt.ArrayLike, targets: list[int]) -> None:
        """Add moves."""
        self._sources.frombytes(sources.tobytes())
        self._options.frombytes(np.asarray(options, dtype=np.int32).tobytes())
        self._targets.extend(targets)

    def _check_labels(self, sources: Any, options: Any) -> None:
        """Raise ``InvalidGameError`` if an option occurs twice at a position."""
        labels = [*self.labels.option_of]
        moves = np.asarray(sources).astype(np.int64) * len(labels) + np.asarray(options)
        moves.sort()
        twice = np.flatnonzero(moves[1:] == moves[:-1])
        if len(twice):
            source, option = divmod(int(moves[twice[0]]), len(labels))
            raise InvalidGameError(
                f"moves({self._positions.position(source)}) gives the label "
                f"{labels[option]!r} twice"
            )

    def _checked_after(self, after: Any, label: Any, source: int) -> Position:
        """Return the position after a move as a tuple of ``int``.

        Raises:
            InvalidGameError: it is none; the message names the position before.
        """
        where = f"the position after move {label!r} at {self._positions.position(source)}"
        return checked_position(where, after, self._width)

    def _check_sizes(self) -> None:
        """Raise ``SearchTooLargeError`` if there are too many positions, or too many bytes."""
        if self.found > self._limit:
            raise SearchTooLargeError(
                f"{self.name} has more than {self._limit} positions, the limit: is there an "
                "end to every play? A larger limit may be given as limit=..."
            )
        needed = self.found * self._position_bytes + len(self._options) * MOVE_BYTES
        if needed > self._most_bytes:
            check_bytes(
                f"{self.found} positions of {self.name}, and the {len(self._options)} "
                f"moves of the first {self.done},",
                needed,
            )


class ArrayReader(MovesReader):
    """Reads a function of arrays of positions."""

    def read_some(self) -> None:
        """Read the moves of some positions; add the positions and labels that are new."""
        here = self._positions.array(self.done, self.done + POSITIONS_PER_CALL)
        rows, labels, after = moves_of_many(here, self._moves)
        sources = (rows + self.done).astype(np.int32)
        distinct, firsts, which = np.unique(labels, return_index=True, return_inverse=True)
        options = np.array(self._options_of(distinct.tolist(), sources[firsts]), np.int32)[which]
        self._check_labels(sources, options)
        wrong = np.flatnonzero(((after < 0) | (after > LARGEST_STATE)).any(axis=1))
        for move in wrong[:1]:
            self._checked_after(
                tuple(after[move].tolist()), labels[move].item(), int(sources[move])
            )
        self._extend(sources, options, self._positions.add_array(after))
        self.done += len(here)
        self._check_sizes()


class OneByOneReader(MovesReader):
    """Reads a function of one position; moves are added ``READ_AT_ONCE`` at a time."""

    def read_some(self) -> None:
        """Read the moves of some positions; add the positions and labels that are new."""
        pairs: list[Any] = []
        counts: list[int] = []
        returned: Any = ()
        for position in self._positions.tuples(self.done, self.done + READ_AT_ONCE):
            before = len(pairs)
            try:
                returned = self._moves(position)
                iterator = iter(returned)
                pairs.extend(islice(iterator, READ_AT_ONCE - before))
            except Exception as error:
                raise moves_error(position, returned, error) from error
            counts.append(len(pairs) - before)
            if len(pairs) == READ_AT_ONCE:
                self._add(counts, pairs, last_may_have_more=True)
                self._read_rest(position, iterator, counts[-1])
                pairs, counts = [], []
        self._add(counts, pairs)

    def _read_rest(self, position: Position, iterator: Iterator[Any], count: int) -> None:
        """Read the moves of a position after its first ``count`` ones, which are added."""
        first = len(self._options) - count
        while True:
            try:
                pairs = [*islice(iterator, READ_AT_ONCE)]
            except Exception as error:
                raise moves_error(position, (), error) from error
            if not pairs:
                break
            self._add([len(pairs)], pairs, last_may_have_more=True)
            if len(self._options) - first > len(self.labels.option_of):
                break  # a label occurs twice, even if the moves have no end
        self._check_labels(self._sources[first:], self._options[first:])
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
                check_pair(pair, self._positions.position(source))
        flat = [*chain.from_iterable(pairs)]
        labels, after = flat[::2], flat[1::2]
        options = self._options_of(labels, sources)
        self._check_labels(sources, options)
        self._extend(sources, options, self._indices_after(after, labels, sources))
        self.done += len(counts) - last_may_have_more
        self._check_sizes()

    def _indices_after(self, after: list[Any], labels: list[Any], sources: Int32Array) -> list[int]:
        """Return the index of the position after each move; add the positions that are new.

        Args:
            after: the positions as they were given.
            labels: labels of the moves.
            sources: positions before the moves.
        """

        def check(moves: Iterable[int]) -> None:
            for move in moves:
                after[move] = self._checked_after(after[move], labels[move], int(sources[move]))

        if not are_tuples(after):
            after = [*map(as_tuple, after)]
            if not are_tuples(after):
                check(range(len(after)))
        known = self.found
        try:
            indices = self._positions.add(after)
        except struct.error:
            check(range(len(after)))
            indices = self._positions.add(after)
        if self._positions.holds_any_int:
            check(move for move, index in enumerate(indices) if index >= known)
        return indices


def check_pair(move: Any, position: Position) -> None:
    """Raise ``InvalidGameError`` unless a move is a pair, a tuple or a list."""
    if not isinstance(move, (tuple, list)) or len(move) != 2:
        raise InvalidGameError(
            f"moves({position}) must give pairs of a label and a position, not {move!r}"
        )


def first_moves(position: Position, moves: Moves, most: int) -> list[Any]:
    """Return the first moves at a position, at most ``most``, unchecked."""
    returned: Any = ()
    try:
        returned = moves(position)
        return [*islice(iter(returned), most)]
    except Exception as error:
        raise moves_error(position, returned, error) from error


def moves_error(position: Position, returned: Any, error: Exception) -> InvalidGameError:
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
