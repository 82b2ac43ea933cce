"""The theorem on periodic quotients: a game solved for heaps of all sizes.

Let no move take more than ``k`` objects, and let the heaps up to ``2 n0 + 2 p + k - 1`` have a
finite quotient in which heaps ``n`` and ``n + p``, as far as they are among these, have the
same element for all ``n >= n0``, where ``n0 >= 1``. Then the quotient of heaps of all sizes is the
same one, and heaps ``n`` and ``n + p`` have the same element for all ``n >= n0``.

Proof, by induction on the heap ``n >= 2 n0 + 2 p + k``. A move from it leaves heaps ``a >= b`` with
``a + b >= n - k``, so that ``a >= n0 + p``. Taking as much from heap ``n - p`` may leave ``a - p``
and ``b``; heaps ``a`` and ``a - p`` have the same element. Conversely a move from ``n - p`` leaves
heaps ``a >= b`` with ``a >= n0``, taking as much from ``n`` may leave ``a + p`` and ``b``, and
heaps ``a + p`` and ``a`` have the same element. (Both ``n`` and ``n - p`` are too large to be taken
whole.) So the options of ``n`` and of ``n - p`` have the same elements. The proof of a quotient
looks only at the elements of a heap and of its options: heap ``n`` with the element of ``n - p`` is
nothing new to it. Nothing here depends on who wins the empty position: the theorem is also about
quotients of normal play, whose elements are told apart by Grundy values.

The theorem does not hold for games that must leave heaps of different sizes: there ``b`` may be
``a - p``.

References:
    T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
    Combinatorial Theory A* 115 (2008), 593-622; after R. K. Guy and C. A. B. Smith (1956).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nim_envs.rules.octal_codes import HeapGame


@dataclass(frozen=True)
class QuotientPeriod:
    """Heaps ``n`` and ``n + length`` have the same element for all ``n >= start``.

    Attributes:
        start: first heap of the period, at least 1.
        length: difference of heaps with the same element.
    """

    start: int
    length: int

    def folded(self, heap: int) -> int:
        """Return the smallest heap that must have the same element as ``heap``."""
        return min(heap, self.start + (heap - self.start) % self.length)

    def needed(self, places: int) -> int:
        """Return the largest heap whose element the proof needs."""
        return 2 * self.start + 2 * self.length + places - 1


def may_be_periodic(game: HeapGame) -> bool:
    """Return whether the theorem applies: to games of finitely many digits that split freely."""
    return game.places is not None and not game.unequal


def periodic_from(game: HeapGame, elements: Sequence[int]) -> QuotientPeriod | None:
    """Return the shortest period that the elements of some heaps prove, if there is one.

    Args:
        game: rule of the heaps; without a period if its digits repeat or its heaps must be unequal.
        elements: the elements of heaps of 0, 1, ... objects, in a quotient of all these.
    """
    places = game.places
    if places is None or not may_be_periodic(game):
        return None
    values = np.asarray(elements)
    for length in range(1, (len(values) - 1 - places) // 2 + 1):
        exceptions = np.flatnonzero(values[length:] != values[:-length])
        start = max(1, int(exceptions[-1]) + 1) if len(exceptions) else 1
        period = QuotientPeriod(start, length)
        if period.needed(places) < len(values):
            return period
    return None


def period_refutation(
    game: HeapGame, elements: Sequence[int], period: QuotientPeriod
) -> str | None:
    """Return the reason why elements do not prove a period; ``None`` if they do.

    Args:
        game: rule of the heaps.
        elements: the elements of heaps of 0, 1, ... objects, in a quotient of all these.
        period: the claimed period.
    """
    places = game.places
    if places is None or game.unequal:
        return f"the theorem on periodic quotients is not about {game.name}"
    if period.start < 1 or period.length < 1:
        return f"a period starts at heap 1 or later and is at least 1, not {period}"
    last = 2 * (period.start + period.length) + places - 1
    if len(elements) <= last:
        return f"heaps up to {last} are needed, not only up to {len(elements) - 1}"
    for heap in range(period.start, len(elements) - period.length):
        if elements[heap] != elements[heap + period.length]:
            return f"heaps {heap} and {heap + period.length} have different elements"
    return None
