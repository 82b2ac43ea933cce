"""The gradient bandit on hand-computed numbers, and a published setting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents import GradientBandit
from agents.learners.gradient_bandit import (
    GradientBanditState,
    gradient_bandit_step,
    learn_from_game,
)
from agents.tabular.preferences import log_policy_gradient
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.game import PLAYERS as SEATS
from nim_envs.scoring import optimality
from tests.agents.learning import BOX, TWO, feed, finished, turn


def empty(temperature):
    """One state and three actions."""
    visits = np.zeros(1, dtype=np.int64)
    return GradientBanditState(np.zeros((1, 3)), np.zeros(1), visits, 0.1, temperature, np.zeros(3))


def test_the_step_is_the_advantage_times_the_learning_rate():
    assert gradient_bandit_step(-1.0, 0.5, 0.1, 2.0) == pytest.approx(-0.075)


def test_the_gradient_is_of_the_logarithm_of_the_probability():
    gradient = np.zeros(3)
    preferences = np.array([2 * math.log(3), 5.0, 0.0])  # 3/4 and 1/4 at temperature 2
    log_policy_gradient(preferences, 2, np.array([0, 2]), 2.0, gradient)
    assert gradient.tolist() == pytest.approx([-0.75, 0.0, 0.75])


def test_preferences_move_by_the_advantage():
    state = empty(temperature=1.0)
    preferences, baselines, visits = state[:3]
    # First game: a win with action 0 from baseline 0, probabilities one half each.
    learn_from_game(state, finished(0, 0, 1.0))
    assert preferences[0].tolist() == pytest.approx([0.05, -0.05, 0.0])
    assert (baselines[0], visits[0]) == (1.0, 1)
    # Second game: a loss with action 1; the baseline is the mean before it, 1.
    first = 1 / (1 + math.exp(-0.1))
    learn_from_game(state, finished(0, 1, -1.0))
    step = 0.1 * (-1 - 1)
    assert preferences[0].tolist() == pytest.approx(
        [0.05 - step * first, -0.05 + step * (1 - (1 - first)), 0.0]
    )
    assert (baselines[0], visits[0]) == (0.0, 2)


def test_the_step_is_the_gradient_at_any_temperature():
    state = empty(temperature=2.0)
    preferences = state.preferences
    preferences[0] = [2 * math.log(3), 0.0, 5.0]  # 3/4 and 1/4 at temperature 2
    learn_from_game(state, finished(0, 1, 1.0))
    step = 0.1 * 1.0 / 2
    assert preferences[0].tolist() == pytest.approx(
        [2 * math.log(3) - step * 0.75, step * (1 - 0.25), 5.0]
    )


def test_the_learner_knows_its_temperature():
    learner = GradientBandit(BOX, TWO, learning_rate=0.1, temperature=2.0)
    learner.preferences[1] = [2 * math.log(3), 0.0]
    chances = learner.action_probabilities(np.array([[1]]), np.ones((1, 2), dtype=np.int8))
    assert chances[0].tolist() == pytest.approx([0.75, 0.25])
    feed(learner, [turn(1, 1, reward=1.0)])
    assert learner.preferences[1].tolist() == pytest.approx(
        [2 * math.log(3) - 0.05 * 0.75, 0.05 * 0.75]
    )


def test_all_turns_of_a_seat_are_learned_from_when_its_game_ends():
    learner = GradientBandit(BOX, TWO, learning_rate=0.2)
    game = [
        turn(1, 0),
        turn(2, 1, seat=1),
        turn(4, 1, seat=1, reward=1.0),
        turn(3, 1, reply_reward=-1.0, end=True),
    ]
    feed(learner, game[:2])
    assert not learner.preferences.any()
    feed(learner, game)
    assert learner.preferences == pytest.approx(
        np.array([[0, 0], [-0.1, 0.1], [-0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [0, 0]])
    )
    assert learner.visits.tolist() == [0, 1, 1, 1, 1, 0]
    assert learner.baselines.tolist() == [0, -1, 1, -1, 1, 0]


def test_a_draw_has_result_0():
    learner = GradientBandit(BOX, TWO, learning_rate=0.2)
    feed(learner, [turn(1, 0), turn(2, 0, end=True)])
    assert not learner.preferences.any()
    assert learner.visits.tolist() == [0, 1, 1, 0, 0, 0]


def test_it_learns_the_larger_published_setting():
    env = GameEnv(make_game("addition", k=4, n=20))
    pair = [GradientBandit.for_env(env) for _ in SEATS]
    train(env, pair, 50_000, seed=0, progress=False)
    scores = [
        optimality(learner.greedy(), env.game, seat).percent
        for learner, seat in zip(pair, SEATS, strict=True)
    ]
    assert scores == [100, 100]
