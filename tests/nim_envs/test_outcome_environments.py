"""Games with draws against an optimal opponent, their checks, and their ids."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pettingzoo
import pytest

import nim_envs
from nim_envs.check import check_env, check_game
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import ConformanceError, InvalidGameError
from nim_envs.solution import Solution
from tests.outcome_games import dominoes, tic_tac_toe


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


@pytest.mark.parametrize("make", [tic_tac_toe, dominoes])
def test_checks_pass_and_find_a_draw_that_is_taken_for_a_loss(make):
    game = make().game
    check_game(game)
    check_env(nim_envs.GameEnv(game))
    values = game.solution.table.copy()
    values[np.flatnonzero((values == 0) & game.board.ends)[0]] = -1
    wrong = replace(game)
    vars(wrong)["solution"] = Solution(game.board, "hearsay", values.__getitem__)
    with pytest.raises(ConformanceError, match=r"the value 0, found -1 by hearsay"):
        check_game(wrong)


def test_a_registered_game_with_draws_is_made_by_gymnasium_and_pettingzoo():
    game = tic_tac_toe().game
    nim_envs.register_game("noughts", game)
    assert gymnasium.make("nim_envs/Noughts-v0").unwrapped.game == game
    assert pettingzoo.make("aec", "nim_envs/noughts-v0").unwrapped.game == game
    with pytest.raises(InvalidGameError):
        nim_envs.make_game("noughts", misere=True)
