"""Games against itself, played to find out what is unknown."""

from __future__ import annotations

import numpy as np

from agents.generalising.column_automata.heaps import Heaps
from agents.generalising.column_automata.labels import LookAheadLabels


def play_game(start: Heaps, labels: LookAheadLabels, rng: np.random.Generator) -> int:
    """Play a game, learn the labels of its positions, and return the number of moves.

    Every move goes to a random option of those that are not known to be lost or won; to any where
    all are known.

    Args:
        start: the position it begins with.
        labels: what is known; changed.
        rng: of the choices.
    """
    position, moves = start, 0
    while options := labels.options(position):
        unknown = [option for option in options if option not in labels.lost]
        choices = unknown or options
        position = choices[int(rng.integers(len(choices)))]
        moves += 1
    return moves
