"""Theorems on the classic games against searches written here from the rules alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from math import floor, isqrt
from typing import Any

import numpy as np
import pytest

from nim_envs import Game, GameEnv, make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules import (
    Convention,
    Rules,
    chomp,
    cram,
    euclid,
    fibonacci_nim,
    laskers_nim,
    moores_nim,
    node_kayles,
    wythoff,
)
from nim_envs.solver import solve
from nim_envs.theory import grundy_values, theorems
from nim_envs.theory.solution import SumSolution
from nim_envs.theory.theorem_solution import TheoremSolution, theorem_on
from nim_envs.theory.values import ChainValues, LaskerValues, component_values
from tests.classic_moves import Moves, bar, dominoes, heaps_at_once, limited_heap, pair, queen
from tests.plain_search import check_solution


def searched(moves: Moves, misere: bool = False) -> Callable[[Any], bool]:
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
        reached = set()
        for parts in moves(position):
            total = 0
            for part in parts:
                total ^= value(part)
            reached.add(total)
        return next(number for number in itertools.count() if number not in reached)

    return value


def points(*sizes: int) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, sizes)))


@pytest.mark.parametrize("convention", Convention)
def test_wythoffs_theorem(convention):
    wins = searched(queen, convention is Convention.MISERE)
    squares = points(45, 45)
    found = theorems.wythoff(np.array(squares), convention)
    assert found.tolist() == list(map(wins, squares))


def test_wythoffs_theorem_is_exact_on_boards_beyond_floating_point():
    # The n-th lost square by whole square roots, at numbers that a float rounds.
    for n in (10**6, 2**29 - 1, 10**9 + 7, 10**15 + 37, 10**17 + 3):
        smaller = (n + isqrt(5 * n * n)) // 2
        near = [(smaller + off, smaller + off + n) for off in (-1, 0, 1)]
        assert theorems.wythoff(np.array(near)).tolist() == [True, False, True]
    assert theorems.wythoff(np.array([[1, 2**62 - 2], [2**62 - 1, 2**62 - 1]])).all()


def test_the_theorem_of_euclid():
    wins = searched(pair)
    pairs = points(80, 80)
    assert theorems.euclid(np.array(pairs)).tolist() == list(map(wins, pairs))


def test_the_theorem_of_euclid_is_exact_for_neighbouring_fibonacci_numbers():
    # Their ratios lie above and below the golden ratio in turn, ever closer to it.
    fibonacci = [1, 1]
    while fibonacci[-1] < 10**18:
        fibonacci.append(sum(fibonacci[-2:]))
    neighbours = np.array(list(itertools.pairwise(fibonacci))[2:])
    expected = [2 * (b * b - a * b - a * a) > 0 for a, b in neighbours.tolist()]
    assert theorems.euclid(neighbours).tolist() == expected
    assert expected == [number % 2 == 1 for number in range(len(expected))]


def test_values_of_euclid():
    value = mex_values(lambda numbers: ((after,) for after in pair(numbers)))
    pairs = points(90, 90)
    assert theorems.euclid_values(np.array(pairs)).tolist() == list(map(value, pairs))


@pytest.mark.parametrize("largest", [2**31, 2**45, 2**62])
def test_values_of_euclid_are_exact_for_numbers_whose_products_overflow(largest):
    rng = np.random.default_rng(1)
    pairs = rng.integers(1, largest, size=(300, 2))
    pairs[100:] = np.sort(pairs[100:], axis=1) // rng.integers(
        [1, 10**6], size=(200, 2), high=largest // 2
    )
    pairs = np.maximum(pairs, 1)

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


@pytest.mark.parametrize("convention", Convention)
def test_sums_of_euclid_equal_exhaustive_search(convention):
    # One pair on which the theorem says more than 0 and 1, and sums of two and three.
    for pairs in ([(25, 31)], [(7, 9), (8, 5)], [(4, 3), (3, 5), (2, 6)]):
        game = Game(euclid(pairs), convention)
        check_solution(game.solution)
        assert isinstance(game.solution, SumSolution)
        searched_solution = solve(game, method="search")
        lattice = game.rules.lattice()
        assert np.array_equal(
            game.solution.is_winning(lattice), searched_solution.is_winning(lattice)
        )


def test_sums_of_euclid_of_any_size_are_solved():
    pairs = ((10**9 + 7, 10**9 + 9), (123456789, 1000), (34, 21))
    for misere in (False, True):
        game = make_game("euclid", pairs=pairs, misere=misere)
        (action,) = game.solution.winning_actions(game.rules.initial).tolist()
        after = np.array(game.rules.initial)
        component, option = divmod(action, game.rules.num_options)
        pair_after = game.rules.components[component].after_options(after[component], option)
        after[component] = pair_after
        assert game.solution.is_winning(game.rules.initial)
        assert not game.solution.is_winning(after)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize(
    ("sizes", "k"), [((9, 9), 1), ((5, 6, 5), 2), ((4, 4, 4, 4), 2), ((4, 3, 4, 3), 3), ((6, 4), 3)]
)
def test_moores_theorem(sizes, k, convention):
    wins = searched(heaps_at_once(k), convention is Convention.MISERE)
    positions = points(*sizes)
    found = theorems.moore(np.array(positions), k, convention)
    assert found.tolist() == list(map(wins, positions))


@pytest.mark.parametrize("convention", Convention)
def test_zeckendorfs_parts_decide_fibonacci_nim(convention):
    wins = searched(limited_heap, convention is Convention.MISERE)
    heaps = [(0, 0), *((size, limit) for size in range(1, 60) for limit in range(1, size + 1))]
    assert theorems.fibonacci_nim(np.array(heaps), convention).tolist() == list(map(wins, heaps))


def test_fibonacci_nim_is_answered_up_to_the_largest_integers():
    # Zeckendorf's representation by whole numbers of any size.
    for objects in (2**63 - 1, 2**62, 7540113804746346429):
        fibonacci = [1, 2]
        while fibonacci[-1] <= objects:
            fibonacci.append(sum(fibonacci[-2:]))
        rest = smallest = objects
        for term in reversed(fibonacci):
            if 0 < term <= rest:
                smallest, rest = term, rest - term
        limits = [1, smallest - 1, smallest, objects]
        heaps = np.array([[objects, limit] for limit in limits], dtype=np.int64)
        wins = [limit >= smallest for limit in limits]
        assert theorems.fibonacci_nim(heaps).tolist() == wins


@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_chomp_on_two_rows_or_two_columns(rows):
    wins = searched(bar)
    longest = 2 if rows > 2 else 14
    bars = [
        lengths
        for lengths in points(*(longest + 1,) * rows)
        if lengths[0] and list(lengths) == sorted(lengths, reverse=True)
    ]
    assert theorems.chomp(np.array(bars)).tolist() == list(map(wins, bars))


@pytest.mark.parametrize(
    ("rows", "columns", "value"),
    [
        # Dawson's Kayles on one row, 0 and 1 in turn on two: Winning Ways, ch. 15.
        *((1, n, value) for n, value in enumerate((1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2), start=2)),
        *((2, columns, columns % 2) for columns in range(1, 8)),
    ],
)  # fmt: skip
def test_the_grundy_values_of_cram_are_those_of_the_literature(rows, columns, value):
    rules = cram(rows=rows, columns=columns)
    assert grundy_values(rules.components[0])[0] == value
    if rows * columns <= 12:
        moves = dominoes(rows, columns)
        alone = mex_values(lambda taken: ((after,) for after in moves(taken)))
        assert alone((0,) * (rows * columns)) == value


def test_cram_on_boards_with_an_even_side():
    # The second player answers through the centre; one even side gives the first a centre domino.
    for rows, columns in points(5, 5):
        if rows * columns > 1 and rows * columns % 2 == 0:
            value = grundy_values(cram(rows, columns).components[0])[0]
            assert (value == 0) == (rows % 2 == columns % 2 == 0)


def path(nodes: int) -> Rules:
    return node_kayles(nodes, [(node, node + 1) for node in range(nodes - 1)])


def cycle(nodes: int) -> Rules:
    return node_kayles(nodes, [(node, (node + 1) % nodes) for node in range(nodes)])


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
    for nodes in range(1, 15):
        value = grundy_values(path(nodes).components[0])[0]
        assert value == chess(nodes) == kayles(nodes + 1)
        if nodes >= 3:
            expected = int(chess(nodes - 3) == 0)
            assert grundy_values(cycle(nodes).components[0])[0] == expected


@pytest.mark.parametrize(
    "rules",
    [
        path(1),
        path(2),
        path(12),
        cycle(3),
        cycle(4),
        cycle(5),
        cycle(11),
        # Two paths, a triangle and a node alone, the numbers of their nodes mixed.
        node_kayles(11, [(5, 0), (0, 9), (2, 7), (1, 8), (8, 10), (10, 1)]),
        cram(1, 12),
        cram(9, 1),
    ],
    ids=repr,
)
def test_values_of_chains_are_those_of_the_table(rules):
    (component,) = rules.components
    values = component_values(component)
    assert isinstance(values, ChainValues)
    states = np.arange(component.states)
    assert (values.normal(states) == grundy_values(component)).all()


def test_laskers_closed_form():
    def moves(heap):
        yield from ((left,) for left in range(heap))
        yield from ((part, heap - part) for part in range(1, heap // 2 + 1))

    value = mex_values(moves)
    sizes = np.arange(60)
    assert theorems.lasker_values(sizes).tolist() == list(map(value, range(60)))
    values = component_values(laskers_nim((12,)).components[0])
    assert isinstance(values, LaskerValues)
    assert values.normal(sizes[:13]).tolist() == list(map(value, range(13)))


@pytest.mark.parametrize(
    ("rules", "convention"),
    [
        *((wythoff(((9, 11),)), convention) for convention in Convention),
        *((moores_nim((3, 4, 2), k=2), convention) for convention in Convention),
        *((fibonacci_nim((17,)), convention) for convention in Convention),
        (chomp(2, 6), Convention.NORMAL),
        (chomp(6, 2), Convention.NORMAL),
    ],
    ids=lambda value: value.name if isinstance(value, Rules) else value.value,
)
def test_solutions_by_theorem_equal_exhaustive_search(rules, convention):
    theorem = theorem_on(rules.components[0], convention)
    assert theorem is not None
    check_solution(TheoremSolution(rules, convention, theorem))


LARGE = [
    ("wythoff", {"queens": ((2000, 2000),)}),
    ("euclid", {"pairs": ((3000, 2000),)}),
    ("fibonacci_nim", {"heaps": (2000,)}),
    ("moores_nim", {"heaps": (30, 30, 30, 30), "k": 2}),
    ("chomp", {"rows": 2, "columns": 1500}),
    ("node_kayles", {"nodes": 61, "edges": [(node, node + 1) for node in range(60)]}),
]


@pytest.mark.parametrize(("name", "arguments"), LARGE)
def test_the_optimal_player_wins_boards_too_large_for_tables(name, arguments):
    env = GameEnv(make_game(name, start="n_position", **arguments))
    rng = np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        while env.agents and not any(env.terminations.values()):
            legal = np.flatnonzero(env.game.rules.action_mask(env.position))
            wins = env.game.solution.winning_actions(env.position)
            env.step(int(rng.choice(wins if env.agent_selection == "player_0" else legal)))
        assert env.rewards == {"player_0": 1, "player_1": -1}


def test_boards_that_cannot_be_solved_can_be_played_and_say_so():
    env = GameEnv(make_game("cram", rows=6, columns=6))
    env.reset(seed=0)
    env.step(7)
    assert env.coordinates.reshape(6, 6).sum() == 2
    misere = make_game("cram", rows=6, columns=6, misere=True)
    with pytest.raises(SearchTooLargeError, match="tables of a board with 68719476736 states"):
        _ = misere.solution
