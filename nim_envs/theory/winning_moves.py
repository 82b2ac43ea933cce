"""Winning moves by theorem: the P-positions that a move reaches, without listing all moves.

Each function takes the coordinates of one position and yields the coordinates after each winning
move, none twice; nothing at a P-position. The first one takes time that grows with the number of
digits alone, where a list of all moves would grow with the numbers themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, combinations, starmap
from math import isqrt

from nim_envs.rules.convention import Convention

Point = tuple[int, ...]
WinningMoves = Callable[[Point], Iterator[Point]]

Choice = tuple[Point, Point]
"""A choice of digits: the heaps with these digits, the others 0, and the indices of the heaps that
are smaller than before the move."""


def wythoff(square: Point, convention: Convention = Convention.NORMAL) -> Iterator[Point]:
    """Yield the P-positions that a queen reaches: at most one in each direction.

    Every file, every rank and every diagonal has exactly one P-position; see
    :func:`nim_envs.theory.theorems.wythoff`.

    Args:
        square: file and rank.
        convention: normal or misère play.
    """
    file, rank = square
    misere = convention is Convention.MISERE
    reached = set()
    lost = _partner(rank, misere)
    if lost < file:
        reached.add((lost, rank))
    lost = _partner(file, misere)
    if lost < rank:
        reached.add((file, lost))
    distance = abs(file - rank)
    smaller = {0: 2, 1: 0}.get(distance) if misere else None
    if smaller is None:
        smaller = _lower(distance)
    if smaller < min(file, rank):
        pair = smaller, smaller + distance
        reached.add(pair if file <= rank else pair[::-1])
    # From a P-position there is no move to another one, and none was found.
    yield from sorted(reached)


def _lower(n: int) -> int:
    """Return ⌊nφ⌋, where φ is the golden ratio."""
    return (n + isqrt(5 * n * n)) // 2


def _partner(number: int, misere: bool) -> int:
    """Return the other coordinate of the P-position of Wythoff's game with this one."""
    if misere and number <= 2:
        return (1, 0, 2)[number]
    # The n with ⌊nφ⌋ = number, if there is one: 1/φ = φ - 1, and products with φ are irrational.
    n = _lower(number + 1) - (number + 1) if number else 0
    if _lower(n) == number:
        return number + n
    # Else number = ⌊nφ⌋ + n = ⌊nφ²⌋ for some n, and 1/φ² = 2 - φ.
    return number - (2 * number - _lower(number))


def fibonacci_nim(heap: Point, convention: Convention = Convention.NORMAL) -> Iterator[Point]:
    """Yield the P-positions that a move reaches in Fibonacci Nim.

    In normal play a winning move takes some of the smallest terms of the heap's Zeckendorf
    representation: it takes less than half of the smallest term of what is left, so the terms of
    both together are those of the heap. In misère play they are those of the heap without one
    object.

    Args:
        heap: number of objects, and limit.
        convention: normal or misère play.
    """
    objects, limit = heap
    last = int(convention is Convention.MISERE)  # an object that nobody wants to take
    terms = _zeckendorf(objects - last)
    taken = 0
    for index, term in enumerate(terms):
        taken += term
        if taken > limit:
            return
        if index + 1 == len(terms) or 2 * taken < terms[index + 1]:
            left = objects - taken
            yield left, min(2 * taken, left)


def _zeckendorf(number: int) -> list[int]:
    """Return the terms of the Zeckendorf representation, ascending; none of a number below 1."""
    fibonacci = [1, 2]
    while fibonacci[-1] <= number:
        fibonacci.append(fibonacci[-2] + fibonacci[-1])
    terms = []
    for term in reversed(fibonacci):
        if term <= number:
            terms.append(term)
            number -= term
    return terms[::-1]


def chomp(lengths: Point) -> Iterator[Point]:
    """Yield the P-position that a bite reaches on a bar of at most two rows, or columns.

    In normal play: the first row must become longer than the second by one square.

    Args:
        lengths: squares left in each row: at most two rows, or rows of at most 2.
    """
    if len(lengths) > 2:
        columns = sum(length >= 1 for length in lengths), sum(length >= 2 for length in lengths)
        for first, second in chomp(columns):
            yield tuple((row < first) + (row < second) for row in range(len(lengths)))
        return
    first, second = (*lengths, 0)[:2]
    rest = lengths[2:]
    if first > second + 1:
        after: Point = (second + 1, second)
    elif first == second:
        after = (first, first - 1)
    else:
        return
    yield after[: len(lengths)] + rest


def moore(heaps: Point, k: int, convention: Convention = Convention.NORMAL) -> Iterator[Point]:
    """Yield the P-positions that a move reaches in Moore's Nim.

    Digits are chosen from the highest on. A heap that has lost a 1 is smaller than it was, whatever
    its lower digits become; so it may have either value in each of them.

    Args:
        heaps: objects in each heap.
        k: most heaps that a move takes from.
        convention: normal or misère play.
    """
    digits = max(heaps).bit_length()
    none_chosen: Iterable[Choice] = [((0,) * len(heaps), ())]
    if convention is Convention.NORMAL:
        choices = _balanced(heaps, k, range(digits), none_chosen)
    else:
        yield from _odd_ones(heaps, k)
        # All other P-positions have a heap of 2 or more: those of its digits are chosen first.
        upper = _balanced(heaps, k, range(1, digits), none_chosen)
        choices = _balanced(heaps, k, range(1), (each for each in upper if max(each[0]) >= 2))
    yield from (after for after, reduced in choices if reduced)


def _balanced(heaps: Point, k: int, digits: range, choices: Iterable[Choice]) -> Iterable[Choice]:
    """Return all ways to go on with some choices so that the given digits are balanced.

    Balanced digits are 1 in a number of heaps that ``k + 1`` divides.

    Args:
        heaps: the heaps before the move.
        k: most heaps that are smaller.
        digits: binary digits to choose, the highest first.
        choices: choices of the higher digits.
    """
    for digit in reversed(digits):
        choices = chain.from_iterable(starmap(partial(_balanced_digit, heaps, k, digit), choices))
    return choices


def _balanced_digit(
    heaps: Point, k: int, digit: int, chosen: Point, reduced: Point
) -> Iterator[Choice]:
    """Yield all ways to go on with a choice by one more digit."""
    ones = [heap for heap, size in enumerate(heaps) if heap not in reduced and size >> digit & 1]
    for fewer in range(min(len(ones), k - len(reduced)) + 1):
        unbalanced = (len(ones) - fewer) % (k + 1)
        raised = (k + 1 - unbalanced) % (k + 1)
        if raised > len(reduced):
            continue
        for lost in combinations(ones, fewer):
            for gained in combinations(reduced, raised):
                with_one = {*ones, *gained} - {*lost}
                after = tuple(
                    size | (heap in with_one) << digit for heap, size in enumerate(chosen)
                )
                yield after, (*reduced, *lost)


def _odd_ones(heaps: Point, k: int) -> Iterator[Point]:
    """Yield heaps of at most 1, of which the ones are congruent to 1 modulo ``k + 1``."""
    large = [heap for heap, size in enumerate(heaps) if size >= 2]
    ones = [heap for heap, size in enumerate(heaps) if size == 1]
    for fewer in range(min(len(ones), k - len(large)) + 1):
        for raised in range(len(large) + 1):
            if (len(ones) - fewer + raised) % (k + 1) != 1 or not (large or fewer):
                continue
            for lost in combinations(ones, fewer):
                for gained in combinations(large, raised):
                    with_one = {*ones, *gained} - {*lost}
                    yield tuple(int(heap in with_one) for heap in range(len(heaps)))
