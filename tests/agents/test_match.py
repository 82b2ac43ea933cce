"""Matches, and tournaments with their ratings."""

import numpy as np
import pettingzoo
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from agents import match as tournament
from agents.match import elo_ratings, play_match, round_robin


def test_a_tournament_ranks_players_by_strength():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5), start="uniform")
    agents = {
        "random": RandomAgent(),
        "half": EpsilonOptimalAgent(env.game, 0.5),
        "oracle": OptimalAgent(env.game),
    }
    result = round_robin(env, agents, 200, seed=2, progress=False)
    assert [name for name, *_ in result.ranking()] == ["oracle", "half", "random"]
    assert (result.points + result.points.T == 200 * (1 - np.eye(3))).all()
    assert result.elo.sum() == pytest.approx(0, abs=1e-6)
    assert (result.intervals[:, 0] <= result.elo).all()
    assert (result.elo <= result.intervals[:, 1]).all()
    again = round_robin(env, agents, 200, seed=2, progress=False)
    assert (again.points == result.points).all()
    assert (again.intervals == result.intervals).all()
    with pytest.raises(ValueError, match="random"):
        round_robin(env, {"random": RandomAgent()}, 10, seed=0)


def test_the_interval_of_a_player_that_wins_every_game_has_a_width():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5))
    agents = {"oracle": OptimalAgent(env.game), "next": EpsilonOptimalAgent(env.game, 1.0)}

    class Fool:
        """Takes all of the largest heap: a P-position is left to the opponent only by chance."""

        def act(self, observation, action_mask, rng):
            return int(np.flatnonzero(action_mask)[-1])

    result = round_robin(env, {**agents, "fool": Fool()}, 100, seed=0, progress=False)
    best = result.ranking()[0]
    assert best[0] == "oracle"
    assert (result.intervals[:, 0] < result.elo).all()
    assert (result.elo < result.intervals[:, 1]).all()
    certain = round_robin(env, {"oracle": agents["oracle"], "fool": Fool()}, 100, seed=0,
                          progress=False)  # fmt: skip
    assert certain.points[0, 1] in (0, 100)
    assert np.isfinite(certain.intervals).all()
    # 100 of 100: by Jeffreys' interval the chance is from 97.5 % on, 637 points between the two.
    name, elo, low, high = certain.ranking()[0]
    assert name == "oracle"
    assert 2 * low == pytest.approx(637, abs=30)
    assert low < elo < high


@settings(max_examples=30)
@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 60))
def test_the_interval_for_two_players_is_that_of_the_win_probability(won, drawn, lost):
    points = np.zeros((2, 2))
    points[1, 0], points[0, 1] = won + drawn / 2, lost + drawn / 2
    assume(points.sum())
    draws = np.array([[0, drawn], [drawn, 0]])
    samples = tournament._drawn_points(points, draws, np.random.default_rng(0))
    assert (samples[:, 1, 0] + samples[:, 0, 1]).tolist() == pytest.approx([points.sum()] * 1000)
    elo = tournament._ratings(samples)
    odds = samples[:, 1, 0] / samples[:, 0, 1]
    assert elo[:, 1] - elo[:, 0] == pytest.approx(400 * np.log10(odds), abs=1e-3)


@given(st.lists(st.integers(1, 30), min_size=6, max_size=6))
def test_expected_points_equal_the_points_scored(wins):
    points = np.zeros((3, 3))
    points[np.triu_indices(3, 1)] = wins[:3]
    points[np.tril_indices(3, -1)] = wins[3:]
    elo = elo_ratings(points)
    with_draws = points + (1 - np.eye(3)) / 2
    met = with_draws + with_draws.T
    expected = met / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    assert expected.sum(axis=1) == pytest.approx(with_draws.sum(axis=1), rel=1e-6)


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
