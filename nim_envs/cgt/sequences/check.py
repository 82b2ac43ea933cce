"""Checks of periods and of values in files, by the rules alone: apart from what finds periods."""

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

    With ``p`` for ``length``, ``n0`` for ``start`` and ``m`` for the number of values, so that
    ``m`` is the first heap of which none is given, this is checked:

    1. ``values[n + p] == values[n]`` for all ``n`` from ``n0`` to ``m - p - 1``.
    2. Neither ``m`` nor ``m - p`` objects can be taken whole.
    3. Every option of ``m`` is paired with one of ``m - p``, and every option of ``m - p`` with
       one of ``m``: what is left, or the larger part ``a`` of what is split, is shifted by ``p``.
       The shifted part is at least 1, as no part is empty, and the smaller of ``a`` and its image
       is at least ``n0``. The other part stays.

    Then ``g(n + p) == g(n)`` for all ``n >= n0``, by induction on ``n + p``. It is given below
    ``m``. From a heap ``m' >= m`` the move that takes ``r`` objects leaves ``m' - r``, no less
    than it leaves of ``m``; and in two parts the larger one is at least half of that, so that it
    is no less than the least one in 3. So what 2 and 3 ask of ``m`` and ``m - p`` holds for ``m'``
    and ``m' - p``. The larger part ``a``, smaller than ``m'``, and its image differ by ``p``,
    neither is below ``n0``: they have the same value. So ``m'`` and ``m' - p`` have options of
    the same values, and the same mex. Whether a move takes nothing, as a digit 4 before the point
    allows, makes no difference: both parts are smaller than the heap even then.

    Args:
        game: an octal game whose digits do not repeat, or the name of one.
        values: the Grundy values of the heaps 0, 1, 2, …, which are taken as given.
        length: the period, at least 1.
        start: the pre-period, at least 0: from this heap on the values repeat.

    Raises:
        InvalidGameError: ``game`` is no such game; ``length`` or ``start`` is not such an integer.

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
        # Of ``heap``, and of the heap a period below it.
        left, left_below = heap - taken, heap - taken - length
        if digit and left_below < 1:
            return False
        if digit & LEAVE_ONE and left_below < start:
            return False
        # Two parts as equal as possible have the smallest larger one: the others follow.
        if digit & LEAVE_TWO and left - left // 2 - length < max(start, 1):
            return False
        if digit & LEAVE_TWO and left_below - left_below // 2 < start:
            return False
    return True


def count_right(game: HeapGame, values: npt.NDArray[np.unsignedinteger]) -> int:
    """Return how many of the values in a file are right, up to the first from a false period.

    Earlier versions of the package took periods with pre-period 0 for proven one value too early,
    and files hold values that such periods gave, without saying from where on. With a period
    ``p`` of a game with ``k`` places the values up to heap ``2 * p + k`` repeat, and that heap's
    is the first that can be wrong. It is computed anew by the definition, for the least such
    ``p``. If it is right, the period is proven.

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
