"""Games of sorted heaps: the same game, in which all orders of the same heaps are one position."""

import numpy as np
import pytest

from agents import OptimalAgent
from benchmarks.entries import train_learner
from benchmarks.sorted_heaps import in_any_order, sorted_game
from nim_envs import GameEnv, check_game, make_game, optimality
from nim_envs.errors import InvalidGameError
from nim_envs.sums import graph_of

GAMES = {
    "heaps of several sizes": lambda: make_game("nim", heaps=(5, 2, 4), start="uniform"),
    "heaps that split": lambda: make_game("kayles", heaps=(5, 4), misere=True, start="balanced"),
    "two coordinates": lambda: make_game("wythoff", queens=((3, 4), (3, 4))),
}


@pytest.mark.parametrize("name", GAMES)
def test_sorted_heaps_are_the_same_game(name):
    game = GAMES[name]()
    sorted_one = sorted_game(game)
    check_game(sorted_one)
    positions = graph_of(game.parts, "the game").coordinates
    heaps = positions.reshape(len(positions), len(game.parts), -1)
    orders = {tuple(sorted(map(tuple, each))) for each in heaps.tolist()}
    assert sorted_one.parts[0].num_positions == len(orders)
    policy = in_any_order(OptimalAgent(sorted_one), game)
    assert optimality(policy, game).percent == 100
    starts, shares = game.starts.sampler(game).support()
    there, shares_there = sorted_one.starts.sampler(sorted_one).support()
    won = game.solution.is_winning(starts)
    assert np.array_equal(sorted_one.solution.is_winning(there), won)
    assert np.array_equal(shares, shares_there)


@pytest.mark.parametrize(
    "name", ["q-learning-symmetric", "real-time-dynamic-programming-symmetric"]
)
def test_their_learners_learn_more_from_the_same_games(name):
    env = GameEnv(make_game("nim", heaps=(3, 4, 5), start="uniform"))
    plain = name.removesuffix("-symmetric")
    scores = [train_learner(each, env, 400, 0).scores("all")[0].percent for each in (plain, name)]
    assert scores[0] < scores[1]


@pytest.mark.parametrize(
    ("game", "arguments"), [("sum", {}), ("wythoff", {"queens": ((4, 5), (3, 3))})]
)
def test_other_parts_are_refused(game, arguments):
    with pytest.raises(InvalidGameError, match="sorted heaps need heaps with the same options"):
        sorted_game(make_game(game, **arguments))
