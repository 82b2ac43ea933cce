"""Reward shaping by the nim-sum."""

from __future__ import annotations

import numpy as np
import pytest

from agents import Learner, NimSumShaping
from agents.tabular.shaping import nim_sum_bonus
from tests.agents.learning import feed, turn


class Listener:
    """Writes down the bonus of each turn, and of each game."""

    def __init__(self):
        self.bonuses, self.games = [], []

    def update(self, transition):
        self.bonuses.append(transition.bonus)

    def begin_game(self):
        self.games.append([])

    def learn_from_game(self, transitions):
        self.games[-1] = [transition.bonus for transition in transitions]

    def act(self, observation, action_mask, rng):
        return 1

    def greedy(self):
        return "greedy"


def test_it_pays_for_leaving_nim_sum_zero_and_nothing_else():
    shaped = NimSumShaping(Listener(), bonus=10.0)
    assert isinstance(shaped, Learner)
    game = [
        turn(1, 0, end=end)._replace(reply_observation=np.array(after))
        for after, end in (((3, 3), False), ((3, 2), False), ((0, 0), True))
    ]
    feed(shaped, game)
    assert shaped.learner.bonuses == [10.0, 0.0, 10.0]
    assert shaped.learner.games[-1] == [10.0, 0.0, 10.0]
    assert shaped.act(None, None, None) == 1
    assert shaped.greedy() == "greedy"
    with pytest.raises(TypeError, match="action_probabilities"):
        shaped.action_probabilities(None, None)


def test_shaping_twice_pays_twice():
    shaped = NimSumShaping(NimSumShaping(Listener(), bonus=10.0), bonus=1.0)
    feed(shaped, [turn(1, 0)._replace(reply_observation=np.array([1, 2, 3]))])
    assert shaped.learner.learner.bonuses == [11.0]


@pytest.mark.parametrize(("heaps", "bonus"), [((1, 2, 3), 0.5), ((5,), 0.0), ((0, 0), 0.5)])
def test_the_nim_sum_decides(heaps, bonus):
    assert nim_sum_bonus(np.array(heaps), 0.5) == bonus
