"""Theorems against searches written here from the rules alone, and against published values."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import floor, isqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs import check_game, make_game, theorems
from nim_envs.errors import ConformanceError, InvalidGameError
from nim_envs.game import sum_of
from nim_envs.games import (
    addition,
    chomp,
    cram,
    euclid,
    fibonacci_nim,
    laskers_nim,
    moores_nim,
    nim,
    node_kayles,
    subtraction,
    wythoff,
)
from nim_envs.nimbers import mex, nim_sum
from nim_envs.solution import SumValues, grundy_values, misere_values, solve
from nim_envs.sums import Sum
from tests import own_games


def searched(moves: Callable[[Any], Iterable[Any]], misere: bool = False) -> Callable[[Any], bool]:
    """Whether the player to move wins, by trying every move."""

    @cache
    def wins(position: Any) -> bool:
        after = list(moves(position))
        return misere if not after else not all(map(wins, after))

    return wins


def mex_values(moves: Callable[[Any], Iterable[tuple[Any, ...]]]) -> Callable[[Any], int]:
    """Grundy values, from moves that leave several positions side by side."""

    @cache
    def value(position: Any) -> int:
        return mex(nim_sum([value(part) for part in parts]) for parts in moves(position))

    return value


def moves_of(name: str) -> Callable[[Any], list[Any]]:
    """The positions that the moves of a game of its own lead to."""
    moves, _, _ = own_games.OWN_GAMES[name]
    return lambda position: [after for _, after in moves(position)]


def heaps_at_once(k: int) -> Callable[[Any], Iterator[Any]]:
    """Moore's Nim."""
    return lambda heaps: (
        left
        for left in itertools.product(*(range(heap + 1) for heap in heaps))
        if 1 <= sum(a != b for a, b in zip(heaps, left, strict=True)) <= k
    )


def points(*sizes: int) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, sizes)))


CLASSICS = [
    (theorems.wythoff, moves_of("wythoff"), points(45, 45), (False, True)),
    (theorems.euclid, moves_of("euclid"), points(80, 80), (False,)),
    *(
        (lambda heaps, *play, k=k: theorems.moore(heaps, k, *play), heaps_at_once(k),
         points(*sizes), (False, True))
        for sizes, k in [((9, 9), 1), ((5, 6, 5), 2), ((4, 4, 4, 4), 2), ((4, 3, 4, 3), 3)]
    ),
    (theorems.fibonacci_nim, moves_of("fibonacci_nim"),
     [(0, 0), *((size, limit) for size in range(1, 60) for limit in range(1, size + 1))],
     (False, True)),
    *(
        (theorems.chomp, moves_of("chomp"),
         [rows for rows in points(*(longest + 1,) * number)
          if rows[0] and list(rows) == sorted(rows, reverse=True)], (False,))
        for number, longest in [(1, 14), (2, 14), (3, 2), (7, 2)]
    ),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CLASSICS)))
def test_theorems_on_one_part_are_those_of_search(number):
    theorem, moves, positions, plays = CLASSICS[number]
    for misere in plays:
        wins = searched(moves, misere)
        found = theorem(np.array(positions), *([misere] if len(plays) > 1 else []))
        assert found.tolist() == list(map(wins, positions))


def test_the_theorem_of_euclid_is_exact_for_neighbouring_fibonacci_numbers():
    # Their ratios lie above and below the golden ratio in turn, ever closer to it.
    fibonacci = [1, 1]
    while fibonacci[-1] < 10**18:
        fibonacci.append(sum(fibonacci[-2:]))
    neighbours = np.array(list(itertools.pairwise(fibonacci))[2:])
    expected = [number % 2 == 1 for number in range(len(neighbours))]
    assert theorems.euclid(neighbours).tolist() == expected


