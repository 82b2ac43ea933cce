"""Games of programming contests, each in its ten lines, against the published answers.

Problems 310 and 665 of Project Euler, and Decrementing, are in the manual, which is tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import permutations, product
from math import gcd
from typing import Any

import numpy as np
import pytest

from nim_envs import game_from_moves, make_game
from nim_envs.cgt.nimber_field import nim_product
from nim_envs.nimbers import mex, nim_sum
from nim_envs.solution import grundy_values


def values_of_heaps(largest: int, amounts: Callable[[int], Iterable[int]]) -> Any:
    """Return the Grundy values of heaps of 0 to ``largest``, given the amounts to take."""

    def moves(heap: tuple[int]) -> Iterator[tuple[int, tuple[int]]]:
        return ((taken, (heap[0] - taken,)) for taken in amounts(heap[0]))

    heaps = [(size,) for size in range(largest + 1)]
    return grundy_values(game_from_moves("heap", (largest,), moves, positions=heaps).parts[0])


# Project Euler


@pytest.mark.parametrize(("n", "won"), [(1, 1), (2, 6), (3, 168)])
def test_nim_extreme(n, won):
    """Problem 409: won positions of Nim, n different heaps of 1 to 2 ** n - 1."""
    game = make_game("nim", heaps=(2**n - 1,) * n)
    heaps = list(permutations(range(1, 2**n), n))
    assert game.solution.is_winning(heaps).sum() == won


WIDTHS = [n * n for n in range(1, 11)]
HEIGHTS = [n * (n + 1) // 2 for n in range(1, 14)]


@pytest.mark.parametrize(("size", "winning"), [(1, 1), (2, 0), (5, 8), (100, 31_395)])
def test_flipping_game_as_a_product(size, winning):
    """Problem 459 by the Tartan theorem: a disk's value is the nim-product of those of two rows.

    *Winning Ways*, chapter 14.
    """
    (columns, column_moves), (rows, row_moves) = (
        coin_row(size, each) for each in (WIDTHS, HEIGHTS)
    )
    total = nim_product(columns, rows)
    # The nim-product is bilinear: a rectangle's value is that of its run of columns and of rows.
    assert winning == sum(
        column_moves[one] * row_moves[other]
        for one, other in product(column_moves, row_moves)
        if nim_product(one, other) == total
    )


def coin_row(size: int, lengths: list[int]) -> tuple[int, Counter[int]]:
    """Return the value of a row of white disks, and that of each run which a move may flip."""
    values: list[int] = []
    for place in range(size):
        values.append(mex(nim_sum(values[place + 1 - n :]) for n in lengths if n <= place + 1))
    runs = (values[end - n : end] for n in lengths for end in range(n, size + 1))
    return nim_sum(values), Counter(map(nim_sum, runs))


@pytest.mark.parametrize(("most", "won"), [(10, 692), (100, 735_494)])
def test_divisor_nim(most, won):
    """Problem 509: take a proper divisor of the heap; won positions of three heaps of up to n."""
    values = values_of_heaps(most, lambda n: (d for d in range(1, n) if n % d == 0))[1:]
    assert np.count_nonzero(reduce(np.bitwise_xor, np.ix_(values, values, values))) == won


@pytest.mark.parametrize(("n", "heaps", "lost"), [(5, 2, 6), (10, 5, 9_964)])
def test_coprime_nim(n, heaps, lost):
    """Problem 560: take a number coprime to the heap; lost positions of heaps of 1 to n - 1."""
    values = values_of_heaps(n - 1, lambda m: (k for k in range(1, m + 1) if gcd(k, m) == 1))[1:]
    assert sum(not nim_sum(each) for each in product(values.tolist(), repeat=heaps)) == lost


# Samples of other contests


@pytest.mark.parametrize(
    ("amounts", "stones", "winner"),
    [
        ((2, 3), 4, "First"), ((2, 3), 5, "Second"), ((2, 3), 7, "First"),
        ((1, 2, 3), 20, "Second"), ((1, 2, 3), 21, "First"),
    ],
)  # fmt: skip
def test_stones(amounts, stones, winner):
    """AtCoder, Educational DP Contest, K: take one of some numbers of stones."""
    values = values_of_heaps(stones, lambda n: (k for k in amounts if k <= n))
    assert ("First" if values[stones] else "Second") == winner


@pytest.mark.parametrize(
    ("start", "piles", "winner"),
    [((2, 2), (1, 0), "cslnb"), ((2, 2), (2, 2), "sjfnb"), ((2, 3, 1), (2, 3, 1), "sjfnb")],
)
def test_piles_that_must_differ(start, piles, winner):
    """Codeforces 1191 D: take one stone, but never leave two equal piles."""

    def moves(piles):
        for place, size in enumerate(piles):
            after = (*piles[:place], size - 1, *piles[place + 1 :])
            if size and len(set(after)) == len(after):
                yield place, after

    game = game_from_moves("piles that differ", start, moves)
    assert ("sjfnb" if game.solution.is_winning(piles) else "cslnb") == winner


@pytest.mark.parametrize(
    ("piles", "winner"),
    [((1, 1), "Ari"), ((2, 2), "Ari"), ((1, 3), "Ari"), ((155, 47), "Ari"), ((6, 4), "Rich")],
)
def test_matches(piles, winner):
    """CodeChef MATCHS: take a multiple of one pile from the other, the game of Euclid."""
    game = make_game("euclid", pairs=(piles,))
    assert ("Ari" if game.solution.is_winning(piles) else "Rich") == winner
