"""A component given by its table of options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.rules.acyclic import cycle_among
from nim_envs.rules.component import NO_MOVE, Component, parts_left, read_only
from nim_envs.typing import IntArray
from nim_envs.validation import checked_integer, is_listing

HASHED = 64
"""Number of entries of a table used in its hash, besides their sum."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TableComponent(Component):
    """A component given by its table of options, row by row.

    Args:
        rows: ``rows[state, option]`` is the state after the move, or ``NO_MOVE`` (-1): an array
            of integers, which is copied, or a sequence of rows of one length. The moves must not
            form a cycle: :class:`nim_envs.Rules` raises an error for one.
        second_rows: ``second_rows[state, option]`` is the state of a second part that the
            move leaves, or 0 for none; of the same shape. Left out where no option has one.

    Attributes:
        rows: int64 ``(states, options)``, not writable.
        second_rows: the same of second parts; ``None`` where there are none.

    Raises:
        InvalidGameError: rows of unequal length, an entry that is not a state, a second part
            without a first, or a move from state 0 where there are second parts.

    Example:
        >>> TableComponent(rows=((-1, -1), (0, -1), (1, 0))).table.tolist()
        [[-1, -1], [0, -1], [1, 0]]
        >>> heap = np.arange(4)[:, np.newaxis] - [1, 2]
        >>> TableComponent(rows=np.maximum(heap, NO_MOVE)).table.tolist()
        [[-1, -1], [0, -1], [1, 0], [2, 1]]
    """

    rows: IntArray
    second_rows: IntArray | None

    def __init__(self, rows: npt.ArrayLike, second_rows: npt.ArrayLike | None = None) -> None:
        first = _checked_rows("rows", rows, NO_MOVE)
        object.__setattr__(self, "rows", first)
        object.__setattr__(self, "second_rows", None)
        if second_rows is None or (isinstance(second_rows, Sequence) and not second_rows):
            return
        second = _checked_rows("second_rows", second_rows, 0, states=len(first))
        if second.shape != first.shape:
            raise InvalidGameError(
                f"second_rows must be of the shape of rows, {first.shape}, not {second.shape}"
            )
        if not second.any():
            return
        alone = np.argwhere((second > 0) & (first <= 0))
        if len(alone):
            state, option = alone[0].tolist()
            raise InvalidGameError(
                f"option {option} of state {state} leaves a second part, {second[state, option]}, "
                f"but {first[state, option]} of the first"
            )
        if (first[0] != NO_MOVE).any():
            raise InvalidGameError("state 0 is the empty slot and must not have a move")
        object.__setattr__(self, "second_rows", second)

    def __repr__(self) -> str:
        """Return the size of the table; its entries may be thousands."""
        return f"{type(self).__name__}({self.states} states, {self.options} options)"

    def __eq__(self, other: object) -> bool:
        """Return whether the other is of the same class and has the same tables."""
        if not isinstance(other, TableComponent) or type(other) is not type(self):
            return NotImplemented
        if self.second_rows is None or other.second_rows is None:
            alike = self.second_rows is other.second_rows
        else:
            alike = np.array_equal(self.second_rows, other.second_rows)
        return alike and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        """Return a number that is the same in every process."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        sample = self.rows.reshape(-1)[:: max(1, self.rows.size // HASHED)]
        return hash((self.rows.shape, int(self.rows.sum()), *sample.tolist()))

    @property
    def states(self) -> int:
        """Number of states: one for each row."""
        return len(self.rows)

    @property
    def options(self) -> int:
        """Number of option slots: the length of a row."""
        return int(self.rows.shape[1])

    def successors(self, states: IntArray) -> IntArray:
        """Return the rows of ``states``."""
        return np.asarray(self.rows[states])

    @property
    def splits(self) -> bool:
        """Whether some option leaves a second part."""
        return self.second_rows is not None

    def second_successors(self, states: IntArray) -> IntArray:
        """Return the second parts of the options of ``states``."""
        if self.second_rows is None:
            return super().second_successors(states)
        return np.asarray(self.second_rows[states])

    @cached_property
    def cycle_of_moves(self) -> str:
        """Description of a cycle of moves, such as ``"1 -> 2 -> 1"``; empty where there is none."""
        return cycle_among(parts_left(self.rows, self.second_rows))


def _checked_rows(name: str, rows: Any, minimum: int, states: int | None = None) -> IntArray:
    """Return rows of states of one length as an array that cannot be written.

    Args:
        name: name of the argument, for messages.
        rows: the value given.
        minimum: smallest allowed entry.
        states: number of states; ``None``: one for each row.
    """
    array = rows if isinstance(rows, np.ndarray) else _array_of(name, rows, minimum, states)
    if array.dtype.kind not in "iu" or array.ndim != 2 or not len(array):
        raise InvalidGameError(
            f"{name} must be integers, (states, options), with at least one state, not an array "
            f"of dtype {array.dtype} and shape {array.shape}"
        )
    largest = (len(array) if states is None else states) - 1
    if array.min(initial=0) < minimum or array.max(initial=0) > largest:
        state, option = np.argwhere((array < minimum) | (array > largest))[0].tolist()
        checked_integer(f"{name}[{state}][{option}]", array[state, option], minimum, largest)
    return read_only(np.array(array, dtype=np.int64, order="C"))


def _array_of(name: str, rows: Any, minimum: int, states: int | None) -> npt.NDArray[Any]:
    """Return a sequence of rows of integers as an array; arguments as of :func:`_checked_rows`."""
    kinds = {type(row): row for row in rows}.values() if isinstance(rows, Sequence) else [rows]
    if not all(isinstance(row, (Sequence, np.ndarray)) and is_listing(row) for row in kinds):
        raise InvalidGameError(
            f"{name} must be an array, or a sequence of rows, of integers, not {rows!r}"
        )
    if len(set(map(len, rows))) != 1:
        raise InvalidGameError(
            f"{name} must hold at least one row and rows of one length, not rows of lengths "
            f"{[len(row) for row in rows]}"
        )
    array = np.array(rows)
    if array.ndim == 2 and array.dtype.kind in "iu":
        # NumPy converts booleans among integers to 0 or 1, so look for them where entries are.
        suspects = np.flatnonzero(((array | 1) == 1).any(axis=1)).tolist()
        if not any(isinstance(entry, (bool, np.bool_)) for row in suspects for entry in rows[row]):
            return array
    # Entry by entry, so that the message can name the fault.
    largest = (len(rows) if states is None else states) - 1
    return np.array(
        [
            [
                checked_integer(f"{name}[{state}][{option}]", entry, minimum, largest)
                for option, entry in enumerate(row)
            ]
            for state, row in enumerate(rows)
        ],
        dtype=np.int64,
    ).reshape(len(rows), -1)
