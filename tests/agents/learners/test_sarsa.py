"""SARSA on hand-computed numbers."""

from __future__ import annotations

import pytest

from agents import SARSA
from tests.agents.learning import BoxRows, feed, turn


def learner_of(rows):
    learner = SARSA(BoxRows(), learning_rate=0.5, discount=0.9)
    for position, row in rows.items():
        learner.table[position] = row
    return learner


def test_it_waits_for_the_next_action():
    learner = learner_of({4: [0.3, -0.4]})
    game = [
        turn(1, 0, reply=2, following=4),
        turn(5, 1, seat=1),  # the other seat's turn is not the next action
        turn(4, 1, reply_reward=-1.0, end=True),
    ]
    feed(learner, [*game[:2]])
    assert not learner.table[1].any()
    feed(learner, game)
    assert learner.table[1, 0] == pytest.approx(0.5 * 0.9 * -0.4)
    assert learner.table[4, 1] == pytest.approx(-0.4 + 0.5 * (-1 + 0.4))
    assert not learner.table[5].any()
    feed(learner, [turn(3, 0), turn(2, 0, reward=1.0)])
    assert learner.table[2, 0] == 0.5


def test_turns_of_different_games_are_not_joined():
    learner = learner_of({4: [0.3, -0.4]})
    feed(learner, [turn(1, 0, following=4)], [turn(4, 0, reward=1.0)])
    assert not learner.table[1].any()
    assert learner.table[4, 0] == pytest.approx(0.3 + 0.5 * 0.7)


def test_before_the_first_game_there_is_no_turn_to_learn_from():
    learner = learner_of({4: [0.3, -0.4]})
    before = learner.table.copy()
    for seat in (0, 1):
        learner.update(turn(4, 0, seat=seat, following=3))
    assert learner.table.tolist() == before.tolist()


@pytest.mark.parametrize("cut", ["after the move", "after the reply"])
def test_in_truncated_games_the_last_turn_is_not_learned_from(cut):
    learner = learner_of({4: [0.3, -0.4], 3: [0.8, 0.8]})
    before = learner.table.copy()
    feed(learner, [turn(1, 0, following=4), turn(4, 1, following=3, cut=cut)], [turn(5, 0)])
    before[1, 0] = 0.5 * 0.9 * -0.4
    assert learner.table == pytest.approx(before)
