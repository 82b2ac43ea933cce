"""Checks of periods and of values in files, independent of the code that finds periods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError, SequenceFileError
from nim_envs.rules.octal_codes import LEAVE_ONE, LEAVE_TWO, WHOLE, HeapGame, heap_game
from nim_envs.validation import checked_integer

Values = npt.NDArray[np.unsignedinteger]
"""Grundy values of the heaps 0, 1, 2, …"""

FIRST_HEAPS = 64
"""Number of heaps from 0 on whose values in a file are checked."""

RANDOM_HEAPS = 16
"""Largest number of random heaps whose values in a file are checked."""

PAIRS = 1 << 27
"""Pairs of heaps after which no further random heap is checked."""

LARGEST_CHECKED = 1 << 12
"""Bound on the random heaps of games whose last digit repeats: options grow with the square."""

PIECE = 1 << 20
"""Number of options that are looked at together."""


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
    game = heap_game(game)
    places_of(game)
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


def places_of(game: HeapGame) -> int:
    """Return the number of digits after the point of a game that the theorem on periods is about.

    Raises:
        InvalidGameError: the last digit repeats, or two heaps must be of different sizes.
    """
    if game.places is None or game.unequal:
        raise InvalidGameError(
            "the theorem on periods holds for octal games whose digits do not repeat, not "
            f"{game.name}"
        )
    return game.places


def value_from_options(game: HeapGame, values: Values, heap: int) -> int:
    """Return the value of a heap by the definition, from those of smaller heaps.

    Args:
        game: the game.
        values: the values of at least the heaps below ``heap``.
        heap: objects in the heap.

    Example:
        >>> value_from_options(heap_game("0.77"), np.array([0, 1, 2, 3], dtype=np.uint16), 4)
        1
    """
    # Every move lowers twice the objects minus the heaps, so that values are below 2 * heap.
    is_option = np.zeros(2 * heap + 1, dtype=np.bool_)
    for taken in range(heap + 1 if game.repeating else min(heap + 1, len(game.digits))):
        for options in option_values(game, values, heap, taken):
            is_option[options[options < len(is_option)]] = True
    return int(np.argmin(is_option))


def wrong_value(game: HeapGame, values: Values) -> tuple[int, int] | None:
    """Return a heap whose value does not follow from those before it, and the value that does.

    The first heaps are checked, and some at random; the same values give the same result.

    Args:
        game: the game.
        values: the values of the heaps 0, 1, 2, …

    Returns:
        ``None`` where no such heap was found, which proves nothing.
    """
    below = min(len(values), LARGEST_CHECKED) if game.repeating else len(values)
    heaps = range(min(len(values), FIRST_HEAPS))
    random_heaps = np.random.default_rng(0).integers(below, size=RANDOM_HEAPS) if below else heaps
    pairs = 0
    for heap in map(int, (*heaps, *random_heaps)):
        right = value_from_options(game, values, heap)
        if right != values[heap]:
            return heap, right
        pairs += heap // 2 * len(game.digits)
        if pairs > PAIRS:
            break
    return None


def wrong_value_error(
    path: str | Path, game: str, heap: int, right: int, value: int
) -> SequenceFileError:
    """Return the error that a value in a file is wrong.

    Args:
        path: the file.
        game: name of the game.
        heap: the heap whose value is wrong.
        right: the value that follows from those of smaller heaps.
        value: the value in the file.
    """
    return SequenceFileError(
        f"{path} holds a wrong value: heap {heap} of {game} has {right}, by the values before it, "
        f"not {value}"
    )


def option_values(game: HeapGame, values: Values, heap: int, taken: int) -> Iterator[Values]:
    """Yield the values of the options that take ``taken`` objects from a heap, in pieces.

    Args:
        game: the game.
        values: the values of at least the heaps below ``heap``.
        heap: objects in the heap.
        taken: objects taken; more than the heap has leave no option.
    """
    digit, left = game.digit(taken), heap - taken
    if digit & WHOLE and left == 0 and heap:
        yield values[:1]
    if digit & LEAVE_ONE and left > 0:
        yield values[left : left + 1]
    if digit & LEAVE_TWO:
        last = (left - 1 if game.unequal else left) // 2
        for first in range(1, last + 1, PIECE):
            after = min(first + PIECE, last + 1)
            yield values[first:after] ^ values[left - after + 1 : left - first + 1][::-1]
