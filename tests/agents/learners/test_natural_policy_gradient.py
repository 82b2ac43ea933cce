"""The natural policy gradient on hand-computed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents import NaturalPolicyGradient
from agents.learners.natural_policy_gradient import (
    expected_value,
    learn,
    natural_policy_gradient_td_error,
)
from agents.tabular.preferences import CriticState
from tests.agents.learning import BOX, TWO, feed, indexed, turn

RATES = {"actor_rate": 0.5, "critic_rate": 0.2, "discount": 0.9}


def test_the_td_error_is_of_the_mean_value_of_the_legal_replies():
    q, q_next = np.array([0.5, 0.25]), np.array([0.4, 8.0, -0.8])
    probabilities, replies = np.array([0.75, 0.0, 0.25]), np.array([0, 2])
    error = natural_policy_gradient_td_error(q, 1, 0.5, 0.9, q_next, probabilities, replies)
    assert error == pytest.approx(0.5 - 0.9 * (0.75 * 0.4 - 0.25 * 0.8) - 0.25)
    nothing = np.array([], dtype=np.int64)
    assert natural_policy_gradient_td_error(q, 1, 1.0, 0.9, q_next, probabilities, nothing) == 0.75
    assert expected_value(q_next, probabilities, replies) == pytest.approx(0.3 - 0.2)


def test_preferences_move_by_the_advantages_of_legal_actions():
    preferences, action_values = np.zeros((2, 3)), np.zeros((2, 3))
    preferences[0] = [math.log(3), 0.0, 9.0]  # 3/4 and 1/4, and one that is not legal
    action_values[0] = [0.25, 0.6, 8.0]
    rates = 0.5, 0.2, 0.9
    learn(
        CriticState(preferences, 1.0, action_values, *rates, np.zeros(3)),
        *indexed(
            turn(
                0, 0, reply=1, legal=np.array([1, 1, 0]),
                reply_legal=np.array([0, 0, 1]),
            )
        ),
    )  # fmt: skip
    assert action_values[0].tolist() == pytest.approx([0.3, 0.6, 8.0])
    mean = 0.75 * 0.3 + 0.25 * 0.6
    assert preferences[0].tolist() == pytest.approx(
        [math.log(3) + 0.5 * (0.3 - mean), 0.5 * (0.6 - mean), 9.0]
    )


@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_the_critic_bootstraps_from_the_policy_at_the_position_after_the_move(cut):
    learner = NaturalPolicyGradient(BOX, TWO, **RATES)
    learner.preferences[2] = [math.log(3), 0.0]
    learner.action_values[2] = [0.4, -0.8]
    learner.action_values[1] = [0.0, 0.6]
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    value = 0.2 * -0.9 * (0.75 * 0.4 - 0.25 * 0.8)
    assert learner.action_values[1].tolist() == pytest.approx([value, 0.6])
    mean = (value + 0.6) / 2
    assert learner.preferences[1].tolist() == pytest.approx(
        [0.5 * (value - mean), 0.5 * (0.6 - mean)]
    )


def test_a_position_that_has_ended_the_game_has_no_value():
    learner = NaturalPolicyGradient(BOX, TWO, **RATES)
    learner.action_values[2] = 5.0
    feed(learner, [turn(4, 1, reply=2, reward=1.0)])
    assert learner.action_values[4].tolist() == pytest.approx([0.0, 0.2])


def test_its_policy_is_the_softmax_of_its_preferences():
    learner = NaturalPolicyGradient(BOX, TWO)
    learner.preferences[1] = [math.log(3), 0.0]
    shares = learner.action_probabilities(np.array([[1]]), np.ones((1, 2), np.int8))
    assert shares[0].tolist() == pytest.approx([0.75, 0.25])
