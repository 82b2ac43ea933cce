"""The list of the solver's methods: order, proofs, and the budget of a quotient."""

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
    return [index for index, each in enumerate(METHODS) if each.applies(problem)]


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


def test_a_quotient_may_cost_as_much_as_the_sweep_that_it_replaces(monkeypatch):
    game = kayles(*(12,) * 8)
    positions = game.rules.num_positions
    assert applying(game, positions) == [QUOTIENT_ALONE, SWEEP]
    assert applying(game, 10**6) == [QUOTIENT_ALONE]
    problem = Problem(game.rules, game.convention, positions)
    assert positions * 0.1 < problem.quotient_budget < positions * 100
    assert Problem(game.rules, game.convention, 10**6).quotient_budget == math.inf
    monkeypatch.setattr(Problem, "quotient_budget", 1_000.0)
    forget_quotients()  # a cached one costs nothing
    with pytest.raises(SearchTooLargeError, match="it takes longer to find than the search does"):
        QUOTIENT.solve(problem)


def test_every_method_names_its_proof():
    assert all(each.proof for each in METHODS)
    assert {each.kind for each in METHODS} == {"theorem", None, "quotient", "search"}
