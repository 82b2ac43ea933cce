"""The checks of games and environments on games from functions of moves."""

from __future__ import annotations

import inspect

import pytest

from nim_envs import Game, GameEnv
from nim_envs.encoding import ENCODINGS
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.rules import kayles, nim, sum_of
from nim_envs.testing import check_env, check_game
from tests.own_games import OWN_GAMES, own_game
from tests.pairwise import in_turn, pairwise

pytestmark = pytest.mark.usefixtures("brief_checks")

ENVIRONMENTS = {
    "turn_based": GameEnv,
    "single": VersusEnv,
    "batched": lambda game, encoding: VectorGameEnv(game, 3, encoding=encoding, opponent=None),
    "batched_opponent": lambda game, encoding: VectorGameEnv(
        game, 3, encoding=encoding, opponent="optimal", seat="random"
    ),
}


def mixed_sum(name):
    first, second = own_game("wythoff"), own_game("fibonacci_nim")
    if name == "wythoff + nim":
        return sum_of([first.rules, nim(heaps=(2,))])
    return sum_of([kayles(heaps=(3,)), second.rules, own_game("euclid").rules])


SUMS = ("wythoff + nim", "kayles + fibonacci_nim + euclid")


def game_of(name, misere):
    if name in OWN_GAMES:
        return own_game(name, misere=misere)
    rules = mixed_sum(name)
    convention = own_game("wythoff", misere=misere).convention
    return Game(rules, convention)


@pytest.mark.parametrize("name", OWN_GAMES)
def test_a_game_takes_at_most_ten_lines(name):
    moves, _, _ = OWN_GAMES[name]
    assert len(inspect.getsource(moves).splitlines()) <= 10


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("name", [*OWN_GAMES, *SUMS])
def test_games_conform(name, misere):
    check_game(game_of(name, misere))


COMBINATIONS = pairwise([False, True], ENCODINGS, list(ENVIRONMENTS))


@pytest.mark.parametrize(
    ("name", "combination"), in_turn(2 * [*OWN_GAMES, *SUMS], COMBINATIONS), ids=str
)
def test_environments_conform(name, combination, effort):
    misere, encoding, environment = combination
    check_env(ENVIRONMENTS[environment](game_of(name, misere), encoding=encoding))


def test_every_combination_has_a_game():
    assert len(COMBINATIONS) <= 2 * len([*OWN_GAMES, *SUMS])
