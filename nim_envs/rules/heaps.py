"""Octal and similar games, as games of heaps that may split, in slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.component import LARGEST_TABLE, NO_MOVE, BoolArray, Component, IntArray
from nim_envs.rules.octal_codes import LEAVE_ONE, LEAVE_TWO, WHOLE, HeapGame, octal_game
from nim_envs.rules.rules import Rules
from nim_envs.rules.validation import checked_integers


@dataclass(frozen=True)
class SplittingHeap(Component):
    """A slot for a heap of up to ``size`` objects; an option takes some and may split the rest.

    An option is the number of objects taken and the size of the smaller of two heaps left, 0 if
    one heap or none is left. A heap that has no move is removed at once, which changes nothing
    but frees its slot. Of two heaps the larger one stays in the slot, and the smaller one goes
    into an empty slot.

    Args:
        game: the rule of one heap.
        size: most objects in the heap; the state is the number of objects in it.

    Raises:
        SearchTooLargeError: the table of options would be too large.
    """

    game: HeapGame
    size: int

    kind = "heap"

    def __post_init__(self) -> None:
        most = self.size if self.game.repeating else min(self.size, len(self.game.digits) - 1)
        entries = (most + 1) * (self.size // 2 + 1) * (self.size + 1)
        if entries > LARGEST_TABLE:
            raise SearchTooLargeError(
                f"the options of a heap of {self.size} objects in {self.game.name} would fill "
                f"{entries} entries; the limit is {LARGEST_TABLE}"
            )

    @property
    def states(self) -> int:
        """Number of states: 0 to ``size`` objects."""
        return self.size + 1

    @cached_property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """Objects taken and smaller part left, by option: those that some heap allows."""
        found = []
        for taken in range(self.size + 1):
            digit, left = self.game.digit(taken), self.size - taken
            if (digit & WHOLE and taken) or (digit & LEAVE_ONE and left):
                found.append((taken, 0))
            if digit & LEAVE_TWO:
                found += [(taken, part) for part in range(1, (left - self.game.unequal) // 2 + 1)]
        return tuple(found)

    @property
    def options(self) -> int:
        """Number of option slots."""
        return len(self.moves)

    @cached_property
    def splits(self) -> bool:
        """Whether some option leaves two heaps, each with a move."""
        return bool(self._parts(np.arange(self.states))[1].any())

    def _legal(self, states: IntArray) -> BoolArray:
        """Where each option is legal: ``(...)`` to ``(..., options)``."""
        taken, part = np.array(self.moves, dtype=np.int64).reshape(-1, 2).T
        digits = np.array([self.game.digit(number) for number, _ in self.moves], dtype=np.int64)
        left = np.asarray(states)[..., np.newaxis] - taken
        whole = (digits & WHOLE > 0) & (part == 0) & (left == 0) & (taken > 0)
        one = (digits & LEAVE_ONE > 0) & (part == 0) & (left > 0)
        two = (digits & LEAVE_TWO > 0) & (part > 0) & (left >= 2 * part + self.game.unequal)
        return np.asarray(whole | one | two)

    @cached_property
    def _alive(self) -> BoolArray:
        """Which sizes of heaps have a legal move."""
        return np.asarray(self._legal(np.arange(self.states)).any(axis=-1))

    def _parts(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """What each option leaves, the first part ``NO_MOVE`` where not legal."""
        taken, smaller = np.array(self.moves, dtype=np.int64).reshape(-1, 2).T
        legal = self._legal(states)
        larger = np.where(legal, np.asarray(states)[..., np.newaxis] - taken - smaller, 0)
        smaller = np.where(legal, smaller, 0)
        larger, smaller = larger * self._alive[larger], smaller * self._alive[smaller]
        first = np.where(larger > 0, larger, smaller)
        return np.where(legal, first, NO_MOVE), np.where(larger > 0, smaller, 0)

    def successors(self, states: IntArray) -> IntArray:
        """Return what stays in the slot after each option, or ``NO_MOVE``."""
        return self._parts(states)[0]

    def second_successors(self, states: IntArray) -> IntArray:
        """Return what each option puts into an empty slot, 0 for nothing."""
        return self._parts(states)[1]

    def describe_option(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        taken, part = self.moves[option]
        parts = [f"take {taken}"] if taken else []
        if part:
            whole = -1 if state is None else state - taken - part
            parts.append(f"leave {part} and {whole if whole >= part else 'the rest'}")
        return ", ".join(parts)

    @property
    def option_form(self) -> str:
        """A description of :meth:`option_numbers`."""
        if not any(self.game.digits[1:]):
            return "smaller part"
        return "amount, smaller part where two are left" if self.splits else "amount"

    def option_numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the objects taken, if moves take any, and the smaller of two heaps left."""
        taken, part = self.moves[option]
        if not any(self.game.digits[1:]):
            return (part,)
        return (taken, part) if part else (taken,)


def octal(code: str, heaps: Sequence[int]) -> Rules:
    """Rules of an octal game: take objects from one heap, and leave nothing, one heap or two.

    The position has a slot for every heap that there can be at the same time: at first the
    heaps, then empty slots. See :class:`SplittingHeap` for the options.

    Args:
        code: a code such as ``"0.77"``; see :func:`nim_envs.rules.octal_game`.
        heaps: objects in each heap at the start; at least 0 each.

    Raises:
        InvalidGameError: an impossible code; heaps that are empty, negative or not integers.
        SearchTooLargeError: a heap is too large to tabulate its options.

    References:
        R. K. Guy and C. A. B. Smith, "The G-values of various games", *Proceedings of the
        Cambridge Philosophical Society* 52 (1956), 514-526; *Winning Ways*, ch. 4.

    Example:
        >>> rules = octal(code="0.77", heaps=(5,))
        >>> rules.initial, rules.shape
        ((5, 0, 0), (6, 6, 6))
        >>> after = rules.step(np.array([5, 0, 0]), np.array(4))
        >>> rules.describe_action(4, (5, 0, 0)), after.tolist()
        ('heap 0: take 2, leave 1 and 2', [2, 1, 0])
    """
    return heap_rules(octal_game(code), heaps, "octal")


def heap_rules(game: HeapGame, heaps: Sequence[int], name: str) -> Rules:
    """Return the rules of ``game`` played on ``heaps``.

    Args:
        game: the rule of one heap.
        heaps: objects in each heap at the start; at least 0 each.
        name: short name of the game.

    Raises:
        InvalidGameError: heaps that are empty, negative or not integers.
        SearchTooLargeError: a heap is too large to tabulate its options.
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    heap = SplittingHeap(game, max(sizes))
    needed = int(heap.slots_needed[list(sizes)].sum()) if heap.splits else 0
    slots = max(needed, len(sizes))
    return Rules(name, (heap,) * slots, initial=sizes + (0,) * (slots - len(sizes)))
