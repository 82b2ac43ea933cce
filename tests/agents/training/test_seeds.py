"""Training with several seeds in parallel: the results equal those of single runs."""

from __future__ import annotations

import numpy as np
import pytest
from agents.training.seeds import train_seeds

from agents import GradientBandit, QLearning
from agents.training import train
from nim_envs import GameEnv, make_game


def q_learner(seed):
    env = GameEnv(make_game("nim", heaps=(3, 4), start="uniform"))
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    return env, QLearning(*spaces, initial_range=0.1, seed=seed)


def two_bandits(seed):
    env = GameEnv(make_game("addition"))
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    return env, (GradientBandit(*spaces), GradientBandit(*spaces))


@pytest.mark.parametrize("workers", [1, None])
def test_results_do_not_depend_on_the_number_of_workers(workers):
    runs = train_seeds(q_learner, 300, seeds=(5, 0, 7), workers=workers, progress=False)
    assert [run.seed for run in runs] == [5, 0, 7]
    for run in runs:
        env, alone = q_learner(run.seed)
        log = train(env, alone, 300, seed=run.seed, progress=False)
        np.testing.assert_array_equal(run.agents.table, alone.table)
        np.testing.assert_array_equal(run.log.winners, log.winners)
    assert not np.array_equal(runs[0].agents.table, runs[1].agents.table)


def test_pairs_of_agents_and_arguments_of_train_are_passed_on():
    (run,) = train_seeds(
        two_bandits, 50, seeds=[3], workers=1, progress=False, options={"start": (4,)}
    )
    env, pair = two_bandits(3)
    train(env, pair, 50, seed=3, progress=False, options={"start": (4,)})
    for trained, alone in zip(run.agents, pair, strict=True):
        np.testing.assert_array_equal(trained.preferences, alone.preferences)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": []}, r"seeds must be different ones, at least one, not \[\]"),
        ({"seeds": [1, 1]}, r"not \[1, 1\]"),
        ({"seeds": [1], "workers": 0}, "workers must be an integer from 1 .* not 0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        train_seeds(q_learner, 10, progress=False, **arguments)
