"""Scores beyond plain optimality, learning curves and tournaments."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import EpsilonOptimalAgent, GradientBandit, OptimalAgent, QLearning, RandomAgent
from agents.evaluation import (
    VisitRecorder,
    beatable_share,
    best_response,
    optimality,
    optimality_by_size,
    play_match,
    value_accuracy,
    win_chances,
)
from agents.evaluation.learning_curves import LearningCurve, learning_curve
from agents.evaluation.tournament import elo_ratings, round_robin
from agents.training import TrainingLog, train
from nim_envs import GameEnv, make_game


def learner(env, make=QLearning):
    return make(env.observation_space("player_0"), env.action_space("player_0"))


def test_scores_by_size_add_up_to_the_whole():
    game = make_game("nim", heaps=(3, 4, 5))
    policy = EpsilonOptimalAgent(game, 0.4)
    scores = optimality_by_size(policy, game)
    whole = optimality(policy, game)
    counts = [score.count for score in scores.values()]
    assert list(scores) == sorted(scores)
    assert sum(counts) == whole.count
    assert np.average([s.percent for s in scores.values()], weights=counts) == pytest.approx(
        whole.percent
    )
    # A single object: one heap of 1, which is taken by the one legal move.
    assert (scores[1].count, scores[1].percent) == (3, 100)


def test_visited_positions_are_those_faced():
    env = pettingzoo.make("aec", "nim_envs/addition", k=3, n=10)
    recorder = VisitRecorder(learner(env))
    train(env, recorder, 300, seed=0, progress=False)
    assert recorder.positions[:, 0].tolist() == list(range(11))
    score = optimality(recorder.greedy(), env.game, recorder.positions)
    assert score.count == 8
    narrow = VisitRecorder(learner(env))
    train(env, (narrow, RandomAgent()), 300, seed=0, progress=False)
    assert 1 not in narrow.positions  # the first player never faces total 1


def test_value_accuracy_is_not_fooled_by_always_saying_n():
    game = make_game("nim", heaps=(10, 10, 10))
    lattice = game.rules.lattice()
    always = value_accuracy(np.ones(len(lattice), dtype=bool), game)
    assert (always.balanced, always.n_recall, always.p_recall) == (0.5, 1.0, 0.0)
    assert always.plain > 0.9
    truth = value_accuracy(game.solution.is_winning(lattice), game)
    assert (truth.balanced, truth.plain) == (1.0, 1.0)
    by_hand = value_accuracy(lattice[:, 0] > 4, game)
    playable = lattice[1:]
    winning = np.bitwise_xor.reduce(playable, axis=1) != 0
    said = playable[:, 0] > 4
    assert by_hand.n_recall == pytest.approx((said & winning).sum() / winning.sum())
    assert by_hand.p_recall == pytest.approx((~said & ~winning).sum() / (~winning).sum())
    with pytest.raises(ValueError, match="1331"):
        value_accuracy(np.ones(3, dtype=bool), game)


def test_the_oracle_cannot_be_beaten_and_the_random_player_nearly_always():
    game = make_game("misere_nim", heaps=(1, 3, 5))
    assert beatable_share(OptimalAgent(game), game) == 0
    assert beatable_share(EpsilonOptimalAgent(game, 0.01), game) > 0.8
    assert beatable_share(RandomAgent(), game) > 0.8


@pytest.mark.parametrize("make", [QLearning, GradientBandit])
def test_a_learning_curve_leaves_training_as_it_is(make):
    env = pettingzoo.make("aec", "nim_envs/addition", k=3, n=10)
    pair = (learner(env, make), learner(env, make)) if make is GradientBandit else learner(env)
    curve = learning_curve(env, pair, env.game, 5_000, seed=3, every=400, progress=False)
    assert curve.games.tolist() == [*range(400, 5_000, 400), 5_000]
    assert (np.diff(curve.seconds) > 0).all()
    assert curve.percent[-1] == 100
    assert curve.games_to_sustained in curve.games
    plain = (learner(env, make), learner(env, make)) if make is GradientBandit else learner(env)
    log = train(env, plain, 5_000, seed=3, progress=False)
    assert log.lengths.tolist() == curve.log.lengths.tolist()
    if make is QLearning:
        assert (plain.table == pair.table).all()
        assert curve.percent[-1] == optimality(plain.greedy(), env.game).percent
    else:
        assert all((a.preferences == b.preferences).all() for a, b in zip(plain, pair, strict=True))
    with pytest.raises(ValueError, match="0"):
        learning_curve(env, pair, env.game, 5, seed=0, every=0)


@pytest.mark.parametrize(
    ("percent", "games"),
    [
        ([50.0, 100.0, 99.0, 100.0, 100.0], 40),
        ([100.0, 100.0, 100.0, 100.0, 100.0], 10),
        ([100.0, 100.0, 100.0, 100.0, 99.9], None),
    ],
)
def test_sustained_means_to_the_end(percent, games):
    log = TrainingLog(np.zeros(50, dtype=np.int8), np.zeros(50, dtype=np.int32), 1.0)
    at = np.arange(10, 60, 10)
    curve = LearningCurve(at, at / 10, np.array(percent), log)
    assert curve.games_to_sustained == games
    assert curve.seconds_to_sustained == (None if games is None else games / 10)


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


@pytest.mark.parametrize("misere", [False, True])
def test_win_chances_are_those_of_matches_and_of_the_best_response(misere):
    game = make_game("nim", heaps=(2, 3), misere=misere, start="uniform")
    epsilon = EpsilonOptimalAgent(game, 0.3)
    chances = win_chances(RandomAgent(), epsilon, game)
    # A zero-sum game: one of the two wins.
    other = win_chances(epsilon, RandomAgent(), game)
    assert chances.moving + other.waiting == pytest.approx(np.ones(12))
    best = best_response(epsilon, game)
    oracle = win_chances(OptimalAgent(game), epsilon, game)
    assert (chances.moving <= best.moving + 1e-12).all()
    assert (oracle.moving <= best.moving + 1e-12).all()
    match = play_match(GameEnv(game), RandomAgent(), epsilon, 4_000, seed=0)
    starts = game.rules.indices(game.start_positions())
    expected = (chances.moving[starts].mean() + chances.waiting[starts].mean()) / 2
    low, high = match.interval
    assert low - 0.01 <= expected <= high + 0.01
