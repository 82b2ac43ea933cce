"""One-step actor-critic on hand-computed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents import ActorCritic
from agents.learners.actor_critic import actor_critic_td_error, learn
from agents.tabular.preferences import CriticState
from tests.agents.learning import BOX, TWO, feed, indexed, turn

RATES = {"actor_rate": 0.5, "critic_rate": 0.1, "discount": 0.9}


def test_the_td_error_is_against_the_opponents_value():
    assert actor_critic_td_error(0.25, 0.5, 0.5, -0.5) == 0.5 - 0.25 + 0.25
    assert actor_critic_td_error(0.25, 1.0, 0.5, 0.0) == 0.75


def test_actor_and_critic_move_by_the_same_error():
    preferences, values = np.zeros((2, 3)), np.array([0.3, -0.4])
    preferences[0] = [math.log(3), 0.0, 9.0]  # 3/4 and 1/4, and one that is not legal
    learn(
        CriticState(preferences, 1.0, values, 0.5, 0.1, 0.9, np.zeros(3)),
        *indexed(turn(0, 1, reply=1, legal=np.array([1, 1, 0]))),
    )
    error = 0.9 * 0.4 - 0.3
    assert values.tolist() == pytest.approx([0.3 + 0.1 * error, -0.4])
    assert preferences[0].tolist() == pytest.approx(
        [math.log(3) - 0.5 * error * 0.75, 0.5 * error * 0.75, 9.0]
    )


@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_it_bootstraps_from_the_position_after_the_move(cut):
    learner = ActorCritic(BOX, TWO, **RATES)
    learner.values[1], learner.values[2] = 0.3, -0.4
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    error = 0.9 * 0.4 - 0.3
    assert learner.values[1] == pytest.approx(0.3 + 0.1 * error)
    assert learner.preferences[1].tolist() == pytest.approx([0.25 * error, -0.25 * error])


def test_a_position_that_has_ended_the_game_has_no_value():
    learner = ActorCritic(BOX, TWO, **RATES)
    learner.values[2] = -0.4
    feed(learner, [turn(4, 1, reply=2, reward=1.0)])
    assert learner.values[4] == pytest.approx(0.1)
    assert learner.preferences[4].tolist() == pytest.approx([-0.25, 0.25])


def test_its_policy_is_the_softmax_of_its_preferences():
    agent = ActorCritic(BOX, TWO)
    agent.preferences[1] = [math.log(3), 0.0]
    shares = agent.action_probabilities(np.array([[1]]), np.ones((1, 2), np.int8))
    assert shares[0].tolist() == pytest.approx([0.75, 0.25])
