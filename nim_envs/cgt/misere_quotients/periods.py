"""The theorem on periodic quotients, which solves a game for heaps of all sizes.

Theorem: let no move take more than ``k`` objects, and let the heaps up to ``2 n0 + 2 p + k - 1``
have a finite quotient in which heaps ``n`` and ``n + p`` have the same element for all ``n`` from
``n0 >= 1`` to ``2 n0 + p + k - 1``. Then heaps of all sizes have the same quotient, and heaps ``n``
and ``n + p`` have the same element for all ``n >= n0``.

Proof, by induction on the heap ``n >= 2 n0 + 2 p + k``. Both ``n`` and ``n - p`` are too large to
be taken whole. A move from ``n`` leaves heaps ``a >= b >= 0`` with ``a + b >= n - k``, so
``a >= n0 + p``. The same move from ``n - p`` may leave ``a - p`` and ``b``, and heaps ``a`` and
``a - p`` have the same element. Conversely, a move from ``n - p`` leaves heaps ``a >= b >= 0`` with
``a >= n0``, the same move from ``n`` may leave ``a + p`` and ``b``, and heaps ``a + p`` and ``a``
have the same element. So the options of ``n`` and of ``n - p`` have the same elements. The proof of
a quotient depends only on the elements of a heap and of its options, so adding heap ``n`` with the
element of ``n - p`` changes nothing in it. As this does not depend on who wins the empty position,
the theorem also holds for quotients of normal play.

The proof fails for games that must leave heaps of different sizes: there ``b`` may be ``a - p``.

References:
    T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
    Combinatorial Theory A* 115 (2008), 593-622; after R. K. Guy and C. A. B. Smith (1956).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nim_envs.games.octal_codes import HeapGame
from nim_envs.typing import IntArray


@dataclass(frozen=True)
class QuotientPeriod:
    """Heaps ``n`` and ``n + length`` have the same element for all ``n >= start``."""

    start: int
    length: int

    def folded(self, heaps: int | IntArray) -> IntArray:
        """Return the smallest heaps with the same elements as ``heaps`` by the period."""
        return np.minimum(heaps, self.start + (heaps - self.start) % self.length)

    def needed(self, places: int) -> int:
        """Return the largest heap whose element the proof needs."""
        return 2 * self.start + 2 * self.length + places - 1


def may_be_periodic(game: HeapGame) -> bool:
    """Return whether the theorem applies: finitely many digits, and no rule of unequal heaps."""
    return game.places is not None and not game.unequal


def periodic_from(game: HeapGame, elements: Sequence[int]) -> QuotientPeriod | None:
    """Return the shortest period that the elements of some heaps prove, if there is one.

    Elements are those of heaps of 0, 1, ... objects in their common quotient; there is none if
    the theorem does not apply to the game.
    """
    places = game.places
    if places is None or game.unequal:
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
    """Return the reason why elements do not prove a period; ``None`` if they do."""
    places = game.places
    if places is None or game.unequal:
        return f"the theorem on periodic quotients is not about {game.name}"
    if period.start < 1 or period.length < 1:
        return f"a period starts at heap 1 or later and is at least 1, not {period}"
    last = period.needed(places)
    if len(elements) <= last:
        return f"heaps up to {last} are needed, not only up to {len(elements) - 1}"
    for heap in range(period.start, len(elements) - period.length):
        if elements[heap] != elements[heap + period.length]:
            return f"heaps {heap} and {heap + period.length} have different elements"
    return None
