"""The exam of an automaton: a search of random boards for positions where it is inconsistent."""

from collections.abc import Iterable, Sequence

import numpy as np

from agents.research.column_automata import ColumnAutomaton
from agents.research.column_automata.heaps import HeapRules, Heaps

MOST_FOUND = 5
"""Contradictions after which the exam ends."""


def contradicts(
    automaton: ColumnAutomaton, rules: HeapRules, position: Heaps, options: Sequence[Heaps]
) -> bool:
    """Return whether the automaton's claim at a position contradicts those at its options.

    A position is lost if and only if no option is lost; without options it is lost in normal play
    and won in misère play.
    """
    most = max(1, len(position))
    sizes = [(*heaps, *[0] * (most - len(heaps))) for heaps in (position, *options)]
    # Empty heaps are left out: an automaton with the letter 0 would read them.
    if rules.ordered:
        lost = np.array([bool(automaton.is_lost(heaps or (0,))) for heaps in (position, *options)])
    else:
        lost = automaton.is_lost(np.array(sizes))
    expected = not lost[1:].any() if len(options) else not rules.misere
    return bool(lost[0]) != bool(expected)


def by_size(positions: Iterable[Heaps]) -> list[Heaps]:
    """Return the positions, those with the fewest objects first."""
    return sorted(positions, key=lambda heaps: (sum(heaps), heaps))


def random_board(rules: HeapRules, rng: np.random.Generator, *, heaps: int, bits: int) -> Heaps:
    """Return a random position of at most this number of heaps, and of bits of a heap."""
    largest = 2 ** int(rng.integers(1, bits + 1))
    sizes = rng.integers(0, largest, int(rng.integers(1, heaps + 1)))
    return rules.canonical(sizes.tolist())


def examine(
    automaton: ColumnAutomaton,
    rules: HeapRules,
    rng: np.random.Generator,
    *,
    positions: int,
    heaps: int,
    bits: int,
) -> tuple[list[Heaps], int]:
    """Check the claims at random positions, until :data:`MOST_FOUND` contradictions are found.

    It returns these, the smallest first, and the number of positions checked.
    """
    counterexamples: set[Heaps] = set()
    number = 0
    while number < positions and len(counterexamples) < MOST_FOUND:
        position = random_board(rules, rng, heaps=heaps, bits=bits)
        number += 1
        if contradicts(automaton, rules, position, sorted(rules.options(position))):
            counterexamples.add(position)
    return by_size(counterexamples), number
