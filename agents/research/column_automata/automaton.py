"""Column automata: finite automata that read the bits of all heaps, one column at a time."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from nim_envs.cgt.partitions import coarsest_congruence
from nim_envs.errors import InvalidAutomatonError, InvalidPositionError
from nim_envs.typing import BoolArray, IntArray

SEPARATOR = 0
"""The letter at the end of a column."""

ONE = 1
"""The letter of a heap whose bit in this column is 1."""

ZERO = 2
"""The letter of a heap whose bit is 0; automata of two letters do not read it."""

SYMBOLS = ("|", "1", "0")
"""Symbols of the letters."""

ALPHABETS = {2: "1 |", 3: "0 1 |"}
"""Symbols of an alphabet, by number of letters."""

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, eq=False)
class ColumnAutomaton:
    """A finite automaton that claims which positions are lost for the player to move.

    It reads the heaps in binary, column by column: one letter for each heap's bit, in the order of
    the heaps, then the separator. With two letters, written ``"1 |"``, it reads only the ones of a
    column, so neither the order of the heaps nor empty heaps matter; with three, ``"0 1 |"``, it
    reads every bit. There are as many columns as the largest heap has bits, but at least one.

    Args:
        transitions: next state, int64 ``(states, letters)``, by the letters ``SEPARATOR``, ``ONE``
            and, if there are three, ``ZERO``; state 0 is the start.
        lost: states in which, after the last separator, the position is claimed to be a
            P-position, bool ``(states,)``.
        most_significant_first: whether the column of the highest bits is read first; else last.

    Raises:
        InvalidAutomatonError: arrays of other shapes or types, or an invalid next state.

    References:
        J. E. Hopcroft and J. D. Ullman, *Introduction to Automata Theory, Languages, and
        Computation* (1979), ch. 2 and 3.

    Example:
        >>> even = ColumnAutomaton([[0, 1], [2, 0], [2, 2]], [True, False, False], True)
        >>> even.is_lost([[1, 2, 3], [3, 4, 5]]).tolist()
        [True, False]
        >>> bool(even.is_lost([2**100 + 1, 2**100, 1]))
        True
        >>> print(even.diagram())
        letters 1 |, most significant bits first
        state  1  |
        > 0 P  1  0
          1    0  2
          2    2  2
    """

    transitions: IntArray
    lost: BoolArray
    most_significant_first: bool

    def __post_init__(self) -> None:
        transitions, lost = np.array(self.transitions), np.array(self.lost)
        if (
            transitions.ndim != 2
            or transitions.shape[1] not in ALPHABETS
            or not len(transitions)
            or transitions.dtype.kind not in "iu"
        ):
            raise InvalidAutomatonError(
                "transitions must be integers of shape (states, letters), with at least one state "
                f"and the letters {' or '.join(ALPHABETS.values())}, not {transitions.dtype} of "
                f"shape {transitions.shape}"
            )
        states = len(transitions)
        if transitions.min() < 0 or transitions.max() >= states:
            bad = transitions[(transitions < 0) | (transitions >= states)][0]
            raise InvalidAutomatonError(
                f"transitions must lead to states from 0 to {states - 1}, not to {bad}"
            )
        if lost.shape != (states,) or lost.dtype != np.bool_:
            raise InvalidAutomatonError(
                f"lost must be {states} booleans, one for each state, not of shape {lost.shape} "
                f"and type {lost.dtype}"
            )
        transitions = transitions.astype(np.int64)
        transitions.setflags(write=False)
        lost.setflags(write=False)
        object.__setattr__(self, "transitions", transitions)
        object.__setattr__(self, "lost", lost)

    def __repr__(self) -> str:
        """Return its number of states, its letters and its order of bits."""
        states = f"{self.states} state{'s' if self.states > 1 else ''}"
        return f"{type(self).__name__}({states}, {self.reading})"

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.transitions)

    @property
    def reads_zeros(self) -> bool:
        """Whether it reads every bit, not only the ones of a column."""
        return len(self._rows[0]) > ZERO

    @property
    def letters(self) -> str:
        """Its letters, ``"1 |"`` or ``"0 1 |"``."""
        return ALPHABETS[self.transitions.shape[1]]

    @property
    def reading(self) -> str:
        """Letters and order of reading, such as ``"letters 1 |, least significant bits first"``."""
        order = "most" if self.most_significant_first else "least"
        return f"letters {self.letters}, {order} significant bits first"

    def is_lost(
        self, positions: npt.ArrayLike | Sequence[int] | Sequence[Sequence[int]]
    ) -> BoolArray:
        """Return which positions are claimed to be lost for the player to move.

        Args:
            positions: ``(..., heaps)``, objects in each heap; integers of any size.

        Returns:
            Boolean array of shape ``(...)``.

        Raises:
            InvalidPositionError: not integers of at least 0, or no array of them.
        """
        heaps = as_heaps(positions)
        largest = np.asarray(heaps.max(axis=-1, initial=0))
        state = np.zeros(heaps.shape[:-1], dtype=np.int64)
        for column in self.columns(int(largest.max(initial=0))):
            bits = (heaps >> column & 1).astype(np.int64, copy=False)
            # Columns above a position's highest bit are skipped, but never the lowest column.
            read = (largest >> column > 0) | (column == 0)
            state = np.where(read, self._after_column(state, bits), state)
        return np.asarray(self.lost[state])

    def columns(self, largest: int) -> range:
        """Return the columns that are read where ``largest`` is the largest heap, in order."""
        columns = range(max(1, largest.bit_length()))
        return columns[::-1] if self.most_significant_first else columns

    def _after_column(self, state: IntArray, bits: IntArray) -> IntArray:
        """Return the states after a column of bits ``(..., heaps)`` and the separator."""
        if not self.reads_zeros:
            by_count = self.after_ones(bits.shape[-1])
            return np.asarray(by_count[bits.sum(axis=-1), state])
        for heap in range(bits.shape[-1]):
            state = self.transitions[state, ZERO - bits[..., heap]]
        return np.asarray(self.transitions[state, SEPARATOR])

    def after_ones(self, most: int) -> IntArray:
        """Return the states after a column of 0 to ``most`` ones, without zeros.

        Returns:
            ``(most + 1, states)``, by the number of ones and the state before.
        """
        powers = np.empty((most + 1, self.states), dtype=np.int64)
        powers[0] = np.arange(self.states)
        for ones in range(most):
            powers[ones + 1] = self.transitions[powers[ones], ONE]
        return np.asarray(self.transitions[powers, SEPARATOR])

    @cached_property
    def _rows(self) -> list[list[int]]:
        """The transitions as lists."""
        rows: list[list[int]] = self.transitions.tolist()
        return rows

    @cached_property
    def padded(self) -> ColumnAutomaton:
        """The automaton with the same claims, also if empty columns are added on top."""
        rows, lost = self._rows, self.lost.tolist()

        # In either order: the state, the claim before this column, and whether this automaton
        # reads this column.
        def upwards(state: tuple[int, bool, bool], letter: int) -> tuple[int, bool, bool]:
            read, claim, counts = state
            after = rows[read][letter]
            if letter == SEPARATOR:
                return after, lost[after] if counts else claim, False
            return after, claim, counts or letter == ONE

        # The state, the claim so far, and whether a bit was set.
        def downwards(state: tuple[int, bool, bool], letter: int) -> tuple[int, bool, bool]:
            read, _, has_one = state
            after = rows[read][letter]
            if letter == SEPARATOR:
                return (after if has_one else 0), lost[after], has_one
            return after, False, has_one or letter == ONE

        step = downwards if self.most_significant_first else upwards
        start = (0, False, not self.most_significant_first)
        return self._from_steps(start, step, lambda state: state[1]).minimal()

    def _from_steps(
        self,
        start: State,
        step: Callable[[State, int], State],
        is_lost: Callable[[State], bool],
        letters: int | None = None,
    ) -> ColumnAutomaton:
        """Return the automaton of the states reached from ``start``, numbered as found."""
        width = letters or self.transitions.shape[1]
        states, rows = reached_from(
            start, lambda state: [step(state, each) for each in range(width)]
        )
        lost = np.array([is_lost(state) for state in states], dtype=np.bool_)
        return ColumnAutomaton(np.array(rows), lost, self.most_significant_first)

    def minimal(self) -> ColumnAutomaton:
        """Return the smallest automaton with the same claims for all words that end in a separator.

        It is the same for all automata with these claims, including the numbers of its states.
        """
        # A state's own claim matters only after a separator, so states are distinguished by the
        # claims after the separators to come.
        claimed = self.lost[self.transitions[:, SEPARATOR]]
        kind = coarsest_congruence(claimed, list(self.transitions.T))
        first = np.unique(kind, return_index=True)[1]
        next_kind: list[list[int]] = kind[self.transitions[first]].tolist()
        claims: list[bool] = self.lost[self.transitions[first, SEPARATOR]].tolist()
        # A kind becomes one state for each claim with which a separator leads to it; after other
        # letters, and at the start, the claim does not matter, so any existing one serves.
        needed: dict[int, set[bool]] = {}
        for one in reached_from(int(kind[0]), next_kind.__getitem__)[0]:
            needed.setdefault(next_kind[one][SEPARATOR], set()).add(claims[one])

        def any_of(one: int) -> tuple[int, bool]:
            return one, min(needed.get(one, {False}))

        def step(state: tuple[int, bool], letter: int) -> tuple[int, bool]:
            after = next_kind[state[0]][letter]
            return (after, claims[state[0]]) if letter == SEPARATOR else any_of(after)

        return self._from_steps(any_of(int(kind[0])), step, lambda state: state[1])

    def without_zeros(self) -> ColumnAutomaton:
        """Return an automaton of letters ``"1 |"`` whose claims are this one's for certain words.

        It claims what this one does if every column has exactly one zero, which comes first. If
        this one reads only ones, the result is its minimal automaton.
        """
        rows, lost = self._rows, self.lost

        # The state, and whether this column's zero was read.
        def step(state: tuple[int, bool], letter: int) -> tuple[int, bool]:
            read, begun = state
            if self.reads_zeros and not begun:
                read = rows[read][ZERO]
            return rows[read][letter], letter != SEPARATOR

        return self._from_steps((0, False), step, lambda state: bool(lost[state[0]]), 2).minimal()

    def diagram(self) -> str:
        """Return its table of transitions as text: ``>`` marks the start, ``P`` lost states."""
        letters = {2: (ONE, SEPARATOR), 3: (ZERO, ONE, SEPARATOR)}[self.transitions.shape[1]]
        lines = [["state", *(SYMBOLS[letter] for letter in letters)]]
        width = len(str(self.states - 1))
        for state, row in enumerate(self._rows):
            name = f"{'>' if state == 0 else ' '} {state:{width}} {'P' if self.lost[state] else ''}"
            lines.append([name, *(str(row[letter]) for letter in letters)])
        first = max(len(line[0]) for line in lines)
        table = [
            f"{name:{first}}" + "".join(f"  {entry:>{width}}" for entry in entries)
            for name, *entries in lines
        ]
        return "\n".join([self.reading, *(line.rstrip() for line in table)])


def reached_from(
    start: State, steps: Callable[[State], Iterable[State]], most: float = math.inf
) -> tuple[list[State], list[list[int]]]:
    """Return all states that steps lead to, as found, and the indices of those after each.

    Once more states than ``most`` are found, the search ends.
    """
    indices, states, rows = {start: 0}, [start], []
    for state in states:  # which grows meanwhile
        row = []
        for after in steps(state):
            if after not in indices:
                indices[after] = len(states)
                states.append(after)
            row.append(indices[after])
        rows.append(row)
        if len(states) > most:
            break
    return states, rows


def as_heaps(positions: Any) -> npt.NDArray[Any]:
    """Return positions as an array ``(..., heaps)``: int64, or of Python integers if too large."""
    try:
        array = np.asarray(positions)
        if array.dtype.kind not in "iu" or array.dtype == np.uint64:
            array = np.array(positions, dtype=object)
            array[...] = np.frompyfunc(operator.index, 1, 1)(array)
            if array.max(initial=0) < 2**63:
                array = array.astype(np.int64)
        valid = array.ndim > 0 and array.min(initial=0) >= 0
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise InvalidPositionError(
            "positions must be integers of at least 0, an array of shape (..., heaps), not "
            f"{positions!r}"
        )
    return array if array.dtype == object else array.astype(np.int64)
