"""The exam of an automaton: on random boards, does it obey the rule of lost positions?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from agents.generalising.column_automata.heaps import HeapRules, Heaps
from nim_envs.cgt.column_automata import ColumnAutomaton

MOST_FOUND = 5
"""Number of contradictions after which the exam ends."""


class Findings(NamedTuple):
    """Result of an exam."""

    contradictions: list[Heaps]  # the smallest first
    positions_read: int


def contradicts(
    automaton: ColumnAutomaton, rules: HeapRules, position: Heaps, options: Sequence[Heaps]
) -> bool:
    """Return whether what is claimed at a position breaks the rule of lost positions.

    A position is lost if and only if no option is lost; without options it is lost in normal play
    and won in misère play.

    Args:
        automaton: the claims.
        rules: of the game.
        position: the position.
        options: all its options.
    """
    most = max(1, len(position))
    sizes = [(*heaps, *[0] * (most - len(heaps))) for heaps in (position, *options)]
    # With zeros as letters an empty heap is read, too: claims are asked of what is left alone.
    if rules.ordered:
        lost = np.array([bool(automaton.is_lost(heaps or (0,))) for heaps in (position, *options)])
    else:
        lost = automaton.is_lost(np.array(sizes))
    expected = not lost[1:].any() if len(options) else not rules.misere
    return bool(lost[0]) != bool(expected)


def contradictions(
    automaton: ColumnAutomaton, rules: HeapRules, read: Iterable[tuple[Heaps, Sequence[Heaps]]]
) -> list[Heaps]:
    """Return the positions whose claims break the rule, of those with these options."""
    return by_size(
        position for position, options in read if contradicts(automaton, rules, position, options)
    )


def by_size(positions: Iterable[Heaps]) -> list[Heaps]:
    """Return positions, those with the fewest objects first."""
    return sorted(positions, key=lambda heaps: (sum(heaps), heaps))


def random_board(rules: HeapRules, rng: np.random.Generator, *, heaps: int, bits: int) -> Heaps:
    """Return a random position.

    Args:
        rules: of the game.
        rng: the source of all randomness.
        heaps: most heaps; their number is uniform from 1 to this.
        bits: most bits of a heap; how many there may be is uniform from 1 to this, too.
    """
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
) -> Findings:
    """Examine claims at random positions; it ends when a few contradictions are found.

    Args:
        automaton: the claims.
        rules: of the game.
        rng: of the positions.
        positions: how many to examine at most.
        heaps: most heaps of one.
        bits: most bits of a heap.
    """
    found: set[Heaps] = set()
    number = 0
    while number < positions and len(found) < MOST_FOUND:
        position = random_board(rules, rng, heaps=heaps, bits=bits)
        number += 1
        if contradicts(automaton, rules, position, sorted(rules.options(position))):
            found.add(position)
    return Findings(by_size(found), number)
