"""Search on demand, with equal components sorted, for lattices too large to enumerate."""

from __future__ import annotations

from collections import Counter

import numpy as np

from nim_envs.rules.component import Component
from nim_envs.rules.component_graph import left_by_moves, levels
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.theory.heap_search import LARGEST_MEMO, HeapSearch
from nim_envs.theory.solution import Solution
from nim_envs.typing import BoolArray, IntArray


class ComponentParts:
    """The states of all distinct components of a game, numbered as parts of sums.

    Args:
        rules: components of the game.
    """

    def __init__(self, rules: Rules) -> None:
        self.name = rules.name
        self._firsts: dict[Component, int] = {}
        first = 0
        for component in rules.components:
            if component not in self._firsts:
                self._firsts[component] = first
                first += component.num_places
        # (components,): the index of the part at each component's first place.
        self.firsts = np.array([self._firsts[component] for component in rules.components])

    def in_order(self) -> list[int]:
        """Return all parts, each after the parts of its options."""
        return [
            first + place
            for component, first in self._firsts.items()
            for place in np.argsort(levels(component), kind="stable").tolist()
        ]

    def options(self, heap: int, /) -> list[tuple[int, ...]]:
        """Return the options of a part, each as the tuple of parts left."""
        component, first = max(
            (pair for pair in self._firsts.items() if pair[1] <= heap), key=lambda pair: pair[1]
        )
        state = int(component.states_at_places(np.array(heap - first)))
        return [
            tuple(first + int(component.place_of(np.array(part))) for part in left)
            for left in left_by_moves(component, state)
        ]


def count_modulo_permutation(rules: Rules) -> int:
    """Return the number of positions modulo permutation of equal components.

    All states without a move count as one, as they do not change who wins.

    Args:
        rules: components of the game.

    Example:
        >>> from nim_envs.rules import nim
        >>> count_modulo_permutation(nim(heaps=(2, 2)))  # none, 1, 2, 1 1, 1 2, 2 2
        6
    """
    count = 1
    for component, slots in Counter(rules.components).items():
        states = component.states_between(0, component.states - 1)
        alive = ~component.is_terminal(states)
        needed = component.slots_needed if component.splits else np.ones(len(states), int)
        multisets = [1] + [0] * slots
        for slot in needed[alive].tolist():
            for used in range(slot, slots + 1):
                multisets[used] += multisets[used - slot]
        count *= sum(multisets)
    return count


class MemoSolution(Solution):
    """A game solved on demand, one position at a time, with a table of the results.

    Args:
        rules: components of the game.
        convention: normal or misère play.
        limit: most positions in the table.
    """

    def __init__(self, rules: Rules, convention: Convention, limit: int = LARGEST_MEMO) -> None:
        super().__init__(rules, convention, method="memoised search modulo permutation")
        parts = ComponentParts(rules)
        self._firsts = parts.firsts
        self._search = HeapSearch(parts, convention, limit)
        for part in parts.in_order():
            self._search.heap_options(part)

    @property
    def is_complete(self) -> bool:
        """False: positions are searched on demand."""
        return False

    def _winning(self, positions: IntArray) -> BoolArray:
        flat = (self.rules.places_of(positions) + self._firsts).reshape(-1, len(self._firsts))
        # With equal components sorted, many rows are equal.
        distinct, inverse = np.unique(np.sort(flat, axis=1), axis=0, return_inverse=True)
        wins = np.array([self._wins(row) for row in distinct.tolist()], dtype=np.bool_)
        return np.asarray(wins[inverse.reshape(-1)].reshape(positions.shape[:-1]))

    def _wins(self, parts: list[int]) -> bool:
        """Return whether the player to move wins a sum of parts."""
        return self._search.wins(parts)

    def _winning_options(self, positions: IntArray) -> BoolArray:
        rules = self.rules
        flat = positions.reshape(-1, len(rules.components))
        row, action = np.nonzero(rules.action_mask(flat))
        winning = np.zeros((len(flat), rules.num_actions), dtype=np.bool_)
        winning[row, action] = ~self._winning(rules.step(flat[row], action))
        return winning.reshape(*positions.shape[:-1], len(rules.components), rules.num_options)
