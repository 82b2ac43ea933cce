"""One independent part of a position, described by a table of options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.rules.validation import check_bytes, checked_integer

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

NO_MOVE = -1
"""Entry of a table of options where the option is not legal."""


class Component(ABC):
    """Rules of one component: states ``0..states-1``, each with up to ``options`` moves.

    A subclass is an immutable, hashable value that defines ``states``, ``options`` and
    :meth:`successors`; everything else in the package uses only these. Its ``kind`` is the
    name of such a component in descriptions, as in ``"heap 0"``.

    An option may leave two parts instead of one. Such a component is one of several equal
    neighbours, its *slots*: the first part stays where it is, and the second goes into the first
    empty slot, one in state 0. A subclass with such options defines :meth:`second_successors`,
    and its :attr:`splits` is true.
    """

    kind = "component"

    @property
    @abstractmethod
    def states(self) -> int:
        """Number of states."""

    @property
    @abstractmethod
    def options(self) -> int:
        """Number of option slots of a state; a slot need not be legal in every state."""

    @abstractmethod
    def successors(self, states: IntArray) -> IntArray:
        """Return the state after each option, or ``NO_MOVE``: ``(...)`` to ``(..., options)``."""

    @property
    def splits(self) -> bool:
        """Whether some option leaves two parts; state 0 is then the empty slot, without a move."""
        return False

    def second_successors(self, states: IntArray) -> IntArray:
        """Return what each option puts into an empty slot: ``(...)`` to ``(..., options)``.

        0 where it leaves one part or is not legal. Neither of two parts is 0.
        """
        return np.zeros((*np.shape(states), self.options), dtype=np.int64)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return how many options are legal in each state; array of the shape of ``states``."""
        return np.asarray(self._legal_counts[states])

    def is_terminal(self, states: IntArray) -> BoolArray:
        """Return where no option is legal; array of the shape of ``states``."""
        return np.asarray(self.legal_count(states) == 0)

    def leads_to(self, before: IntArray, after: IntArray) -> BoolArray:
        """Return where one option of ``before`` leaves ``after`` and no second part.

        Args:
            before: states.
            after: states, of a shape that broadcasts with that of ``before``.
        """
        reached = self.table[before] == np.asarray(after)[..., np.newaxis]
        if self.splits:
            reached &= self.second_table[before] == 0
        return np.asarray(reached.any(axis=-1))

    def describe_removal(self, option: int, state: int) -> str:
        """Return what the move ``option`` removes besides what it takes; empty if nothing."""
        return ""

    def describe_option(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        return f"option {option}"

    @property
    def move_in_words(self) -> str:
        """A move in words, such as ``"take any number of objects"``."""
        return "choose an option by its number"

    def option_numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the numbers by which a person chooses the move ``option`` at ``state``."""
        return (option,)

    @cached_property
    def table(self) -> IntArray:
        """The options of every state: ``(states, options)``, ``NO_MOVE`` where not legal.

        Raises:
            SearchTooLargeError: the table would take over ``LARGEST_BYTES``.
        """
        check_bytes(
            f"tables of a {self.kind} with {self.states} states and {self.options} options",
            self.states * self.options * np.dtype(np.int64).itemsize,
        )
        table = self.successors(np.arange(self.states, dtype=np.int64))
        table.setflags(write=False)
        return table

    @cached_property
    def _legal_counts(self) -> IntArray:
        """Number of legal options of every state, ``(states,)``."""
        return np.asarray((self.table != NO_MOVE).sum(axis=-1))

    @cached_property
    def second_table(self) -> IntArray:
        """State that each option puts into an empty slot, ``(states, options)``; 0 for none.

        Raises:
            SearchTooLargeError: the table would take over ``LARGEST_BYTES``.
        """
        table = np.where(
            self.table == NO_MOVE,
            0,
            self.second_successors(np.arange(self.states, dtype=np.int64)),
        )
        table.setflags(write=False)
        return table

    @cached_property
    def slots_needed(self) -> IntArray:
        """Most slots that play from each state can fill, ``(states,)``; 0 for state 0.

        Raises:
            InvalidGameError: the moves form a cycle.
            SearchTooLargeError: the table of options is too large.
        """
        first, second = np.maximum(self.table, 0), self.second_table
        needed = np.ones(self.states, dtype=np.int64)
        needed[0] = 0
        for _ in range(self.states + 1):
            parts = np.where(self.table == NO_MOVE, 0, needed[first] + needed[second])
            more = np.maximum(needed, parts.max(axis=1, initial=0))
            if (more == needed).all():
                needed.setflags(write=False)
                return needed
            needed = more
        raise InvalidGameError(f"the moves of a {self.kind} that splits form a cycle")

    def __getstate__(self) -> dict[str, Any]:
        """Leave cached tables out of pickles: they are made again when needed."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }

    def __deepcopy__(self, memo: dict[int, Any]) -> Component:
        """Return the component itself: it is immutable."""
        return self


_in_use: MutableMapping[Component, ReferenceType[Component]] = WeakKeyDictionary()


def in_use(component: Component) -> Component:
    """Return the component that equals this one and is in use already, or else this one.

    Rules of equal components so have the same tables, which go when the last of them goes.
    """
    return _in_use.setdefault(component, ref(component))() or component


@dataclass(frozen=True)
class TableComponent(Component):
    """A component given by its table of options, row by row.

    Args:
        rows: ``rows[state][option]`` is the state after the move, or ``NO_MOVE`` (-1).
            Rows are of one length. The moves must not form a cycle.
        second_rows: ``second_rows[state][option]`` is the state of a second part that the
            move leaves, or 0 for none; of the same shape. Left out where no option has one.

    Raises:
        InvalidGameError: rows of unequal length, an entry that is not a state, a second part
            without a first, or a move from state 0 where there are second parts.

    Example:
        >>> TableComponent(rows=((-1, -1), (0, -1), (1, 0))).table.tolist()
        [[-1, -1], [0, -1], [1, 0]]
    """

    rows: tuple[tuple[int, ...], ...]
    second_rows: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        rows = _checked_rows("rows", self.rows, NO_MOVE)
        object.__setattr__(self, "rows", rows)
        if not self.second_rows:
            return
        seconds = _checked_rows("second_rows", self.second_rows, 0)
        if (len(seconds), len(seconds[0])) != (len(rows), len(rows[0])):
            raise InvalidGameError(
                f"second_rows must be of the shape of rows, {(len(rows), len(rows[0]))}, not "
                f"{(len(seconds), len(seconds[0]))}"
            )
        object.__setattr__(self, "second_rows", seconds)
        for state, pair in enumerate(zip(rows, seconds, strict=True)):
            for option, (first, second) in enumerate(zip(*pair, strict=True)):
                if second and first <= 0:
                    raise InvalidGameError(
                        f"option {option} of state {state} leaves a second part, {second}, but "
                        f"{first} of the first"
                    )
        if self.splits and any(first != NO_MOVE for first in rows[0]):
            raise InvalidGameError("state 0 is the empty slot and must not have a move")

    def __repr__(self) -> str:
        """Return how large the table is; its entries may be thousands."""
        return f"{type(self).__name__}({self.states} states, {self.options} options)"

    @property
    def states(self) -> int:
        """Number of states: one for each row."""
        return len(self.rows)

    @property
    def options(self) -> int:
        """Number of option slots: the length of a row."""
        return len(self.rows[0])

    @cached_property
    def _rows(self) -> IntArray:
        """``rows`` as an array."""
        rows: IntArray = np.array(self.rows, dtype=np.int64).reshape(self.states, self.options)
        return rows

    @cached_property
    def _second_rows(self) -> IntArray:
        """``second_rows`` as an array."""
        rows: IntArray = np.array(self.second_rows, dtype=np.int64)
        return rows

    def successors(self, states: IntArray) -> IntArray:
        """Return the rows of ``states``."""
        return self._rows[states]

    @cached_property
    def splits(self) -> bool:
        """Whether some option leaves a second part."""
        return any(map(any, self.second_rows))

    def second_successors(self, states: IntArray) -> IntArray:
        """Return the second parts of the options of ``states``."""
        if not self.second_rows:
            return super().second_successors(states)
        return self._second_rows[states]


def _checked_rows(name: str, rows: Any, minimum: int) -> tuple[tuple[int, ...], ...]:
    """Return rows of states of one length as tuples."""
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise InvalidGameError(f"{name} must be a sequence of rows of integers, not {rows!r}")
    if not rows or len({len(row) for row in rows}) != 1:
        raise InvalidGameError(
            f"{name} must hold at least one row and rows of one length, not rows of lengths "
            f"{[len(row) for row in rows]}"
        )
    return tuple(
        tuple(
            checked_integer(f"{name}[{state}][{option}]", entry, minimum, len(rows) - 1)
            for option, entry in enumerate(row)
        )
        for state, row in enumerate(rows)
    )
