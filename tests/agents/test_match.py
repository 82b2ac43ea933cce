"""Matches alternate seats, state the attainable limit, and repeat from their seed."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from agents.match import play_match


def test_a_match_alternates_seats_and_counts_wins_and_draws():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(10, 10, 10), start="uniform")
    oracle = OptimalAgent(env.game)
    result = play_match(env, oracle, oracle, 401, seed=1)
    assert result.games_by_seat == (201, 200)
    assert result.draws == 0
    low, high = result.interval
    assert low < result.win_rate < high
    assert result.win_rate == sum(result.wins) / 401
    tictactoe = pettingzoo.make("aec", "classic/tictactoe-v3")
    assert play_match(tictactoe, RandomAgent(), RandomAgent(), 200, seed=0).draws > 0
    with pytest.raises(ValueError, match="0"):
        play_match(env, RandomAgent(), RandomAgent(), 0, seed=0)


def test_the_same_seed_plays_the_same_match():
    env = pettingzoo.make("aec", "nim_envs/misere_nim", start="uniform")
    agents = RandomAgent(), EpsilonOptimalAgent(env.game, 0.5)
    first, second = (play_match(env, *agents, 50, seed=9) for _ in "12")
    assert first == second


def test_the_interval_of_a_match_is_wilsons():
    env = pettingzoo.make("aec", "nim_envs/nim", start="uniform")
    result = play_match(env, OptimalAgent(env.game), RandomAgent(), 30, seed=2)
    # Wilson's bounds are the shares p whose distance from the share seen is z deviations.
    for bound in result.interval:
        deviation = np.sqrt(bound * (1 - bound) / 30)
        assert abs(result.win_rate - bound) == pytest.approx(1.959963984540054 * deviation)
