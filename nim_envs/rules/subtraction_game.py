"""Subtraction games, Nim among them: a move takes one of a set of amounts from a heap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.rules.words import any_of
from nim_envs.typing import IntArray
from nim_envs.validation import checked_integers


@dataclass(frozen=True)
class SubtractionHeap(Component):
    """A heap of ``size`` objects; option ``j`` takes ``amounts[j]`` of them.

    Args:
        size: objects in the full heap; the state is the number of objects left.
        amounts: allowed amounts, ascending, from 1 to ``size``. A ``range`` is stored as such, so a
            Nim heap of 10**15 objects takes no more memory than a small one.
    """

    size: int
    amounts: tuple[int, ...] | range

    kind = "heap"

    @property
    def states(self) -> int:
        """Number of states: 0 to ``size`` objects."""
        return self.size + 1

    @property
    def options(self) -> int:
        """Number of option slots: one for each amount."""
        return len(self.amounts)

    @cached_property
    def words(self) -> AmountWords:
        """Amounts to take."""
        return AmountWords(self.size, self.amounts)

    @cached_property
    def _amounts(self) -> IntArray:
        """The amounts as an array, ``(options,)``."""
        if isinstance(self.amounts, range):
            return np.arange(self.amounts.start, self.amounts.stop, self.amounts.step)
        return np.array(self.amounts, dtype=np.int64)

    def successors(self, states: IntArray) -> IntArray:
        """Return the heap after taking each amount, or ``NO_MOVE`` where it has less."""
        left = np.asarray(states)[..., np.newaxis] - self._amounts
        return np.asarray(np.maximum(left, NO_MOVE, out=left))

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of amounts that are at most the heap's size."""
        if isinstance(self.amounts, range):
            smaller = (np.asarray(states) - self.amounts.start) // self.amounts.step + 1
            return np.clip(smaller, 0, len(self.amounts))
        return np.asarray(np.searchsorted(self._amounts, states, side="right"))

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the option that takes ``before`` less ``after``, or ``NO_OPTION``."""
        if not isinstance(self.amounts, range):
            return super().option_to(before, after)
        taken = np.asarray(before) - after
        steps, rest = np.divmod(taken - self.amounts.start, self.amounts.step)
        legal = (rest == 0) & (steps >= 0) & (steps < len(self.amounts))
        return np.where(legal, steps, NO_OPTION)


@dataclass(frozen=True)
class AmountWords(MoveWords):
    """Moves in words, by the amount taken.

    Args:
        size: objects in the full heap.
        amounts: allowed amounts, ascending.
    """

    size: int
    amounts: tuple[int, ...] | range

    @property
    def move(self) -> str:
        """A move in words: the amounts that it may take."""
        if len(self.amounts) == self.size:
            return "take any number of objects"
        if not self.amounts:
            return "there is no move"
        return f"take {any_of(self.amounts)} object{'s' if self.amounts[-1] > 1 else ''}"

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        return f"take {self.amounts[option]}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the amount taken."""
        return (self.amounts[option],)


def subtraction(heaps: Sequence[int], subtraction_set: Sequence[int]) -> Rules:
    """Rules of a subtraction game: take an amount of the subtraction set from one heap.

    A heap with fewer objects than the smallest amount has no move; so if 1 is not in the set,
    objects can be left at the end.

    Args:
        heaps: objects in each heap at the start; at least 0 each.
        subtraction_set: amounts that one move may take; at least 1 each, in any order.

    Raises:
        InvalidGameError: heaps that are empty, negative or not integers; a set that is
            empty or holds anything but positive integers.

    References:
        Berlekamp, Conway & Guy, *Winning Ways*, ch. 4 "Subtraction games".

    Example:
        >>> subtraction(heaps=(5,), subtraction_set=(1, 3)).components[0].table.tolist()
        [[-1, -1], [0, -1], [1, -1], [2, 0], [3, 1], [4, 2]]
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    amounts = sorted(
        set(checked_integers("subtraction_set", subtraction_set, minimum=1, of_any_order=True))
    )
    components = tuple(
        SubtractionHeap(size, tuple(amount for amount in amounts if amount <= size))
        for size in sizes
    )
    return Rules(name="subtraction", components=components, initial=sizes)
