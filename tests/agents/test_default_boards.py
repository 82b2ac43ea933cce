"""Default boards of the classics: too hard for random moves, and soon mastered by learners."""

import pettingzoo
import pytest

from agents import QLearning, RealTimeDynamicProgramming
from agents.training import train
from nim_envs import make_game, optimality
from nim_envs.registry import GAMES

CLASSICS = [
    name for name in GAMES if name == "laskers_nim" or len(make_game(name).parts[0].fields) > 1
]


@pytest.mark.parametrize("name", CLASSICS)
def test_random_moves_are_seldom_right_and_tables_learn_to_win(name):
    env = pettingzoo.make("aec", GAMES[name].aec_id, start="uniform")
    learner, planner = QLearning.for_env(env), RealTimeDynamicProgramming.for_env(env)
    for agent in (learner, planner):
        train(env, agent, games=20_000, seed=0, progress=False)
    learned = optimality(learner.greedy(), env)
    assert learned.count >= 40
    assert learned.random_percent <= 60
    assert learned.percent >= 98
    assert optimality(planner.greedy(), env).percent == 100
