"""Bounds of starts are coordinates in games that have them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from nim_envs import Game, GameEnv, make_game
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.rules import Convention, kayles, nim, sum_of
from nim_envs.starts import OutcomeStart, UniformStart
from tests import registrable_games
from tests.own_games import own_game


def starts_of(game, start):
    return game.rules.coordinates(
        dataclasses.replace(game, starts=start).start_positions()
    ).tolist()


def test_a_box_has_the_positions_between_two_corners():
    game = own_game("wythoff")
    assert starts_of(game, UniformStart(low=(3, 1), high=(4, 2))) == [
        [a, b] for a in (3, 4) for b in (1, 2)
    ]
    assert starts_of(game, OutcomeStart(winning=False, low=1, high=4)) == [[1, 2], [2, 1]]


def test_a_box_of_a_sum_bounds_every_coordinate_and_leaves_room_for_what_splits():
    rules = sum_of([own_game("fibonacci_nim").rules, kayles(heaps=(3,)), nim(heaps=(2,))])
    game = Game(rules, Convention.NORMAL)
    low, high = np.zeros(len(rules.fields), int), np.array(rules.fields) - 1
    low[0], high[1] = 3, 4
    positions = rules.lattice()
    shown = rules.coordinates(positions)
    inside = (shown[:, 0] >= 3) & (shown[:, 1] <= 4) & ~rules.is_terminal(positions)
    start = UniformStart(tuple(low.tolist()), tuple(high.tolist()))
    assert starts_of(game, start) == shown[inside].tolist()


def test_a_large_board_needs_no_list():
    game = registrable_games.wythoff(2000)
    start = UniformStart(low=(5, 1990), high=(1999, 1995))
    drawn = game.rules.coordinates(start.sampler(game).sample(np.random.default_rng(0), 500))
    assert (drawn.min(axis=0) >= (5, 1990)).all()
    assert (drawn.max(axis=0) <= (1999, 1995)).all()
    assert len(UniformStart().sampler(game).sample(np.random.default_rng(0), 500)) == 500


def test_a_box_with_too_many_points_to_go_through_is_refused_with_their_number():
    queen = make_game("wythoff", queens=((10**5, 10**5),))
    with pytest.raises(SearchTooLargeError, match=rf"has {10**10} points; the limit is {2**24}$"):
        UniformStart(low=1).sampler(queen)
    both = sum_of([kayles(heaps=(12,)), make_game("wythoff", queens=((1, 1),)).rules])
    start = UniformStart(low=(0,) * 6 + (1, 0))
    with pytest.raises(SearchTooLargeError, match=f"the box of starts has {13**6 * 2} points"):
        start.sampler(Game(both, Convention.NORMAL))


def test_a_box_without_positions_is_refused():
    # Of 8 objects at most 7 may be taken at first: no position has 7 objects and 0 to take.
    with pytest.raises(InvalidPositionError, match="fibonacci_nim has no position between"):
        starts_of(own_game("fibonacci_nim"), UniformStart(low=(7, 0), high=(7, 0)))


def test_resets_take_coordinates_everywhere():
    game, options = own_game("wythoff"), {"start": (3, 4)}
    env = GameEnv(game)
    env.reset(options=options)
    assert env.coordinates.tolist() == [3, 4]
    assert env.state().tolist() == [3, 4, 0]
    assert env.position.tolist() == game.rules.positions_at(np.array([3, 4])).tolist()
    assert "at (3, 4)" in repr(env)
    env.set_position((2, 2))
    assert env.observe("player_0")["observation"].tolist() == [2, 2]
    single = VersusEnv(game)
    assert single.reset(options=options)[0]["observation"].tolist() == [3, 4]
    assert single.coordinates.tolist() == [3, 4]
    batch = VectorGameEnv(game, 2, opponent=None)
    assert batch.reset(options=options)[0]["observation"].tolist() == [[3, 4]] * 2
    assert batch.coordinates.tolist() == [[3, 4]] * 2
    with pytest.raises(InvalidPositionError, match=r"from 0 to \(4, 5\), not \(6, 0\)"):
        env.reset(options={"start": (6, 0)})
