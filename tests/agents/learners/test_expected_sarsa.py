"""Expected SARSA on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import ExpectedSARSA
from agents.learners.expected_sarsa import (
    ExpectedSARSAState,
    epsilon_greedy_value,
    expected_sarsa_td_error,
    learn,
)
from tests.agents.learning import BOX, TWO, feed, indexed, turn


def test_the_expected_value_is_of_legal_actions_alone():
    values = np.array([2.0, 8.0, 3.0])
    assert epsilon_greedy_value(values, np.array([0]), 0.5) == 2.0
    assert epsilon_greedy_value(values, np.array([0, 2]), 0.5) == 0.5 * 3 + 0.5 * 2.5
    assert epsilon_greedy_value(values, np.array([], dtype=np.int64), 0.5) == 0.0


def test_the_td_error_is_of_the_mean_over_legal_actions():
    q, q_next = np.array([0.5, 0.0]), np.array([2.0, 8.0, 3.0])
    error = expected_sarsa_td_error(q, 0, -1.0, 0.5, q_next, np.array([0, 2]), 0.5)
    assert error == -1.0 + 0.5 * (0.5 * 3 + 0.5 * 2.5) - 0.5
    nothing = np.array([], dtype=np.int64)
    assert expected_sarsa_td_error(q, 0, -1.0, 0.5, q_next, nothing, 0.5) == -1.5


def test_it_bootstraps_from_the_mean_over_its_policy():
    table = np.array([[0.2, 0.0], [0.5, -0.3]])
    here = turn(0, 0, following=1)
    learn(ExpectedSARSAState(table, 0.5, 0.9), *indexed(here, epsilon=0.2))
    mean = 0.8 * 0.5 + 0.2 * (0.5 - 0.3) / 2
    assert table[0, 0] == pytest.approx(0.2 + 0.5 * (0.9 * mean - 0.2))


@pytest.mark.parametrize("cut", ["", "after the reply"])
def test_it_learns_from_own_turn_to_own_turn(cut):
    learner = ExpectedSARSA(BOX, TWO, learning_rate=0.5, discount=0.9, epsilon=0.2)
    learner.table[4] = [0.5, -0.3]
    feed(learner, [turn(1, 0, following=4, cut=cut)])
    mean = 0.8 * 0.5 + 0.2 * (0.5 - 0.3) / 2
    assert learner.table[1, 0] == pytest.approx(0.5 * 0.9 * mean)
    feed(learner, [turn(2, 1, following=4, reply_reward=-1.0, end=True)])
    assert learner.table[2, 1] == -0.5


def test_it_learns_nothing_from_a_turn_without_a_reply():
    learner = ExpectedSARSA(BOX, TWO)
    learner.table[:] = 0.5
    feed(learner, [turn(1, 0, following=4, cut="after the move")])
    assert (learner.table == 0.5).all()
