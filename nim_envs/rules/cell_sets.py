"""Base class of games in which moves take cells of a board, or nodes of a graph."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.coordinate_system import NO_STATE, CoordinateSystem, inside_box
from nim_envs.typing import BoolArray, IntArray

MOST_CELLS = 61
"""Most cells such that a 64-bit integer numbers their sets."""

MOST_LISTED = 2**17
"""Most reachable sets that are listed to be the states; with more, all sets are states."""

LISTED_AT_ONCE = 2**12
"""Sets whose options are computed at once."""


class CellSets(Component):
    """A set of taken cells; an option requires some cells to be free, and takes these and others.

    The coordinates are 1 for each taken cell and 0 for each free one. The states are the sets that
    play reaches from free cells or, if these are more than :data:`MOST_LISTED`, all sets; both in
    the order of their coordinates. In state 0 all cells are free.

    A subclass defines :attr:`cells` and :attr:`cells_of_options`.
    """

    @property
    @abstractmethod
    def cells(self) -> int:
        """Number of cells."""

    @property
    @abstractmethod
    def cells_of_options(self) -> tuple[BoolArray, BoolArray]:
        """Cells that must be free for each option, and those that it takes.

        Both ``(options, cells)``; those that must be free are among those that are taken.
        """

    def _check_cells(self) -> None:
        """Raise ``InvalidGameError`` if there are too many cells to number their sets."""
        if self.cells > MOST_CELLS:
            raise InvalidGameError(
                f"a {self.kind} of {self.cells} cells has 2**{self.cells} sets of cells, too many "
                f"to number in 64 bits; at most {MOST_CELLS} cells are allowed"
            )

    @property
    def states(self) -> int:
        """Number of states."""
        return 1 << self.cells if self._listed is None else len(self._listed)

    @property
    def board(self) -> tuple[int, ...] | None:
        """Shape of the cells as an array; ``None``: they have no such shape."""
        return None

    @property
    def coordinate_system(self) -> TakenCells:
        """1 for each taken cell, and 0 for each free one."""
        # Not cached: it refers to the component, and a cycle of references would keep its tables.
        return TakenCells(self)

    @cached_property
    def options(self) -> int:
        """Number of option slots."""
        return len(self.cells_of_options[0])

    @cached_property
    def bits(self) -> IntArray:
        """Power of two of each cell in a set's number, ``(cells,)``; largest for the first cell."""
        return np.left_shift(1, np.arange(self.cells - 1, -1, -1, dtype=np.int64))

    @cached_property
    def sets_of_options(self) -> tuple[IntArray, IntArray]:
        """Sets of the cells that each option needs free, and takes; both ``(options,)``.

        A set is a number with a bit for each cell, the largest for the first cell.
        """
        needed, taken = self.cells_of_options
        return needed @ self.bits, taken @ self.bits

    @cached_property
    def _listed(self) -> IntArray | None:
        """The sets that play can reach, ascending; ``None`` where they are too many to list."""
        needed, taken = self.sets_of_options
        listed = new = np.zeros(1, dtype=np.int64)
        while len(new):
            levels = []
            # In chunks, so that a listing that grows too large stops early.
            for first in range(0, len(new), LISTED_AT_ONCE):
                before = new[first : first + LISTED_AT_ONCE, np.newaxis]
                after = np.unique((before | taken)[before & needed == 0])
                levels.append(np.setdiff1d(after, listed, assume_unique=True))
                listed = np.union1d(listed, levels[-1])
                if len(listed) > MOST_LISTED:
                    return None
            new = np.concatenate(levels)
        return listed

    def sets(self, states: IntArray) -> IntArray:
        """Return the sets of cells that are taken, elementwise."""
        given = np.asarray(states, dtype=np.int64)
        return given if self._listed is None else np.asarray(self._listed[given])

    @property
    def are_listed(self) -> bool:
        """Whether the states are the sets that play can reach, rather than all sets."""
        return self._listed is not None

    def free_cells(self, states: IntArray) -> IntArray:
        """Return the sets of cells that are free, elementwise."""
        return np.asarray((1 << self.cells) - 1 - self.sets(states))

    def standard_part(self, part: int) -> int:
        """Return one set of cells for all sets with the same moves as ``part``, as far as is known.

        Args:
            part: set of free cells, none of which is a neighbour of other free cells.
        """
        return part

    def states_of(self, sets: IntArray) -> IntArray:
        """Return the states with these sets taken, or -1 where there is none, elementwise."""
        if self._listed is None:
            return sets
        places = np.minimum(np.searchsorted(self._listed, sets), len(self._listed) - 1)
        return np.where(self._listed[places] == sets, places, NO_STATE)

    def _legal(self, states: IntArray) -> BoolArray:
        """Return whether each option is legal: ``(...)`` to ``(..., options)``."""
        needed, _ = self.sets_of_options
        return np.asarray(self.sets(states)[..., np.newaxis] & needed == 0)

    def successors(self, states: IntArray) -> IntArray:
        """Return the state after each option, or ``NO_MOVE`` where a cell is not free."""
        _, taken = self.sets_of_options
        legal = self._legal(states)
        after = np.where(legal, self.sets(states)[..., np.newaxis] | taken, 0)
        return np.where(legal, self.states_of(after), NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return the number of legal options in each state."""
        return np.asarray(self._legal(states).sum(axis=-1))


class TakenCells(CoordinateSystem):
    """The cells of a set, 1 for each that is taken and 0 for each that is free.

    Args:
        cell_sets: the component.
    """

    def __init__(self, cell_sets: CellSets) -> None:
        super().__init__((2,) * cell_sets.cells, picture="cells", board=cell_sets.board)
        self._cell_sets, self._bits = cell_sets, cell_sets.bits

    def of(self, states: IntArray) -> IntArray:
        """Return which cells are taken: ``(...)`` to ``(..., cells)``."""
        taken = self._cell_sets.sets(states)[..., np.newaxis] & self._bits
        return (taken > 0).astype(np.int64)

    def states_at(self, coordinates: IntArray) -> IntArray:
        """Return the states with these cells taken; -1 where there is none."""
        given = np.asarray(coordinates, dtype=np.int64)
        sets = (given & 1) @ self._bits
        inside = inside_box(given, self.fields)
        return np.where(inside, self._cell_sets.states_of(sets), NO_STATE)
