"""The natural policy gradient on hand-computed numbers."""

from __future__ import annotations

import math

import pytest

from agents import NaturalPolicyGradient
from tests.agents.learning import BoxRows, feed, turn

RATES = {"actor_rate": 0.5, "critic_rate": 0.2, "discount": 0.9}


@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_the_critic_bootstraps_from_the_policy_at_the_position_after_the_move(cut):
    learner = NaturalPolicyGradient(BoxRows(), **RATES)
    learner.preferences[2] = [math.log(3), 0.0]
    learner.state.critic[2] = [0.4, -0.8]
    learner.state.critic[1] = [0.0, 0.6]
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    value = 0.2 * -0.9 * (0.75 * 0.4 - 0.25 * 0.8)
    assert learner.state.critic[1].tolist() == pytest.approx([value, 0.6])
    mean = (value + 0.6) / 2
    assert learner.preferences[1].tolist() == pytest.approx(
        [0.5 * (value - mean), 0.5 * (0.6 - mean)]
    )


def test_a_position_that_has_ended_the_game_has_no_value():
    learner = NaturalPolicyGradient(BoxRows(), **RATES)
    learner.state.critic[2] = 5.0
    feed(learner, [turn(4, 1, reply=2, reward=1.0)])
    assert learner.state.critic[4].tolist() == pytest.approx([0.0, 0.2])
