"""TD(0) on afterstates on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import SampledAfterstateTD
from nim_envs import make_game
from tests.agents.learning import feed, turn

GAME = make_game("nim", heaps=(5,))


def learner_of():
    learner = SampledAfterstateTD(GAME, learning_rate=0.5, discount=0.9)
    learner.values[:] = [7.0, 0.1, 0.2, 0.3, 0.4, 0.5]  # that of the end is never looked at
    return learner


@pytest.mark.parametrize("cut", ["", "after the reply"])
def test_it_learns_afterstates_of_moves_from_those_of_replies(cut):
    learner = learner_of()
    feed(learner, [turn(5, 0, reply=4, following=2, cut=cut)])
    expected = [7.0, 0.1, 0.2, 0.3, 0.4 + 0.5 * (-0.9 * 0.2 - 0.4), 0.5]
    assert learner.values.tolist() == pytest.approx(expected)


def test_it_learns_nothing_from_a_turn_without_a_reply():
    learner = learner_of()
    before = learner.values.copy()
    feed(learner, [turn(5, 0, reply=4, following=4, cut="after the move")])
    assert learner.values.tolist() == before.tolist()


def test_results_are_learned_at_the_end_of_the_game():
    learner = learner_of()
    feed(learner, [turn(2, 1, reply=0, reward=1.0)])
    # The position without a move is lost to who is to move there.
    assert learner.values[0] == 7.0 + 0.5 * (-1 - 7.0)
    feed(learner, [turn(4, 0, reply=3, following=0, reply_reward=-1.0, end=True)])
    assert learner.values[3] == 0.3 + 0.5 * (1 - 0.3)


def test_it_chooses_the_position_of_the_least_value_by_the_rules():
    learner = learner_of()
    here = np.array([[5], [3]])
    values = learner.greedy().action_values(here, GAME.board.mask(GAME.board.find(here)))
    assert values.tolist() == [
        pytest.approx([-0.4, -0.3, -0.2, -0.1, -7.0]),
        pytest.approx([-0.2, -0.1, -7.0, -np.inf, -np.inf]),
    ]
    assert not SampledAfterstateTD(GAME).values.any()  # it is told of no result
