"""Computation of the misère quotient of sums of parts, which are added one by one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nim_envs.cgt.misere_quotients.parts import Parts, Word
from nim_envs.cgt.misere_quotients.proof import refutation
from nim_envs.cgt.misere_quotients.refinement import (
    Limits,
    OpenRests,
    Refinement,
    TooManyClassesError,
    coarsest,
    refine,
)
from nim_envs.cgt.partitions import by_shortest, coarsest_congruence
from nim_envs.errors import SearchTooLargeError
from nim_envs.typing import BoolArray, IntArray
from nim_envs.validation import checked_integer

LARGEST_ORDER = 1024
"""Default limit on the number of elements of a quotient."""

LARGEST_LIMIT = 8_000
"""Largest such limit, at which the products take half a gigabyte."""

WON_AT_ONCE = np.array([True, False])
"""Whether the empty position, and any other, is won at once in misère play."""


@dataclass(frozen=True, eq=False)
class PartsQuotient:
    """The proven misère quotient of sums of parts; class 0 is the empty sum's.

    A representative is a shortest position of its class.
    """

    products: IntArray
    lost: BoolArray
    elements: tuple[int, ...]
    representatives: tuple[Word, ...]


class QuotientSearch:
    """The misère quotient of sums of parts, which are added one by one.

    ``refined`` has the classes, with the empty position separate, and the lost ones.

    If adding a part is interrupted or exceeds the limit, the quotient without it stays.
    """

    def __init__(self, limit: int = LARGEST_ORDER) -> None:
        self.parts = Parts()
        self.limit = checked_integer("limit", limit, 1, LARGEST_LIMIT)
        # Here the empty position, which is won at once, is a class of its own; in the quotient
        # other positions may be in its class.
        self.refined = refine(coarsest(self.parts, 0), WON_AT_ONCE[:1], Limits(1))
        self._open_rests = self._proven(self.refined)
        self._rests: list[int] = []  # open for each part
        self._quotient: PartsQuotient | None = None

    def add(self, options: Iterable[Sequence[int]]) -> int:
        """Return the index of the part with these options, lists of parts; it is added if new.

        Raises:
            SearchTooLargeError: the quotient has too many elements, or its proof is too large.
        """
        part = self.parts.index(tuple(option) for option in options)
        if part < len(self.refined.classes.elements):
            return part
        if not self._add_known(part):
            coarse = coarsest(self.parts, part + 1)
            try:
                limits = Limits(self.limit + 1)
                refined = refine(coarse, WON_AT_ONCE, limits, self.refined)
            except TooManyClassesError:
                raise self.too_many() from None
            open_rests = self._proven(refined)
            rests = [
                open_rests.of_part(element, refined.classes.after_move(each)) or 0
                for each, element in enumerate(refined.classes.elements)
            ]
            self.refined, self._open_rests, self._rests = refined, open_rests, rests
        self._quotient = None
        return part

    def _add_known(self, part: int) -> bool:
        """Add a part covered by an earlier one of the same class; return whether there is one.

        All rests that are open for this part are open for the earlier one, so the classes and their
        proof stay the same.
        """
        classes = self.refined.classes
        after = classes.after_move(part)
        rests = {
            element: self._open_rests.of_part(element, after)
            for element in classes.distinct_elements
        }
        for other, element in enumerate(classes.elements):
            here, theirs = rests[element], self._rests[other]
            if here is None or here | theirs != theirs:
                continue
            if classes.parts.lengths[other] > classes.parts.lengths[part]:
                continue
            same = np.arange(classes.order, dtype=np.int16)
            longer = replace(
                classes, elements=[*classes.elements, element], smaller=classes, inclusion=same
            )
            self.refined = replace(self.refined, classes=longer)
            self._rests.append(here)
            return True
        return False

    def _proven(self, refined: Refinement) -> OpenRests:
        classes = refined.classes
        at_once = WON_AT_ONCE[refined.coarser]
        open_rests = OpenRests(classes, at_once, refined.lost)
        if not open_rests.holds():
            raise AssertionError(f"wrong classes of sums of {len(classes.elements)} parts")
        return open_rests

    def too_many(self) -> SearchTooLargeError:
        """Return the error for a quotient with more elements than the limit."""
        return SearchTooLargeError(
            f"the misère quotient has more than {self.limit} elements, which is the limit"
        )

    @property
    def order(self) -> int:
        """Number of elements of the quotient."""
        return int(self._blocks().max()) + 1

    def _blocks(self) -> IntArray:
        """Return the element of each class, the empty position's included."""
        classes, lost = self.refined.classes, self.refined.lost
        moves = [classes.products[:, element] for element in classes.distinct_elements]
        return coarsest_congruence(lost, moves)

    def quotient(self) -> PartsQuotient:
        """Return the quotient, proven by :func:`nim_envs.cgt.misere_quotients.proof.refutation`.

        Raises:
            SearchTooLargeError: it has more elements than the limit.
        """
        if self._quotient is not None:
            return self._quotient
        refined = self.refined
        classes = refined.classes
        examples, element_of = by_shortest(self._blocks(), classes.lengths)
        if len(examples) > self.limit:
            raise self.too_many()
        quotient = PartsQuotient(
            element_of[classes.products[np.ix_(examples, examples)]],
            refined.lost[examples],
            tuple(int(element_of[element]) for element in classes.elements),
            tuple(classes.words[example] for example in examples.tolist()),
        )
        options = self.parts.options[: len(classes.elements)]
        wrong = refutation(options, quotient.products, quotient.elements, quotient.lost)
        if wrong is not None:
            raise AssertionError(f"a quotient that was found is refuted: {wrong}")
        self._quotient = quotient
        return quotient
