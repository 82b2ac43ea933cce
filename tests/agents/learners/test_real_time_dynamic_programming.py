"""Real-time dynamic programming on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import RealTimeDynamicProgramming
from nim_envs import make_game
from tests.agents.learning import feed, turn


def turn_at(game, *position, cut=""):
    here, end = np.array(position), np.zeros(len(position), np.int64)
    return turn(0, 0, reward=0.0 if cut else 1.0, cut=cut)._replace(
        observation=here, legal_actions=np.array(game.actions(position)), reply_observation=end,
        next_observation=end,
    )  # fmt: skip


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_values_are_backed_up_from_the_options_not_from_the_game_played(misere, cut):
    game = make_game("nim", heaps=(2, 1), misere=misere)
    learner = RealTimeDynamicProgramming(game, learning_rate=0.5)
    end = 1.0 if misere else -1.0
    # Positions in mixed radix: (0,0), (0,1), (1,0), (1,1), (2,0), (2,1).
    assert learner.values.tolist() == [end, 0, 0, 0, 0, 0]
    learner.values[1:] = [0.1, 0.2, 0.3, 0.4, 0.5]
    feed(learner, [turn_at(game, 2, 0, cut=cut)])
    # From (2, 0): to (1, 0), worth -0.2, or to (0, 0), worth minus the end.
    assert learner.values[4] == pytest.approx(0.4 + 0.5 * (max(-0.2, -end) - 0.4))
    assert learner.values[[0, 1, 2, 3, 5]].tolist() == [end, 0.1, 0.2, 0.3, 0.5]


def test_sweeping_raises_the_predecessors_of_a_lost_position():
    game = make_game("nim", heaps=(2, 2))
    learner = RealTimeDynamicProgramming(game, learning_rate=0.5, sweeping=True)
    at = game.board.find
    for position in ((0, 1), (1, 0)):
        learner.values[at(np.array(position))] = 1.0
    here = np.array([1, 1])
    feed(learner, [turn_at(game, 1, 1)])
    # Both options of (1, 1) win for the opponent: it falls by half of the way to -1, and
    # those one move before it, (2, 1) and (1, 2), rise by half of the way to 0.5.
    assert learner.values[at(here)] == -0.5
    values = {tuple(p): learner.values[at(p)] for p in game.board.coordinates}
    expected = dict.fromkeys(values, 0.0) | {
        (0, 0): -1.0, (0, 1): 1.0, (1, 0): 1.0, (1, 1): -0.5, (2, 1): 0.25, (1, 2): 0.25,
    }  # fmt: skip
    assert values == expected
    # The sweep never lowers a value: that of (2, 1), above its new target, stays.
    learner.values[at(np.array([2, 1]))] = 0.9
    feed(learner, [turn_at(game, 1, 1)])
    assert learner.values[at(np.array([2, 1]))] == 0.9
    assert learner.values[at(np.array([1, 2]))] == pytest.approx(0.25 + 0.5 * (0.75 - 0.25))
