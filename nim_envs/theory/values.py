"""Grundy values as functions of a component's state: by closed form, or from its table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.games.octal_codes import heap_game
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.cell_sets import CellSets
from nim_envs.rules.component import BYTES_OF_OPTION, NO_MOVE, Component
from nim_envs.rules.euclid_game import NumberPair
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.theory.chains import Chains, chains_of, values_of_runs
from nim_envs.theory.grundy import grundy_values, misere_grundy_values
from nim_envs.theory.nimbers import mex
from nim_envs.theory.parts import FreeParts
from nim_envs.theory.theorems import euclid_values, exchange_zero_and_one, lasker_values
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes

LASKERS_NIM = heap_game("laskers_nim")

LARGEST_SEQUENCE = 1_000_000
"""Most Grundy values of a subtraction game computed in search of its period."""


class ComponentValues(ABC):
    """Normal and misère Grundy values of one component, as functions of its state."""

    def __init__(self, component: Component) -> None:
        self.component = component

    @abstractmethod
    def normal(self, states: IntArray) -> IntArray:
        """Return the Grundy value of each state, elementwise."""

    def misere(self, states: IntArray) -> IntArray:
        """Return the misère Grundy value of each state, elementwise.

        In subtraction games, so in Nim and the addition game too, it is the Grundy
        value with 0 and 1 exchanged (T. S. Ferguson, "On sums of graph games with last
        player losing", *International Journal of Game Theory* 3 (1974), 159-167).
        """
        return exchange_zero_and_one(self.normal(states))

    def options_with_value(self, state: int, value: int, misere: bool) -> IntArray:
        """Return the option slots of ``state`` that lead to ``value``, ascending.

        Args:
            state: one state.
            value: Grundy value of the options to find.
            misere: whether ``value`` is a misère Grundy value.

        Raises:
            SearchTooLargeError: there are too many options to list.
        """
        check_bytes(
            f"the {self.component.options} options of a {self.component.kind}",
            self.component.options * BYTES_OF_OPTION,
        )
        here = np.array(state, dtype=np.int64)
        first = self.component.successors(here)
        second = self.component.second_successors(here) if self.component.splits else None
        values = self.after_moves(np.maximum(first, 0), second, misere)
        return np.flatnonzero((first != NO_MOVE) & (values == value))

    def after_moves(self, first: IntArray, second: IntArray | None, misere: bool) -> IntArray:
        """Return the values after moves, elementwise.

        Args:
            first: the component's states after the moves.
            second: states of the second parts, 0 for none; ``None`` if no move leaves one.
            misere: whether to return misère Grundy values; with second parts the component must be
                tame.
        """
        if second is None:
            return self.misere(first) if misere else self.normal(first)
        values = self.normal(first) ^ self.normal(second)
        if not misere:
            return values
        firm = (self.normal(first) == self.misere(first)) | (
            self.normal(second) == self.misere(second)
        )
        return np.where(firm, values, exchange_zero_and_one(values))


class TableValues(ComponentValues):
    """Values computed from the table of options, for any component that has one."""

    @cached_property
    def normal_table(self) -> IntArray:
        """Grundy values, computed on first access."""
        return grundy_values(self.component)

    @cached_property
    def misere_table(self) -> IntArray:
        """Misère Grundy values, computed on first access."""
        return misere_grundy_values(self.component)

    def normal(self, states: IntArray) -> IntArray:
        """Return the value of each state, from the table, elementwise."""
        return np.asarray(self.normal_table[self.component.place_of(states)])

    def misere(self, states: IntArray) -> IntArray:
        """Return the misère value of each state, from its table, elementwise."""
        return np.asarray(self.misere_table[self.component.place_of(states)])


class LaskerValues(TableValues):
    """Lasker's Nim; see :func:`nim_envs.theory.theorems.lasker_values`."""

    def normal(self, states: IntArray) -> IntArray:
        """Return the value of each heap, elementwise."""
        return lasker_values(states)


class ChainValues(TableValues):
    """Node Kayles on paths and cycles, and Cram on one row; see :mod:`nim_envs.theory.chains`."""

    def __init__(self, component: Component, chains: Chains) -> None:
        super().__init__(component)
        self.chains = chains

    def normal(self, states: IntArray) -> IntArray:
        """Return the nim-sum of the values of the runs of free cells, elementwise."""
        free = self.component.coordinate_system.of(np.asarray(states)) == 0
        total = np.zeros(np.shape(states), dtype=np.int64)
        for chain in self.chains.chains:
            total ^= values_of_runs(free, chain, self.chains.values)
        return total


class PartValues(TableValues):
    """Cram and Node Kayles on boards too large for tables; see :mod:`nim_envs.theory.parts`.

    Args:
        component: the board.
    """

    def __init__(self, component: CellSets) -> None:
        super().__init__(component)
        self._board = component
        self._parts = FreeParts(component)

    def normal(self, states: IntArray) -> IntArray:
        """Return the value of each set of free cells, elementwise.

        Raises:
            SearchTooLargeError: they fall into too many different parts.
        """
        free, places = np.unique(self._board.free_cells(states), return_inverse=True)
        values = np.array([self._parts.value(cells) for cells in free.tolist()], dtype=np.int64)
        return values[places].reshape(np.shape(states))


class ResidueValues(ComponentValues):
    """Values of Nim, bounded Nim and the addition game, by the distance from the end.

    If a move takes from 1 to ``bound``, the Grundy value at distance ``d`` from the end is
    ``d mod (bound + 1)``; without a bound it is ``d``, and without a move, ``bound`` 0, it is 0
    (*Winning Ways*, ch. 4).
    """

    def __init__(self, component: SubtractionHeap | AdditionTotal) -> None:
        super().__init__(component)
        self.bound = component.options

    def distance(self, states: IntArray) -> IntArray:
        """Return the distance of each state from the end, elementwise."""
        if isinstance(self.component, AdditionTotal):
            return np.maximum(self.component.n + 1 - states, 0)
        return states

    def normal(self, states: IntArray) -> IntArray:
        """Return the distance of each state from the end, modulo ``bound + 1``, elementwise."""
        return np.asarray(self.distance(states) % (self.bound + 1))

    def options_with_value(self, state: int, value: int, misere: bool) -> IntArray:
        """Compute the amount instead of trying every move: a heap may have 10**15 objects."""
        target = 1 - value if misere and value <= 1 else value
        distance = int(self.distance(np.array(state, dtype=np.int64)))
        if target > self.bound or distance == 0:
            return np.empty(0, dtype=np.int64)
        amount = (distance - target) % (self.bound + 1)
        if target == 0 and distance <= self.bound and isinstance(self.component, AdditionTotal):
            # All amounts that reach or pass the end lead to distance 0.
            return np.arange(distance - 1, self.bound, dtype=np.int64)
        options = [amount - 1] if 1 <= amount <= min(self.bound, distance) else []
        return np.array(options, dtype=np.int64)


class EuclidValues(ComponentValues):
    """Values of a pair of numbers in the game of Euclid.

    The misère value is the Grundy value, with 0 and 1 exchanged where a number is 0 or both are
    equal: (0, n) has the misère value 1, and (n, n), whose only move leads there, 0. From two
    different numbers moves lead to both of these pairs, if one number divides the other, or to
    neither; so the values that can be reached, and their mex, are those of normal play.
    """

    def __init__(self, component: NumberPair) -> None:
        super().__init__(component)
        self.pair = component

    def normal(self, states: IntArray) -> IntArray:
        """Return the value of each pair, elementwise."""
        return euclid_values(self.component.coordinate_system.of(np.asarray(states)))

    def misere(self, states: IntArray) -> IntArray:
        """Return the misère value of each pair, elementwise."""
        numbers = self.component.coordinate_system.of(np.asarray(states))
        fickle = (numbers.min(axis=-1) == 0) | (numbers[..., 0] == numbers[..., 1])
        values = euclid_values(numbers)
        return np.where(fickle, exchange_zero_and_one(values), values)

    def options_with_value(self, state: int, value: int, misere: bool) -> IntArray:
        """Look at few subtractions: the value of a pair is within 2 of its quotient."""
        first, second = self.component.coordinate_system.of(np.array(state)).tolist()
        larger, smaller = max(first, second), min(first, second)
        if smaller == 0:
            return np.empty(0, dtype=np.int64)
        times = larger // smaller
        left = {0, *range(max(value - 2, 0), value + 3)}  # quotient of the pair after the move
        options = np.array(sorted(times - 1 - each for each in left if each < times), np.int64)
        after = self.pair.after_options(np.array(state, dtype=np.int64), options)
        return np.asarray(options[self.after_moves(after, None, misere) == value])


class PeriodicValues(ComponentValues):
    """Values of a subtraction game with a finite set, which are ultimately periodic.

    The value of a heap is a function of the ``max(set)`` values before it, so the sequence repeats
    from where a window of that length occurs again (*Winning Ways*, ch. 4).
    """

    def __init__(self, component: SubtractionHeap) -> None:
        super().__init__(component)
        values, self.start, self.period = subtraction_sequence(
            tuple(component.amounts), component.size
        )
        self.values = np.array(values, dtype=np.int64)

    def normal(self, states: IntArray) -> IntArray:
        """Return the value of each state, those of the period repeated, elementwise."""
        folded = np.where(
            states < len(self.values), states, self.start + (states - self.start) % self.period
        )
        return np.asarray(self.values[folded])


class TwoAmountsValues(ComponentValues):
    """Values of a subtraction game that takes ``a`` or ``b`` objects, or one amount ``a`` alone.

    Those of one amount are 0 for ``a`` heaps and 1 for ``a`` heaps, again and again. Those of two
    amounts ``a < b`` repeat after ``a + b`` heaps: of these, the first ``b`` are as with one
    amount; from the last ``a`` a heap of value 0 is reached by taking ``b``, and by taking ``a``
    one of value 0 or 1 (*Winning Ways*, ch. 4).
    """

    def __init__(self, component: SubtractionHeap) -> None:
        super().__init__(component)
        self.amounts = tuple(component.amounts)

    def normal(self, states: IntArray) -> IntArray:
        """Return the value of each heap, elementwise."""
        heaps = np.asarray(states)
        first, last = self.amounts[0], self.amounts[-1]
        heaps = heaps % (first + last)
        return np.asarray(
            np.where(heaps < last, heaps // first % 2, 1 + (heaps - first) // first % 2)
        )


def subtraction_sequence(amounts: tuple[int, ...], size: int) -> tuple[list[int], int, int]:
    """Return the Grundy values of heaps 0, 1, ... up to ``size`` or to a proven period.

    Args:
        amounts: the subtraction set, ascending, at least one amount.
        size: the largest heap of interest.

    Returns:
        The values; the index from which they are periodic; the period (1 if ``size`` was reached
        first).

    Raises:
        SearchTooLargeError: neither was reached within ``LARGEST_SEQUENCE`` values.

    Example:
        >>> subtraction_sequence((1, 3, 4), 10**9)
        ([0, 1, 0, 1, 2, 3, 2, 0, 1, 0, 1], 0, 7)
    """
    window = amounts[-1]
    values: list[int] = []
    encoded = bytearray()  # four bytes for each value, so that windows compare at memory speed
    anchor, anchored, wait = b"", 0, max(window, 64)
    for heap in range(min(size + 1, LARGEST_SEQUENCE)):
        value = mex(values[heap - amount] for amount in amounts if amount <= heap)
        values.append(value)
        encoded += value.to_bytes(4, "little")
        if anchor and encoded.endswith(anchor):
            return values, anchored - window + 1, heap - anchored
        # R. P. Brent's cycle detection: the interval between reference windows doubles.
        if heap + 1 == window or (anchor and heap - anchored == wait):
            wait *= 2 if anchor else 1
            anchor, anchored = bytes(encoded[-4 * window :]), heap
    if size >= LARGEST_SEQUENCE:
        raise SearchTooLargeError(
            f"no period of the subtraction set {amounts} was found within {LARGEST_SEQUENCE} "
            f"values, which is the limit; a heap of {size} needs one"
        )
    return values, 0, 1


def component_values(component: Component) -> ComponentValues:
    """Return the values of ``component``: by closed form where there is one, else its table."""
    if isinstance(component, AdditionTotal):
        return ResidueValues(component)
    if isinstance(component, SubtractionHeap):
        if not component.amounts or component.amounts[-1] == len(component.amounts):
            return ResidueValues(component)
        if len(component.amounts) <= 2:
            return TwoAmountsValues(component)
        return PeriodicValues(component)
    if isinstance(component, NumberPair):
        return EuclidValues(component)
    if isinstance(component, SplittingHeap) and component.game == LASKERS_NIM:
        return LaskerValues(component)
    chains = chains_of(component)
    if chains is not None:
        return ChainValues(component, chains)
    if isinstance(component, CellSets) and not component.are_listed:
        return PartValues(component)
    return TableValues(component)
