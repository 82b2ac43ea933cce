"""Theorems against exhaustive search, which shares no formula with them."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs import Game, make_game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.rules import Convention, Rules, TableComponent, addition, nim, subtraction
from nim_envs.solver import solve
from nim_envs.theory import (
    bouton,
    ferguson,
    grundy_values,
    mex,
    misere_grundy_values,
    nim_sum,
    reachable,
    search_grundy_values,
    search_winning,
    sprague_grundy,
)
from nim_envs.theory.values import component_values
from tests.looped import in_one_test
from tests.plain_search import PlainSearch, check_solution

SHAPES = [
    nim(heaps=(1,)),
    nim(heaps=(9,)),
    nim(heaps=(1, 1, 1, 1)),
    nim(heaps=(3, 4, 5)),
    nim(heaps=(1, 3, 5, 7)),
    nim(heaps=(10, 10, 10)),
    nim(heaps=(2,) * 8),
    nim(heaps=(0, 30, 2)),
    nim(heaps=(9, 9, 9, 9)),
    nim(heaps=(25, 26, 24)),
    nim(heaps=(9, 8, 7), max_take=1),
    nim(heaps=(9, 8, 7), max_take=2),
    nim(heaps=(12, 5, 7), max_take=4),
    addition(k=1, n=0),
    addition(k=3, n=10),
    addition(k=7, n=3),
    addition(k=10, n=100),
    subtraction(heaps=(17,), subtraction_set=(1, 2, 3)),
    subtraction(heaps=(60,), subtraction_set=(2, 5, 6)),
    subtraction(heaps=(14, 13, 12), subtraction_set=(1, 3, 4)),
    subtraction(heaps=(15, 9, 16), subtraction_set=(2, 3)),
    subtraction(heaps=(20, 20), subtraction_set=(3, 5, 7)),
    subtraction(heaps=(2, 9), subtraction_set=(4,)),
]


@pytest.mark.parametrize("convention", Convention)
@in_one_test("rules", SHAPES)
def test_the_theorem_equals_exhaustive_search_at_every_position(rules, convention):
    assert rules.num_positions <= 10**5
    game = Game(rules, convention)
    by_theorem, by_search = solve(game, method="theorem"), solve(game, method="search")
    lattice = rules.lattice()
    assert (by_theorem.is_winning(lattice) == by_search.is_winning(lattice)).all()
    assert (by_theorem.winning_mask(lattice) == by_search.winning_mask(lattice)).all()
    # One position at a time says the same as the array.
    masks = by_theorem.winning_mask(lattice)
    for index in np.random.default_rng(0).integers(len(lattice), size=20):
        expected = np.flatnonzero(masks[index]).tolist()
        assert by_theorem.winning_actions(lattice[index]).tolist() == expected
        assert by_search.winning_actions(lattice[index]).tolist() == expected
        assert by_theorem.is_winning(lattice[index].tolist()) is bool(expected) or (
            rules.is_terminal(lattice[index])
        )


@pytest.mark.parametrize("convention", Convention)
@in_one_test("rules", [rules for rules in SHAPES if rules.num_positions <= 1500])
def test_the_batched_sweep_equals_a_search_by_the_rules_steps(rules, convention):
    truth = PlainSearch(Game(rules, convention))
    assert (search_winning(rules, convention) == (truth.values == 1)).all()
    assert (search_grundy_values(rules) == truth.grundy_values).all()


def random_tables(count, seed):
    """Tables of small random acyclic games: option j of a state is a smaller state."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        states = int(rng.integers(2, 9))
        rows = [
            tuple(int(x) if x >= 0 else -1 for x in rng.integers(-1, max(state, 0), size=3))
            if state
            else (-1, -1, -1)
            for state in range(states)
        ]
        yield TableComponent(tuple(rows))


@pytest.mark.parametrize("convention", Convention)
def test_random_games_given_as_tables_are_solved_right_by_every_method_that_applies(convention):
    methods = set()
    for first, second in itertools.pairwise(random_tables(60, seed=5)):
        rules = Rules("random", (first, second, first), (0, 0, 0))
        lattice = rules.lattice()
        start = lattice[~rules.is_terminal(lattice)]
        if not len(start):
            continue
        rules = Rules("random", rules.components, tuple(start[-1].tolist()))
        solution = solve(Game(rules, convention))
        methods.add(solution.method)
        check_solution(solution)
    # Both roads of misère play were taken: tame tables by the theorem, wild ones by search.
    if convention is Convention.MISERE:
        assert methods == {"theorem on tame misère sums", "exhaustive search"}
    else:
        assert methods == {"Sprague-Grundy theorem"}


