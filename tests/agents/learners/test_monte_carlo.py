"""Monte-Carlo control on hand-computed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from agents import MonteCarloES
from tests.agents.learning import ONES, BoxRows, feed, turn


def test_results_of_whole_games_are_averaged():
    learner = MonteCarloES(BoxRows())
    feed(learner, [turn(1, 0), turn(3, 1, reward=1.0)])
    feed(learner, [turn(1, 0, reply_reward=-1.0, end=True)])
    feed(learner, [turn(4, 0, end=True)])  # a draw
    assert learner.table[1, 0] == 0.5
    assert learner.table[3, 1] == 1.0
    assert learner.table[4, 0] == 0.5
    assert learner.state.visits[:6, 0].tolist() == [0, 2, 0, 0, 1, 0]
    assert learner.exploration.epsilon == pytest.approx(1 / 4)


def test_the_first_move_of_each_game_is_random():
    learner = MonteCarloES(BoxRows())
    rng = np.random.default_rng(0)
    learner.table[3] = [0.0, 1.0]
    firsts, seconds = [], []
    for _ in range(200):
        learner.begin_game()
        firsts.append(learner.act(np.array([3]), ONES, rng))
        seconds.append(learner.act(np.array([3]), ONES, rng))
        feed(learner, [turn(5, 0, reward=1.0)])
    assert 70 < sum(firsts) < 130
    assert np.mean(seconds[50:]) > 0.95  # epsilon is below 1/50 by then
