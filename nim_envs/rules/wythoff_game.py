"""Wythoff's game: queens that move towards a corner, each on a board of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component
from nim_envs.rules.coordinate_system import CoordinateSystem
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import check_states, checked_pairs

DIRECTIONS = ("left", "down", "diagonally")


@dataclass(frozen=True)
class Queen(Component):
    """A queen on a board; an option moves it left, down, or diagonally left and down.

    Its coordinates are file and rank, counted from the corner that it moves towards. The options
    are the moves left by 1, 2 and so on, then those down, then the diagonal ones.

    Args:
        files: largest file.
        ranks: largest rank.

    Raises:
        InvalidGameError: there are too many squares to number.
    """

    files: int
    ranks: int

    kind = "queen"

    def __post_init__(self) -> None:
        check_states(f"a board of {self.files + 1} files and {self.ranks + 1} ranks", self.states)

    @property
    def states(self) -> int:
        """Number of states: the squares, file by file."""
        return (self.files + 1) * (self.ranks + 1)

    @property
    def options(self) -> int:
        """Number of option slots: the longest moves in the three directions together."""
        return self.files + self.ranks + min(self.files, self.ranks)

    @cached_property
    def coordinate_system(self) -> CoordinateSystem:
        """File and rank."""
        sizes = (self.files + 1, self.ranks + 1)
        return CoordinateSystem(sizes, names=("file", "rank"), picture="piece")

    @cached_property
    def words(self) -> QueenWords:
        """Directions, and the squares that moves lead to."""
        return QueenWords(self.files, self.ranks)

    @cached_property
    def _steps(self) -> IntArray:
        """Files and ranks that each option moves, ``(options, 2)``."""
        left, down = np.arange(1, self.files + 1), np.arange(1, self.ranks + 1)
        both = np.arange(1, min(self.files, self.ranks) + 1)
        files = np.concatenate([left, np.zeros_like(down), both])
        ranks = np.concatenate([np.zeros_like(left), down, both])
        return np.stack([files, ranks], axis=-1).astype(np.int64)

    def successors(self, states: IntArray) -> IntArray:
        """Return the square after each move, or ``NO_MOVE`` where it leaves the board."""
        file, rank = np.divmod(np.asarray(states, dtype=np.int64)[..., np.newaxis], self.ranks + 1)
        files, ranks = file - self._steps[:, 0], rank - self._steps[:, 1]
        return np.where((files >= 0) & (ranks >= 0), files * (self.ranks + 1) + ranks, NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of squares to the left, below and on the diagonal."""
        file, rank = np.divmod(np.asarray(states), self.ranks + 1)
        return np.asarray(file + rank + np.minimum(file, rank))

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the option that moves the queen from one square to another, or ``NO_OPTION``."""
        file, rank = np.divmod(np.asarray(before), self.ranks + 1)
        to_file, to_rank = np.divmod(np.asarray(after), self.ranks + 1)
        files, ranks = file - to_file, rank - to_rank
        straight = (files == 0) | (ranks == 0) | (files == ranks)
        legal = straight & (files >= 0) & (ranks >= 0) & (files + ranks > 0)
        down = self.files + ranks - 1
        option = np.where(ranks == 0, files - 1, np.where(files == 0, down, down + self.ranks))
        return np.where(legal, option, NO_OPTION)


@dataclass(frozen=True)
class QueenWords(MoveWords):
    """Moves of a queen in words, by their direction and the square that they lead to.

    Args:
        files: largest file.
        ranks: largest rank.
    """

    files: int
    ranks: int

    move = (
        "move any number of squares left (towards column 0), down (towards row 0) or "
        "diagonally (both at once, equally far); a queen is at (column, row)"
    )

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        files, ranks = self._step(option)
        direction = DIRECTIONS[2 if files and ranks else int(ranks > 0)]
        move = f"move {direction} {max(files, ranks)}"
        return move if state is None else f"{move}, to {self.numbers(option, state)}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the square that the queen moves to."""
        file, rank = divmod(state, self.ranks + 1)
        files, ranks = self._step(option)
        return file - files, rank - ranks

    def _step(self, option: int) -> tuple[int, int]:
        """Return the files and ranks that one option moves."""
        if option < self.files:
            return option + 1, 0
        if option < self.files + self.ranks:
            return 0, option - self.files + 1
        distance = option - self.files - self.ranks + 1
        return distance, distance


def wythoff(queens: Sequence[Sequence[int]]) -> Rules:
    """Rules of Wythoff's game: move a queen left, down, or diagonally left and down.

    A queen moves any number of squares, and never away from the corner (0, 0), where it has no move
    left. Seen as heaps, a queen on (3, 5) is a heap of 3 and one of 5 objects: take any number from
    one of them, or the same number from both. Several queens stand on boards of their own.

    In normal play the lost squares of one queen are (0, 0), (1, 2), (3, 5), (4, 7), (6, 10) and so
    on: (⌊nφ⌋, ⌊nφ⌋ + n) for n = 0, 1, 2, ..., where φ is the golden ratio, and their mirror images.

    Args:
        queens: square of each queen at the start, a pair of file and rank; at least 0 each.

    Raises:
        InvalidGameError: no queens, or a square that is not a pair of integers of at least 0.

    References:
        W. A. Wythoff, "A modification of the game of Nim", *Nieuw Archief voor Wiskunde* 7 (1907),
        199-202; *Winning Ways*, ch. 3 "Wyt Queens".

    Example:
        >>> rules = wythoff(queens=((8, 8),))
        >>> rules.fields, rules.num_actions, rules.coordinates(np.array(rules.initial)).tolist()
        ((9, 9), 24, [8, 8])
        >>> rules.describe_action(2, rules.initial)
        'queen 0: move left 3, to (5, 8)'
    """
    squares = checked_pairs("queens", queens)
    components = tuple(Queen(file, rank) for file, rank in squares)
    initial = tuple(component.states - 1 for component in components)
    return Rules("wythoff", components, initial)
