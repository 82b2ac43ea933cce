"""Checks of periods and of values in files, independent of the code that finds periods."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError
from nim_envs.rules.octal_codes import LEAVE_ONE, LEAVE_TWO, HeapGame, heap_game
from nim_envs.rules.validation import checked_integer
from nim_envs.theory.nimbers import mex


def check_period(
    game: HeapGame | str,
    values: Sequence[int] | npt.NDArray[np.integer],
    length: int,
    start: int,
) -> bool:
    """Return whether values of a game prove that all its later values repeat too.

    Let ``p`` be ``length``, ``n0`` be ``start`` and ``m`` the number of values, which is the first
    heap without a given value. The conditions are:

    1. ``values[n + p] == values[n]`` for all ``n`` from ``n0`` to ``m - p - 1``.
    2. Every move takes fewer than ``m - p`` objects.
    3. The options of ``m`` and of ``m - p`` by the same move can be paired: the heap left, or the
       larger part ``a`` of a split, is shifted by ``p``, and the smaller part is kept. The shifted
       part is at least 1, as no part is empty, and neither it nor ``a`` is below ``n0``.

    Then ``g(n + p) == g(n)`` for all ``n >= n0``, by induction on ``n + p``: below ``m`` it is
    condition 1. From a heap ``m' >= m``, a move leaves at least as many objects as from ``m``, and
    so is the least possible larger part of a split. So conditions 2 and 3 hold for ``m'`` and
    ``m' - p`` too. By induction the larger part ``a`` of an option and its image have the same
    value, as they differ by ``p``, are smaller than ``m'`` and not below ``n0``. So the options of
    ``m'`` and ``m' - p`` have the same values, and the same mex. This includes a digit 4 before
    the point: a split that takes nothing leaves smaller parts too.

    Args:
        game: an octal game whose digits do not repeat, or the name of one.
        values: the Grundy values of the heaps 0, 1, 2, …; not checked.
        length: the period, at least 1.
        start: the pre-period, at least 0: from this heap on the values repeat.

    Raises:
        InvalidGameError: ``game``, ``length`` or ``start`` is none of these.

    References:
        R. K. Guy and C. A. B. Smith, "The G-values of various games", *Proceedings of the
        Cambridge Philosophical Society* 52 (1956), 514-526.

    Example:
        >>> check_period("0.3", [0, 1, 0, 1, 0, 1], length=2, start=0)
        True
        >>> check_period("0.04", [0, 0, 0, 0], length=1, start=0)  # of 4 objects 1 + 1 are left
        False
    """
    game = heap_game(game) if isinstance(game, str) else game
    if not isinstance(game, HeapGame) or game.repeating or game.unequal:
        raise InvalidGameError(
            "the theorem on periods holds for octal games whose digits do not repeat, not "
            f"{game.name if isinstance(game, HeapGame) else repr(game)}"
        )
    length, start = checked_integer("length", length, 1), checked_integer("start", start, 0)
    values, heap = np.asarray(values), len(values)
    if heap < start + length or (values[start + length :] != values[start:-length]).any():
        return False
    for taken, digit in enumerate(game.digits):
        # Objects left of ``heap``, and of the heap a period below it.
        left, left_below = heap - taken, heap - taken - length
        if digit and left_below < 1:
            return False
        if digit & LEAVE_ONE and left_below < start:
            return False
        # The split into halves has the smallest larger part, so it decides for all splits.
        if digit & LEAVE_TWO and left - left // 2 - length < max(start, 1):
            return False
        if digit & LEAVE_TWO and left_below - left_below // 2 < start:
            return False
    return True


def count_right(game: HeapGame, values: npt.NDArray[np.unsignedinteger]) -> int:
    """Return the number of values in a file before the first that a false period gave.

    Earlier versions of the package took a period with pre-period 0 as proven one value too early,
    and files may hold values from such a period. For a period ``p`` of a game with ``k`` places,
    heap ``2 * p + k`` is the first whose value can be wrong. It is computed by the definition, for
    the least ``p`` with which the values up to this heap repeat. If it is right, ``p`` is proven.

    Args:
        game: the game.
        values: the values of the heaps 0, 1, 2, …
    """
    places = game.places
    if places is None or game.unequal:
        return len(values)
    view = values.data
    last = (len(values) - 1 - places) // 2
    for length in np.flatnonzero(values[: max(last, 0) + 1] == 0)[1:].tolist():
        heap = 2 * length + places
        if view[length : heap + 1] == view[: heap + 1 - length]:
            options = (
                reduce(xor, (int(values[part]) for part in option), 0)
                for option in game.options(heap)
            )
            return len(values) if mex(options) == values[heap] else heap
    return len(values)