@pytest.mark.parametrize("largest", [90, 2**31, 2**45, 2**62])
def test_values_of_euclid(largest):
    rng = np.random.default_rng(1)
    pairs = np.maximum(rng.integers(1, largest, size=(300, 2)), 1)

    def expected(first: int, second: int) -> int:
        larger, smaller = max(first, second), min(first, second)
        value = Fraction(larger, smaller) - Fraction(smaller, larger)
        quotients = []
        while smaller:
            quotients.append(larger // smaller)
            larger, smaller = smaller, larger % smaller
        sign = (-1) ** (len(quotients) + 1) if len(set(quotients)) == 1 else 0
        return floor(value) + sign

    found = theorems.euclid_values(pairs).tolist()
    assert found == [expected(*numbers) for numbers in pairs.tolist()]
    if largest < 100:
        value = mex_values(lambda numbers: ((after,) for after in moves_of("euclid")(numbers)))
        assert found == [value(tuple(numbers)) for numbers in pairs.tolist()]


@pytest.mark.parametrize("size", [2**31 - 9, 10**18, 2**62 + 5, 2**63 - 9, 10**30])
def test_theorems_hold_for_integers_of_any_size(size):
    def array(rows: Any) -> Any:
        bits = size.bit_length()
        return np.array(rows, dtype=f"int{32 if bits < 32 else 64}" if bits < 64 else object)

    def times_golden_ratio(number: int) -> int:
        return (number + isqrt(5 * number * number)) // 2

    for number in range(size // 3, size // 3 + 5):
        lost = times_golden_ratio(number)
        squares = [(lost + off, lost + off + number) for off in (-1, 0, 1)]
        for misere in (False, True):
            assert theorems.wythoff(array(squares), misere).tolist() == [True, False, True]
        pairs = [(number, lost), (lost + 1, number), (number, number)]
        assert theorems.euclid(array(pairs)).tolist() == [False, True, True]
        assert theorems.euclid_values(array(pairs)).tolist()[::2] == [0, 1]
        heaps = array([(number,) * 3, (number, number, number + 1), (0, 0, 1)])
        assert theorems.moore(heaps, 2).tolist() == [False, True, True]
        assert theorems.moore(heaps, 2, misere=True).tolist() == [False, True, False]
    assert theorems.euclid(array([(size, size - 1), (size, size)])).tolist() == [False, True]
    assert theorems.wythoff(array([(size, size - 1), (size, size)])).tolist() == [True, True]
    lasker = theorems.lasker_values(array([size - 1, size, size + 1])).tolist()
    assert lasker == [n + (n % 4 == 3) - (n % 4 == 0) for n in range(size - 1, size + 2)]
    # The smallest term of a Zeckendorf representation is left when larger ones were taken.
    terms = [1, 2]
    while sum(terms[-2:]) <= size:
        terms.append(sum(terms[-2:]))
    for objects in range(size - 5, size + 1):
        rest = smallest = objects
        for term in reversed(terms):
            if 0 < term <= rest:
                rest, smallest = rest - term, term
        heaps = array([(objects, limit) for limit in (smallest - 1, smallest, objects)])
        assert theorems.fibonacci_nim(heaps).tolist() == [False, True, True]
        heaps[:, 0] += 1
        assert theorems.fibonacci_nim(heaps, misere=True).tolist() == [False, True, True]


@pytest.mark.parametrize(
    "game",
    [
        nim((3, 4, 5)), nim((2,) * 6), nim((0, 30, 2)), nim((9, 8, 7), max_take=2),
        addition(1, 6), addition(4, 13), moores_nim((3, 1, 4), 2), fibonacci_nim((14,)),
        wythoff([(7, 9)]), euclid([(12, 9)]), chomp(2, 6), chomp(5, 2),
        subtraction((14, 13, 12), (1, 3, 4)), subtraction((20, 20), (3, 5, 7)),
        euclid([(7, 9), (8, 5)]), wythoff([(5, 4), (3, 6)]), laskers_nim((4, 3)),
        sum_of([nim((4,)), wythoff([(3, 3)]), subtraction((9,), (2, 3))]),
    ],
    ids=str,
)  # fmt: skip
def test_theorems_on_games_are_those_of_induction(game):
    total = Sum(game.parts)
    states = total.states(10**6)
    for misere in (False, True):
        end = np.int8(1 if misere else -1)
        by_induction = SumValues(total, end, 10**6)(states)
        solved = solve(game, misere)
        assert solved.value(total.positions(states)).tolist() == by_induction.tolist()
    assert game.theorem is None or solve(game, False).method == game.theorem.name


def test_theorems_take_arrays_of_any_shape_and_heaps_of_any_size():
    for misere in (False, True):
        large = theorems.bouton(np.array([[[10**15, 10**15, 0], [10**15, 1, 0]]]), misere)
        assert large.tolist() == [[False, True]]


def test_the_method_says_which_theorem_was_used():
    assert make_game("misere_nim").solution.method == "Bouton's theorem"
    assert make_game("nim", max_take=2).solution.method == "Sprague-Grundy theorem"
    assert make_game("nim", max_take=2, misere=True).solution.method == (
        "theorem on tame misère sums"
    )
    assert make_game("kayles", misere=True).solution.method == "exhaustive search"


@settings(deadline=None)
@given(amounts=st.sets(st.integers(1, 12), min_size=1, max_size=5), size=st.integers(0, 200))
def test_misere_values_of_subtraction_games_are_values_with_0_and_1_exchanged(amounts, size):
    (part,) = subtraction((size,), tuple(amounts)).parts
    values = grundy_values(part)
    assert misere_values(part).tolist() == np.where(values <= 1, 1 - values, values).tolist()


@pytest.mark.parametrize(
    ("rows", "columns", "value"),
    [
        # Dawson's Kayles on one row, 0 and 1 in turn on two: Winning Ways, ch. 15; 3 x n:
        # M. Schneider, "Das Spiel Juvavum" (2009).
        *((1, n, value) for n, value in enumerate((1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2), start=2)),
        *((2, columns, columns % 2) for columns in range(1, 8)),
        (3, 3, 0), (3, 4, 1), (3, 5, 1), (4, 4, 0),
    ],
)  # fmt: skip
def test_the_grundy_values_of_cram_are_those_of_the_literature(rows, columns, value):
    assert grundy_values(cram(rows, columns).parts[0])[0] == value


def dawson(removed: int, least: int) -> Callable[[int], int]:
    """Grundy values of rows: an object goes with its neighbours, or two that are neighbours."""

    def moves(row):
        for first in range(row - least + 1):
            if removed == 3:  # an object and its neighbours
                yield max(first - 1, 0), max(row - first - 2, 0)
            else:
                yield first, row - first - 2

    return mex_values(moves)


def test_paths_and_cycles_of_node_kayles_have_dawsons_values():
    chess, kayles = dawson(removed=3, least=1), dawson(removed=2, least=2)
    for nodes in range(1, 13):
        path = node_kayles(nodes, [(node, node + 1) for node in range(nodes - 1)])
        assert grundy_values(path.parts[0])[0] == chess(nodes) == kayles(nodes + 1)
        if nodes >= 3:
            cycle = node_kayles(nodes, [(node, (node + 1) % nodes) for node in range(nodes)])
            assert grundy_values(cycle.parts[0])[0] == int(chess(nodes - 3) == 0)


def test_laskers_closed_form():
    (part,) = set(laskers_nim((60,)).parts)
    assert theorems.lasker_values(np.arange(61)).tolist() == grundy_values(part).tolist()


# Theorems that games bring, at the top level, as pickles need.


def golden_ratio(coordinates, fields):
    """W. A. Wythoff, "A modification of the game of Nim" (1907)."""
    small, large = coordinates.min(axis=1), coordinates.max(axis=1)
    return small != np.floor((large - small) * (1 + 5**0.5) / 2)


def at_one_position(coordinates, fields):
    """Wrong at (7, 4) alone."""
    return golden_ratio(coordinates, fields) ^ (coordinates == (7, 4)).all(axis=1)


def test_a_theorem_of_ones_own_is_checked_by_search():
    game = replace(wythoff([(8, 8)]), theorem=golden_ratio)
    assert game.solution.method == "the theorem golden_ratio"
    check_game(game)
    with pytest.raises(
        ConformanceError, match=r"of the theorem at_one_position at \(7, 4\) the value -1, found 1"
    ):
        check_game(replace(game, theorem=at_one_position))
    for theorem, message in (
        (lambda coordinates, fields: None, "top level of a module"),
        ("golden_ratio", "must be a function"),
    ):
        with pytest.raises(InvalidGameError, match=message):
            replace(game, theorem=theorem)


@given(values=st.lists(st.integers(0, 2**70), max_size=6))
def test_nim_sum_is_exclusive_or_for_integers_of_any_size(values):
    expected = 0
    for value in values:
        expected ^= value
    assert nim_sum(values) == expected


def test_nim_sum_refuses_invalid_nimbers():
    with pytest.raises(ValueError, match="-3"):
        nim_sum((1, -3))
    with pytest.raises(TypeError):
        nim_sum((1, 2.5))
    with pytest.raises(TypeError):
        nim_sum(np.ones((2, 2)))
    with pytest.raises(ValueError, match="-1"):
        nim_sum(np.array([[1, -1]]))
    assert (mex([0, 1, 3]), mex([])) == (2, 0)
