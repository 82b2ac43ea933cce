"""One independent part of a position, described by a table of options."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.rules.acyclic import by_rank, cycle_among, edges_of, ranks
from nim_envs.rules.coordinate_system import CoordinateSystem, StateNumber
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.validation import check_bytes, checked_integer, is_listing, largest_bytes
from nim_envs.typing import AnyArray, BoolArray, IntArray

NO_MOVE = -1
"""Entry of a table of options for an illegal option."""

CHUNK_ENTRIES = 1 << 20
"""Options that are counted at a time where there is no table."""

BYTES_OF_OPTION = 48
"""Bytes that listing the options of a state takes per option, upper bound."""

LARGEST_SPREAD = 1 << 20
"""Most numbers of a component for which arrays have an entry also for numbers without a state."""

HASHED = 64
"""Number of entries of a table used in its hash, besides their sum."""


class Component(ABC):
    """Rules of one component: states ``0..states-1``, each with up to ``options`` moves.

    A subclass is immutable and hashable, and defines ``states``, ``options`` and
    :meth:`successors`; the other methods follow from these. Its ``kind`` names such a component in
    descriptions, as in ``"heap 0"``.

    An option may *split* a component: leave two parts instead of one. Such a component is one of a
    group of equal neighbours, the *slots*: the first part stays where it is, and the second goes
    into the first empty slot, one in state 0. A subclass that splits defines
    :meth:`second_successors`, and its :attr:`splits` is true.

    Words, coordinates and pictures are objects beside the rules: a subclass may have
    :attr:`words` for its moves, and a :attr:`coordinate_system`, such as the file and the rank of a
    queen on a board. Where a single coordinate, the state number, is shown, numbers may be missing;
    see :attr:`listed_states`. A component that splits has no coordinates.
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
    def listed_states(self) -> IntArray | None:
        """The states, ascending, where numbers below ``states`` are missing; ``None``: none is.

        A number that is missing has no moves, and a position must not have it.
        """
        return None

    @property
    def has_wide_gaps(self) -> bool:
        """Whether numbers are missing, and too many for arrays with an entry for each number."""
        return self.listed_states is not None and self.states > LARGEST_SPREAD

    @property
    def num_places(self) -> int:
        """Length of arrays with an entry for each state.

        It is ``states``, and the *place* of a state its number, unless it has wide gaps.
        """
        listed = self.listed_states
        return self.states if listed is None or not self.has_wide_gaps else len(listed)

    def place_of(self, states: IntArray) -> IntArray:
        """Return the place of each state in arrays with an entry for each; shape kept.

        The place of a number that is not a state is arbitrary.
        """
        return states

    def states_at_places(self, places: IntArray) -> IntArray:
        """Return the states at ``places``, the inverse of :meth:`place_of`; shape kept."""
        return places

    def is_state(self, states: IntArray) -> BoolArray:
        """Return which numbers, from 0 to ``states - 1``, are states; shape kept."""
        if self.listed_states is None:
            return np.ones(np.shape(states), dtype=np.bool_)
        found = np.minimum(np.searchsorted(self.listed_states, states), len(self.listed_states) - 1)
        return np.asarray(self.listed_states[found] == states)

    def states_between(self, low: int, high: int) -> IntArray:
        """Return the states from ``low`` to ``high``, ascending."""
        if self.listed_states is None:
            return np.arange(low, high + 1, dtype=np.int64)
        first, end = np.searchsorted(self.listed_states, [low, high + 1])
        return self.listed_states[first:end]

    def legal_moves(self, states: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the legal moves of ``states``, ``(n,)``.

        Returns:
            For each move the index of its state in ``states``, ascending; its option, ascending at
            each state; and the state after it. All ``(moves,)``.
        """
        after = self.table[states]
        index, option = np.nonzero(after != NO_MOVE)
        return index, option, after[index, option]

    def moves_by_option(self, states: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield the options that are legal in some of ``states``, ``(n,)``, ascending.

        Yields:
            The option; the indices in ``states`` of those where it is legal, ascending, and the
            states after it, both ``(legal,)``.
        """
        for option in range(self.options):
            after = self.table[states, option]
            index = np.flatnonzero(after != NO_MOVE)
            if len(index):
                yield option, index, after[index]

    @property
    def splits(self) -> bool:
        """Whether some option leaves two parts; state 0 is then the empty slot, without a move."""
        return False

    def second_successors(self, states: IntArray) -> IntArray:
        """Return the second part that each option leaves: ``(...)`` to ``(..., options)``.

        0 where it leaves one part or is not legal. Of two parts, neither is 0.
        """
        return np.zeros((*np.shape(states), self.options), dtype=np.int64)

    @cached_property
    def coordinate_system(self) -> CoordinateSystem:
        """The coordinates of states, and how they are drawn; by default the state number."""
        return StateNumber(self.states)

    @property
    def has_coordinates(self) -> bool:
        """Whether it has more than one coordinate; a single one equals the state number."""
        return len(self.coordinate_system.fields) > 1

    @cached_property
    def words(self) -> MoveWords:
        """The moves in words; by default by their indices."""
        return MoveWords()

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of legal options in each state, in the shape of ``states``.

        By default they are counted once in the table or, where that would be too large, in each
        state that is asked for; a subclass with many states has a formula.
        """
        if self._has_table:
            return np.asarray(self._legal_counts[states])
        flat = np.asarray(states).reshape(-1)
        counts = np.empty(len(flat), dtype=np.int64)
        step = max(1, CHUNK_ENTRIES // max(1, self.options))
        for first in range(0, len(flat), step):
            options = self.successors(flat[first : first + step])
            counts[first : first + step] = (options != NO_MOVE).sum(axis=-1)
        return counts.reshape(np.shape(states))

    def is_terminal(self, states: IntArray) -> BoolArray:
        """Return where no option is legal, in the shape of ``states``."""
        return np.asarray(self.legal_count(states) == 0)

    def leads_to(self, before: IntArray, after: IntArray) -> BoolArray:
        """Return where an option of ``before`` leads to ``after`` without splitting.

        Args:
            before: states.
            after: states, of a shape that broadcasts with that of ``before``.
        """
        reached = self.table[before] == np.asarray(after)[..., np.newaxis]
        if self.splits:
            reached &= self.second_table[before] == 0
        return np.asarray(reached.any(axis=-1))

    def option_to(self, state: int, after: int) -> int:
        """Return the option that leads from ``state`` to ``after`` without splitting.

        By default it is looked for among all options; a subclass with many has a formula.

        Raises:
            ValueError: no option leads there.
        """
        options = self.successors(np.array(state, dtype=np.int64)).tolist()
        return int(options.index(after))

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
        return read_only(self.successors(np.arange(self.states, dtype=np.int64)))

    @cached_property
    def _has_table(self) -> bool:
        """Whether the table is within the limit of bytes."""
        return self.states * self.options * np.dtype(np.int64).itemsize <= largest_bytes()

    @cached_property
    def _legal_counts(self) -> IntArray:
        """Number of legal options of every state, ``(states,)``."""
        return np.asarray((self.table != NO_MOVE).sum(axis=-1))

    @cached_property
    def second_table(self) -> IntArray:
        """Second part that each option leaves, ``(states, options)``; 0 for none.

        Raises:
            SearchTooLargeError: the table would take over ``LARGEST_BYTES``.
        """
        seconds = self.second_successors(np.arange(self.states, dtype=np.int64))
        return read_only(np.where(self.table == NO_MOVE, 0, seconds))

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
        for states in by_rank(ranks(self.states, *self.move_edges)):
            after = needed[first[states]] + needed[second[states]]
            needed[states] = np.maximum(1, after.max(axis=1, initial=0))
        return read_only(needed)

    @property
    def move_edges(self) -> tuple[IntArray, IntArray]:
        """Place of the state before each move, and of a part that it leaves; both ``(edges,)``.

        Raises:
            SearchTooLargeError: the table of options is too large.
        """
        return edges_of(_parts(self.table, self.second_table if self.splits else None))

    @property
    def cycle_of_moves(self) -> str:
        """Description of a cycle of moves, for components that are given as tables or lists.

        Empty where every play comes to an end, as in any other component.
        """
        return ""

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
    """Return an equal component that is in use already, else this one.

    Equal components thus share their tables, which are freed with the last component.
    """
    return _in_use.setdefault(component, ref(component))() or component


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
        return cycle_among(_parts(self.rows, self.second_rows))


def read_only(array: AnyArray) -> AnyArray:
    """Return an array, which cannot be written to from now on."""
    array.setflags(write=False)
    return array


def strides_of(sizes: Sequence[int]) -> IntArray:
    """Return mixed-radix strides, ``(len(sizes),)``: dotted with digits they give a number."""
    return np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))])


def _parts(first: IntArray, second: IntArray | None) -> IntArray:
    """Return the parts that options leave: the first ones, and any second ones."""
    if second is None:
        return first
    return np.concatenate([first, np.where(second > 0, second, NO_MOVE)], axis=1)


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
