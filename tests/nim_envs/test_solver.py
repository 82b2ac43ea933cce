"""The list of the solver's methods: order, proofs and costs."""

from __future__ import annotations

import math

import pytest

from nim_envs import make_game
from nim_envs.cgt.misere_quotients.quotient_solution import forget_quotients
from nim_envs.errors import SearchTooLargeError
from nim_envs.solver import METHODS, QUOTIENT, Problem, solve, theorem_for


def kayles(*heaps, misere=True):
    return make_game("kayles", heaps=heaps, misere=misere)


def applying(game, limit=10**7):
    problem = Problem(game.rules, game.convention, limit)
    return {
        index: cost
        for index, each in enumerate(METHODS)
        if (cost := each.cost_bound(problem)) is not None
    }


THEOREMS = range(5)
RACE, QUOTIENT_ALONE, SWEEP, MEMO = range(5, 9)


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
def test_a_theorem_costs_nothing_and_comes_first(game, theorem):
    costs = applying(game)
    assert min(costs) == theorem
    assert costs[theorem] == 0
    assert solve(game).method == theorem_for(game.rules, game.convention)
    assert METHODS[theorem].solve(Problem(game.rules, game.convention), 0.0).method == (
        solve(game).method
    )


def test_small_boards_are_swept():
    game = kayles(5, 4)
    costs = applying(game)
    assert set(costs) == {SWEEP, MEMO}
    assert 0 < costs[SWEEP] < math.inf
    assert solve(game).method == "exhaustive search"


def test_a_quotient_may_cost_as_much_as_the_sweep_that_it_replaces():
    game = kayles(*(12,) * 8)
    positions = game.rules.num_positions
    costs = applying(game, positions)
    assert costs[QUOTIENT_ALONE] == costs[SWEEP] < math.inf
    assert RACE not in costs
    assert applying(game, 10**6)[QUOTIENT_ALONE] == math.inf
    problem = Problem(game.rules, game.convention)
    forget_quotients()  # a cached one costs nothing
    with pytest.raises(SearchTooLargeError, match="it takes longer to find than the search does"):
        QUOTIENT.solve(problem, 1_000.0)


def test_every_method_names_its_proof():
    assert all(each.proof for each in METHODS)
    assert {each.kind for each in METHODS} == {"theorem", "auto", "quotient", "search"}
