"""One-step actor-critic on hand-computed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents import ActorCritic
from tests.agents.learning import BoxRows, feed, turn

RATES = {"actor_rate": 0.5, "critic_rate": 0.1, "discount": 0.9}


@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_it_bootstraps_from_the_position_after_the_move(cut):
    learner = ActorCritic(BoxRows(), **RATES)
    learner.state.critic[1], learner.state.critic[2] = 0.3, -0.4
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    error = 0.9 * 0.4 - 0.3
    assert learner.state.critic[1] == pytest.approx(0.3 + 0.1 * error)
    assert learner.preferences[1].tolist() == pytest.approx([0.25 * error, -0.25 * error])


def test_a_position_that_has_ended_the_game_has_no_value():
    learner = ActorCritic(BoxRows(), **RATES)
    learner.state.critic[2] = -0.4
    feed(learner, [turn(4, 1, reply=2, reward=1.0)])
    assert learner.state.critic[4] == pytest.approx(0.1)
    assert learner.preferences[4].tolist() == pytest.approx([-0.25, 0.25])


def test_its_policy_is_the_softmax_of_its_preferences():
    agent = ActorCritic(BoxRows())
    agent.preferences[1] = [math.log(3), 0.0]
    shares = agent.action_probabilities(np.array([[1]]), np.ones((1, 2), np.int8))
    assert shares[0].tolist() == pytest.approx([0.75, 0.25])
