"""Moves of single positions in plain Python: the same as those of the tables and environments."""

from __future__ import annotations

import copy
import functools
import pickle
import tracemalloc

import numpy as np
import pytest

import nim_envs
from nim_envs import Convention, Game, GameEnv, Rules, make_game
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidPositionError,
    SearchTooLargeError,
)
from nim_envs.rules import TableComponent, forward_model, kayles, nim, sum_of
from tests.classic_moves import moves_of
from tests.games import ALL, label
from tests.own_games import OWN_GAMES, own_game
from tests.registrable_games import Queen, wythoff

GAMES = 5
"""Games of random play in each test."""


def own_sum():
    """Return a sum of components with coordinates, heaps that split, and a heap."""
    parts = [own_game("wythoff").rules, kayles(heaps=(4, 3)), nim(heaps=(2,)), Queen(3)]
    rules = [part if isinstance(part, Rules) else Rules("queen", (part,), (8,)) for part in parts]
    return Game(sum_of(rules), Convention.NORMAL)


OWN = {**{name: functools.partial(own_game, name) for name in OWN_GAMES},
       "a component of one's own": wythoff, "a sum": own_sum}  # fmt: skip


def check_in_step(game, seed=0):
    """Play random games, and compare every position with the tables and the environment."""
    rng = np.random.default_rng(seed)
    rules, env = game.rules, GameEnv(game)
    env.reset(seed=seed)
    for _ in range(GAMES):
        env.reset()
        position = rules.coordinate_tuple(env.position)
        while True:
            here = rules.checked_position(position)
            assert env.position.tolist() == here.tolist()
            assert rules.coordinate_tuple(tuple(here.tolist())) == position
            legal = np.flatnonzero(rules.action_mask(here))
            after = [rules.coordinate_tuple(rules.step(here, np.array(action))) for action in legal]
            assert game.moves(position) == list(zip(legal.tolist(), after, strict=True))
            assert game.actions(position) == legal.tolist()
            assert game.is_over(position) is bool(rules.is_terminal(here))
            assert [game.play(position, action) for action in legal.tolist()] == after
            kinds = {type(value) for _, left in game.moves(position) for value in left}
            assert kinds <= {int}
            if game.is_over(position):
                assert env.terminations == {"player_0": True, "player_1": True}
                break
            assert env.observe(env.agent_selection)["action_mask"].nonzero()[0].tolist() == (
                game.actions(position)
            )
            action = int(rng.choice(legal))
            env.step(action)
            position = game.play(position, action)


@pytest.mark.parametrize("case", ALL, ids=label)
def test_every_game_is_played_in_step_with_tables_and_environments(case):
    name, arguments = case
    check_in_step(make_game(name, **arguments))


@pytest.mark.parametrize("name", OWN)
def test_own_games_are_played_in_step_too(name):
    check_in_step(OWN[name]())


@pytest.mark.parametrize("name", ["wythoff", "chomp", "cram", "euclid", "node_kayles"])
def test_moves_are_those_of_the_rules_in_words(name):
    game = make_game(name)
    classic = moves_of(name, nim_envs.registration.GAMES[name].defaults)
    position = game.rules.coordinate_tuple(game.rules.initial)
    rng = np.random.default_rng(0)
    while not game.is_over(position):
        after = [left for _, left in game.moves(position)]
        assert sorted(after) == sorted(classic(position))
        position = after[int(rng.integers(len(after)))]
    assert not list(classic(position))


def test_perft_of_nim_counts_the_orders_of_taking_one():
    """Games of 2 + 2 moves are orders of taking single objects: 4! / (2! 2!) of the longest."""
    game = make_game("nim", heaps=(2, 2))

    def perft(position, depth):
        if depth == 0:
            return 1
        return sum(perft(after, depth - 1) for _, after in game.moves(position))

    assert [perft((2, 2), depth) for depth in range(6)] == [1, 4, 10, 12, 6, 0]


@pytest.mark.parametrize("misere", [False, True])
def test_a_search_of_five_lines_solves_games(misere):
    for name, arguments in (("nim", {}), ("kayles", {}), ("wythoff", {"queens": ((4, 3),)})):
        game = make_game(name, misere=misere, **arguments)

        @functools.cache
        def value(position, game=game):
            if game.is_over(position):
                return -game.convention.last_movers_reward
            return max(-value(after, game) for _, after in game.moves(position))

        lattice = game.rules.lattice()
        found = [value(game.rules.coordinate_tuple(position)) == 1 for position in lattice]
        assert found == np.asarray(game.solution.is_winning(lattice)).tolist()


@pytest.mark.parametrize(
    ("name", "arguments", "position"),
    [("nim", {}, (3, 0, 2)), ("wythoff", {}, (4, 7)), ("kayles", {}, (4, 2, 0, 0)),
     ("wythoff", {"queens": ((3, 5), (0, 2))}, (3, 4, 0, 2))],
)  # fmt: skip
def test_positions_are_taken_in_every_form(name, arguments, position):
    game = make_game(name, **arguments)
    array = np.array(position)
    states = game.rules.checked_position(position)
    forms = (
        list(position), array, array.astype(np.uint8), tuple(array), states, states.tolist(),
        tuple(states.tolist()),
    )  # fmt: skip
    action = game.actions(position)[-1]
    for form in forms:
        assert game.moves(form) == game.moves(position)
        assert game.actions(form) == game.actions(position)
        assert game.is_over(form) is False
        after = game.play(form, np.int64(action))
        assert after == game.play(position, action)
        assert {type(value) for value in after} == {int}


