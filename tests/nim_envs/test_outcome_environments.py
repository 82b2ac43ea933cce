"""Environments, starts and checks of games with draws, against the functions that make them."""

from __future__ import annotations

import gymnasium
import numpy as np
import pettingzoo
import pytest

import nim_envs
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import ConformanceError, InvalidGameError
from nim_envs.testing import check_env, check_game
from nim_envs.theory.outcome_search import OutcomeSolution
from tests.outcome_games import GAMES, dominoes, tic_tac_toe

PLAYERS = nim_envs.game.PLAYERS


def label_of(game, action):
    return game.rules.describe_action(action).split(": ")[1]


@pytest.mark.parametrize("name", GAMES)
def test_turn_based_games_are_those_of_the_functions(name):
    entry = GAMES[name]()
    game, truth = entry.game, entry.truth()
    env = nim_envs.GameEnv(game, truth_in_info=True)
    rng = np.random.default_rng(0)
    results = set()
    for seed in range(60):
        env.reset(seed=seed)
        position, seat = game.rules.coordinate_tuple(game.rules.initial), 0
        while moves := {str(label): after for label, after in entry.moves(position)}:
            mask = env.observe(PLAYERS[seat])["action_mask"]
            legal = np.flatnonzero(mask)
            assert {label_of(game, action) for action in legal} == set(moves)
            action = int(rng.choice(legal))
            env.step(action)
            before, position = position, moves[label_of(game, action)]
            info = env.infos[PLAYERS[seat]]
            assert info["winning"] == (truth[before] == 1)
            assert info["kept_win"] == (truth[before] == 1 and truth[position] == -1)
            assert info["value"] == truth[before]
            assert info["kept_value"] == (truth[position] == -truth[before])
            assert tuple(env.coordinates) == position
            seat = 1 - seat
        value = entry.outcome(position)
        rewards = [env.rewards[player] for player in PLAYERS]
        assert rewards[seat] == value == -rewards[1 - seat]
        assert "-0.0" not in str(rewards)
        assert all(env.terminations.values())
        results.add(value)
    assert results == set(map(entry.outcome, (p for p in truth if not entry.moves(p)))) or name in (
        "random-1", "random-2",
    )  # fmt: skip


def test_an_optimal_opponent_keeps_the_draw():
    env = VersusEnv(tic_tac_toe().game, opponent="optimal", seat=0)
    rng = np.random.default_rng(1)
    results = []
    for seed in range(40):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            _, reward, ended, _, info = env.step(action)
        assert info["winner"] == {1.0: 0, 0.0: -1, -1.0: 1}[reward]
        results.append(reward)
    assert set(results) == {0.0, -1.0}


def test_starts_are_won_or_lost_but_not_drawn():
    game = tic_tac_toe().game
    env = nim_envs.GameEnv(game)
    for start, value in (("n_position", 1), ("p_position", -1)):
        for seed in range(30):
            env.reset(seed=seed, options={"start": start})
            assert game.solution.value(env.position) == value


@pytest.mark.parametrize("make", [tic_tac_toe, dominoes])
def test_checks_pass_and_find_a_draw_that_is_taken_for_a_loss(make):
    game = make().game
    check_game(game)
    check_env(nim_envs.GameEnv(game))
    wrong = nim_envs.Game(game.rules, game.convention)
    values = wrong.solution.values
    drawn = np.flatnonzero((values == 0) & game.rules.is_terminal(game.rules.lattice()))
    values[drawn[0]] = -1
    with pytest.raises(ConformanceError, match=r"solution\..*exhaustive search"):
        check_game(wrong)
    assert isinstance(wrong.solution, OutcomeSolution)


def test_a_registered_game_with_draws_is_made_by_gymnasium_and_pettingzoo():
    game = tic_tac_toe().game
    nim_envs.register_game("noughts", game)
    assert gymnasium.make("nim_envs/Noughts-v0").unwrapped.game == game
    assert pettingzoo.make("aec", "nim_envs/noughts-v0").unwrapped.game == game
    with pytest.raises(InvalidGameError):
        nim_envs.make_game("noughts", misere=True)
