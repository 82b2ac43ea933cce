"""Self-play games that label positions by look-ahead."""

from __future__ import annotations

import numpy as np

from agents.generalising.column_automata.heaps import Heaps
from agents.generalising.column_automata.labels import LookAheadLabels


def play_game(start: Heaps, labels: LookAheadLabels, rng: np.random.Generator) -> int:
    """Play a game that adds labels of its positions; return the number of moves.

    Every move goes to a random option among those without a label, or among all if each has one.

    Args:
        start: first position of the game.
        labels: labels so far; changed in place.
        rng: generator of the moves.
    """
    position, moves = start, 0
    while options := labels.options(position):
        unknown = [option for option in options if option not in labels.lost]
        choices = unknown or options
        position = choices[int(rng.integers(len(choices)))]
        moves += 1
    return moves
