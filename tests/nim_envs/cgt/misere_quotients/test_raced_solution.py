"""Misère play by a search and a quotient in turns: neither makes a question take much longer."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.cgt.misere_quotients.quotient_solution import forget_quotients
from nim_envs.cgt.misere_quotients.raced_solution import HEAD_START, TURN, RacedSolution
from nim_envs.cgt.misere_quotients.search import QuotientSearch
from nim_envs.errors import SearchTooLargeError
from nim_envs.solver import solve

QUOTIENT = "misère quotient, proven by its transition algebra"
SEARCH = "memoised search modulo permutation"


@pytest.fixture(autouse=True)
def nothing_remembered():
    forget_quotients()


def misere(code, *heaps, **arguments):
    return make_game("octal", code=code, heaps=heaps, misere=True, **arguments)


def some_positions(game, number):
    rng = np.random.default_rng(0)
    start = np.array(game.rules.initial)
    positions = []
    for _ in range(number):
        position = start
        for _ in range(rng.integers(1, 6)):
            legal = np.flatnonzero(game.rules.action_mask(position))
            if len(legal):
                position = game.rules.step(position, np.array(rng.choice(legal)))
        positions.append(position)
    return np.array(positions)


@pytest.mark.parametrize(
    ("code", "heaps"), [("0.04", (50,)), ("0.35", (36,)), ("0.16", (20, 20)), ("0.26", (20, 20))]
)
def test_a_short_search_tries_no_quotient(monkeypatch, code, heaps):
    def never(*_):
        raise AssertionError("looked for a quotient")

    monkeypatch.setattr(QuotientSearch, "add", never)
    game = misere(code, *heaps)
    solution = solve(game)
    initial = game.rules.initial
    assert solution.is_winning(initial) is solve(game, method="search").is_winning(initial)
    assert solution.method == SEARCH


def test_a_quotient_that_is_found_before_the_search_ends_answers():
    game = misere("0.77", 36)
    solution, searched = solve(game), solve(game, method="search")
    positions = some_positions(game, 40)
    assert solution.is_winning(game.rules.initial) is searched.is_winning(game.rules.initial)
    assert solution.method == QUOTIENT
    assert (solution.is_winning(positions) == searched.is_winning(positions)).all()
    assert (solution.winning_mask(positions) == searched.winning_mask(positions)).all()
    assert solution.is_complete


def test_a_search_that_ends_before_the_quotient_is_found_answers():
    game = misere("4.7", 30)
    solution, searched = solve(game), solve(game, method="search")
    assert solution.is_winning(game.rules.initial) is searched.is_winning(game.rules.initial)
    assert solution.method == SEARCH
    # The quotient was begun, and not gone on with for longer than the search.
    assert 0 < solution._spent <= solution._searched + TURN
    # A second time it goes in the same way, as work is counted and not timed.
    assert solution._searched > HEAD_START
    forget_quotients()
    again = solve(game)
    again.is_winning(game.rules.initial)
    work = [(each._searched, each._spent, each.method) for each in (solution, again)]
    assert work[0] == work[1]
    positions = some_positions(game, 10)
    assert (solution.winning_mask(positions) == searched.winning_mask(positions)).all()


@pytest.mark.parametrize("limit", [5_000, 12_000, 20_000])
def test_a_search_that_reaches_its_limit_gives_no_answer(limit):
    # 24,286 positions are visited; at the first limit before the quotient is begun.
    solution = RacedSolution(misere("4.7", 30).rules, limit)
    for _ in range(2):
        with pytest.raises(SearchTooLargeError, match=f"more than {limit} positions"):
            solution.is_winning(solution.rules.initial)


def test_many_questions_turn_to_the_quotient():
    game = misere("0.241", 40)
    solution, searched = solve(game), solve(game, method="search")
    assert solution.is_winning(game.rules.initial) is searched.is_winning(game.rules.initial)
    assert solution.method == SEARCH
    positions = some_positions(game, 1_500)
    expected = searched.is_winning(positions)
    asked = [solution.is_winning(position) for position in positions]
    assert solution.method == "theorem on periodic misère quotients"
    assert asked == expected.tolist()
    assert (solution.is_winning(positions) == expected).all()
