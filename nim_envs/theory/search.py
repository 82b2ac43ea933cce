"""Exhaustive search over the lattice of positions, without any theorem."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from nim_envs.rules.component_graph import levels
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.theory.solution import Solution
from nim_envs.typing import BoolArray, IntArray

LARGEST_SEARCH = 50_000_000
"""Default limit on the number of positions of an exhaustive search."""

CHUNK = 1 << 18
"""Positions handled at once, so that buffers take only tens of megabytes."""


def level_order(rules: Rules, limit: int = LARGEST_SEARCH) -> Iterator[IntArray]:
    """Yield the indices of all positions, every position after all of its options.

    Positions come by level, the sum of their components' levels, which every move lowers; those of
    one level in pieces of at most ``CHUNK``.

    Args:
        rules: moves of the game.
        limit: most positions that may be enumerated.

    Yields:
        Mixed-radix indices, ``(n,)``, of positions of one level, lowest level first.

    Raises:
        SearchTooLargeError: there are more positions than ``limit``.
        InvalidGameError: the moves form a cycle.
    """
    rules.check_size(limit)
    total: npt.NDArray[np.int32] = np.zeros((1,), dtype=np.int32)
    distinct = {component: levels(component).astype(np.int32) for component in rules.components}
    if not rules.every_point_is_a_position:
        positions = rules.lattice(limit)
        by_component = [
            distinct[component][component.place_of(positions[:, i])]
            for i, component in enumerate(rules.components)
        ]
        total = np.sum(by_component, axis=0, dtype=np.int32)
        order = np.argsort(total, kind="stable")
        order, total = rules.indices(positions)[order], total[order]
    else:
        for component in rules.components:
            total = (total[:, np.newaxis] + distinct[component]).reshape(-1)
        order = np.argsort(total, kind="stable")
    ends = np.cumsum(np.bincount(total))
    start = 0
    for end in ends.tolist():
        for first in range(start, end, CHUNK):
            yield order[first : min(first + CHUNK, end)]
        start = end


def search_winning(rules: Rules, convention: Convention, limit: int = LARGEST_SEARCH) -> BoolArray:
    """Return which positions are N-positions, by backward induction.

    Args:
        rules: moves of the game.
        convention: normal or misère play.
        limit: most positions that may be enumerated.

    Returns:
        ``(num_positions,)`` by mixed-radix index; meaningless at points that are not positions.

    Raises:
        SearchTooLargeError: there are more positions than ``limit``.
        InvalidGameError: the moves form a cycle.
    """
    rules.check_size(limit)
    winning = np.zeros(rules.num_positions, dtype=np.bool_)
    for indices in level_order(rules, limit):
        wins = np.zeros(len(indices), dtype=np.bool_)
        terminal = np.ones(len(indices), dtype=np.bool_)
        for _, where, after in rules.moves(indices):
            wins[where] |= ~winning[after]
            terminal[where] = False
        wins[terminal] = not convention.last_mover_wins
        winning[indices] = wins
    return winning


def search_grundy_values(rules: Rules, limit: int = LARGEST_SEARCH) -> IntArray:
    """Return the Grundy value of every position, by the mex over its options.

    Sums are not taken apart, so this can test the Sprague-Grundy theorem.

    Args:
        rules: moves of the game.
        limit: most positions that may be enumerated.

    Returns:
        ``(num_positions,)`` by mixed-radix index; meaningless at points that are not positions.

    Raises:
        SearchTooLargeError: there are more positions than ``limit``.
        InvalidGameError: the moves form a cycle.
    """
    rules.check_size(limit)
    values = np.zeros(rules.num_positions, dtype=np.int64)
    for indices in level_order(rules, limit):
        reached = np.zeros((len(indices), rules.num_actions + 1), dtype=np.bool_)
        for _, where, after in rules.moves(indices):
            reached[where, values[after]] = True
        values[indices] = np.argmin(reached, axis=1)
    return values


class SearchSolution(Solution):
    """A game solved by exhaustive search: one bit for every position."""

    def __init__(self, rules: Rules, convention: Convention, limit: int = LARGEST_SEARCH) -> None:
        super().__init__(rules, convention, method="exhaustive search")
        self.winning = search_winning(rules, convention, limit)

    def _winning(self, positions: IntArray) -> BoolArray:
        return np.asarray(self.winning[self.rules.indices(positions)])

    def _winning_options(self, positions: IntArray) -> BoolArray:
        indices = self.rules.indices(positions).reshape(-1)
        winning = np.zeros((len(indices), self.rules.num_actions), dtype=np.bool_)
        for action, where, after in self.rules.moves(indices):
            winning[where, action] = ~self.winning[after]
        return winning.reshape(
            *positions.shape[:-1], len(self.rules.components), self.rules.num_options
        )
