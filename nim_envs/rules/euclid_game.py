"""The game of Euclid: a move subtracts a multiple of the smaller of two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component
from nim_envs.rules.coordinate_system import CoordinateSystem
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_states, checked_pairs


@dataclass(frozen=True)
class NumberPair(Component):
    """Two numbers; option ``j`` subtracts ``j + 1`` times the smaller one from the larger one.

    Of equal numbers it subtracts from the first. Its coordinates are the numbers.

    Args:
        first: largest first number; at least 1.
        second: largest second number; at least 1.

    Raises:
        InvalidGameError: there are too many pairs to number.
    """

    first: int
    second: int

    kind = "pair"

    def __post_init__(self) -> None:
        check_states(f"a pair of numbers up to {self.first} and {self.second}", self.states)

    @property
    def states(self) -> int:
        """Number of states: the pairs of numbers from 0."""
        return (self.first + 1) * (self.second + 1)

    @property
    def options(self) -> int:
        """Number of option slots: the largest number, from which 1 can be subtracted as often."""
        return max(self.first, self.second)

    @cached_property
    def coordinate_system(self) -> CoordinateSystem:
        """The two numbers."""
        return CoordinateSystem((self.first + 1, self.second + 1))

    @property
    def words(self) -> PairWords:
        """Multiples of the smaller number."""
        # Not cached: it refers to the component, and a cycle of references would keep its tables.
        return PairWords(self)

    def _by_size(self, states: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the larger numbers, the smaller ones, and the strides of the larger ones.

        A stride is the difference between states whose larger numbers differ by 1.
        """
        first, second = np.divmod(np.asarray(states, dtype=np.int64), self.second + 1)
        stride = np.where(first >= second, self.second + 1, 1)
        return np.maximum(first, second), np.minimum(first, second), stride

    def successors(self, states: IntArray) -> IntArray:
        """Return the numbers after each subtraction, or ``NO_MOVE`` where it goes below 0."""
        return self.after_options(np.asarray(states)[..., np.newaxis], np.arange(self.options))

    def after_options(self, states: IntArray, options: IntArray) -> IntArray:
        """Return the numbers after one option each, or ``NO_MOVE``; the arrays are broadcast."""
        larger, smaller, stride = self._by_size(states)
        times = np.asarray(options) + 1
        legal = (smaller > 0) & (times <= larger // np.maximum(smaller, 1))
        subtracted = np.where(legal, times, 0) * smaller * stride
        return np.where(legal, states - subtracted, NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the quotient of the larger and the smaller number, rounded down; 0 if one is 0."""
        larger, smaller, _ = self._by_size(states)
        return np.where(smaller > 0, larger // np.maximum(smaller, 1), 0)

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the option that subtracts the difference, or ``NO_OPTION``."""
        _, smaller, stride = self._by_size(before)
        unit = np.maximum(smaller * stride, 1)
        times, rest = np.divmod(np.asarray(before) - after, unit)
        legal = (rest == 0) & (times >= 1) & (times <= self.legal_count(before))
        return np.where(legal, times - 1, NO_OPTION)


@dataclass(frozen=True)
class PairWords(MoveWords):
    """Subtractions in words, by the multiple of the smaller number.

    Args:
        pair: the pair of numbers that moves subtract from.
    """

    pair: NumberPair

    move = "subtract a multiple of the smaller number from the larger one, not below 0"

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        if state is not None:
            after = int(self.pair.after_options(np.array(state), np.array(option)))
            if after != NO_MOVE:
                smaller = min(divmod(state, self.pair.second + 1))
                left = divmod(after, self.pair.second + 1)
                return f"subtract {option + 1} times {smaller}, leave {left}"
        return f"subtract {option + 1} times the smaller number"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the multiple of the smaller number that is subtracted."""
        return (option + 1,)


def euclid(pairs: Sequence[Sequence[int]]) -> Rules:
    """Rules of the game of Euclid: subtract a multiple of the smaller number from the larger one.

    A move subtracts the smaller number once or several times; the result must not be negative. Of
    two equal numbers the first becomes 0. A pair with a 0 has no move.

    In normal play a single pair is lost if a number is 0, or if the ratio of the larger number to
    the smaller one is above 1 and below the golden ratio.

    Args:
        pairs: two numbers for each pair at the start; at least 1 each.

    Raises:
        InvalidGameError: no pairs, or one that is not two integers of at least 1.

    References:
        A. J. Cole and A. J. T. Davie, "A game based on the Euclidean algorithm and a winning
        strategy for it", *Mathematical Gazette* 53 (1969), 354-357.

    Example:
        >>> rules = euclid(pairs=((60, 22),))
        >>> rules.fields, rules.num_actions
        ((61, 23), 60)
        >>> rules.describe_action(1, rules.initial)
        'pair 0: subtract 2 times 22, leave (16, 22)'
    """
    numbers = checked_pairs("pairs", pairs, minimum=1)
    components = tuple(NumberPair(first, second) for first, second in numbers)
    initial = tuple(component.states - 1 for component in components)
    return Rules("euclid", components, initial)
