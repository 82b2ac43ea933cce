"""Moore's Nim: a move takes from up to ``k`` heaps at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component, strides_of
from nim_envs.rules.coordinate_system import CoordinateSystem
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes, check_states, checked_integer, checked_integers


@dataclass(frozen=True)
class HeapGroup(Component):
    """A group of heaps; a move takes objects from at least one and at most ``k`` of them.

    Its coordinates are the objects in each heap. An option is an amount for each heap. Options are
    sorted by the number of heaps taken from, then by these heaps, then by the amounts.

    Args:
        sizes: most objects in each heap.
        k: most heaps that a move takes from; at least 1.

    Raises:
        InvalidGameError: there are too many states to number.
    """

    sizes: tuple[int, ...]
    k: int

    kind = "group"

    def __post_init__(self) -> None:
        check_states(f"a group of heaps of {self.sizes} objects", self.states)

    @property
    def states(self) -> int:
        """Number of states: the product of the numbers of sizes of the heaps."""
        return math.prod(size + 1 for size in self.sizes)

    @cached_property
    def coordinate_system(self) -> CoordinateSystem:
        """The objects in each heap."""
        return CoordinateSystem(tuple(size + 1 for size in self.sizes), picture="coins")

    @property
    def words(self) -> GroupWords:
        """Objects to take from each heap."""
        # Not cached: it refers to the component, and a cycle of references would keep its tables.
        return GroupWords(self)

    @cached_property
    def options(self) -> int:
        """Number of option slots: the ways to take from the full heaps."""
        return sum(self._ways[0][1:])

    @cached_property
    def _ways(self) -> list[list[int]]:
        """Ways to take from exactly ``j`` of the heaps from ``i`` on, as ``_ways[i][j]``."""
        ways = [[1] + [0] * self.k]
        for size in reversed(self.sizes):
            pairs = itertools.pairwise(ways[-1])
            ways.append([1, *(more + size * fewer for fewer, more in pairs)])
        return ways[::-1]

    def amounts(self, option: int) -> tuple[int, ...]:
        """Return the objects that an option takes from each heap, without a list of all options."""
        heap_count = 1
        while option >= self._ways[0][heap_count]:
            option -= self._ways[0][heap_count]
            heap_count += 1
        chosen: list[int] = []
        spans = 1  # ways to take from the heaps that are chosen already
        for heap, size in enumerate(self.sizes):
            here = spans * size * self._ways[heap + 1][heap_count - 1] if heap_count else 0
            if option < here:
                chosen.append(heap)
                spans *= size
                heap_count -= 1
            else:
                option -= here
        taken = [0] * len(self.sizes)
        for heap in reversed(chosen):
            option, rest = divmod(option, self.sizes[heap])
            taken[heap] = rest + 1
        return tuple(taken)

    def option_taking(self, taken: IntArray) -> IntArray:
        """Return the option that takes these amounts, the inverse of :meth:`amounts`.

        Args:
            taken: objects taken from each heap, from one to ``k`` heaps, ``(..., heaps)``.

        Returns:
            ``(...)``.
        """
        ways = np.array(self._ways)
        heap_count = (taken > 0).sum(axis=-1)
        option = np.cumsum([0, 0, *ways[0, 1:]])[heap_count]
        spans, rest = np.ones_like(option), np.zeros_like(option)
        for heap, size in enumerate(self.sizes):
            amount = taken[..., heap]
            chosen = amount > 0
            skipped = np.where(heap_count > 0, spans * size * ways[heap + 1, heap_count - 1], 0)
            option = np.where(chosen, option, option + skipped)
            spans = np.where(chosen, spans * size, spans)
            rest = np.where(chosen, rest * size + amount - 1, rest)
            heap_count = heap_count - chosen
        return np.asarray(option + rest)

    @cached_property
    def _amounts(self) -> IntArray:
        """Objects that each option takes from each heap, ``(options, heaps)``.

        Raises:
            SearchTooLargeError: there are too many options to list.
        """
        check_bytes(
            f"the {self.options} moves of heaps of {self.sizes} objects",
            self.options * len(self.sizes) * np.dtype(np.int64).itemsize,
        )
        heaps = range(len(self.sizes))
        amounts = np.zeros((self.options, len(heaps)), dtype=np.int64)
        option = 0
        for heap_count in range(1, min(self.k, len(heaps)) + 1):
            for chosen in itertools.combinations(heaps, heap_count):
                spans = [self.sizes[heap] for heap in chosen]
                count = math.prod(spans)
                taken = np.stack(np.unravel_index(np.arange(count), spans), axis=-1) + 1
                amounts[option : option + count, chosen] = taken
                option += count
        return amounts

    @cached_property
    def _strides(self) -> IntArray:
        """Change of the state number per object in each heap, ``(heaps,)``."""
        return strides_of(self.coordinate_system.fields)

    def successors(self, states: IntArray) -> IntArray:
        """Return the heaps after taking, or ``NO_MOVE`` where one of them holds too few."""
        heaps = self.coordinate_system.of(states)
        legal = (heaps[..., np.newaxis, :] >= self._amounts).all(axis=-1)
        after = np.asarray(states)[..., np.newaxis] - self._amounts @ self._strides
        return np.where(legal, after, NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of ways to take objects from one to ``k`` heaps."""
        heaps = self.coordinate_system.of(states)
        ways = [np.ones(np.shape(states), dtype=np.int64)]
        ways += [np.zeros_like(ways[0]) for _ in range(self.k)]
        for heap in range(len(self.sizes)):
            pairs = itertools.pairwise(ways)
            ways = [ways[0], *(more + heaps[..., heap] * fewer for fewer, more in pairs)]
        return np.asarray(sum(ways[1:]))

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the option that takes the differences of the heaps, or ``NO_OPTION``."""
        heaps_of = self.coordinate_system.of
        taken = heaps_of(np.asarray(before)) - heaps_of(np.asarray(after))
        heaps = (taken > 0).sum(axis=-1)
        legal = (taken >= 0).all(axis=-1) & (heaps >= 1) & (heaps <= self.k)
        options = self.option_taking(np.where(legal[..., np.newaxis], taken, 0))
        return np.where(legal, options, NO_OPTION)


@dataclass(frozen=True)
class GroupWords(MoveWords):
    """Moves in words, by the objects taken from each heap.

    Args:
        group: the heaps that moves take from.
    """

    group: HeapGroup

    @property
    def move(self) -> str:
        """A move in words, with the largest number of heaps that it takes from."""
        most = self.group.k
        heaps = "one heap" if most == 1 else f"each of 1 to {most} heaps"
        return (
            f"take any number of objects from {heaps}; heaps are numbered from 0, and a group is "
            "given by the number of objects in each heap"
        )

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        amounts = self.group.amounts(option)
        parts = [f"{taken} from heap {heap}" for heap, taken in enumerate(amounts) if taken]
        return f"take {' and '.join(parts)}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the number of objects to take from each heap."""
        return self.group.amounts(option)


