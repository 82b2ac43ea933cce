"""Coordinates of a component's states, and how pictures show them."""

from __future__ import annotations

import math

import numpy as np

from nim_envs.typing import BoolArray, IntArray

NO_STATE = -1
"""Result for coordinates that no state has."""

PIECES = ("crosses", "discs")
"""Pictures of two players' pieces on a board: cells 0 empty, 1 and 2 the pieces of each."""

PICTURES = ("piece", "cells", "rows", "coins", *PIECES)
"""Pictures of components with coordinates."""


class CoordinateSystem:
    """Coordinates of the states of a component, such as the file and the rank of a queen.

    A position holds state numbers; observations, starts, words and pictures show coordinates. By
    default the states number all points of the box ``fields`` in row-major order; a subclass for
    other states defines :meth:`of` and :meth:`states_at`. A single coordinate equals the state
    number.

    Args:
        fields: number of values of each coordinate.
        names: names of the coordinates, which label boxes in pictures.
        picture: style of pictures: a ``"piece"`` on a board, ``"cells"`` that are taken,
            ``"rows"``, ``"coins"``, or two players' pieces, ``"crosses"`` and circles or
            ``"discs"``; ``None``: as boxes with numbers.
        board: shape of a state's coordinates as an array, of two players' pieces that of the first
            ones; ``None``: they have no such shape.

    Example:
        >>> squares = CoordinateSystem((3, 4), names=("file", "rank"), picture="piece")
        >>> squares.of(np.array([0, 6])).tolist()
        [[0, 0], [1, 2]]
        >>> squares.states_at(np.array([[1, 2], [3, 0]])).tolist()
        [6, -1]
    """

    def __init__(
        self,
        fields: tuple[int, ...],
        *,
        names: tuple[str, ...] = (),
        picture: str | None = None,
        board: tuple[int, ...] | None = None,
    ) -> None:
        self.fields, self.names, self.picture, self.board = fields, names, picture, board

    @property
    def num_cells(self) -> int:
        """Number of coordinates that stand on the board; 0 without one."""
        return 0 if self.board is None else math.prod(self.board)

    @property
    def is_default(self) -> bool:
        """Whether it is that of a component without coordinates, its state number."""
        return False

    def of(self, states: IntArray) -> IntArray:
        """Return the coordinates of states: ``(...)`` to int64 ``(..., len(fields))``."""
        return np.stack(np.unravel_index(states, self.fields), axis=-1).astype(np.int64)

    def states_at(self, coordinates: IntArray) -> IntArray:
        """Return the states with these coordinates: ``(..., len(fields))`` to int64 ``(...)``.

        :data:`NO_STATE`, -1, where no state has them.
        """
        given = np.asarray(coordinates, dtype=np.int64)
        inside = inside_box(given, self.fields)
        points = np.where(inside[..., np.newaxis], given, 0)
        states = np.ravel_multi_index(tuple(np.moveaxis(points, -1, 0)), self.fields)
        return np.where(inside, states, NO_STATE)


class StateNumber(CoordinateSystem):
    """The state number as the only coordinate, of a component that has no others.

    Args:
        states: number of states.
    """

    def __init__(self, states: int) -> None:
        super().__init__((states,))

    @property
    def is_default(self) -> bool:
        """True: the component has no coordinates."""
        return True

    def of(self, states: IntArray) -> IntArray:
        """Return the state numbers: ``(...)`` to int64 ``(..., 1)``."""
        return np.asarray(states, dtype=np.int64)[..., np.newaxis]


def inside_box(points: IntArray, sizes: tuple[int, ...]) -> BoolArray:
    """Return which points have coordinates from 0 to below ``sizes``: ``(..., n)`` to ``(...)``."""
    within = (points >= 0) & (points < np.array(sizes, dtype=np.int64))
    return np.asarray(within.all(axis=-1))
