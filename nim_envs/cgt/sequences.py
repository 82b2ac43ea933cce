"""Grundy values of heaps of every size, and periods of these sequences with their proof."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError, NotProvenError, SearchTooLargeError
from nim_envs.games.octal_codes import LEAVE_ONE, LEAVE_TWO, WHOLE, HeapGame, heap_game
from nim_envs.nimbers import nim_sum
from nim_envs.optional import imports_for
from nim_envs.typing import IntArray
from nim_envs.validation import checked_integer

with imports_for("a sequence of Grundy values", "solver"):
    from tqdm import tqdm

    from nim_envs.compilation import compiled

Values = npt.NDArray[np.unsignedinteger]
"""Grundy values of the heaps 0, 1, 2, …"""

LARGEST_SEQUENCE = 1 << 26
"""Most heaps of a sequence."""

LARGEST_WORK = 1 << 32
"""Most pairs of heaps that are looked at for a period, unless a limit is given: some seconds."""

WORK = 1 << 28
"""Pairs of heaps that are looked at between two steps of the progress bar."""

MOST_REPETITIONS = 8
"""Most distances to earlier occurrences of the last values that are tried as periods."""

MOST_OCCURRENCES = 32
"""Most occurrences searched for; in long constant runs hardly any is worth trying."""


@dataclass(frozen=True, eq=False)
class Period:
    """A period of a sequence: ``values[n + length] == values[n]`` from some heap on.

    Attributes:
        length: the period.
        start: the pre-period: from this heap on the values repeat.
        values: the values of all heaps below ``start + length``, uint32.
        needed: number of values that prove the period: ``2 * start + 2 * length + k`` for an octal
            game with ``k`` places, and one more if ``start`` is 0.
        known: number of values given.
    """

    length: int
    start: int
    values: Values
    needed: int
    known: int

    @property
    def proven(self) -> bool:
        """Whether the given values prove that the period continues for ever."""
        return self.known >= self.needed

    @property
    def last_exception(self) -> int | None:
        """The largest heap whose value differs from the periodic one; ``None``: there is none."""
        return self.start - 1 if self.start else None

    def exceptions(self) -> IntArray:
        """Return the heaps whose values differ from the periodic ones, ascending."""
        heaps = np.arange(self.start)
        return np.flatnonzero(self.values[: self.start] != self.values[self._periodic(heaps)])

    def value(self, heap: int) -> int:
        """Return the Grundy value of a heap of any size, as the period says.

        Raises:
            ValueError: ``heap`` is negative.
        """
        if heap < 0:
            raise ValueError(f"a heap holds at least 0 objects, not {heap}")
        return int(self.values[heap if heap < self.start else self._periodic(heap)])

    def extend(self, size: int) -> Values:
        """Return the values of the heaps below ``size``, as the period says; dtype kept."""
        checked_integer("size", size, minimum=0)
        values = np.resize(self.values[self.start :], max(size - self.start, 0))
        return np.concatenate([self.values[: min(self.start, size)], values])

    def _periodic(self, heaps: int | IntArray) -> int | IntArray:
        """Return the heaps of the first period that have the same values as ``heaps``."""
        return self.start + (heaps - self.start) % self.length


def find_period(values: Values, places: int) -> Period | None:
    """Return the least period that ``values`` prove, or else the one nearest to a proof.

    Theorem: let an octal game have ``k`` places after the point, and let ``g(n + p) == g(n)`` for
    all ``n`` from ``n0`` to ``2 * n0 + p + k - 1``, or to ``p + k`` if ``n0`` is 0. Then it holds
    for all larger ``n`` too.

    Proof, by induction on ``m = n + p``. Here ``m`` is at least ``2 * n0 + 2 * p + k``, and one
    more if ``n0`` is 0. A move takes at most ``k`` objects, so neither ``m`` nor ``n`` can be taken
    whole, and at least ``2 * n0 + 2 * p`` objects of ``m`` are left. If they form one heap, the
    same move in ``n`` leaves ``p`` fewer. If they form two, the larger part ``a`` is at least
    ``n0 + p`` and more than ``p``: if ``n0`` is 0, at least ``2 * p + 1`` objects are left. So
    ``a - p`` is not empty, and with the other part it is an option of ``n``. Conversely, at least
    ``2 * n0 + p`` objects of ``n`` are left. Their larger part ``a`` is at least ``n0``, and
    ``a + p`` with the other part is an option of ``m``. All parts are smaller than ``m``, even if
    nothing is taken (a digit 4 before the point), as none is empty. So by induction the parts ``a``
    and ``a - p``, or ``a + p``, have the same value, the options of ``n`` and ``m`` have the same
    values, and ``g(n) == g(m)``.

    For ``n0 = 0`` one value fewer is not enough: ``2 * p + k`` objects may become two heaps of
    ``p``, which would be paired with the parts 0 and ``p`` of ``p + k``, and 0 is no part.

    Args:
        values: values of the heaps 0, 1, 2, …; unsigned integers.
        places: the number ``k`` of digits after the point.

    Returns:
        The period; ``None`` if the last eighth of the values does not occur earlier.

    References:
        R. K. Guy and C. A. B. Smith, "The G-values of various games", *Proceedings of the
        Cambridge Philosophical Society* 52 (1956), 514-526; *Winning Ways*, ch. 4.

    Example:
        >>> period = find_period(np.array([0, 1, 2, 3] * 10, dtype=np.uint16), places=3)
        >>> period.length, period.start, period.needed, period.proven, period.last_exception
        (4, 0, 12, True, None)
    """
    best: Period | None = None
    known = len(values)
    for length in _repetitions(values):
        differing = np.flatnonzero(values[length:] != values[:-length])
        start = int(differing[-1]) + 1 if len(differing) else 0
        needed = 2 * start + 2 * length + places + (start == 0)
        if best is None or needed < best.needed:
            best = Period(length, start, values[: start + length].copy(), needed, known)
        if best.proven:
            break
    return best


def proven_period(game: HeapGame, values: Values) -> Period | None:
    """Return the least period that values of a game prove, confirmed by :func:`check_period`.

    Args:
        game: any heap game; the result is ``None`` unless it is an octal game whose digits do not
            repeat.
        values: Grundy values of the heaps 0, 1, 2, …
    """
    if game.places is None or game.unequal:
        return None
    period = find_period(values, game.places)
    if period is None or not period.proven:
        return None
    return period if check_period(game, values, period.length, period.start) else None


def _repetitions(values: Values) -> Iterator[int]:
    """Yield the distances at which the last values occurred before: candidates for the period.

    First comes the shortest distance for the last half of the values. As a proven period repeats
    that half, the least one is this distance (it divides every other, by the theorem of Fine and
    Wilf). Then come the distances for the last eighth, ascending, for periods not yet proven.
    """
    # Reversed, so that a forward search finds the shortest distance first.
    data = values[::-1].tobytes()
    size = values.itemsize
    half, eighth = -(-len(values) // 2), len(values) // 8
    if eighth:
        yield from _shifts(data, size, half, 1)
        yield from _shifts(data, size, eighth, MOST_REPETITIONS)


def _shifts(data: bytes, size: int, length: int, most: int) -> Iterator[int]:
    """Yield the first ``most`` places at which the first ``length`` values of ``data`` recur."""
    tail = data[: length * size]
    shifts: list[int] = []
    place = data.find(tail, size) if tail else -1
    for _ in range(MOST_OCCURRENCES):
        if place < 0 or len(shifts) == most:
            break
        # A multiple is hardly ever nearer to a proof; a match may also begin inside a value.
        if place % size == 0 and all(place // size % shorter for shorter in shifts):
            shifts.append(place // size)
            yield shifts[-1]
        place = data.find(tail, place + 1)


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


def grundy_sequence(game: HeapGame | str, size: int, *, progress: bool = False) -> Values:
    """Return the Grundy values of heaps of 0 to ``size - 1`` objects.

    Each is the mex over all moves, in compiled code. Once a period is proven, it gives the rest.

    Args:
        game: a game, or the name of one, such as ``"0.77"`` or ``"grundy"``.
        size: number of values.
        progress: whether to show a progress bar on the standard error.

    Returns:
        uint32, ``(size,)``.

    Raises:
        InvalidGameError: ``game`` is not a heap game, or ``size`` is not an integer of at least 0.
        SearchTooLargeError: ``size`` is more than :data:`LARGEST_SEQUENCE`.

    References:
        R. P. Sprague (1935); P. M. Grundy (1939); Guy and Smith (1956); *Winning Ways*, ch. 4.

    Example:
        >>> grundy_sequence("grundy", 16).tolist()
        [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1]
    """
    game, size = heap_game(game), checked_integer("size", size, 0)
    for values in _growing(game, size, progress):
        period = proven_period(game, values)
        if period is not None:
            return period.extend(size)
    return values[:size]


def octal_period(
    game: HeapGame | str, limit: int | None = None, *, progress: bool = False
) -> Period:
    """Return the least period of the Grundy values of an octal game, with proof.

    Args:
        game: an octal game whose digits do not repeat, or the name of one.
        limit: most values to compute; the time grows with its square and with the number of digits
            that split a heap. ``None``: 65,536, or fewer for more than four of these digits.
        progress: whether to show a progress bar on the standard error.

    Returns:
        A period that is proven; see :func:`find_period`.

    Raises:
        InvalidGameError: ``game`` is not an octal game whose digits do not repeat.
        NotProvenError: no period is proven by the values within the limit.
        SearchTooLargeError: ``limit`` is more than :data:`LARGEST_SEQUENCE`.

    Example:
        >>> kayles = octal_period("0.77")
        >>> kayles.length, kayles.last_exception, len(kayles.exceptions())
        (12, 70, 14)
    """
    game = heap_game(game)
    if limit is None:
        splits = sum(digit & LEAVE_TWO > 0 for digit in game.digits)
        limit = min(1 << 16, isqrt(4 * LARGEST_WORK // max(splits, 1)))
    checked_integer("limit", limit, 1)
    places = places_of(game)
    for values in _growing(game, limit, progress):
        proven = proven_period(game, values)
        if proven is not None:
            return proven
    nearest = find_period(values, places)
    hint = "" if nearest is None else (
        f"; one of {nearest.length} may begin at {nearest.start}, and {nearest.needed} values "
        "would prove it"
    )  # fmt: skip
    raise NotProvenError(
        f"no period of {game.name} is proven by {limit} values, which is the limit{hint}"
    )


def winning_moves(
    game: HeapGame, period: Period, heaps: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Return the winning moves on heaps of any size, in normal play.

    Of those that leave two heaps, only the ones with the smaller heap below ``period.start +
    period.length``. Where it holds at least ``period.start``, any multiple of the period may be
    moved to it from the larger heap, as the values stay the same; these moves are the others.

    Args:
        game: an octal game whose digits do not repeat.
        period: its period.
        heaps: objects in each heap.

    Returns:
        The number of the heap, the objects taken, and the smaller of two heaps left, else 0.

    Example:
        >>> winning_moves(heap_game("0.77"), octal_period("0.77"), (10**18, 10**18 + 5))
        [(0, 1, 0), (1, 1, 0), (1, 1, 6), (1, 1, 18)]
    """
    places_of(game)  # raises an error where digits repeat
    values = [period.value(heap) for heap in heaps]
    total, moves = nim_sum(values), list[tuple[int, int, int]]()
    for number, heap in enumerate(heaps if total else ()):
        for taken, digit in enumerate(game.digits[: heap + 1]):
            left = heap - taken
            is_one = (digit & LEAVE_ONE and left) or (digit & WHOLE and not left)
            most = min(left // 2, period.start + period.length - 1) if digit & LEAVE_TWO else 0
            moves += [
                (number, taken, part)
                for part in range(0 if is_one else 1, most + 1)
                if period.value(part) ^ period.value(left - part) == total ^ values[number]
            ]
    return moves


def _growing(game: HeapGame, size: int, progress: bool) -> Iterator[Values]:
    """Yield the values of ever more heaps, at most ``size``: twice as many each time."""
    if size > LARGEST_SEQUENCE:
        raise SearchTooLargeError(
            f"a sequence may have {LARGEST_SEQUENCE} values, which is the limit, not {size}"
        )
    values = np.zeros(max(size, 1), dtype=np.uint32)
    digits = np.array(game.digits, dtype=np.int64)
    always = np.zeros(0, dtype=np.bool_)
    known = 1
    with tqdm(total=size, desc=game.name, unit="value", disable=None if progress else True) as bar:
        while True:
            until = min(2 * max(known, 128), size)
            # Every move lowers twice the objects minus the heaps, so that a value is below twice
            # the objects of its heap, and a nim-sum below the next power of two.
            always = np.pad(always, (0, (2 << until.bit_length()) - len(always)))
            while known < until:
                step = max(256, WORK // (known * len(digits)))
                after = min(until, known + step)
                fill(values, known, after, digits, game.repeating, game.unequal, always)
                bar.update(after - known)
                known = after
            yield values[:known]
            if known >= size:
                return


@compiled
def fill(
    values: Any, known: int, until: int, digits: Any, repeating: bool, unequal: bool, always: Any
) -> None:
    """Compute Grundy values in place, by the mex over all moves of every heap.

    Args:
        values: uint32; the first ``known`` are filled.
        known: number of values that are known.
        until: number of values wanted.
        digits: digits of the game, int64.
        repeating: whether the last digit repeats.
        unequal: whether two heaps must be of different sizes.
        always: for each value, whether every later heap has an option of it, as the last digit
            repeats; bool, longer than any value. Filled for heaps below ``known``.
    """
    last = len(digits) - 1
    option_of = np.full(len(always), -1, dtype=np.int64)
    for heap in range(known, until):
        for taken in range(min(last, heap) + 1):
            digit, left = digits[taken], heap - taken
            lasting = repeating and taken == last
            if left == 0 and heap > 0 and digit & WHOLE:
                option_of[0] = heap
                always[0] |= lasting
            if left > 0 and digit & LEAVE_ONE:
                option_of[values[left]] = heap
                always[values[left]] |= lasting
            if left > 0 and digit & LEAVE_TWO:
                for one in range(1, ((left - 1 if unequal else left) // 2) + 1):
                    option = values[one] ^ values[left - one]
                    option_of[option] = heap
                    if lasting:
                        always[option] = True
        value = 0
        while option_of[value] == heap or always[value]:
            value += 1
        values[heap] = value
