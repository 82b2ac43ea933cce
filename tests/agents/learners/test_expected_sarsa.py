"""Expected SARSA on hand-computed numbers."""

from __future__ import annotations

import pytest

from agents import ExpectedSARSA
from tests.agents.learning import BoxRows, feed, turn


@pytest.mark.parametrize("cut", ["", "after the reply"])
def test_it_learns_from_own_turn_to_own_turn(cut):
    learner = ExpectedSARSA(BoxRows(), learning_rate=0.5, discount=0.9, epsilon=0.2)
    learner.table[4] = [0.5, -0.3]
    feed(learner, [turn(1, 0, following=4, cut=cut)])
    mean = 0.8 * 0.5 + 0.2 * (0.5 - 0.3) / 2
    assert learner.table[1, 0] == pytest.approx(0.5 * 0.9 * mean)
    feed(learner, [turn(2, 1, following=4, reply_reward=-1.0, end=True)])
    assert learner.table[2, 1] == -0.5


def test_it_learns_nothing_from_a_turn_without_a_reply():
    learner = ExpectedSARSA(BoxRows())
    learner.table[:] = 0.5
    feed(learner, [turn(1, 0, following=4, cut="after the move")])
    assert (learner.table == 0.5).all()
