"""Matches alternate seats, state the attainable limit, and repeat from their seed."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from agents.match import play_match


def test_a_match_alternates_seats_and_states_the_attainable_limit():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(10, 10, 10), start="uniform")
    oracle = OptimalAgent(env.game)
    result = play_match(env, oracle, oracle, 400, seed=1)
    assert result.games_by_seat == (200, 200)
    assert result.draws == 0
    # Moving first from a uniform start nobody beats the oracle from a P-position; moving
    # second nobody beats it from an N-position.
    positions = env.game.start_positions()
    share = env.game.solution.is_winning(positions).mean()
    assert result.limit == pytest.approx((share + (1 - share)) / 2)
    first_only = play_match(env, oracle, oracle, 1, seed=1)
    assert first_only.limit == pytest.approx(share)
    low, high = result.interval
    assert low < result.win_rate < high
    assert result.win_rate == sum(result.wins) / 400


def test_matches_have_no_limit_where_none_can_be_computed():
    class Mute:
        def act(self, observation, action_mask, rng):
            return int(np.flatnonzero(action_mask)[0])

    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 2))
    assert play_match(env, RandomAgent(), Mute(), 4, seed=0).limit is None
    encoded = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 2), encoding="one_hot")
    assert play_match(encoded, RandomAgent(), RandomAgent(), 4, seed=0).limit is None
    tictactoe = pettingzoo.make("aec", "classic/tictactoe-v3")
    result = play_match(tictactoe, RandomAgent(), RandomAgent(), 200, seed=0)
    assert result.limit is None
    assert result.draws > 0
    with pytest.raises(ValueError, match="0"):
        play_match(env, RandomAgent(), RandomAgent(), 0, seed=0)


def test_the_same_seed_plays_the_same_match():
    env = pettingzoo.make("aec", "nim_envs/misere_nim", start="uniform")
    agents = RandomAgent(), EpsilonOptimalAgent(env.game, 0.5)
    first, second = (play_match(env, *agents, 50, seed=9) for _ in "12")
    assert first == second


def test_the_interval_of_a_match_is_wilsons():
    env = pettingzoo.make("aec", "nim_envs/nim", start="uniform")
    result = play_match(env, OptimalAgent(env.game), RandomAgent(), 30, seed=2, confidence=0.8)
    # Wilson's bounds are the shares p whose distance from the share seen is z deviations.
    for bound in result.interval:
        deviation = np.sqrt(bound * (1 - bound) / 30)
        assert abs(result.win_rate - bound) == pytest.approx(1.2815515655446004 * deviation)
    with pytest.raises(ValueError, match=r"1\.2"):
        play_match(env, RandomAgent(), RandomAgent(), 1, seed=0, confidence=1.2)
