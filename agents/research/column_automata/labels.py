"""Labels of positions, lost or won: by look-ahead along games, or by signs of learned values."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from agents.policies import TablePolicy
from agents.research.column_automata.heaps import Heaps
from nim_envs import Game
from nim_envs.graph import LARGEST_TABLE, check_table
from nim_envs.sums import board_of
from nim_envs.typing import BoolArray, IntArray

LARGEST_BATCH = 1 << 14
"""Most positions valued at a time."""


class LookAheadLabels:
    """Three-valued values of positions: lost, won or unknown to the player to move.

    A position is won as soon as one of its options is known to be lost, and lost as soon as all
    are known to be won. Both rules are applied to a position when its options are read, and again
    whenever one of its options becomes known, so that values propagate backwards too. Known values
    are exact.

    Attributes:
        lost: the known positions, each with whether it is lost.
        read: options of each position that was read, in order of reading.

    References:
        Retrograde analysis, here restricted to positions of the games played: K. Thompson,
        "Retrograde analysis of certain endgames", *ICCA Journal* 9 (1986), 131-139.
    """

    def __init__(self, options: Callable[[Heaps], Iterable[Heaps]], misere: bool) -> None:
        self.lost: dict[Heaps, bool] = {}
        self._options = options
        self._misere = misere
        self.read: dict[Heaps, list[Heaps]] = {}
        self._predecessors: dict[Heaps, list[Heaps]] = {}  # only those that were read

    def options(self, position: Heaps) -> list[Heaps]:
        """Return the options of a position, ascending, and update the known values from them."""
        if position not in self.read:
            options = sorted(self._options(position))
            self.read[position] = options
            for option in options:
                self._predecessors.setdefault(option, []).append(position)
            self._evaluate(position)
        return self.read[position]

    def _evaluate(self, position: Heaps) -> None:
        """Store the value of a position if it follows now, and all values that follow from it."""
        waiting = [position]
        while waiting:
            position = waiting.pop()
            if position in self.lost:
                continue
            options = self.read[position]
            known = [self.lost.get(option) for option in options]
            if True in known:
                self.lost[position] = False
            elif None not in known:
                self.lost[position] = bool(options) or not self._misere
            else:
                continue
            waiting.extend(self._predecessors.get(position, ()))


def play_game(start: Heaps, labels: LookAheadLabels, rng: np.random.Generator) -> int:
    """Play a game that adds labels of its positions; return the number of moves.

    Every move goes to a random option among those without a label, or among all if each has one.
    """
    position, moves = start, 0
    while options := labels.options(position):
        unknown = [option for option in options if option not in labels.lost]
        choices = unknown or options
        position = choices[int(rng.integers(len(choices)))]
        moves += 1
    return moves


def labels_from_values(policy: TablePolicy, game: Game) -> tuple[IntArray, BoolArray]:
    """Return the positions ``(n, parts)`` that learned values label, and whether each is lost.

    A position is won if some legal action has a positive value, lost if all have negative values,
    and left out otherwise. Terminal positions have the label of the game's result. The rules are
    used for the legal actions only, so a model-free learner stays model-free.
    """
    board: Any = board_of(game.parts, most=LARGEST_TABLE)
    check_table(game.name, board.num_positions, board.num_actions)
    states = np.arange(board.num_positions)
    positions, over = board.positions(states), board.is_over(states)
    best = game.end_values(states).astype(np.float64)
    for first in range(0, len(positions), LARGEST_BATCH):
        here = slice(first, first + LARGEST_BATCH)
        values = policy.action_values(positions[here], board.mask(states[here]))
        best[here] = np.where(over[here], best[here], values.max(axis=1))
    known = best != 0
    return positions[known], best[known] < 0
