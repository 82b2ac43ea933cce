"""The theorem on periodic quotients: a game solved for heaps of all sizes.

Let the heaps of a game up to some size have a finite misère quotient, let no move take more than
``k`` objects, and let heaps ``n`` and ``n + p`` have the same element for all ``n >= n0``, as far as
heaps up to ``2 n0 + 2 p + k - 1`` are concerned. Then the quotient of the heaps of all sizes is the
same, and so is the element of ``n`` and ``n + p`` for all ``n >= n0``.

Proof, by induction on ``n >= 2 n0 + 2 p + k``: a move from heap ``n`` leaves heaps ``a >= b`` with
``a + b >= n - k``, so ``a >= n0 + p``. Taking as much from heap ``n - p`` leaves ``a - p`` and ``b``,
and heaps ``a`` and ``a - p`` have the same element. Conversely a move from ``n - p`` leaves ``a' >=
b`` with ``a' >= n0``, and the same from ``n`` leaves ``a' + p`` and ``b``. (Neither heap can be taken
whole.) So the options of ``n`` and ``n - p`` have the same elements. As only the elements of a heap
and of its options matter to the proof of a quotient, ``n`` with the element of ``n - p`` changes
nothing in it.

The second of two heaps must be free of the first: the theorem does not hold where they have to be
of different sizes.

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
        start: where the period begins, at least 1.
        length: the period.
    """

    start: int
    length: int

    def folded(self, heap: int) -> int:
        """Return the smallest heap that must have the same element as ``heap``."""
        return min(heap, self.start + (heap - self.start) % self.length)

    def needed(self, places: int) -> int:
        """Return the largest heap whose element the proof needs, with so many digits."""
        return 2 * self.start + 2 * self.length + places - 1


def may_be_periodic(game: HeapGame) -> bool:
    """Return whether the theorem is about a game: one with finitely many digits, free to split."""
    return game.places is not None and not game.unequal


def periodic_from(game: HeapGame, elements: Sequence[int]) -> QuotientPeriod | None:
    """Return the shortest period that the elements of some heaps prove, if there is one.

    Args:
        game: the game; without a period if its digits repeat, or its heaps must be unequal.
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
    """Return why elements of heaps do not prove a period; ``None`` if they do.

    Args:
        game: the game.
        elements: the elements of heaps of 0, 1, ... objects, in a quotient of all these.
        period: the claim.
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
