"""The theorems on who wins, each as a function of arrays of integers of any size.

Numbers of one position are along the last axis; results are ``(...)``, of the other axes. Arrays of
NumPy's integers are calculated with exactly, without overflow; an integer of 2**63 or more is in an
array of Python's integers, ``np.array([[10**30, 7]], dtype=object)``.
"""

import numpy as np

from nim_envs.typing import BoolArray, IntArray


def sprague_grundy(values: IntArray) -> BoolArray:
    """Return which sums are N-positions of normal play: those with a nim-sum other than 0.

    Args:
        values: Grundy values of the components, ``(..., components)``.

    References:
        R. P. Sprague, "Über mathematische Kampfspiele", *Tôhoku Mathematical Journal* 41
        (1935); P. M. Grundy, "Mathematics and games", *Eureka* 2 (1939).
    """
    return np.asarray(np.bitwise_xor.reduce(values, axis=-1) != 0)


def bouton(heaps: IntArray, misere: bool = False) -> BoolArray:
    """Return which positions of unbounded Nim are N-positions.

    Normal play: those with a nim-sum other than 0. Misère play: the same if some heap holds 2 or
    more; else those with an even number of heaps of 1.

    Args:
        heaps: objects in each heap, ``(..., heaps)``.
        misere: whether the player who makes the last move loses.

    References:
        C. L. Bouton, "Nim, a game with a complete mathematical theory", *Annals of
        Mathematics* 3 (1901), 35-39.

    Example:
        >>> bouton(np.array([[3, 4, 5], [1, 1, 1]]), misere=True).tolist()
        [True, False]
    """
    if not misere:
        return sprague_grundy(heaps)
    all_small = (heaps <= 1).all(axis=-1)
    return np.where(all_small, heaps.sum(axis=-1) % 2 == 0, sprague_grundy(heaps))


def tame_misere(normal: IntArray, misere: IntArray) -> BoolArray:
    """Return which misère sums of tame components are N-positions.

    A component is tame if the normal and the misère Grundy value of each of its states are (0, 1)
    or (1, 0), which makes the state *fickle*, or equal, which makes it *firm*. A sum is a
    P-position if all states are fickle and the nim-sum of the normal values is 1, or if some state
    is firm and that nim-sum is 0.

    Args:
        normal: Grundy values of the components, ``(..., components)``.
        misere: their misère Grundy values, same shape.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 12; *Winning Ways*, ch. 13.
    """
    total = np.bitwise_xor.reduce(normal, axis=-1)
    all_fickle = (normal != misere).all(axis=-1)
    return np.asarray(np.where(all_fickle, total == 0, total != 0))


def wythoff(squares: IntArray, misere: bool = False) -> BoolArray:
    """Return which squares are N-positions of Wythoff's game with one queen.

    P-positions of normal play: (⌊nφ⌋, ⌊nφ⌋ + n), n = 0, 1, 2, ..., where φ is the golden ratio, and
    their mirror images. Misère play: the same, with (0, 1) and (2, 2) in place of (0, 0) and
    (1, 2). Computed in integers.

    Args:
        squares: file and rank, ``(..., 2)``.
        misere: whether the player who makes the last move loses.

    References:
        W. A. Wythoff, "A modification of the game of Nim", *Nieuw Archief voor Wiskunde* 7 (1907),
        199-202; misère play: A. S. Fraenkel, "Wythoff games, continued fractions, cedar trees and
        Fibonacci searches", *Theoretical Computer Science* 29 (1984), 49-73.

    Example:
        >>> wythoff(np.array([[3, 5], [7, 4], [4, 6]])).tolist()
        [False, False, True]
    """
    squares = _exact(squares)
    smaller, larger = squares.min(axis=-1), squares.max(axis=-1)
    n = larger - smaller
    # Test smaller == ⌊nφ⌋; no product nφ with n > 0 is an integer, as φ is irrational.
    lost = ~_over_golden_ratio(smaller, n) & _over_golden_ratio(smaller + 1, n)
    if misere:
        lost &= larger > 2
        lost |= (smaller == 0) & (larger == 1) | (smaller == 2) & (larger == 2)
    return np.asarray(~lost)


