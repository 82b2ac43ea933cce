"""Published systems as they were, and the learners here that do better under their settings."""

import random
from dataclasses import replace

import numpy as np
import pytest

from agents import (
    MonteCarloES,
    QLearning,
    RealTimeDynamicProgramming,
)
from agents.training import train
from benchmarks.published import __main__ as published
from benchmarks.published.monte_carlo import opponent_move
from benchmarks.published.q_learner import (
    PublishedQLearner,
    action_values,
    moves_of,
    optimal_move,
)
from nim_envs import GameEnv, make_game
from nim_envs.scoring import optimality


def test_the_published_q_learner_adds_what_it_should_subtract():
    learner = PublishedQLearner(learning_rate=0.5, discount=0.8, win=100.0, seed=0)
    learner.row((0, 0, 2)).update({(2, 1): 10.0, (2, 2): 40.0})
    learner.learn((0, 0, 3), (2, 1), 0.0, (0, 0, 2))
    assert learner.row((0, 0, 3)) == {(2, 1): 0.5 * 0.8 * 40.0, (2, 2): 0.0, (2, 3): 0.0}
    learner.learn((0, 0, 2), (2, 2), learner.win, (0, 0, 0))
    assert learner.row((0, 0, 2)) == {(2, 1): 10.0, (2, 2): 70.0}
    assert action_values(learner.values, 10)[2, 20:23].tolist() == [10.0, 70.0, 0.0]


def test_the_published_opponents_behave_as_documented():
    rng = random.Random(0)
    # From (2, 2, 1) the winning move is the last object of the smallest heap.
    assert opponent_move((2, 2, 1), rng) is None
    assert opponent_move((3, 1, 1), rng) == (0, 3)
    assert opponent_move((2, 2, 0), rng) in moves_of((2, 2, 0))
    assert optimal_move((2, 2, 1), rng) == (2, 1)


def test_the_published_q_learner_is_reproduced_by_name():
    # One game of random moves, learned from by both: the same table.
    env = GameEnv(make_game("nim", heaps=(10, 10, 10)))
    ours = QLearning(env.game, bootstrap="opponent_max", discount=0.8)
    theirs = PublishedQLearner(learning_rate=1.0, discount=0.8, win=1.0, loss=-1.0, seed=0)
    rng = np.random.default_rng(5)

    class Recorded(QLearning):
        def update(self, transition):
            states = [
                tuple(int(size) for size in seen)
                for seen in (transition.observation, transition.reply_observation)
            ]
            heap, amount = divmod(transition.action, 10)
            reward = transition.reward + transition.reply_reward
            theirs.learn(states[0], (heap, amount + 1), reward, states[1])
            ours.update(transition)

    recorded = Recorded(env.game, epsilon=1.0)
    train(env, recorded, 30, seed=int(rng.integers(100)), progress=False, compiled=False)
    assert ours.table.any()
    assert action_values(theirs.values, 10) == pytest.approx(ours.table)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(2, 10))]
)
def test_every_seed_does_at_least_what_was_published(seed):
    env = GameEnv(make_game("misere_nim", heaps=(1, 3, 5, 7)))
    env = GameEnv(make_game("nim", heaps=(3, 3, 3), start="uniform"))
    monte_carlo = MonteCarloES(env.game)
    train(env, monte_carlo, 100_000, seed=seed, progress=False)
    score = optimality(monte_carlo.greedy(), env.game)
    assert (score.count, len(score.blunders)) == (48, 0)


@pytest.mark.parametrize(
    ("heaps", "best"), [(5, 47.4), pytest.param(7, 8.6, marks=pytest.mark.exhaustive)]
)
def test_a_learner_that_knows_only_the_rules_beats_the_best_published(heaps, best):
    env = GameEnv(make_game("nim", heaps=tuple(range(1, 2 * heaps, 2))))
    learner = RealTimeDynamicProgramming(env.game, epsilon=0.3)
    train(env, learner, 20_000, seed=0, progress=False)
    assert optimality(learner.greedy(), env.game).percent > best


def test_trainings_under_a_second_are_not_compared_by_seconds(monkeypatch):
    monkeypatch.setattr(published, "LEAST_SECONDS", 60.0)
    short = published.run("ratio-17-3-500", 0, quick=False)
    assert short.same_seconds is None
    long = replace(short, same_seconds=short.same_games)
    for runs, kept in (([short, short], False), ([short, long], False), ([long, long], True)):
        columns = [row[published.HEADER.index("same seconds")] for row in published.summary(runs)]
        assert [column != "-" for column in columns] == [kept] * len(columns)
