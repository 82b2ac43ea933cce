"""Positions reachable in play, for each player to move."""

from __future__ import annotations

import numpy as np

from nim_envs.rules.rules import Rules
from nim_envs.theory.search import LARGEST_SEARCH, level_order
from nim_envs.typing import BoolArray, IntArray


def reachable(rules: Rules, starts: IntArray, limit: int = LARGEST_SEARCH) -> BoolArray:
    """Return the positions at which each player can be to move, in games from ``starts``.

    Args:
        rules: moves of the game.
        starts: initial positions, ``(n, components)``; ``player_0`` moves first.
        limit: most positions that may be enumerated.

    Returns:
        ``(2, num_positions)``, by seat of the player to move and mixed-radix index.

    Raises:
        SearchTooLargeError: there are more positions than ``limit``.

    Example:
        >>> from nim_envs.rules import addition
        >>> reachable(addition(k=2, n=1), np.array([[0]])).astype(int).tolist()
        [[1, 0, 1, 1], [0, 1, 1, 0]]
    """
    rules.check_size(limit)
    reached = np.zeros((2, rules.num_positions), dtype=np.bool_)
    reached[0, rules.indices(starts)] = True
    for indices in reversed(list(level_order(rules, limit))):
        for _, where, after in rules.moves(indices):
            sources = indices[where]
            # Positions of a chunk may share an option: harmless, as entries are only set to true.
            reached[1, after[reached[0, sources]]] = True
            reached[0, after[reached[1, sources]]] = True
    return reached