def moores_nim(heaps: Sequence[int], k: int) -> Rules:
    """Rules of Moore's Nim: take any number of objects from each of up to ``k`` heaps.

    A move takes at least one object. With ``k = 1`` it is Nim.

    A position is lost in normal play if, for every binary digit, the number of heaps that have a 1
    there is divisible by ``k + 1``. In misère play it is the same if some heap holds 2 or more;
    else the number of heaps of 1 must be congruent to 1 modulo ``k + 1``.

    Args:
        heaps: objects in each heap at the start; at least 0 each.
        k: most heaps that one move may take from; at least 1.

    Raises:
        InvalidGameError: heaps that are empty, negative or not integers; ``k`` below 1; or too many
            positions or moves to number.

    References:
        E. H. Moore, "A generalization of the game called Nim", *Annals of Mathematics* 11 (1910),
        93-94; *Winning Ways*, ch. 15.

    Example:
        >>> rules = moores_nim(heaps=(3, 3, 3), k=2)
        >>> rules.fields, rules.num_actions
        ((4, 4, 4), 36)
        >>> rules.describe_action(10, rules.initial)
        'group 0: take 1 from heap 0 and 2 from heap 1'
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    most = min(checked_integer("k", k, minimum=1), len(sizes))
    group = HeapGroup(sizes, most)
    return Rules("moores_nim", (group,), initial=(group.states - 1,))
