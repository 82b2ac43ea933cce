"""A claim as an automaton whose letters are whole columns, the highest first."""

from __future__ import annotations

from dataclasses import dataclass

from nim_envs.theory.column_automata.automaton import ONE, SEPARATOR, ZERO, ColumnAutomaton

Map = tuple[int, ...]
"""The next state of every state."""


@dataclass(frozen=True)
class Columns:
    """A claim that depends on how many ones each column has, read from the highest column.

    State 0 is the start.

    Args:
        maps: the next states after a column without ones, with one, and so on. After them all, the
            maps of numbers from ``exact`` on come again.
        exact: the least number of ones that has the effect of a larger one.
        lost: which states are claimed to be lost after the last column.
    """

    maps: tuple[Map, ...]
    exact: int
    lost: tuple[bool, ...]

    @property
    def period(self) -> int:
        """What may be added to ``exact`` ones or more without another effect."""
        return len(self.maps) - self.exact

    def after(self, ones: int) -> Map:
        """Return the next states after a column with so many ones."""
        if ones < self.exact:
            return self.maps[ones]
        return self.maps[self.exact + (ones - self.exact) % self.period]


def columns_of(automaton: ColumnAutomaton, limit: int) -> Columns | str:
    """Return the claim of an automaton column by column, or why there is no such form of it.

    An automaton that reads the lowest column first is reversed, by the subset construction.

    Args:
        automaton: the claim.
        limit: entries that the maps of all numbers of ones may have.
    """
    claim = automaton.padded()
    if claim.reads_zeros:
        changed = _changed_by_a_zero(claim)
        if changed is not None:
            return (
                f"reading a zero changes state {changed} of its padded form, so that what is "
                "claimed may depend on empty heaps and on the order of the heaps"
            )
        claim = ColumnAutomaton(
            claim.transitions[:, :ZERO], claim.lost, claim.most_significant_first
        ).minimal()
    maps, exact = _column_maps(claim, limit // claim.states)
    lost: list[bool] = claim.lost.tolist()
    if maps and not claim.most_significant_first:
        maps, lost = _reversed(maps, lost, limit)
    if not maps:
        return f"a table of what each number of ones in a column does has over {limit} entries"
    return _shortest(maps, exact, tuple(lost))


def _changed_by_a_zero(automaton: ColumnAutomaton) -> int | None:
    """Return a state of a minimal automaton in which reading a zero matters, if there is one."""
    # States that only differ in what a separator before them claims have equal transitions.
    after = automaton.transitions[automaton.transitions[:, ZERO]]
    changed = (after != automaton.transitions).any(axis=1)
    return int(changed.argmax()) if changed.any() else None


def _column_maps(claim: ColumnAutomaton, most: int) -> tuple[list[Map], int]:
    """Return the next states after 0, 1, ... ones and a separator, and where they come again.

    No maps are returned where there are more than ``most``.
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


def _reversed(maps: list[Map], lost: list[bool], limit: int) -> tuple[list[Map], list[bool]]:
    """Return maps that read the columns the other way round; none if they are too large.

    A new state is the set of states from which the columns read so far, the lowest ones, lead to
    a claim of lost.
    """
    start = frozenset(state for state, claimed in enumerate(lost) if claimed)
    numbers, found, rows = {start: 0}, [start], []
    for states in found:  # which grows meanwhile
        row = []
        for after in maps:
            before = frozenset(state for state, to in enumerate(after) if to in states)
            if before not in numbers:
                numbers[before] = len(found)
                found.append(before)
            row.append(numbers[before])
        rows.append(row)
        if len(found) * len(maps) > limit:
            return [], []
    return list(zip(*rows, strict=True)), [0 in states for states in found]


def _shortest(maps: list[Map], exact: int, lost: tuple[bool, ...]) -> Columns:
    """Return the maps with the shortest period, which comes as early as it can."""
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
