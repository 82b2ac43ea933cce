"""The list of the solver's methods: order, proofs, and quotients that are tried before a search."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.solver import METHODS, SMALL_QUOTIENT, Problem, solve, theorem_for


def kayles(*heaps, misere=True):
    return make_game("kayles", heaps=heaps, misere=misere)


def applying(game, limit=10**7):
    problem = Problem(game.rules, game.convention, limit)
    return [index for index, each in enumerate(METHODS) if each.applies(problem)]


THEOREMS = range(5)
QUOTIENT, SWEEP, MEMO = range(5, 8)


@pytest.mark.parametrize(
    ("game", "theorem"),
    [
        (make_game("wythoff", misere=True), 0),
        (make_game("nim", misere=True), 1),
        (kayles(7, misere=False), 2),
        (make_game("subtraction", heaps=(9, 9), misere=True), 3),
        (make_game("octal", code="0.23", heaps=(4, 4), misere=True), 4),
    ],
)
def test_a_theorem_comes_first(game, theorem):
    assert applying(game)[0] == theorem
    assert solve(game).method == theorem_for(game.rules, game.convention)
    assert METHODS[theorem].solve(Problem(game.rules, game.convention)).method == (
        solve(game).method
    )


def test_small_boards_are_swept():
    game = kayles(5, 4)
    assert applying(game) == [SWEEP, MEMO]
    assert solve(game).method == "exhaustive search"


def test_a_quotient_is_tried_before_a_search_of_many_positions():
    game = kayles(*(12,) * 8)
    assert applying(game, game.rules.num_positions) == [QUOTIENT, SWEEP]
    assert applying(game, 10**6) == [QUOTIENT]


@pytest.mark.parametrize(
    ("code", "heaps", "method"),
    [
        ("0.77", (36,), "misère quotient, proven by its transition algebra"),
        ("0.26", (20, 20), "misère quotient, proven by its transition algebra"),
        ("0.241", (40,), "theorem on periodic misère quotients"),
        ("4.7", (30,), "memoised search modulo permutation"),
    ],
)
def test_misere_play_by_a_small_quotient_or_a_search_is_that_of_the_search(code, heaps, method):
    game = make_game("octal", code=code, heaps=heaps, misere=True)
    solution, searched = solve(game), solve(game, method="search")
    assert solution.method == method
    rng = np.random.default_rng(0)
    for _ in range(10):
        position = game.rules.initial
        for _ in range(rng.integers(8)):
            moves = [after for _, after in game.moves(position)]
            position = moves[rng.integers(len(moves))] if moves else position
        assert solution.is_winning(position) == searched.is_winning(position)
        found = solution.winning_actions(position).tolist()
        assert found == searched.winning_actions(position).tolist()


def test_a_quotient_that_is_not_small_is_found_where_it_is_asked_for():
    game = make_game("octal", code="0.07", heaps=(25,), misere=True)
    assert solve(game, method="quotient").method.startswith("misère quotient")
    assert solve(game).method == "memoised search modulo permutation"
    assert SMALL_QUOTIENT < 144  # the order of this one


def test_every_method_names_its_proof():
    assert all(each.proof for each in METHODS)
    assert {each.kind for each in METHODS} == {"theorem", "quotient", "search"}
