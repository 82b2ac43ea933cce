"""The gradient bandit on hand-computed numbers, and a published setting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents import GradientBandit
from tests.agents.learning import BoxRows, feed, turn


def test_the_learner_knows_its_temperature():
    learner = GradientBandit(BoxRows(), learning_rate=0.1, temperature=2.0)
    learner.preferences[1] = [2 * math.log(3), 0.0]
    chances = learner.action_probabilities(np.array([[1]]), np.ones((1, 2), dtype=np.int8))
    assert chances[0].tolist() == pytest.approx([0.75, 0.25])
    feed(learner, [turn(1, 1, reward=1.0)])
    assert learner.preferences[1].tolist() == pytest.approx(
        [2 * math.log(3) - 0.05 * 0.75, 0.05 * 0.75]
    )


def test_all_turns_of_a_seat_are_learned_from_when_its_game_ends():
    learner = GradientBandit(BoxRows(), learning_rate=0.2)
    game = [
        turn(1, 0),
        turn(2, 1, seat=1),
        turn(4, 1, seat=1, reward=1.0),
        turn(3, 1, reply_reward=-1.0, end=True),
    ]
    feed(learner, game[:2])
    assert not learner.preferences.any()
    feed(learner, game)
    assert learner.preferences[:6] == pytest.approx(
        np.array([[0, 0], [-0.1, 0.1], [-0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [0, 0]])
    )
    assert learner.state.visits[:6].tolist() == [0, 1, 1, 1, 1, 0]
    assert learner.state.baselines[:6].tolist() == [0, -1, 1, -1, 1, 0]


def test_a_draw_has_result_0():
    learner = GradientBandit(BoxRows(), learning_rate=0.2)
    feed(learner, [turn(1, 0), turn(2, 0, end=True)])
    assert not learner.preferences.any()
    assert learner.state.visits[:6].tolist() == [0, 1, 1, 0, 0, 0]
