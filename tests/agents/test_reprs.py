"""Representations of learners, matches and tournaments: one short line, or a table in HTML."""

from __future__ import annotations

import pytest

from agents import QLearning
from agents.metrics import learning_curve
from agents.registry import LEARNERS
from agents.training import train
from nim_envs import GameEnv, make_game


def nim():
    return GameEnv(make_game("nim", heaps=(2, 3)))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_shows_its_game_and_its_size_in_one_line(name):
    learner = LEARNERS[name].make(nim())[0]
    for shown in map(repr, (learner, learner.greedy())):
        assert "object at" not in shown
        assert "\n" not in shown
    assert "nim, heaps 2-3, normal play; 12 rows, 6 actions" in repr(learner)


def test_a_learner_says_how_many_games_it_has_seen():
    env = nim()
    learner = QLearning.for_env(env)
    assert "games" not in repr(learner)
    log = train(env, learner, 20, seed=0, progress=False)
    assert repr(learner) == ("QLearning(nim, heaps 2-3, normal play; 12 rows, 6 actions, 20 games)")
    assert repr(log).startswith("TrainingLog(20 games in ")
    curve = learning_curve(env, learner, env.game, 20, seed=0, every=10, progress=False)
    assert repr(curve).startswith("LearningCurve(2 points, ")
