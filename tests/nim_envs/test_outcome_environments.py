"""Games with draws against an opponent, and their checks, against the functions that make them."""

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
from tests.outcome_games import (
    GAMES,
    LARGER,
    LARGER_NAMES,
    dominoes,
    small_random_games,
    tic_tac_toe,
)


def check_games_against_an_opponent(entry, games=20):
    """Play against a random opponent in step with the functions; return the rewards met."""
    game, truth = entry.game, entry.truth()
    start = game.start
    rng, asked, met = np.random.default_rng(0), [], set()

    def opponent(observations, masks):
        asked.append((tuple(observations[0].tolist()), int(rng.choice(np.flatnonzero(masks[0])))))
        return np.array([asked[-1][1]])

    def after(position, action):
        return {str(label): at for label, at in entry.moves(position)}[game.describe(action)]

    replied = any(entry.moves(at) for _, at in entry.moves(start))
    for seed in range(0, games, 1 if replied else 2):  # else the second player has no turn
        asked.clear()
        env = VersusEnv(game, opponent=opponent, seat=seed % 2, truth_in_info=True)
        _, info = env.reset(seed=seed)
        at, ended = start, False
        for shown, reply in asked:  # where that ends a game, another begins
            at = after(start, reply)
            assert shown == start
        while not ended:
            before, value = at, truth[at]
            legal = np.flatnonzero(info["action_mask"]).tolist()
            moves = {str(label) for label, _ in entry.moves(before)}
            assert {game.describe(action) for action in legal} == moves
            asked.clear()
            own = int(rng.choice(legal))
            observation, reward, ended, truncated, info = env.step(own)
            at = after(before, own)
            assert (info["value"], info["kept_value"]) == (value, truth[at] == -value)
            if entry.moves(at):
                ((shown, reply),) = asked
                assert shown == at
                at = after(at, reply)
                expected = 0 if entry.moves(at) else entry.outcome(at)
            else:
                expected = -entry.outcome(at)
            assert (reward, ended, truncated) == (expected, not entry.moves(at), False)
            assert not np.signbit(reward) or reward < 0
            assert tuple(observation["observation"].tolist()) == at
        assert info["winner"] == {1: seed % 2, 0: -1, -1: 1 - seed % 2}[expected]
        met.add(expected)
    return met


@pytest.mark.parametrize("name", GAMES)
def test_games_are_those_of_the_functions(name):
    entry = GAMES[name]()
    assert len(check_games_against_an_opponent(entry)) > 1 or name.startswith("random")


def test_random_games_are_those_of_the_functions():
    for entry in small_random_games():
        check_games_against_an_opponent(entry, 4)


@pytest.mark.parametrize("name", LARGER_NAMES)
def test_larger_games_are_those_of_the_functions(name):
    check_games_against_an_opponent(LARGER[name]())


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
    with pytest.raises(ConformanceError, match=r"by hearsay .* the value 0, found -1"):
        check_game(wrong)


def test_a_registered_game_with_draws_is_made_by_gymnasium_and_pettingzoo():
    game = tic_tac_toe().game
    nim_envs.register_game("noughts", game)
    assert gymnasium.make("nim_envs/Noughts-v0").unwrapped.game == game
    assert pettingzoo.make("aec", "nim_envs/noughts-v0").unwrapped.game == game
    with pytest.raises(InvalidGameError):
        nim_envs.make_game("noughts", misere=True)
