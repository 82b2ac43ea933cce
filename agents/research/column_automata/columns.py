"""Claims as automata whose letters are whole columns, the highest first."""

from collections.abc import Iterator
from dataclasses import dataclass

from agents.research.column_automata.automaton import (
    ONE,
    SEPARATOR,
    SYMBOLS,
    ZERO,
    ColumnAutomaton,
    reached_from,
)

Map = tuple[int, ...]
"""The next state of every state."""


@dataclass(frozen=True)
class Columns:
    """A claim that depends on the number of ones in each column, read from the highest.

    State 0 is the start.
    """

    maps: tuple[Map, ...]  # the next states after a column with 0, 1, ... ones
    exact: int  # for more ones than there are maps, those from here on repeat
    lost: tuple[bool, ...]  # whether each state is claimed to be lost after the last column

    @property
    def period(self) -> int:
        """Period of the effect in the number of ones, from ``exact`` ones on."""
        return len(self.maps) - self.exact

    def after(self, ones: int) -> Map:
        """Return the next states after a column with ``ones`` ones."""
        if ones < self.exact:
            return self.maps[ones]
        return self.maps[self.exact + (ones - self.exact) % self.period]


def columns_of(automaton: ColumnAutomaton, limit: int, one_heap: bool = False) -> Columns | str:
    """Return the claim of an automaton by whole columns, or the reason why that is impossible.

    An automaton that reads the lowest column first is reversed, by the subset construction.
    """
    padded = automaton.padded
    claim = padded if one_heap else padded.without_zeros()
    if padded.reads_zeros and not one_heap:
        word = _word_that_differs(padded, claim)
        if word is not None:
            return (
                "with the letters 0 1 | it must not depend on empty heaps, nor on the order of the "
                f"heaps, but what it says of {word} may"
            )
    if one_heap:
        maps, exact = _maps_of_one_bit(claim), 0
    else:
        maps, exact = _column_maps(claim, limit // claim.states)
    lost: list[bool] = claim.lost.tolist()
    if maps and not claim.most_significant_first:
        maps, lost = _reversed(maps, lost, limit)
    if not maps:
        return f"given up: what each number of ones in a column does takes over {limit} steps"
    return _shortest(maps, exact, tuple(lost))


def _word_that_differs(padded: ColumnAutomaton, claim: ColumnAutomaton) -> str | None:
    """Return a word on which a claim that reads zeros differs from one that does not.

    Every column of a word has at least one letter. Unlike in positions, columns may differ in
    their number of letters.
    """
    rows: list[list[int]] = padded.transitions.tolist()
    others: list[list[int]] = claim.transitions.tolist()
    start = (0, 0, False)
    words = {start: ""}
    waiting = [start]
    for now in waiting:  # which grows meanwhile
        state, other, begun = now
        steps = [(ZERO, other, True), (ONE, others[other][ONE], True)]
        if begun:
            steps.append((SEPARATOR, others[other][SEPARATOR], False))
        for letter, other_after, begun_after in steps:
            after = (rows[state][letter], other_after, begun_after)
            if after not in words:
                words[after] = words[now] + SYMBOLS[letter]
                waiting.append(after)
            if letter == SEPARATOR and padded.lost[after[0]] != claim.lost[after[1]]:
                return words[now] + SYMBOLS[letter]
    return None


def _column_maps(claim: ColumnAutomaton, most: int) -> tuple[list[Map], int]:
    """Return the next states after 0, 1, ... ones and a separator, and the start of their period.

    The list is empty if there would be more than ``most`` maps.
    """
    one: list[int] = claim.transitions[:, ONE].tolist()
    end: list[int] = claim.transitions[:, SEPARATOR].tolist()
    seen: dict[Map, int] = {}
    power = tuple(range(claim.states))
    while power not in seen:
        if len(seen) >= most:
            return [], 0
        seen[power] = len(seen)
        power = tuple(one[state] for state in power)
    return [tuple(end[state] for state in power) for power in seen], seen[power]


def _maps_of_one_bit(claim: ColumnAutomaton) -> list[Map]:
    """Return the next states after the bit of one heap, 0 and 1, and a separator."""
    end: list[int] = claim.transitions[:, SEPARATOR].tolist()
    one: list[int] = claim.transitions[:, ONE].tolist()
    zero = claim.transitions[:, ZERO].tolist() if claim.reads_zeros else range(claim.states)
    return [tuple(end[state] for state in after) for after in (zero, one)]


def _reversed(maps: list[Map], lost: list[bool], limit: int) -> tuple[list[Map], list[bool]]:
    """Return maps that read the columns in reverse order; none if they are too large.

    A new state is a set of old ones: those from which the columns read so far lead to a lost state.
    """

    def before(states: frozenset[int]) -> Iterator[frozenset[int]]:
        for after in maps:
            yield frozenset(state for state, to in enumerate(after) if to in states)

    start = frozenset(state for state, claimed in enumerate(lost) if claimed)
    most = limit // (len(maps) * len(lost))
    sets, rows = reached_from(start, before, most)
    if len(sets) > most:
        return [], []
    return list(zip(*rows, strict=True)), [0 in states for states in sets]


def _shortest(maps: list[Map], exact: int, lost: tuple[bool, ...]) -> Columns:
    """Return the maps with the shortest period, beginning as early as possible."""
    whole = len(maps) - exact
    tail = maps[exact:]
    period = next(
        length
        for length in range(1, whole + 1)
        if whole % length == 0 and tail == tail[:length] * (whole // length)
    )
    while exact and maps[exact - 1] == maps[exact - 1 + period]:
        exact -= 1
    return Columns(tuple(maps[: exact + period]), exact, lost)
