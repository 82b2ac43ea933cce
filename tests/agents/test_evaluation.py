"""Learning curves, and the positions that a learner met."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest

from agents import GradientBandit, QLearning, RandomAgent
from agents.evaluation import LearningCurve, VisitRecorder, learning_curve
from agents.training import TrainingLog, train
from nim_envs.scoring import optimality


def learner(env, make=QLearning):
    return make(env.observation_space("player_0"), env.action_space("player_0"))


def test_visited_positions_are_those_at_which_the_learner_moved():
    env = pettingzoo.make("aec", "nim_envs/addition", k=3, n=10)
    recorder = VisitRecorder(learner(env))
    train(env, recorder, 300, seed=0, progress=False)
    assert recorder.positions[:, 0].tolist() == list(range(11))
    score = optimality(recorder.greedy(), env.game, recorder.positions)
    assert score.count == 8
    narrow = VisitRecorder(learner(env))
    train(env, (narrow, RandomAgent()), 300, seed=0, progress=False)
    assert 1 not in narrow.positions  # player_0 is never to move at total 1


@pytest.mark.parametrize("make", [QLearning, GradientBandit])
def test_scoring_does_not_change_training(make):
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


def test_seconds_begin_when_games_are_compiled(monkeypatch):
    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    def trained(*_, after_game, **__):
        clock.now += 100  # compilation
        for games in (10, 20):
            clock.now += 1
            after_game(games)
        return TrainingLog(np.zeros(20, dtype=np.int8), np.ones(20, dtype=np.int32), 2.0)

    clock = Clock()
    monkeypatch.setattr("agents.evaluation.time", clock)
    monkeypatch.setattr("agents.evaluation.train", trained)
    env = pettingzoo.make("aec", "nim_envs/addition", k=3, n=10)
    curve = learning_curve(env, learner(env), env.game, 20, seed=0, every=10)
    assert curve.seconds.tolist() == [1, 2]


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
