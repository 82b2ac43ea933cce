"""Periods of the Grundy values of octal games, with proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nim_envs.cgt.sequences.check import check_period
from nim_envs.rules.component import IntArray
from nim_envs.rules.octal_codes import HeapGame

Sequence = npt.NDArray[np.unsignedinteger]

MOST_REPETITIONS = 8
"""Earlier occurrences of the last values, the latest first, that are tried as periods."""

MOST_OCCURRENCES = 32
"""Occurrences that are found at most; in long constant stretches hardly any is worth trying."""


@dataclass(frozen=True, eq=False)
class Period:
    """A period of a sequence: ``values[n + length] == values[n]`` from some heap on.

    Attributes:
        length: the period.
        start: the pre-period: from this heap on the values repeat.
        values: the values of all heaps below ``start + length``, unsigned.
        needed: how many values prove the period: for an octal game with ``k`` places
            ``2 * start + 2 * length + k``, and one more where ``start`` is 0.
        known: how many values were given.
    """

    length: int
    start: int
    values: Sequence
    needed: int
    known: int

    @property
    def proven(self) -> bool:
        """Whether the given values prove that all later values repeat too."""
        return self.known >= self.needed

    @property
    def last_exception(self) -> int | None:
        """The largest heap whose value is not that of the period; ``None``: there is none."""
        return self.start - 1 if self.start else None

    def exceptions(self) -> IntArray:
        """Return the heaps whose values are not those of the period, ascending."""
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

    def extend(self, size: int) -> Sequence:
        """Return the values of the heaps below ``size``, as the period says; dtype kept."""
        values = np.resize(self.values[self.start :], max(size - self.start, 0))
        return np.concatenate([self.values[: min(self.start, size)], values])

    def _periodic(self, heaps: int | IntArray) -> int | IntArray:
        """Return the heaps of the first period that have the same values as ``heaps``."""
        return self.start + (heaps - self.start) % self.length


def find_period(values: Sequence, places: int) -> Period | None:
    """Return the least period that ``values`` prove, or else the one that is nearest to a proof.

    Let an octal game have ``k`` places after the point, and let ``g(n + p) == g(n)`` for all ``n``
    from ``n0`` to ``2 * n0 + p + k - 1``, or to ``p + k`` where ``n0`` is 0. Then it holds for all
    larger ``n``.

    Proof, by induction on ``m = n + p``, which is at least ``2 * n0 + 2 * p + k``, and at least
    ``2 * p + k + 1`` where ``n0`` is 0. A move takes ``r`` objects, at most ``k``, so that neither
    ``m`` nor ``n`` can be taken whole. What is left of ``m`` is at least ``2 * n0 + 2 * p``. In one
    heap, it is paired with what is left of ``n``, ``p`` objects less. In two, the larger part ``a``
    is at least ``n0 + p`` and more than ``p``: for ``n0 = 0`` at least ``2 * p + 1`` are left. So
    ``a - p`` is not empty, and with the other part it is an option of ``n``. Conversely of ``n``
    at least ``2 * n0 + p`` are left, the larger part ``a`` is at least ``n0``, and ``a + p`` with
    the other part is an option of ``m``. Parts are smaller than ``m``, also where a digit 4 before
    the point lets a heap be split without taking anything, as none is empty. So paired parts have
    the same value by induction, ``n`` and ``m`` have options of the same values, and
    ``g(n) == g(m)``.

    One value less is not enough for ``n0 = 0``: of ``2 * p + k`` objects two equal heaps of ``p``
    may be left, of ``p + k`` none and ``p``, which is no split.

    Args:
        values: values of the heaps 0, 1, 2, …; unsigned integers.
        places: the number ``k`` of digits after the point.

    Returns:
        A period; ``None`` if the last eighth of the values did not occur before.

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


def proven_period(game: HeapGame, values: Sequence) -> Period | None:
    """Return the least period that values of a game prove, confirmed by :func:`check_period`.

    Args:
        game: a game; without a period if it is not an octal game whose digits do not repeat.
        values: its values of the heaps 0, 1, 2, …
    """
    if game.places is None or game.unequal:
        return None
    period = find_period(values, game.places)
    if period is None or not period.proven:
        return None
    return period if check_period(game, values, period.length, period.start) else None


def _repetitions(values: Sequence) -> Iterator[int]:
    """Yield by how much the last values must be shifted back to occur again.

    A period with its proof repeats the last half of the values, and the shortest shift that does
    so is the least such period: by a theorem of Fine and Wilf it divides any other. After it come
    shifts of the last eighth, ascending, for periods that are not proven yet.
    """
    # Backwards, so that a search forwards finds the shortest first.
    data = values[::-1].tobytes()
    size = values.itemsize
    half, eighth = -(-len(values) // 2), len(values) // 8
    if eighth:
        yield from _shifts(data, size, half, 1)
        yield from _shifts(data, size, eighth, MOST_REPETITIONS)


def _shifts(data: bytes, size: int, length: int, most: int) -> Iterator[int]:
    """Yield where the first ``length`` values of ``data`` occur again, at most ``most`` places."""
    tail = data[: length * size]
    found: list[int] = []
    place = data.find(tail, size) if tail else -1
    for _ in range(MOST_OCCURRENCES):
        if place < 0 or len(found) == most:
            break
        # A multiple is hardly ever nearer to a proof; a match may also begin inside a value.
        if place % size == 0 and all(place // size % shorter for shorter in found):
            found.append(place // size)
            yield found[-1]
        place = data.find(tail, place + 1)
