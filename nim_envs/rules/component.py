"""One independent part of a position, described by a table of options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules.validation import checked_integer

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

NO_MOVE = -1
"""Entry of a table of options where the option is not legal."""

LARGEST_TABLE = 2**28
"""Number of entries above which a table of options is refused instead of allocated."""


class Component(ABC):
    """Rules of one component: states ``0..states-1``, each with up to ``options`` moves.

    A subclass is an immutable value: it gives ``states``, ``options`` and
    :meth:`successors`; everything else in the package is written over these. Its
    ``kind`` is the word for such a component in text shown to people.
    """

    kind = "component"

    @property
    @abstractmethod
    def states(self) -> int:
        """Number of states."""

    @property
    @abstractmethod
    def options(self) -> int:
        """Number of option slots of a state; a slot need not be legal in every state."""

    @abstractmethod
    def successors(self, states: IntArray) -> IntArray:
        """Return the state after each option, or ``NO_MOVE``: ``(...)`` to ``(..., options)``."""

    def is_terminal(self, states: IntArray) -> BoolArray:
        """Return where no option is legal; array of the shape of ``states``."""
        terminal: BoolArray = self.table[states].max(axis=-1, initial=NO_MOVE) == NO_MOVE
        return terminal

    def describe_option(self, option: int) -> str:
        """Return the move of ``option`` in words."""
        return f"option {option}"

    @cached_property
    def table(self) -> IntArray:
        """The options of every state: ``(states, options)``, ``NO_MOVE`` where not legal.

        Raises:
            SearchTooLargeError: the table would have over ``LARGEST_TABLE`` entries.
        """
        entries = self.states * self.options
        if entries > LARGEST_TABLE:
            raise SearchTooLargeError(
                f"the table of options of a {self.kind} with {self.states} states and "
                f"{self.options} options has {entries} entries; the limit is {LARGEST_TABLE}"
            )
        table = self.successors(np.arange(self.states, dtype=np.int64))
        table.setflags(write=False)
        return table

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cached table out of pickles: it is made again when needed."""
        return {name: value for name, value in self.__dict__.items() if name != "table"}

    def __deepcopy__(self, memo: dict[int, Any]) -> Component:
        """Return the component itself: it is immutable."""
        return self


@dataclass(frozen=True)
class TableComponent(Component):
    """A component given by its table of options, row by row.

    Args:
        rows: ``rows[state][option]`` is the state after the move, or ``NO_MOVE`` (-1).
            Rows are of one length. The moves must not form a cycle.

    Raises:
        InvalidGameError: rows of unequal length, an entry that is no state, or a cycle.

    Example:
        >>> TableComponent(rows=((-1, -1), (0, -1), (1, 0))).table.tolist()
        [[-1, -1], [0, -1], [1, 0]]
    """

    rows: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        rows: Any = self.rows
        if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
            raise InvalidGameError(f"rows must be a sequence of rows of integers, not {rows!r}")
        if not rows or len({len(row) for row in rows}) != 1:
            raise InvalidGameError(
                "rows must hold at least one row and rows of one length, not rows of lengths "
                f"{[len(row) for row in rows]}"
            )
        checked = tuple(
            tuple(
                checked_integer(f"rows[{state}][{option}]", entry, NO_MOVE, len(rows) - 1)
                for option, entry in enumerate(row)
            )
            for state, row in enumerate(rows)
        )
        object.__setattr__(self, "rows", checked)

    @property
    def states(self) -> int:
        """Number of states: one a row."""
        return len(self.rows)

    @property
    def options(self) -> int:
        """Number of option slots: the length of a row."""
        return len(self.rows[0])

    def successors(self, states: IntArray) -> IntArray:
        """Return the rows of ``states``."""
        rows: IntArray = np.array(self.rows, dtype=np.int64).reshape(self.states, self.options)
        return rows[states]
