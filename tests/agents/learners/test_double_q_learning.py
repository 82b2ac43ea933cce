"""Double Q-learning on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import DoubleQLearning
from agents.learners.double_q_learning import (
    DoubleQLearningState,
    double_q_learning_td_error,
    learn,
)
from tests.agents.learning import BOX, TWO, feed, indexed, turn


def test_the_td_error_is_that_of_the_others_value_of_the_best_legal_reply():
    q, q_next, other = np.array([0.5, 0.0]), np.array([0.2, 0.9, 2.0]), np.array([5.0, 0.4, -3.0])
    error = double_q_learning_td_error(q, 0, 0.1, 0.5, q_next, other, np.array([0, 1]), 0.0)
    assert error == pytest.approx(0.1 - 0.5 * 0.4 - 0.5)
    nothing = np.array([], dtype=np.int64)
    assert double_q_learning_td_error(q, 0, 1.0, 0.5, q_next, other, nothing, 0.0) == 0.5


def test_one_table_evaluates_the_others_choice():
    table, other = np.zeros((2, 2)), np.zeros((2, 2))
    table[1], other[1] = [0.2, 0.9], [5.0, 0.4]
    numbers = np.array([0.5, 0.0])  # the first table is updated
    state = DoubleQLearningState(np.zeros((2, 2)), table, other, 0.5, 0.9, numbers)
    learn(state, *indexed(turn(0, 1, reply=1)))
    assert table[0].tolist() == pytest.approx([0.0, 0.5 * -0.9 * 0.4])
    assert not other[0].any()
    learn(state, *indexed(turn(0, 0, reply=1, reward=1.0)))
    assert table[0, 0] == 0.5


def test_a_random_number_chooses_the_table_to_update_and_it_acts_on_their_mean():
    learner = DoubleQLearning(BOX, TWO, learning_rate=0.5)
    coins = np.random.default_rng(0)
    expected = [0.0, 0.0]
    for _ in range(6):
        feed(learner, [turn(1, 0, reward=1.0)])
        updated = 1 if coins.random() < 0.5 else 0
        coins.random()  # breaks ties
        expected[updated] += 0.5 * (1 - expected[updated])
        assert [table[1, 0] for table in learner.tables] == expected
        assert learner.table[1, 0] == sum(expected) / 2
    assert min(expected) > 0  # both have come


def test_ties_between_replies_are_broken_at_random_for_both_tables():
    learner = DoubleQLearning(BOX, TWO, learning_rate=1.0)
    for updated, other in (learner.tables, learner.tables[::-1]):
        updated[2], other[2] = [0.5, 0.5], [0.1, 0.7]
        targets = set()
        for _ in range(60):
            feed(learner, [turn(1, 0, reply=2, cut="after the move")])
            targets.add(updated[1, 0])
        assert {-0.1, -0.7} <= targets


@pytest.mark.parametrize("cut", ["after the move", "after the reply"])
def test_in_truncated_games_it_bootstraps_from_the_last_position(cut):
    learner = DoubleQLearning(BOX, TWO)
    learner.tables[0][2] = learner.tables[1][2] = [0.1, 0.7]
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    assert learner.table[1, 0] == pytest.approx(-0.7 / 2)  # one of the two tables
