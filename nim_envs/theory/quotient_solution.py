"""Misère play of sums solved by one misère quotient of all their components together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.component import NO_MOVE, BoolArray, Component, IntArray
from nim_envs.rules.convention import Convention
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.octal_codes import HeapGame
from nim_envs.rules.rules import Rules
from nim_envs.theory.grundy import levels
from nim_envs.theory.quotients.heaps import HeapQuotients
from nim_envs.theory.quotients.search import LARGEST_ORDER, QuotientSearch
from nim_envs.theory.solution import Solution

LARGEST_COMPONENT = 2_000
"""States of a component, other than an octal heap, up to which its quotient is looked for."""

REMEMBERED = 32
"""Quotients that are kept for the next game with the same components."""

PROVEN = "misère quotient, proven by its transition algebra"
PERIODIC = "theorem on periodic misère quotients"


class _Joint:
    """The quotient of sums of some components, with the parts of their states."""

    def __init__(self, components: Iterable[Component], games: Iterable[HeapGame]) -> None:
        self.search = QuotientSearch(LARGEST_ORDER)
        self.parts = {component: self._add(component) for component in components}
        self.heaps = HeapQuotients(games, search=self.search)

    def _add(self, component: Component) -> list[int | None]:
        """Add the states of a component; return their parts, ``None`` without a move."""
        if component.states > LARGEST_COMPONENT:
            raise SearchTooLargeError(
                f"a misère quotient is looked for with a {component.kind} of up to "
                f"{LARGEST_COMPONENT} states, which is the limit, not of {component.states}"
            )
        seconds = component.second_table if component.splits else np.zeros_like(component.table)
        parts: list[int | None] = [None] * component.states
        for state in np.argsort(levels(component), kind="stable").tolist():
            legal = component.table[state] != NO_MOVE
            pairs = zip(component.table[state][legal], seconds[state][legal], strict=True)
            # The second part 0 is an empty slot, which has no move.
            options = [
                [part for part in (parts[first], parts[second] if second else None)
                 if part is not None]
                for first, second in pairs
            ]  # fmt: skip
            if options:
                parts[state] = self.search.add(options)
        return parts

    def elements(self, component: Component) -> IntArray:
        """Return the element of each state of a component, ``(states,)``."""
        found = self.search.quotient().elements
        if not isinstance(component, SplittingHeap):
            parts = self.parts[component]
            return np.array([0 if part is None else found[part] for part in parts])
        parts = self.heaps.parts[component.game]
        of_heaps = np.array([0 if part is None else found[part] for part in parts])
        period = self.heaps.period(component.game)
        heaps = np.arange(component.states)
        if component.states > len(parts):
            assert period is not None
            large = heaps[len(parts) :]
            large[:] = period.start + (large - period.start) % period.length
        return np.asarray(of_heaps[heaps])


@lru_cache(maxsize=REMEMBERED)
def _joint(components: frozenset[Component], games: frozenset[HeapGame]) -> _Joint:
    """Return the quotient of components, remembered; of games as far as it was wanted yet."""
    # In an order that is the same in every run.
    return _Joint(sorted(components, key=repr), sorted(games, key=lambda game: game.name))


class QuotientSolution(Solution):
    """A game in misère play, solved by the misère quotient of all its components together.

    Where a heap is larger than those looked at, its class follows by the theorem on periodic
    quotients.

    Args:
        rules: the rules.

    Raises:
        SearchTooLargeError: the quotient has too many elements, or is infinite.
    """

    def __init__(self, rules: Rules) -> None:
        sizes: dict[HeapGame, int] = {}
        others = set()
        for component in rules.components:
            if isinstance(component, SplittingHeap):
                sizes[component.game] = max(sizes.get(component.game, 0), component.size)
            else:
                others.add(component)
        joint = _joint(frozenset(others), frozenset(sizes))
        if sizes:
            joint.heaps.extend(sizes)
        periodic = any(
            (period := joint.heaps.period(game)) is not None
            and size > period.needed(game.places or 0)
            for game, size in sizes.items()
        )
        super().__init__(rules, Convention.MISERE, PERIODIC if periodic else PROVEN)
        quotient = joint.search.quotient()
        self._products, self._lost = quotient.products, quotient.lost
        distinct = {component: joint.elements(component) for component in set(rules.components)}
        self._elements = [distinct[component] for component in rules.components]

    @property
    def order(self) -> int:
        """Number of elements of the quotient, which may be of more components than this game's."""
        return len(self._lost)

    def _winning(self, positions: IntArray) -> BoolArray:
        total = np.zeros(positions.shape[:-1], dtype=np.int64)
        for component, elements in enumerate(self._elements):
            total = self._products[total, elements[positions[..., component]]]
        return np.asarray(~self._lost[total])

    def _winning_actions(self, position: IntArray) -> IntArray:
        found: IntArray = np.flatnonzero(self._winning_options(position))
        return found

    def _winning_options(self, positions: IntArray) -> BoolArray:
        rules, products = self.rules, self._products
        here = [
            elements[positions[..., component]] for component, elements in enumerate(self._elements)
        ]
        # The class of all components but one: those before it, and those after it.
        after = [np.zeros(positions.shape[:-1], dtype=np.int64)]
        for elements in reversed(here[1:]):
            after.append(products[after[-1], elements])
        options, seconds = rules.options(positions), rules.second_options(positions)
        winning = np.zeros(options.shape, dtype=np.bool_)
        before = np.zeros(positions.shape[:-1], dtype=np.int64)
        for component, elements in enumerate(self._elements):
            left = elements[np.maximum(options[..., component, :], 0)]
            if seconds is not None and rules.components[component].splits:
                left = products[left, elements[seconds[..., component, :]]]
            rest = products[before, after.pop()]
            winning[..., component, :] = self._lost[products[rest[..., np.newaxis], left]]
            before = products[before, here[component]]
        return np.asarray(winning & (options != NO_MOVE))
