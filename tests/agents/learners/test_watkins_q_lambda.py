"""Watkins's Q(λ) on hand-computed numbers."""

from __future__ import annotations

import pytest

from agents import QLearning, WatkinsQLambda
from tests.agents.learning import BoxRows, feed, turn

RATE, DISCOUNT, DECAY = 0.5, 0.9, 0.8
TABLE = {1: [0.1, 0.4], 2: [0.6, 0.2], 3: [-0.2, 0.3]}


def learner_of(**arguments):
    settings = {"learning_rate": RATE, "discount": DISCOUNT, "trace_decay": DECAY, **arguments}
    learner = WatkinsQLambda(BoxRows(), **settings)
    for position, row in TABLE.items():
        learner.table[position] = row
    return learner


def game(*actions):
    """At positions 1, 2 and 3, won by the last move."""
    first, second, third = actions
    return [
        turn(1, first, following=2),
        turn(2, second, following=3),
        turn(3, third, reward=1.0),
    ]


def test_returns_reach_back_through_greedy_actions():
    learner = learner_of()
    feed(learner, game(0, 0, 1))  # greedy at 2 and 3
    third = 1.0
    second = DISCOUNT * ((1 - DECAY) * 0.3 + DECAY * third)
    first = DISCOUNT * ((1 - DECAY) * 0.6 + DECAY * second)
    assert learner.table[3, 1] == pytest.approx(0.3 + RATE * (third - 0.3))
    assert learner.table[2, 0] == pytest.approx(0.6 + RATE * (second - 0.6))
    assert learner.table[1, 0] == pytest.approx(0.1 + RATE * (first - 0.1))
    assert learner.table[1, 1] == 0.4


def test_returns_are_cut_where_an_action_was_not_greedy():
    learner = learner_of()
    feed(learner, game(0, 1, 1))  # not greedy at 2
    second = DISCOUNT * ((1 - DECAY) * 0.3 + DECAY * 1.0)
    assert learner.table[2, 1] == pytest.approx(0.2 + RATE * (second - 0.2))
    # From the best at 2, whatever was done there.
    assert learner.table[1, 0] == pytest.approx(0.1 + RATE * (DISCOUNT * 0.6 - 0.1))


def test_without_traces_it_is_q_learning_from_own_turn_to_own_turn():
    learner, other = (
        learner_of(trace_decay=0.0),
        QLearning(BoxRows(), bootstrap="own_turn", learning_rate=RATE, discount=DISCOUNT),
    )
    other.table[:] = learner.table
    # The last turn first, so that both learn from the same values.
    turns = game(1, 1, 0)
    feed(learner, turns)
    for transition in turns:
        other.update(transition)
    assert learner.table == pytest.approx(other.table)


def test_each_seats_turns_are_a_game_of_its_own():
    learner = learner_of(learning_rate=1.0)
    feed(
        learner,
        [
            turn(4, 0, following=3),
            turn(1, 0, seat=1, following=2),
            turn(3, 1, reward=1.0),
            turn(2, 0, seat=1, reply_reward=-1.0, end=True),
        ],
    )
    assert learner.table[2, 0] == -1.0
    assert learner.table[1, 0] == pytest.approx(DISCOUNT * ((1 - DECAY) * 0.6 - DECAY))
