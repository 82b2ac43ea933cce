"""Classes of the positions of a sum that determine a property of each position.

A *property* is defined by classes that are won at once and by the rule of play: a position is *won*
if its class is won at once or if some option is not won. To win misère play is a property: only
the empty position is won at once. Others are to win after certain parts are added.

:func:`refine` finds classes fine enough for a property without a search of positions. It guesses
the property from one example of each class and tries to prove the guess. If that fails, it calls
itself: to win with 0, 1, ... copies of the last part added is again a property of the positions of
the other parts.

Misère play of Nim with two *parts*, heaps of 1 and of 2 objects. A *word* lists the parts of a
position; there are seven *classes*, given by *examples*, the *elements* 1 and 3 are the classes of
the parts, and two classes are *lost*. The class of a sum is the *product* of classes:

    >>> parts = Parts()
    >>> one = parts.index([()])  # a part by its options: to the empty word
    >>> two = parts.index([(), (one,)])
    >>> classes = coarsest(parts, count=2)  # the empty word is a class, all others are another
    >>> won_at_once = np.array([True, False])
    >>> found = refine(classes, won_at_once, Limits(classes=10))
    >>> found.classes.words, found.classes.elements
    ([(), (0,), (0, 0), (1,), (0, 1), (1, 1), (0, 1, 1)], [1, 3])
    >>> found.lost.nonzero()[0].tolist(), found.coarser.tolist()  # the class in ``classes``
    ([1, 5], [0, 1, 1, 1, 1, 1, 1])
    >>> int(found.classes.products[3, 3])  # the sum of two heaps of 2
    5

A *rest* is the class of a position that stands beside another. It is *open* for the other position
if their sum is guessed to be won, though not at once, nor by a move in that position: a move in the
rest must win. Beside a heap of 1 the open rests are 3 and 4: of 2 + 1 a winning move leaves the
heap of 1, of 1 + 2 + 1 it makes the 2 a 1. The guess is right if the empty rest, 0, is open for no
position; those of sums follow from those of the parts (:class:`OpenRests`):

    >>> proof = OpenRests(found.classes, won_at_once[found.coarser], found.lost)
    >>> for element, after in found.classes.moves:  # the class of a part, those of its options
    ...     rests = proof.of_part(element, after)
    ...     print(element, after.tolist(), np.flatnonzero(row_of(rests, found.classes.order)))
    1 [0] [3 4]
    3 [0, 1] [4]
    >>> proof.holds()
    True

References:
    T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
    Combinatorial Theory A* 115 (2008), 593-622, for quotients and transition algebras; the
    refinement is this project's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nim_envs.cgt.misere_quotients.bit_sets import bits, row_of, rows_of
from nim_envs.cgt.misere_quotients.parts import Parts, Word
from nim_envs.cgt.partitions import by_shortest, coarsest_congruence
from nim_envs.errors import SearchTooLargeError
from nim_envs.typing import BoolArray, IntArray

Elements = npt.NDArray[np.int16]

LARGEST_PROOF = 200_000
"""Most sets of open rests in a proof."""

MOST_GUESSES = 1_000
"""Most guesses when a part is added, far more than any known quotient needs."""


class TooManyClassesError(Exception):
    """There are more classes than the limit."""


@dataclass
class Limits:
    """The most classes of a refinement, and the most guesses that may still be made."""

    classes: int
    guesses: int = MOST_GUESSES


@dataclass(eq=False)
class Classes:
    """Classes of the positions of the first parts: a finite commutative monoid.

    Attributes:
        parts: all parts, possibly more than the first ones.
        products: the class of the sum of two positions, ``(n, n)``; class 0 is the empty sum's.
        elements: the class of each of the first parts.
        lengths: longest play of an example of each class, ``(n,)``; the classes of its options have
            shorter examples.
        options: whether an option of each example is in each class, ``(n, n)``.
        words: the examples, as words of parts.
        smaller: classes of the positions without the last part; ``None`` if there is no part.
        inclusion: for each class of ``smaller`` the class that contains it.
    """

    parts: Parts
    products: Elements
    elements: list[int]
    lengths: IntArray
    options: BoolArray
    words: list[Word]
    smaller: Classes | None
    inclusion: Elements
    _after_move: dict[int, IntArray] = field(default_factory=dict, init=False)

    @property
    def order(self) -> int:
        """Number of classes."""
        return len(self.products)

    def of(self, word: Word) -> int:
        """Return the class of a position."""
        element = 0
        for part in word:
            element = int(self.products[element, self.elements[part]])
        return element

    def after_move(self, part: int) -> IntArray:
        """Return the classes of the options of one part, not necessarily one of the first."""
        if part not in self._after_move:
            classes = {self.of(option) for option in self.parts.options[part]}
            self._after_move[part] = np.array(sorted(classes), dtype=np.int64)
        return self._after_move[part]

    @cached_property
    def distinct_elements(self) -> list[int]:
        """The classes of the parts, each once."""
        return sorted(set(self.elements))

    @cached_property
    def moves(self) -> list[tuple[int, IntArray]]:
        """The class of each part and the classes of its options, without duplicates."""
        distinct = {}
        for part, element in enumerate(self.elements):
            after = self.after_move(part)
            distinct[element, after.tobytes()] = (element, after)
        return list(distinct.values())

    @cached_property
    def without_last(self) -> tuple[Classes, Elements]:
        """The classes of the positions without the last part, and their class here."""
        assert self.smaller is not None
        return _image(self.smaller, self)


def _image(source: Classes, target: Classes) -> tuple[Classes, Elements]:
    """Return the classes of ``target`` with positions of ``source``, and their indices there."""
    inclusion = target.inclusion
    order = np.argsort(source.lengths, kind="stable")
    present, first = np.unique(inclusion[order], return_index=True)
    examples = order[first]
    indices = np.full(target.order, -1, dtype=np.int16)
    indices[present] = np.arange(len(present))
    image = Classes(
        source.parts,
        indices[target.products[np.ix_(present, present)]],
        [int(indices[element]) for element in target.elements[:-1]],
        source.lengths[examples],
        _reindexed(source.options[examples], indices[inclusion], len(present)),
        [source.words[example] for example in examples.tolist()],
        source.smaller,
        indices[inclusion][source.inclusion],
    )
    return image, present.astype(np.int16)


def _reindexed(rows: BoolArray, indices: Elements, order: int) -> BoolArray:
    """Return sets of classes, one in a row, reindexed by ``indices`` to ``order`` classes."""
    reindexed = np.zeros((len(rows), order), dtype=np.bool_)
    by_index = np.argsort(indices, kind="stable")
    present, first = np.unique(indices[by_index], return_index=True)
    reindexed[:, present] = np.logical_or.reduceat(rows[:, by_index], first, axis=1)
    return reindexed


def coarsest(parts: Parts, count: int) -> Classes:
    """Return two classes of positions of the first parts: the empty one, and all others."""
    nothing: Elements = np.zeros(0, dtype=np.int16)
    classes = Classes(
        parts, np.zeros((1, 1), np.int16), [], np.zeros(1, np.int64), np.zeros((1, 1), np.bool_),
        [()], None, nothing,
    )  # fmt: skip
    shortest = np.array([0, 1])
    for size in range(1, count + 1):
        classes = Classes(
            parts, np.array([[0, 1], [1, 1]], np.int16), [1] * size, shortest,
            np.array([[False, False], [True, False]]), [(), (0,)], classes,
            np.arange(classes.order, dtype=np.int16),
        )  # fmt: skip
    return classes


@dataclass(frozen=True)
class Refinement:
    """Classes fine enough for a property.

    ``coarser`` has for each class the class before refinement that contains it; ``lost``,
    whether each lacks the property.
    """

    classes: Classes
    coarser: Elements
    lost: BoolArray


def refine(
    classes: Classes,
    won_at_once: BoolArray,
    limits: Limits,
    without_last: Refinement | None = None,
) -> Refinement:
    """Return the coarsest refinement of ``classes`` that determines a property.

    ``won_at_once`` says whether each class has the property whatever its options;
    ``without_last`` is the result for positions without the last part, if known.

    Any two returned classes within one given class are distinguished by the property, perhaps
    after parts are added to both.

    Raises:
        TooManyClassesError: there would be more classes than allowed.
        SearchTooLargeError: too many guesses were needed, or a proof is too large.
    """
    if without_last is None:
        limits.guesses -= 1
        if limits.guesses < 0:
            raise SearchTooLargeError(
                "a misère quotient was not found within the allowed number of guesses; it may be "
                "infinite"
            )
        lost = _guess(classes, won_at_once)
        if OpenRests(classes, won_at_once, lost).holds():
            return Refinement(classes, np.arange(classes.order, dtype=np.int16), lost)
    last = len(classes.elements) - 1
    fine, coarser = classes.without_last
    losts: list[BoolArray] = []  # lost classes with 0, 1, ... copies of the last part added
    powers = [0]
    while True:
        now = won_at_once[classes.products[coarser, powers[-1]]]
        if losts:
            now = now | losts[-1][fine.products[:, fine.after_move(last)]].any(axis=1)
            refined = refine(fine, now, limits)
        else:
            refined = without_last or refine(fine, now, limits)
        if refined.classes is not fine:
            fine, coarser = refined.classes, coarser[refined.coarser]
            losts = [lost[refined.coarser] for lost in losts]
        for copies, lost in enumerate(losts):
            if powers[copies] == powers[-1] and (lost == refined.lost).all():
                return _joined(classes, fine, coarser, losts, powers, copies, limits)
        losts.append(refined.lost)
        powers.append(int(classes.products[powers[-1], classes.elements[last]]))
        if len(losts) > limits.classes:
            raise TooManyClassesError


def _guess(classes: Classes, won_at_once: BoolArray) -> BoolArray:
    """Return whether each class lacks the property, judged by its example."""
    won = won_at_once.tolist()
    options = bits(classes.options)
    lost = 0
    for element in np.argsort(classes.lengths, kind="stable").tolist():
        if not (won[element] or options[element] & lost):
            lost |= 1 << element
    return row_of(lost, classes.order)


def _joined(
    classes: Classes,
    fine: Classes,
    coarser: Elements,
    losts: list[BoolArray],
    powers: list[int],
    back: int,
    limits: Limits,
) -> Refinement:
    """Return the classes of all positions, from those of positions without the last part.

    ``fine`` are the classes of those, ``coarser`` the class of ``classes`` that contains each.
    ``losts`` has the lost ones with 0, 1, ... copies of the last part, ``powers`` the class of
    these copies, and ``back`` copies are equivalent to ``len(losts)``.
    """
    last, count, order = len(classes.elements) - 1, len(losts), fine.order
    # A class of ``fine`` with some copies has the index ``copies * order + class``.
    copies_of = [
        copies if copies < count else back + (copies - back) % (count - back)
        for copies in range(2 * count + 1)
    ]
    copies, rest = np.divmod(np.arange(count * order), order)
    folded = np.array(copies_of)
    above = classes.products[coarser[rest], np.array(powers)[copies]].astype(np.int64)
    lost = np.concatenate(losts)
    moves = [
        copies * order + fine.products[rest, element] for element in fine.distinct_elements
    ] + [folded[copies + 1] * order + rest]
    block = coarsest_congruence(2 * above + lost, moves)
    lengths = fine.lengths[rest] + copies * fine.parts.lengths[last]
    examples, indices = by_shortest(block, lengths)
    if len(examples) > limits.classes:
        raise TooManyClassesError
    class_of = indices.astype(np.int16)
    one, many = rest[examples], copies[examples]
    sums = folded[many[:, np.newaxis] + many].astype(np.int64) * order
    sums += fine.products[np.ix_(one, one)]
    return Refinement(
        Classes(
            fine.parts,
            class_of[sums],
            [int(class_of[element]) for element in fine.elements]
            + [int(class_of[folded[1] * order])],
            lengths[examples],
            _options_of(fine, class_of.reshape(count, order), one, many, len(examples)),
            [
                fine.words[x] + (last,) * copy
                for x, copy in zip(one.tolist(), many.tolist(), strict=True)
            ],
            fine,
            class_of[:order],
        ),
        above[examples].astype(np.int16),
        lost[examples],
    )


def _options_of(
    fine: Classes, class_of: Elements, rests: IntArray, copies: IntArray, order: int
) -> BoolArray:
    """Return the classes of the options of examples, ``(examples, order)``.

    ``class_of`` has the class of a position of ``fine`` with copies of the last part,
    ``(copies, classes)``; an example is one of ``rests`` with as many ``copies``.
    """
    options = np.zeros((len(rests), order), dtype=np.bool_)
    after = fine.after_move(len(fine.elements))
    for copy in range(int(copies.max()) + 1):
        rows = np.flatnonzero(copies == copy)
        options[rows] = _reindexed(fine.options[rests[rows]], class_of[copy], order)
        if copy:
            reached = class_of[copy - 1][fine.products[np.ix_(rests[rows], after)]]
            options[rows[:, np.newaxis], reached] = True
    return options


class OpenRests:
    """A proof that a guess obeys the rule of play, or a refutation of it.

    The module's example defines open rests. A rest is open for a sum of two positions if it is open
    for each of them, with the other as part of the rest. So the pairs (class, open rests) form a
    finite monoid, of which the largest sets for each class suffice. The guess is right if the empty
    rest is open for no position.
    """

    def __init__(self, classes: Classes, won_at_once: BoolArray, lost: BoolArray) -> None:
        self._classes, self._at_once, self._lost = classes, won_at_once, lost
        self._open = ~lost & ~won_at_once
        # By class of positions: the largest sets of open rests, and their number.
        self._most: list[set[int]] = [set() for _ in range(classes.order)]
        self._size = 0
        # By class of parts: the largest sets of open rests, each with its shifted sets as rows.
        self._parts: dict[int, dict[int, BoolArray]] = {}

    def holds(self) -> bool:
        """Return whether the guess is right."""
        if self._open[0] or (self._lost & self._at_once).any():
            return False
        parts = []
        for element, after in self._classes.moves:
            rests = self.of_part(element, after)
            if rests is None:
                return False
            parts.append((element, rests))
        for element, rests in parts:
            self._add_part(element, rests)
        return self._no_empty_rest_is_open()

    def of_part(self, element: int, after: IntArray) -> int | None:
        """Return the open rests of a part, as bits; ``None`` if a move wins a sum guessed lost."""
        sums = self._classes.products[:, element]
        wins = self._lost[self._classes.products[:, after]].any(axis=1)
        if (wins & self._lost[sums]).any():
            return None
        return bits((self._open[sums] & ~wins)[np.newaxis])[0]

    def _add_part(self, element: int, rests: int) -> None:
        """Add a part, unless its rests are open for another of its class."""
        known = self._parts.setdefault(element, {})
        if any(rests | other == other for other in known):
            return
        for smaller in [other for other in known if other | rests == rests]:
            del known[smaller]
        known[rests] = row_of(rests, self._classes.order)[self._classes.products]

    def _no_empty_rest_is_open(self) -> bool:
        """Return whether the empty rest is open for no sum: add parts until no pair is new."""
        products, order = self._classes.products, self._classes.order
        parts = [(element, rests) for element, most in self._parts.items() for rests in most]
        frontier = [(0, bits(self._open[np.newaxis])[0])]
        self._is_new(*frontier[0])
        while frontier:
            pairs = [pair for pair in frontier if pair[1] in self._most[pair[0]]]
            elements = np.array([element for element, _ in pairs], dtype=np.int64)
            rows = rows_of([rests for _, rests in pairs], order)
            frontier = []
            for part, rests in parts:
                now = rows[:, products[:, part]] & self._parts[part][rests][elements]
                if now[:, 0].any():
                    return False
                some = np.flatnonzero(now.any(axis=1))
                sums = products[elements[some], part].tolist()
                for element, left in zip(sums, bits(now[some]), strict=True):
                    if self._is_new(element, left):
                        frontier.append((element, left))
        return True

    def _is_new(self, element: int, rests: int) -> bool:
        """Add a pair unless another of its class has all these rests; return whether it is new."""
        most = self._most[element]
        if rests in most or any(rests | known == known for known in most):
            return False
        covered = {known for known in most if known | rests == rests}
        self._size += 1 - len(covered)
        if self._size > LARGEST_PROOF:
            raise SearchTooLargeError(
                f"the proof of a misère quotient needs more than {LARGEST_PROOF} elements "
                "of the transition algebra, which is the limit"
            )
        most -= covered
        most.add(rests)
        return True
