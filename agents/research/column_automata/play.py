"""Moves to positions that a column automaton claims to be lost, without listing all moves."""

from collections.abc import Sequence

import numpy as np

from agents.research.column_automata.automaton import (
    ONE,
    SEPARATOR,
    ZERO,
    ColumnAutomaton,
    as_heaps,
)
from agents.research.column_automata.moves import MoveRelation
from nim_envs.errors import InvalidPositionError

Around = tuple[list[int], list[int]]
"""The states after a column, by the state before: if a bit in it is 0, and if it is 1."""


def move_to_lost(
    automaton: ColumnAutomaton, relation: MoveRelation, position: Sequence[int]
) -> tuple[int, ...] | None:
    """Return a position claimed to be lost, one move away; ``None`` if there is none.

    For each heap, it follows column by column the bits that a move may leave, and keeps one path to
    each pair of automaton state and relation state. So the time grows with the number of bits of
    the position, not with that of moves.

    Args:
        automaton: claims which positions are lost.
        relation: moves in one heap.
        position: objects in each heap; integers of any size.

    Raises:
        InvalidPositionError: the position is not a sequence of integers of at least 0.

    Example:
        >>> nim = ColumnAutomaton([[0, 1], [2, 0], [2, 2]], [True, False, False], False)
        >>> move_to_lost(nim, MoveRelation(), (3, 4, 2**60 + 5))
        (3, 4, 7)
        >>> move_to_lost(nim, MoveRelation(), (1, 2, 3)) is None
        True
    """
    array = as_heaps(position)
    if array.ndim != 1:
        raise InvalidPositionError(
            f"position must be a sequence of integers, one for each heap, not {position!r}"
        )
    heaps: list[int] = array.tolist()
    # Options may have fewer columns than the position, so the automaton is padded.
    padded = automaton.padded
    columns = padded.columns(max(heaps, default=0))
    bits = [[heap >> column & 1 for heap in heaps] for column in columns]
    maps = _all_around(padded, bits)
    for index, heap in enumerate(heaps):
        if heap:
            steps = [(row[index], around[index]) for row, around in zip(bits, maps, strict=True)]
            left = _left(padded, relation, steps)
            if left is not None:
                return (*heaps[:index], left, *heaps[index + 1 :])
    return None


def _all_around(automaton: ColumnAutomaton, bits: Sequence[Sequence[int]]) -> list[list[Around]]:
    """Return, by column and heap, the states after the column if the heap's bit is 0, or 1."""
    if automaton.reads_zeros:
        return [_around(automaton.transitions.T.tolist(), row) for row in bits]
    maps: list[list[int]] = automaton.after_ones(max(map(sum, bits)) + 1).tolist()
    return [[(maps[sum(row) - bit], maps[sum(row) - bit + 1]) for bit in row] for row in bits]


def _around(letters: Sequence[list[int]], bits: Sequence[int]) -> list[Around]:
    """Return for each heap the states after a column if its bit is 0, or 1, by letter."""
    after = [letters[SEPARATOR]]
    for bit in reversed(bits[1:]):
        letter, rest = letters[ONE if bit else ZERO], after[-1]
        after.append([rest[state] for state in letter])
    before, pairs = list(range(len(letters[SEPARATOR]))), []
    for bit in bits:
        rest = after.pop()
        zero, one = ([rest[letters[to][state]] for state in before] for to in (ZERO, ONE))
        pairs.append((zero, one))
        letter = letters[ONE if bit else ZERO]
        before = [letter[state] for state in before]
    return pairs


def _left(
    automaton: ColumnAutomaton, relation: MoveRelation, steps: Sequence[tuple[int, Around]]
) -> int | None:
    """Return the size of a heap after a move to a lost position, if there is one.

    An automaton that reads the lowest column first is followed backwards.
    """
    forward = automaton.most_significant_first
    lost: list[int] = np.flatnonzero(automaton.lost).tolist()
    starts, ends = ([0], lost) if forward else (lost, [0])
    sizes = {(state, 0): 0 for state in starts}  # the bits left so far, by states of both
    for bit, around in steps if forward else reversed(steps):
        longer: dict[tuple[int, int], int] = {}
        for (state, taken), size in sizes.items():
            for bit_left, column in enumerate(around):
                now = relation.step(taken, bit, bit_left)
                if now is not None:
                    before = (index for index, to in enumerate(column) if to == state)
                    for next_state in [column[state]] if forward else before:
                        longer.setdefault((next_state, now), 2 * size + bit_left)
        sizes = longer
    return next((size for (state, taken), size in sizes.items() if taken and state in ends), None)
