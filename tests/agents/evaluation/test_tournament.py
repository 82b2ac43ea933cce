"""Tournaments and their ratings."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from agents.evaluation.tournament import elo_ratings, round_robin


def test_a_tournament_ranks_players_by_strength():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5), start="uniform")
    agents = {
        "random": RandomAgent(),
        "half": EpsilonOptimalAgent(env.game, 0.5),
        "oracle": OptimalAgent(env.game),
    }
    result = round_robin(env, agents, 200, seed=2, progress=False)
    assert [name for name, *_ in result.ranking()] == ["oracle", "half", "random"]
    assert (result.points + result.points.T == result.games).all()
    assert result.elo.sum() == pytest.approx(0, abs=1e-6)
    assert (result.intervals[:, 0] <= result.elo).all()
    assert (result.elo <= result.intervals[:, 1]).all()
    again = round_robin(env, agents, 200, seed=2, progress=False)
    assert (again.points == result.points).all()
    assert (again.intervals == result.intervals).all()
    with pytest.raises(ValueError, match="random"):
        round_robin(env, {"random": RandomAgent()}, 10, seed=0)


def test_draws_count_half():
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    result = round_robin(env, {"a": RandomAgent(), "b": RandomAgent()}, 100, seed=0, progress=False)
    assert result.points.sum() == 100
    assert (result.points * 2 % 1 == 0).all()


@given(st.lists(st.integers(1, 30), min_size=6, max_size=6))
def test_ratings_expect_the_points_that_were_scored(wins):
    points = np.zeros((3, 3))
    points[np.triu_indices(3, 1)] = wins[:3]
    points[np.tril_indices(3, -1)] = wins[3:]
    elo = elo_ratings(points)
    with_draws = points + (1 - np.eye(3)) / 2
    met = with_draws + with_draws.T
    expected = met / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    assert expected.sum(axis=1) == pytest.approx(with_draws.sum(axis=1), rel=1e-6)
