"""Watkins's Q(λ) on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import QLearning, WatkinsQLambda
from agents.learners.watkins_q_lambda import WatkinsQLambdaState, lambda_return, learn_from_game
from agents.tabular.protocol import FinishedGame
from tests.agents.learning import BOX, TWO, feed, turn

RATE, DISCOUNT, DECAY = 0.5, 0.9, 0.8
TABLE = {1: [0.1, 0.4], 2: [0.6, 0.2], 3: [-0.2, 0.3]}


def learner_of(**arguments):
    settings = {"learning_rate": RATE, "discount": DISCOUNT, "trace_decay": DECAY, **arguments}
    learner = WatkinsQLambda(BOX, TWO, **settings)
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


def test_the_return_mixes_the_value_and_the_return_of_the_next_turn():
    assert lambda_return(0.25, 0.5, 0.75, 0.8, -0.4) == pytest.approx(0.25 + 0.5 * (0.2 - 0.3))
    assert lambda_return(0.0, 0.5, 0.0, 0.8, -0.4) == 0.4
    assert lambda_return(-1.0, 0.5, 0.75, 0.0, 0.0) == -1.0


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


def test_the_best_is_of_legal_actions_alone():
    table = np.array([[0.0, 0.0], [0.2, 7.0]])
    only_first = np.array([[0, 1], [0, 1]]), np.array([2, 1])
    finished = FinishedGame(
        np.array([0, 1]), np.array([0, 1]), *only_first, np.array([0, 0]), np.array([0.0, -1.0]),
        -1.0,
    )  # fmt: skip
    learn_from_game(WatkinsQLambdaState(table, 1.0, 1.0, 0.0), finished)
    assert table.tolist() == [[0.2, 0.0], [-1.0, 7.0]]


def test_rewards_are_of_move_and_reply():
    learner = learner_of(learning_rate=1.0)
    feed(learner, [turn(4, 0, reply_reward=-1.0, end=True)])
    assert learner.table[4, 0] == -1.0


def test_without_traces_it_is_q_learning_from_own_turn_to_own_turn():
    learner, other = (
        learner_of(trace_decay=0.0),
        QLearning(BOX, TWO, bootstrap="own_turn", learning_rate=RATE, discount=DISCOUNT),
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


@pytest.mark.parametrize("decay", [-0.1, 1.1])
def test_a_decay_out_of_range_is_refused(decay):
    with pytest.raises(ValueError, match=f"trace_decay must be a number from 0 to 1, not {decay}"):
        learner_of(trace_decay=decay)
