"""Moves and outcomes of many positions at a time, given by functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.typing import Array, IntArray, Position, ValueArray

ArrayMoves = Callable[[IntArray], tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]
ArrayOutcome = Callable[[IntArray], npt.ArrayLike]


def moves_of_many(positions: IntArray, moves: ArrayMoves) -> tuple[IntArray, Array, Array]:
    """Return the moves at positions.

    Args:
        positions: the positions, ``(n, coordinates)``.
        moves: function from positions to the rows, labels and next positions of their moves.

    Returns:
        For each move the index of the position before it, ascending; its label, an integer or a
        string; both ``(moves,)``; and the position after it, integers ``(moves, coordinates)``.

    Raises:
        InvalidGameError: ``moves`` raises, or gives anything but three such arrays.
    """
    try:
        returned: Any = moves(positions)
        rows, labels, after = map(np.asarray, returned)
    except Exception as error:
        raise InvalidGameError(
            f"moves of {_these(positions)} raised {type(error).__name__}: {error}; it must return "
            "three arrays: the row of each move, its label, and the position after it"
        ) from error
    count, width = positions.shape
    if rows.size or labels.size or after.size:  # empty arrays may be of any shape and type
        for name, array, kinds, shape, expected in (
            ("rows", rows, "iu", (rows.size,), "integers (moves,)"),
            ("labels", labels, "iuU", (rows.size,), "integers or strings (moves,)"),
            ("positions", after, "iu", (rows.size, width), f"integers (moves, {width})"),
        ):
            if array.dtype.kind not in kinds or array.shape != shape:
                raise InvalidGameError(
                    f"moves of {_these(positions)}: the {name} must be {expected}, not "
                    f"{array.dtype} {array.shape}"
                )
        if not 0 <= rows.min() <= rows.max() < count:
            raise InvalidGameError(
                f"moves of {_these(positions)}: rows must be from 0 to {count - 1}, not "
                f"{rows.min()} to {rows.max()}"
            )
    order = np.argsort(rows, kind="stable")
    return rows[order].astype(np.int64), labels[order], after[order].reshape(-1, width)


def values_of_many(positions: IntArray, outcome: ArrayOutcome) -> ValueArray:
    """Return the values of positions without moves, int8 ``(n,)``.

    Args:
        positions: the positions, ``(n, coordinates)``.
        outcome: function from positions to their values to the player to move, 1, 0 or -1.

    Raises:
        InvalidGameError: ``outcome`` raises, or gives other values.
    """
    try:
        values = np.asarray(outcome(positions))
    except Exception as error:
        raise InvalidGameError(
            f"outcome of {_these(positions)} raised {type(error).__name__}: {error}"
        ) from error
    if values.dtype.kind not in "iuf" or values.shape != positions.shape[:1]:
        raise InvalidGameError(
            f"outcome of {_these(positions)} must be numbers ({len(positions)},), not "
            f"{values.dtype} {values.shape}"
        )
    wrong = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if len(wrong):
        raise InvalidGameError(
            f"outcome of {_tuple(positions[wrong[0]])} must be 1, 0 or -1, a win, a draw or a loss "
            f"of the player to move, not {values[wrong[0]]!r}"
        )
    return values.astype(np.int8)


def moves_of_one(moves: ArrayMoves) -> Callable[[Position], list[tuple[Any, Position]]]:
    """Return the function from one position to its moves, pairs of label and next position."""

    def pairs(position: Position) -> list[tuple[Any, Position]]:
        _, labels, after = moves_of_many(np.array([position]), moves)
        return [*zip(labels.tolist(), map(tuple, after.tolist()), strict=True)]

    return pairs


def value_of_one(outcome: ArrayOutcome) -> Callable[[Position], int]:
    """Return the function from one position without moves to its value."""
    return lambda position: int(values_of_many(np.array([position]), outcome)[0])


def _these(positions: IntArray) -> str:
    """Return some positions in words."""
    first = _tuple(positions[0])
    return f"{len(positions)} positions from {first} on" if len(positions) > 1 else str(first)


def _tuple(position: IntArray) -> Position:
    """Return a position as a tuple."""
    return tuple(position.tolist())
