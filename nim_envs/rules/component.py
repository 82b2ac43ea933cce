"""One independent part of a position, described by a table of options."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cached_property
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from nim_envs.rules.acyclic import by_rank, edges_of, ranks
from nim_envs.rules.coordinate_system import CoordinateSystem, StateNumber
from nim_envs.rules.move_words import MoveWords
from nim_envs.typing import AnyArray, Array, BoolArray, IntArray, ValueArray
from nim_envs.validation import check_bytes, largest_bytes

NO_MOVE = -1
"""Entry of a table of options for an illegal option."""

NO_OPTION = -1
"""Result of :meth:`Component.option_to` where no option leads from one state to the other."""

CHUNK_ENTRIES = 1 << 20
"""Options that are counted at a time where there is no table."""

BYTES_OF_OPTION = 48
"""Bytes that listing the options of a state takes per option, upper bound."""

LARGEST_SPREAD = 1 << 20
"""Most numbers of a component for which arrays have an entry also for numbers without a state."""


class Component(ABC):
    """Rules of one component: states ``0..states-1``, each with up to ``options`` moves.

    A subclass is immutable and hashable, and defines ``states``, ``options`` and
    :meth:`successors`; the other methods follow from these. With many states, formulas for
    :meth:`legal_count` and :meth:`option_to` save listing options. Its ``kind`` names such a
    component in descriptions, as in ``"heap 0"``.

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
    def splits(self) -> bool:
        """Whether some option leaves two parts; state 0 is then the empty slot, without a move."""
        return False

    def second_successors(self, states: IntArray) -> IntArray:
        """Return the second part that each option leaves: ``(...)`` to ``(..., options)``.

        0 where it leaves one part or is not legal. Of two parts, neither is 0.
        """
        return np.zeros((*np.shape(states), self.options), dtype=np.int64)

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
        """Return whether no option is legal, in the shape of ``states``."""
        return np.asarray(self.legal_count(states) == 0)

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

    def leads_to(self, before: IntArray, after: IntArray) -> BoolArray:
        """Return where an option of ``before`` leads to ``after`` without splitting.

        Args:
            before: states.
            after: states, of a shape that broadcasts with that of ``before``.
        """
        return np.asarray(self.option_to(before, after) != NO_OPTION)

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return an option that leads from ``before`` to ``after`` without splitting, elementwise.

        By default it is looked for among all options; a subclass with many has a formula.

        Args:
            before: states.
            after: states, of a shape that broadcasts with that of ``before``.

        Returns:
            Options, or ``NO_OPTION`` where none leads there, in the shape of both.
        """
        reached = self.successors(before) == np.asarray(after)[..., np.newaxis]
        if self.splits:
            reached &= self.second_successors(before) == 0
        options = np.where(reached, np.arange(self.options), NO_OPTION)
        return np.asarray(options.max(axis=-1, initial=NO_OPTION))

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
        """Return the place of each state in arrays with an entry for each, elementwise.

        The place of a number that is not a state is arbitrary.
        """
        return states

    def states_at_places(self, places: IntArray) -> IntArray:
        """Return the states at ``places``, the inverse of :meth:`place_of`, elementwise."""
        return places

    def is_state(self, states: IntArray) -> BoolArray:
        """Return which numbers, from 0 to ``states - 1``, are states, elementwise."""
        if self.listed_states is None:
            return np.ones(np.shape(states), dtype=np.bool_)
        places = np.minimum(
            np.searchsorted(self.listed_states, states), len(self.listed_states) - 1
        )
        return np.asarray(self.listed_states[places] == states)

    def states_between(self, low: int, high: int) -> IntArray:
        """Return the states from ``low`` to ``high``, ascending."""
        if self.listed_states is None:
            return np.arange(low, high + 1, dtype=np.int64)
        first, end = np.searchsorted(self.listed_states, [low, high + 1])
        return self.listed_states[first:end]

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
    def move_edges(self) -> tuple[Array, Array]:
        """Place of the state before each move, and of a part that it leaves; both ``(edges,)``.

        Raises:
            SearchTooLargeError: the table of options is too large.
        """
        return edges_of(parts_left(self.table, self.second_table if self.splits else None))

    @property
    def end_values(self) -> ValueArray | None:
        """Values of states without moves to the player to move, where the rules list them.

        int8 ``(num_places,)``: 1 for a win, 0 for a draw, -1 for a loss; 0 where there is a move.
        ``None``: the last move decides who wins.
        """
        return None

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


_shared: MutableMapping[Component, ReferenceType[Component]] = WeakKeyDictionary()


def shared_component(component: Component) -> Component:
    """Return the equal component that other rules use already, else this one.

    Equal components thus share their tables, which are freed with the last component.
    """
    return _shared.setdefault(component, ref(component))() or component


def read_only(array: AnyArray) -> AnyArray:
    """Return an array, which cannot be written to from now on."""
    array.setflags(write=False)
    return array


def strides_of(sizes: Sequence[int]) -> IntArray:
    """Return mixed-radix strides, ``(len(sizes),)``: dotted with states they give an index."""
    return np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))])


def parts_left(first: IntArray, second: IntArray | None) -> IntArray:
    """Return the parts that options leave: the first ones, and any second ones."""
    if second is None:
        return first
    return np.concatenate([first, np.where(second > 0, second, NO_MOVE)], axis=1)
