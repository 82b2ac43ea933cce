"""Octal and similar games: heaps that may split, in slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.games.octal_codes import LEAVE_ONE, LEAVE_TWO, WHOLE, HeapGame, octal_game
from nim_envs.rules.component import NO_MOVE, Component, read_only, shared_component
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.rules.words import any_of
from nim_envs.typing import BoolArray, IntArray
from nim_envs.validation import check_bytes, checked_integers

LONGEST = 64
"""Most digits of a code whose moves are described one by one."""


@dataclass(frozen=True)
class SplittingHeap(Component):
    """A slot for a heap of up to ``size`` objects; an option takes some and may split the rest.

    An option is a number of objects to take and the size of the smaller of two heaps left, 0 if
    one heap or none is left. The larger heap stays in the slot, and the smaller one goes into an
    empty slot. A heap without a move is removed at once: this frees its slot and does not change
    who wins.

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
        check_bytes(
            f"the options of a heap of {self.size} objects in {self.game.name}",
            (most + 1) * (self.size // 2 + 1) * (self.size + 1) * np.dtype(np.int64).itemsize,
        )

    @property
    def states(self) -> int:
        """Number of states: 0 to ``size`` objects."""
        return self.size + 1

    @cached_property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """Objects taken and smaller part left by each option that is legal in some heap."""
        moves = []
        for taken in range(self.size + 1):
            digit, left = self.game.digit(taken), self.size - taken
            if (digit & WHOLE and taken) or (digit & LEAVE_ONE and left):
                moves.append((taken, 0))
            if digit & LEAVE_TWO:
                moves += [(taken, part) for part in range(1, (left - self.game.unequal) // 2 + 1)]
        return tuple(moves)

    @property
    def options(self) -> int:
        """Number of option slots."""
        return len(self.moves)

    @property
    def words(self) -> SplittingWords:
        """Objects to take, and heaps to leave."""
        # Not cached: it refers to the component, and a cycle of references would keep its tables.
        return SplittingWords(self)

    @cached_property
    def splits(self) -> bool:
        """Whether some option leaves two heaps, each with a move."""
        alive, two = np.flatnonzero(self._has_move), np.flatnonzero(self._digits & LEAVE_TWO)
        # The smallest heap that splits leaves the smallest two that have a move.
        parts = alive[: 1 + self.game.unequal][[0, -1]] if len(alive) > self.game.unequal else None
        return parts is not None and len(two) > 0 and two[0] + parts.sum() <= self.size

    @cached_property
    def _digits(self) -> IntArray:
        """Digits of the code for taking 0 to ``size`` objects, ``(states,)``."""
        return np.array([self.game.digit(taken) for taken in range(self.states)], dtype=np.int64)

    @cached_property
    def _moves(self) -> IntArray:
        """Objects taken, and smaller part left, by option: ``(2, options)``."""
        return np.array(self.moves, dtype=np.int64).reshape(-1, 2).T

    def _legal(self, states: IntArray) -> BoolArray:
        """Return whether each option is legal: ``(...)`` to ``(..., options)``."""
        taken, part = self._moves
        digits = self._digits[taken]
        left = np.asarray(states)[..., np.newaxis] - taken
        whole = (digits & WHOLE > 0) & (part == 0) & (left == 0) & (taken > 0)
        one = (digits & LEAVE_ONE > 0) & (part == 0) & (left > 0)
        two = (digits & LEAVE_TWO > 0) & (part > 0) & (left >= 2 * part + self.game.unequal)
        return np.asarray(whole | one | two)

    @cached_property
    def _has_move(self) -> BoolArray:
        """Whether a heap of each size has a legal move, ``(states,)``."""
        sizes, digits = np.arange(self.states), self._digits
        alive = (digits & WHOLE > 0) & (sizes > 0)
        for left, digit in ((1, LEAVE_ONE), (2 + self.game.unequal, LEAVE_TWO)):
            taken = np.flatnonzero(digits & digit)
            if len(taken):
                alive |= sizes >= taken[0] + left
        return alive

    @cached_property
    def slots_needed(self) -> IntArray:
        """Most slots that play from each size of heap can fill, ``(states,)``; 0 for size 0."""
        one, two = self._digits & LEAVE_ONE > 0, self._digits & LEAVE_TWO > 0
        needed = np.zeros(self.states, dtype=np.int64)
        # Slots needed by the one heap left by a move; most slots needed by two heaps of one sum.
        left = np.zeros(self.states, dtype=np.int64)
        pairs = np.zeros(self.states, dtype=np.int64)
        for size in range(1, self.states):
            half = (size - self.game.unequal) // 2
            larger = left[size - half : size][::-1]
            pairs[size] = (left[1 : half + 1] + larger).max(initial=0)
            most = np.maximum(left[size::-1] * one[: size + 1], pairs[size::-1] * two[: size + 1])
            needed[size] = max(1, most.max())
            left[size] = needed[size] * self._has_move[size]
        return read_only(needed)

    def _parts(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Return the parts that each option leaves, the first ``NO_MOVE`` where it is illegal."""
        taken, smaller = self._moves
        legal = self._legal(states)
        larger = np.where(legal, np.asarray(states)[..., np.newaxis] - taken - smaller, 0)
        smaller = np.where(legal, smaller, 0)
        larger, smaller = larger * self._has_move[larger], smaller * self._has_move[smaller]
        first = np.where(larger > 0, larger, smaller)
        return np.where(legal, first, NO_MOVE), np.where(larger > 0, smaller, 0)

    def successors(self, states: IntArray) -> IntArray:
        """Return the heap in the slot after each option, or ``NO_MOVE``."""
        return self._parts(states)[0]

    def second_successors(self, states: IntArray) -> IntArray:
        """Return the heap that each option puts into an empty slot; 0 for none."""
        return self._parts(states)[1]

    def is_terminal(self, states: IntArray) -> BoolArray:
        """Return where the heap is of a size without a move."""
        return np.asarray(~self._has_move[states])


@dataclass(frozen=True)
class SplittingWords(MoveWords):
    """Moves in words, by the objects taken and the heaps left.

    Args:
        heap: the heap that moves take from.
    """

    heap: SplittingHeap

    @property
    def move(self) -> str:
        """A move in words: the numbers of objects to take, and the heaps that it may leave."""
        game, size = self.heap.game, self.heap.size
        digits = [game.digit(taken) for taken in range(min(size, LONGEST) + 1)]
        if game.repeating and len(set(digits[1:])) == 1:
            ways = [_way("any number of objects", digits[-1], game.unequal)]
        else:
            by_digit: dict[int, list[int]] = {}
            for taken, digit in enumerate(digits):
                if digit and taken:
                    by_digit.setdefault(digit, []).append(taken)
            ways = [
                _way(f"{any_of(amounts)} object{'s' if amounts[-1] > 1 else ''}", digit,
                     game.unequal)
                for digit, amounts in by_digit.items()
            ]  # fmt: skip
        if digits[0]:
            sizes = " of different sizes" if game.unequal else ""
            ways.insert(0, f"split it into two heaps{sizes}")
        return "; or ".join(ways) or "there is no move"

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        taken, part = self.heap.moves[option]
        parts = [f"take {taken}"] if taken else []
        if part:
            whole = -1 if state is None else state - taken - part
            parts.append(f"leave {part} and {whole if whole >= part else 'the rest'}")
        return ", ".join(parts)

    def describe_removal(self, option: int, state: int) -> str:
        """Return a description of the heaps removed after ``option``, as they have no move."""
        taken, part = self.heap.moves[option]
        left = [size for size in (part, state - taken - part) if size]
        dead = [size for size in left if self.heap.is_terminal(np.array(size))]
        if len(dead) == 2:
            return "neither has a move, so both are removed"
        return f"the {dead[0]} left has no move and is removed" if dead else ""

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the number of objects taken, if moves take any, and the smaller of two heaps."""
        taken, part = self.heap.moves[option]
        if not any(self.heap.game.digits[1:]):
            return (part,)
        return (taken, part) if part else (taken,)


def _way(taken: str, digit: int, unequal: bool) -> str:
    """Return the moves of one digit of the code in words; ``taken`` describes the objects taken."""
    sizes = " of different sizes" if unequal else ""
    leaves = {
        WHOLE: " where that leaves nothing",
        LEAVE_ONE: ", and leave something",
        WHOLE | LEAVE_ONE: "",
        LEAVE_TWO: f" and split the rest into two heaps{sizes}",
        WHOLE | LEAVE_TWO: f" and split the rest, if there is any, into two heaps{sizes}",
        LEAVE_ONE | LEAVE_TWO: f", leave something, and split it into two heaps{sizes} if you like",
        WHOLE | LEAVE_ONE | LEAVE_TWO: f", and split the rest into two heaps{sizes} if you like",
    }
    return f"take {taken}{leaves[digit]}"


def octal(code: str, heaps: Sequence[int]) -> Rules:
    """Rules of an octal game: take objects from one heap, and leave nothing, one heap or two.

    A position has as many slots as there can be heaps at the same time: those of the heaps at the
    start, then empty ones. See :class:`SplittingHeap` for the options.

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
    heap = shared_component(SplittingHeap(game, max(sizes)))
    needed = int(heap.slots_needed[list(sizes)].sum()) if heap.splits else 0
    slots = max(needed, len(sizes))
    return Rules(name, (heap,) * slots, initial=sizes + (0,) * (slots - len(sizes)))
