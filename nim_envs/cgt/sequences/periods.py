"""Periods of the Grundy values of octal games, with proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nim_envs.cgt.sequences.check import Values, check_period
from nim_envs.rules.octal_codes import HeapGame
from nim_envs.typing import IntArray

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
        values: the values of all heaps below ``start + length``, unsigned.
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