def test_bouton_and_ferguson_as_functions_of_heaps():
    lattice = nim(heaps=(4, 4, 4)).lattice()
    for convention in Convention:
        truth = search_winning(nim(heaps=(4, 4, 4)), convention)
        assert (bouton(lattice, convention) == truth).all()
    assert (ferguson(lattice) == search_winning(nim(heaps=(4, 4, 4)), Convention.MISERE)).all()


@pytest.mark.parametrize(
    "theorem",
    [sprague_grundy, bouton, partial(bouton, convention=Convention.MISERE), ferguson],
    ids=["sprague_grundy", "bouton", "bouton misere", "ferguson"],
)
def test_theorems_take_one_position_and_arrays_of_any_shape(theorem):
    lattice = nim(heaps=(4, 4, 4)).lattice()
    winning = theorem(lattice)
    assert [bool(theorem(position)) for position in lattice] == winning.tolist()
    assert theorem(lattice.reshape(5, 25, 3)).tolist() == winning.reshape(5, 25).tolist()
    bounded = nim(heaps=(7, 7), max_take=2)
    assert (ferguson(bounded.lattice() % 3) == search_winning(bounded, Convention.MISERE)).all()
    assert (
        sprague_grundy(bounded.lattice() % 3) == search_winning(bounded, Convention.NORMAL)
    ).all()


def test_the_method_says_which_theorem_was_used():
    assert make_game("nim").solution.method == "Bouton's theorem"
    assert make_game("misere_nim").solution.method == "Bouton's theorem"
    assert make_game("nim", max_take=2).solution.method == "Sprague-Grundy theorem"
    assert make_game("nim", max_take=2, misere=True).solution.method == "Ferguson's theorem"
    assert make_game("addition").solution.method == "Ferguson's theorem"
    assert make_game("subtraction").solution.method == "Sprague-Grundy theorem"


def test_the_published_rules_of_thumb_hold():
    game = make_game("addition", k=3, n=10)
    lost = [t for t in range(11) if not game.solution.is_winning((t,))]
    assert lost == [t for t in range(11) if t % 4 == 10 % 4]
    assert [game.rules.describe_action(a) for a in game.solution.winning_actions((0,))] == [
        "total 0: add 2"
    ]
    row = make_game("subtraction", heaps=(17,), subtraction_set=(1, 2, 3), misere=True)
    assert [n for n in range(1, 18) if not row.solution.is_winning((n,))] == [1, 5, 9, 13, 17]
    last_wins = make_game("subtraction", heaps=(17,), subtraction_set=(1, 2, 3))
    assert [n for n in range(18) if not last_wins.solution.is_winning((n,))] == [0, 4, 8, 12, 16]
    values = grundy_values(subtraction((20,), (1, 2, 3)).components[0])
    assert values.tolist() == [n % 4 for n in range(21)]


@pytest.mark.parametrize("misere", [False, True])
def test_heaps_far_too_large_to_enumerate(misere):
    game = make_game("nim", heaps=(10**15, 10**15, 12345), misere=misere)
    solution = game.solution
    actions = solution.winning_actions((10**15, 10**15 - 7, 12345))
    assert len(actions) >= 1
    for action in actions.tolist():
        heap, option = divmod(action, game.rules.num_options)
        after = [10**15, 10**15 - 7, 12345]
        after[heap] -= option + 1
        assert min(after) >= 0
        assert after[0] ^ after[1] ^ after[2] == 0
        assert not solution.is_winning(after)
    assert solution.grundy_value((10**15, 3, 5)) == 10**15 ^ 3 ^ 5
    positions = np.array([[10**15, 10**15, 0], [10**15, 1, 0]])
    assert solution.is_winning(positions).tolist() == [False, True]


def test_large_bounded_and_periodic_heaps_keep_their_residues():
    bounded = make_game("nim", heaps=(10**15,), max_take=6).solution
    assert bounded.grundy_value((10**15,)) == 10**15 % 7
    assert bounded.winning_actions((10**15,)).tolist() == [10**15 % 7 - 1]
    total = make_game("addition", k=9, n=10**15).solution
    assert total.is_winning((10**15 - 10,)) is False
    assert total.winning_actions((10**15 - 13,)).tolist() == [2]
    periodic = make_game("subtraction", heaps=(10**15,), subtraction_set=(1, 3, 4)).solution
    assert periodic.grundy_value((10**15,)) == [0, 1, 0, 1, 2, 3, 2][10**15 % 7]


