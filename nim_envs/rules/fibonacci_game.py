"""Fibonacci Nim: a move takes at most twice what the move before took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component
from nim_envs.rules.coordinate_system import NO_STATE, CoordinateSystem, inside_box
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_states, checked_integers


@dataclass(frozen=True)
class FibonacciHeap(Component):
    """A heap with a limit on the next move; option ``j`` takes ``j + 1`` objects.

    Its coordinates are the number of objects and the limit, which is at most that number. The
    states are in the order of the coordinates: 0 is the empty heap.

    Args:
        size: objects in the full heap; at least 1.

    Raises:
        InvalidGameError: there are too many states to number.
    """

    size: int

    kind = "heap"

    def __post_init__(self) -> None:
        check_states(f"a heap of {self.size} objects with limits", self.states)

    @property
    def states(self) -> int:
        """Number of states: the empty heap, and *n* limits for each number *n* of objects."""
        return self.size * (self.size + 1) // 2 + 1

    @property
    def options(self) -> int:
        """Number of option slots: one for each number of objects."""
        return self.size

    @cached_property
    def coordinate_system(self) -> ObjectsAndLimit:
        """The number of objects and the limit."""
        return ObjectsAndLimit(self.size)

    @cached_property
    def words(self) -> FibonacciWords:
        """Numbers of objects to take."""
        return FibonacciWords()

    def successors(self, states: IntArray) -> IntArray:
        """Return the heap and its limit after taking, or ``NO_MOVE`` above the limit."""
        objects, limits = np.moveaxis(self.coordinate_system.of(states)[..., np.newaxis], -2, 0)
        taken = np.arange(1, self.size + 1)
        left = np.where(taken <= limits, objects - taken, 0)
        after = _states_below(left) + np.minimum(2 * taken, left)
        return np.where(taken <= limits, np.where(left > 0, after, 0), NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the limit."""
        return np.asarray(self.coordinate_system.of(states)[..., 1])

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the option that takes the difference of objects, or ``NO_OPTION``."""
        objects, limits = np.moveaxis(self.coordinate_system.of(np.asarray(before)), -1, 0)
        left, new = np.moveaxis(self.coordinate_system.of(np.asarray(after)), -1, 0)
        taken = objects - left
        legal = (taken >= 1) & (taken <= limits) & (new == np.minimum(2 * taken, left))
        return np.where(legal, taken - 1, NO_OPTION)


class ObjectsAndLimit(CoordinateSystem):
    """The number of objects in a heap, and the most that the next move may take.

    Args:
        size: objects in the full heap.
    """

    def __init__(self, size: int) -> None:
        super().__init__((size + 1, size + 1), names=("objects", "limit"), picture="coins")

    def of(self, states: IntArray) -> IntArray:
        """Return objects and limits: ``(...)`` to ``(..., 2)``."""
        given = np.asarray(states, dtype=np.int64)
        # The rounded square root can be off by one.
        objects = ((np.sqrt(8.0 * given + 1.0) - 1.0) / 2.0).astype(np.int64)
        objects -= _states_below(objects) >= given
        objects += _states_below(objects + 1) < given
        objects = np.where(given == 0, 0, objects)
        limits = np.where(given == 0, 0, given - _states_below(objects))
        return np.stack([objects, limits], axis=-1)

    def states_at(self, coordinates: IntArray) -> IntArray:
        """Return the states with these objects and limits; -1 where there is none."""
        given = np.asarray(coordinates, dtype=np.int64)
        objects, limits = given[..., 0], given[..., 1]
        inside = inside_box(given, self.fields) & (limits <= objects) & (limits >= 1)
        states = np.where(inside, _states_below(objects) + limits, NO_STATE)
        return np.where((objects == 0) & (limits == 0), 0, states)


class FibonacciWords(MoveWords):
    """Moves of Fibonacci Nim in words, by the number of objects taken."""

    move = (
        "take one object or more, up to the limit; a heap is at (objects, limit), and the next "
        "limit is twice the number of objects in this move, but at most those that remain"
    )

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        return f"take {option + 1}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the number of objects taken."""
        return (option + 1,)


def _states_below(objects: IntArray) -> IntArray:
    """Return the last state of a heap with one object less; ``objects`` are positive."""
    return np.asarray(objects * (objects - 1) // 2)


def fibonacci_nim(heaps: Sequence[int]) -> Rules:
    """Rules of Fibonacci Nim: take at most twice as many objects as the move before.

    The first move takes at least one object and must leave one. Every later move takes at least
    one object, and at most twice as many as the move before it. Each of several heaps has its own
    limit, twice the number that the last move took from it.

    Every positive integer is a unique sum of non-consecutive Fibonacci numbers, its Zeckendorf
    representation. In normal play a single heap is lost if the limit is below the smallest term of
    that sum; at the start, if its size is a Fibonacci number.

    Args:
        heaps: objects in each heap at the start; at least 2 each.

    Raises:
        InvalidGameError: heaps that are empty, smaller than 2 or not integers.

    References:
        M. J. Whinihan, "Fibonacci Nim", *Fibonacci Quarterly* 1 (1963), no. 4, 9-13.

    Example:
        >>> rules = fibonacci_nim(heaps=(20,))
        >>> rules.coordinates(np.array(rules.initial)).tolist()
        [20, 19]
        >>> after = rules.step(np.array(rules.initial), np.array(1))
        >>> rules.describe_action(1), rules.coordinates(after).tolist()
        ('heap 0: take 2', [18, 4])
    """
    sizes = checked_integers("heaps", heaps, minimum=2)
    components = tuple(map(FibonacciHeap, sizes))
    # In the largest state the whole heap may be taken; in the one before it, all but one object.
    initial = tuple(component.states - 2 for component in components)
    return Rules("fibonacci_nim", components, initial)
