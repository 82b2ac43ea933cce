"""Double Q-learning on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import DoubleQLearning
from tests.agents.learning import BoxRows, feed, turn


def tables(learner):
    return learner.state.first, learner.state.second


def test_a_random_number_chooses_the_table_to_update_and_it_acts_on_their_mean():
    learner = DoubleQLearning(BoxRows(), learning_rate=0.5)
    coins = np.random.default_rng(0)
    expected = [0.0, 0.0]
    for _ in range(6):
        feed(learner, [turn(1, 0, reward=1.0)])
        updated = 1 if coins.random() < 0.5 else 0
        coins.random()  # breaks ties
        expected[updated] += 0.5 * (1 - expected[updated])
        assert [table[1, 0] for table in tables(learner)] == expected
        assert learner.table[1, 0] == sum(expected) / 2
    assert min(expected) > 0  # both have come


def test_ties_between_replies_are_broken_at_random_for_both_tables():
    learner = DoubleQLearning(BoxRows(), learning_rate=1.0)
    for updated, other in (tables(learner), tables(learner)[::-1]):
        updated[2], other[2] = [0.5, 0.5], [0.1, 0.7]
        targets = set()
        for _ in range(60):
            feed(learner, [turn(1, 0, reply=2, cut="after the move")])
            targets.add(updated[1, 0])
        assert {-0.1, -0.7} <= targets


@pytest.mark.parametrize("cut", ["after the move", "after the reply"])
def test_in_truncated_games_it_bootstraps_from_the_last_position(cut):
    learner = DoubleQLearning(BoxRows())
    tables(learner)[0][2] = tables(learner)[1][2] = [0.1, 0.7]
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    assert learner.table[1, 0] == pytest.approx(-0.7 / 2)  # one of the two tables