def test_what_is_no_position_is_refused():
    cases = [
        (make_game("nim"), [(3, 4, 6), (-1, 0, 0), (1, 2), (1, 2, 3, 4), 3, None, "abc", (),
                            (1.0, 2, 3), ((1, 2, 3), (1, 2, 3)), (2**70, 0, 0), ("1", 2, 3),
                            (None, 1, 2)]),
        (make_game("wythoff"), [(10, 0), (0, 8), (-1, 3), (1.5, 2), (80,), ((1, 1), (2, 2))]),
        (make_game("chomp"), [(3, 4, 0, 0), (5, 5, 5, 6), (0, 0, 0, 0, 0)]),
        (own_game("fibonacci_nim"), [(9, 0), (8, 3), (3, 7)]),
        (make_game("kayles"), [(7, 7, 7, 7), (8, 0, 0, 0), (6, 6, 0, 0)]),
    ]  # fmt: skip
    for game, wrong in cases:
        for position in wrong:
            for call in (game.moves, game.actions, game.is_over, lambda p, g=game: g.play(p, 0)):
                for _ in range(2):  # nothing of it is remembered
                    with pytest.raises(InvalidPositionError, match=r"position"):
                        call(position)


def test_illegal_actions_are_refused():
    game = make_game("nim")
    for action in (-1, 15, 10**30, 1.0, "0", None, True, np.float64(1)):
        with pytest.raises(InvalidActionError, match="action must be an integer from 0 to 14"):
            game.play((3, 4, 5), action)
    with pytest.raises(
        IllegalMoveError,
        match=r"action 2 \(heap 0: take 3\) is illegal at \[1, 0, 1\]; legal actions are \[0, 10\]",
    ):
        game.play((1, 0, 1), 2)
    with pytest.raises(IllegalMoveError, match=r"legal actions are \[\]"):
        game.play((0, 0, 0), 0)
    with pytest.raises(IllegalMoveError, match=r"illegal at \[0, 1\]"):
        make_game("wythoff").play((0, 1), 0)


@pytest.mark.parametrize(
    ("name", "arguments"), [("wythoff", {"queens": ((12, 12),)}), ("chomp", {"rows": 5})]
)
def test_memory_is_bounded(name, arguments, monkeypatch):
    def peak(most):
        monkeypatch.setattr(forward_model, "MOST_BYTES", most)
        game = make_game(name, **arguments)
        positions = [game.rules.coordinate_tuple(position) for position in game.rules.lattice()]
        for position in positions:  # the arrays of options are made before
            game.is_over(position)
        fresh = Game(game.rules, game.convention)
        fresh.is_over(positions[0])
        tracemalloc.start()
        for position in positions:
            for action, after in fresh.moves(position):
                assert fresh.play(position, action) == after
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    unlimited = peak(2**40)
    assert peak(unlimited // 4) < unlimited // 4 + 20_000


def test_a_large_heap_is_played_without_listing_its_moves():
    game = make_game("nim", heaps=(10**6,))
    assert game.play((10**6,), 10**6 - 3) == (2,)
    assert game.moves((2,)) == [(0, (1,)), (1, (0,))]
    with pytest.raises(SearchTooLargeError, match="GiB"):
        make_game("nim", heaps=(10**9,)).is_over((10**9,))


def test_copies_and_pickles_of_a_game_have_a_model_of_their_own():
    game = make_game("kayles")
    game.moves(game.rules.initial)
    for other in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert other.moves(game.rules.initial) == game.moves(game.rules.initial)
    assert "forward_model" not in game.__getstate__()


def test_rules_take_tuples_of_state_numbers():
    for rules, position, action in (
        (nim(heaps=(3, 4, 5)), (3, 0, 5), 10), (kayles(heaps=(4,)), (4, 0), 3),
        (make_game("wythoff").rules, (40,), 8),
        (Rules("path", (TableComponent(rows=((-1,), (0,), (1,))),), (2,)), (2,), 0),
    ):  # fmt: skip
        array = np.array(position)
        for form in (position, list(position)):
            assert rules.step(form, action).tolist() == rules.step(array, np.array(action)).tolist()
            assert rules.action_mask(form).tolist() == rules.action_mask(array).tolist()
            assert rules.is_terminal(form) == rules.is_terminal(array)
            assert rules.coordinate_tuple(form) == rules.coordinate_tuple(array)
            both = rules.step((form, form), (action, action))
            assert both.tolist() == [rules.step(array, np.array(action)).tolist()] * 2
            assert rules.is_terminal((form, form)).shape == (2,)
            assert rules.action_mask((form, form)).shape == (2, rules.num_actions)
