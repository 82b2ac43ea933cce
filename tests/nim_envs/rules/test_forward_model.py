"""Moves of single positions in plain Python: the same as those of the tables and environments."""

from __future__ import annotations

import copy
import functools
import pickle

import numpy as np
import pytest

from nim_envs import Game, GameEnv, make_game
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidPositionError,
    SearchTooLargeError,
)
from nim_envs.rules import Convention, Rules, kayles, nim, sum_of
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


@pytest.mark.parametrize(
    ("name", "arguments", "position"),
    [("kayles", {}, (4, 2, 0, 0)),
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
        (make_game("nim"), [(3, 4, 6), (1, 2), 3, None, (1.0, 2, 3), ("1", 2, 3)]),
        (make_game("wythoff"), [(10, 0), (0, 8), (-1, 3), (1.5, 2), (80,), ((1, 1), (2, 2))]),
        (make_game("chomp"), [(3, 4, 0, 0), (5, 5, 5, 6), (0, 0, 0, 0, 0)]),
        (own_game("fibonacci_nim"), [(9, 0), (8, 3), (3, 7)]),
        (make_game("kayles"), [(7, 7, 7, 7), (8, 0, 0, 0), (6, 6, 0, 0)]),
    ]  # fmt: skip
    for game, wrong in cases:
        for position in wrong:
            for call in (game.moves, game.actions, game.is_over, lambda p, g=game: g.play(p, 0)):
                with pytest.raises(InvalidPositionError, match=r"position"):
                    call(position)


def test_illegal_actions_are_refused():
    game = make_game("nim")
    for action in (-1, 15, 1.0, "0", True):
        with pytest.raises(InvalidActionError, match="action must be an integer from 0 to 14"):
            game.play((3, 4, 5), action)
    with pytest.raises(
        IllegalMoveError,
        match=r"action 2 \(heap 0: take 3\) is illegal at \[1, 0, 1\]; legal actions are \[0, 10\]",
    ):
        game.play((1, 0, 1), 2)


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