def euclid(pairs: IntArray) -> BoolArray:
    """Return which pairs are N-positions of the game of Euclid with one pair, in normal play.

    Of positive numbers: those that are equal, and those whose ratio, the larger to the smaller, is
    above the golden ratio. A pair with a 0 is terminal. Computed in integers.

    Args:
        pairs: the two numbers, ``(..., 2)``.

    References:
        A. J. Cole and A. J. T. Davie, "A game based on the Euclidean algorithm and a winning
        strategy for it", *Mathematical Gazette* 53 (1969), 354-357.

    Example:
        >>> euclid(np.array([[8, 5], [5, 3], [4, 4], [0, 7]])).tolist()
        [False, True, True, False]
    """
    pairs = _exact(pairs)
    smaller, larger = pairs.min(axis=-1), pairs.max(axis=-1)
    return np.asarray((smaller > 0) & ((smaller == larger) | _over_golden_ratio(larger, smaller)))


def euclid_values(pairs: IntArray) -> IntArray:
    """Return the Grundy values of pairs of numbers in the game of Euclid.

    For ``a >= b > 0`` the value is ``⌊a/b - b/a⌋ + ε``. If the partial quotients of the continued
    fraction of ``a/b`` are all equal, ``ε`` is 1 for an odd number of them and -1 for an even
    number; else it is 0. A pair with a 0 has no move. Computed in integers.

    Args:
        pairs: the two numbers, ``(..., 2)``.

    References:
        G. Cairns, N. B. Ho and T. Lengyel, "The Sprague-Grundy function of the real game Euclid",
        *Discrete Mathematics* 311 (2011), 457-462.

    Example:
        >>> euclid_values(np.array([[8, 5], [5, 2], [4, 4], [12, 5], [0, 7]])).tolist()
        [0, 1, 1, 2, 0]
    """
    smaller, larger = pairs.min(axis=-1), pairs.max(axis=-1)
    positive = smaller > 0
    divided_by = np.where(positive, smaller, 1)
    quotient, rest = larger // divided_by, larger % divided_by
    # ⌊a/b - b/a⌋ with a = quotient · b + rest.
    a, b, c = (_exact(each, 2**31) for each in (larger, smaller, rest))
    below = np.asarray(c * a < b * b, dtype=np.bool_)
    count, equal = np.ones(smaller.shape, dtype=np.int64), np.ones(smaller.shape, dtype=np.bool_)
    dividend, divisor = smaller, np.where(positive, rest, 0)
    while divisor.any():
        going_on = divisor > 0
        divided_by = np.where(going_on, divisor, 1)
        equal &= ~going_on | (dividend // divided_by == quotient)
        count += going_on
        dividend, divisor = divisor, np.where(going_on, dividend % divided_by, 0)
    correction = np.where(equal, np.where(count % 2 == 1, 1, -1), 0)
    return np.where(positive, quotient - below + correction, 0)


def _over_golden_ratio(larger: IntArray, smaller: IntArray) -> BoolArray:
    """Return where ``larger`` is more than the golden ratio φ times ``smaller``, in integers.

    For numbers of at least 0, ``a > φb`` exactly where ``a² - ab - b² > 0``.
    """
    # Clipping keeps products small and changes no answer: 2 is above φ, and 1 is below it.
    a = np.minimum(larger, 2 * smaller + 1)
    b = np.minimum(smaller, larger + 1)
    if b.max(initial=0) >= 2**30:
        a, b = a.astype(object), b.astype(object)
    return np.asarray(a * (a - b) > b * b, dtype=np.bool_)


def _exact(numbers: IntArray, limit: int = 2**61) -> IntArray:
    """Return the numbers as int64, or as Python's integers where one is ``limit`` or more."""
    dtype: type = object if numbers.max(initial=0) >= limit else np.int64
    return numbers.astype(dtype, copy=False)


def moore(heaps: IntArray, k: int, misere: bool = False) -> BoolArray:
    """Return which positions of Moore's Nim with one group of heaps are N-positions.

    P-positions of normal play: for every binary digit, the number of heaps that have a 1 there is
    divisible by ``k + 1``. Misère play: the same if some heap holds 2 or more; else the number of
    heaps of 1 is congruent to 1 modulo ``k + 1``.

    Args:
        heaps: objects in each heap, ``(..., heaps)``.
        k: most heaps that a move takes from.
        misere: whether the player who makes the last move loses.

    References:
        E. H. Moore, "A generalization of the game called Nim", *Annals of Mathematics* 11 (1910),
        93-94.

    Example:
        >>> moore(np.array([[1, 2, 3], [2, 2, 2]]), k=2).tolist()
        [True, False]
    """
    digits = int(heaps.max(initial=0)).bit_length()
    winning = np.zeros(heaps.shape[:-1], dtype=np.bool_)
    for digit in range(digits):
        winning |= (heaps >> digit & 1).sum(axis=-1) % (k + 1) != 0
    if not misere:
        return winning
    all_small = (heaps <= 1).all(axis=-1)
    return np.where(all_small, heaps.sum(axis=-1) % (k + 1) != 1, winning)


def fibonacci_nim(heaps: IntArray, misere: bool = False) -> BoolArray:
    """Return which positions of Fibonacci Nim with one heap are N-positions.

    Normal play: those whose limit is at least the smallest term of the heap's Zeckendorf
    representation, its sum of non-consecutive Fibonacci numbers. Misère play: those that are
    N-positions of normal play with one object less and the same limit, as taking the last object
    loses; the empty heap is one too.

    Args:
        heaps: number of objects and limit, the most that may be taken, ``(..., 2)``.
        misere: whether the player who makes the last move loses.

    References:
        M. J. Whinihan, "Fibonacci Nim", *Fibonacci Quarterly* 1 (1963), no. 4, 9-13; E. Zeckendorf,
        *Bulletin de la Société Royale des Sciences de Liège* 41 (1972), 179-182.

    Example:
        >>> fibonacci_nim(np.array([[20, 19], [20, 1], [13, 12]])).tolist()
        [True, False, False]
    """
    objects, limits = heaps[..., 0], heaps[..., 1]
    if misere:
        fewer = np.maximum(objects - 1, 0)
        return np.where(objects == 0, True, (fewer > 0) & (limits >= _zeckendorf_part(fewer)))
    return np.asarray((objects > 0) & (limits >= _zeckendorf_part(objects)))


def _zeckendorf_part(numbers: IntArray) -> IntArray:
    """Return the smallest term of the Zeckendorf representation of each number; 0 for 0."""
    fibonacci = [1, 2]
    largest = int(numbers.max(initial=0))
    while (following := fibonacci[-2] + fibonacci[-1]) <= largest:
        fibonacci.append(following)
    rest = _exact(numbers, 2**63)
    smallest = np.zeros_like(rest)
    for part in reversed(fibonacci):
        taken = rest >= part
        smallest = np.where(taken, part, smallest)
        rest = rest - part * taken.astype(rest.dtype)
    return smallest


def chomp(rows: IntArray) -> BoolArray:
    """Return which bars of at most two rows, or columns, are N-positions of Chomp, in normal play.

    P-positions: the first row is longer than the second by exactly one square. For a single row
    this is the poisoned square alone.

    Args:
        rows: squares left in each row, ``(..., rows)``: at most two rows, or rows of at most 2.

    References:
        D. Gale, "A curious Nim-type game", *American Mathematical Monthly* 81 (1974), 876-879.

    Example:
        >>> chomp(np.array([[4, 3], [4, 4]])).tolist(), chomp(np.array([[2, 2, 1]])).tolist()
        ([False, True], [False])
    """
    if rows.shape[-1] > 2:
        # Transpose the bar.
        rows = np.stack([(rows >= 1).sum(axis=-1), (rows >= 2).sum(axis=-1)], axis=-1)
    second = rows[..., 1] if rows.shape[-1] > 1 else np.zeros(rows.shape[:-1], dtype=np.int64)
    return np.asarray(rows[..., 0] != second + 1)


def lasker_values(heaps: IntArray) -> IntArray:
    """Return the Grundy values of heaps of Lasker's Nim.

    The value of ``n > 0`` is ``n + 1`` where ``n mod 4`` is 3, ``n - 1`` where it is 0, else ``n``.

    Args:
        heaps: objects in each heap, of any shape, which is kept.

    References:
        *Winning Ways*, ch. 4.

    Example:
        >>> lasker_values(np.arange(9)).tolist()
        [0, 1, 2, 4, 3, 5, 6, 8, 7]
    """
    heaps = _exact(heaps)
    return np.asarray(heaps + (heaps % 4 == 3) - ((heaps % 4 == 0) & (heaps > 0)))
