"""Periods observed in the classes of heaps, and whether a theorem proves that they continue."""

from collections.abc import Sequence
from typing import NamedTuple

from agents.research.quotients.quotient import Quotient
from nim_envs.cgt.misere_quotients.periods import (
    QuotientPeriod,
    may_be_periodic,
    period_refutation,
)

REPETITIONS = 3
"""Number of repetitions from which a period is conjectured."""


class PeriodOfClasses(NamedTuple):
    """A period of the classes of heaps."""

    kind: int  # number of the kind of components
    claim: QuotientPeriod  # start and length
    refuted: str | None  # why it is only a conjecture; ``None`` where a theorem proves it

    @property
    def in_words(self) -> str:
        """The period in words."""
        start, length = self.claim.start, self.claim.length
        return f"heaps n and n + {length} are alike for all n >= {start}"


def periods(quotient: Quotient, proved: bool = True) -> list[PeriodOfClasses]:
    """Return the periods observed in the classes of heaps; none is proved unless these are."""
    results = []
    for index, kind in enumerate(quotient.parts.kinds):
        game = kind.heap_game
        if game is None or not may_be_periodic(game):
            continue
        elements = classes_of_states(quotient, index)
        claim = conjecture(elements)
        if claim is not None:
            refuted = period_refutation(game, elements, claim)
            if not proved:
                refuted = refuted or "the classes are not proved"
            results.append(PeriodOfClasses(index, claim, refuted))
    return results


def classes_of_states(quotient: Quotient, kind: int) -> list[int]:
    """Return the classes of the states of a kind of components, up to the first one not learned."""
    classes = []
    for part in quotient.parts.numbers[kind]:
        if part is not None and part >= len(quotient.elements):
            break
        classes.append(0 if part is None else quotient.elements[part])
    return classes


def conjecture(elements: Sequence[int]) -> QuotientPeriod | None:
    """Return the shortest period that occurs three times and covers the last quarter of the heaps.

    Example:
        >>> conjecture([0, 3, 1, 2, 1, 2, 1, 2])
        QuotientPeriod(start=2, length=2)
    """
    count = len(elements)
    for length in range(1, count // REPETITIONS + 1):
        start = count - length
        while start > 1 and elements[start - 1] == elements[start - 1 + length]:
            start -= 1
        if count - start >= max(REPETITIONS * length, count // 4):
            return QuotientPeriod(start, length)
    return None