@settings(deadline=None)
@given(amounts=st.sets(st.integers(1, 12), min_size=1, max_size=5), size=st.integers(0, 400))
def test_periodic_values_of_any_subtraction_set_equal_the_mex_recursion(amounts, size):
    rules = subtraction(heaps=(size,), subtraction_set=tuple(amounts))
    heap = rules.components[0]
    values = component_values(heap)
    states = np.arange(size + 1)
    assert (values.normal(states) == grundy_values(heap)).all()
    assert (values.misere(states) == misere_grundy_values(heap)).all()
    for state in range(0, size + 1, 37):
        for value in range(4):
            for misere in (False, True):
                options = [
                    option
                    for option, after in enumerate(heap.table[state])
                    if after >= 0 and (values.misere if misere else values.normal)(after) == value
                ]
                assert values.options_with_value(state, value, misere).tolist() == options


@given(k=st.integers(1, 6), n=st.integers(0, 30))
def test_values_of_the_addition_game_equal_the_mex_recursion(k, n):
    total = addition(k=k, n=n).components[0]
    values = component_values(total)
    assert (values.normal(np.arange(n + k + 1)) == grundy_values(total)).all()
    assert (values.misere(np.arange(n + k + 1)) == misere_grundy_values(total)).all()


def test_heaps_of_any_size_are_answered_where_the_set_has_two_amounts():
    large = make_game("subtraction", heaps=(2**62 - 1,), subtraction_set=(1048576,)).solution
    # Runs of 1,048,576 heaps are lost and won in turn.
    heaps = [2**61, 2**61 + 1048575, 2**61 + 1048576, 2**61 - 1]
    assert large.is_winning(np.array(heaps)[:, np.newaxis]).tolist() == [False, False, True, True]
    two = make_game("subtraction", heaps=(10**12,), subtraction_set=(3, 10**6)).solution
    heaps = np.random.default_rng(0).integers(10**6, 10**12, size=(200, 1))
    heaps[:100] -= heaps[:100] % (10**6 + 3) - 10**6 - 2
    values, *after = (two.grundy_value(heaps - taken).tolist() for taken in (0, 3, 10**6))
    assert values == [mex(options) for options in zip(*after, strict=True)]
    assert len(set(values)) == 3


def test_a_set_without_a_period_in_reach_is_refused(monkeypatch):
    monkeypatch.setattr("nim_envs.theory.values.LARGEST_SEQUENCE", 1_000)
    game = make_game("subtraction", heaps=(10**12,), subtraction_set=(1, 3, 10**7))
    with pytest.raises(SearchTooLargeError, match="within 1000 values"):
        game.solution.is_winning((5,))


def test_a_search_past_its_limit_says_how_large_it_would_be():
    with pytest.raises(SearchTooLargeError, match="1331"):
        solve(make_game("nim", heaps=(10, 10, 10)), method="search", limit=285)
    with pytest.raises(ValueError, match="guess"):
        solve(make_game("nim"), method="guess")


@pytest.mark.parametrize(
    "position",
    [
        (1, 2),
        (1, 2, 99),
        (1.0, 2.0, 3.0),
        "abc",
        ((1, 2), (3,)),
    ],
)
def test_a_solver_refuses_an_invalid_position(position):
    solution = make_game("nim").solution
    for ask in (
        solution.is_winning,
        solution.winning_actions,
        solution.winning_mask,
        solution.grundy_value,
    ):
        with pytest.raises(InvalidPositionError) as caught:
            ask(position)
        assert repr(position) in str(caught.value) or str(list(position)) in str(caught.value)


def test_winning_actions_takes_one_position_and_the_mask_takes_arrays():
    solution = make_game("nim").solution
    with pytest.raises(InvalidPositionError, match="winning_mask"):
        solution.winning_actions(np.zeros((2, 3), dtype=int))
    assert solution.winning_mask(np.zeros((2, 5, 3), dtype=int)).shape == (2, 5, 15)


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


@given(st.lists(st.integers(0, 20)))
def test_mex_is_the_smallest_missing(values):
    smallest = mex(values)
    assert smallest not in values
    assert all(below in values for below in range(smallest))


def test_reachable_positions_equal_those_that_play_reaches():
    rules = subtraction(heaps=(7, 4), subtraction_set=(2, 3))
    found = [set(), set()]

    def play(position, seat):
        if tuple(position) in found[seat]:
            return
        found[seat].add(tuple(position.tolist()))
        for action in np.flatnonzero(rules.action_mask(position)):
            play(rules.step(position, action), 1 - seat)

    play(np.array([7, 4]), 0)
    by_seat = reachable(rules, np.array([[7, 4]]))
    for seat in (0, 1):
        members = rules.positions(np.flatnonzero(by_seat[seat])).tolist()
        assert {tuple(position) for position in members} == found[seat]
