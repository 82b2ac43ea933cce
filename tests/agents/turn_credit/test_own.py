"""Estimators of one's own."""

from __future__ import annotations

import numpy as np
import pytest

from agents.turn_credit import ESTIMATORS, find, register, sample
from agents.turn_credit.learning import learn
from benchmarks.turn_credit.direction import measure
from nim_envs.errors import InvalidGameError
from tests.agents.turn_credit.tasks import at_random, task


def means_by(keys, values):
    _, at = np.unique(keys, return_inverse=True)
    return (np.bincount(at, values) / np.bincount(at))[at]


def step_groups(results, groups, states):
    """GiGPO's state groups, as a trainer would write them down."""
    return results - means_by(groups * 1_000 + states, results)


def verdictless(rewards, **others):
    """REINFORCE, from the rewards of the turns to come."""
    returns = np.zeros(len(rewards))
    for game in np.unique(others["games"]):
        here = others["games"] == game
        returns[here] = rewards[here][::-1].cumsum()[::-1]
    return returns


@pytest.fixture(autouse=True)
def _only_those_of_the_package():
    before = dict(ESTIMATORS)
    yield
    ESTIMATORS.clear()
    ESTIMATORS.update(before)


def played(name="kayles"):
    policies = np.broadcast_to(
        at_random(task(name)).policy, (2, *at_random(task(name)).policy.shape)
    )
    return sample(task(name), policies, 5, np.random.default_rng(0).spawn(2))


def test_functions_are_credited_as_those_of_the_table():
    games = played()
    for function, same in ((step_groups, "by state"), (verdictless, "REINFORCE")):
        credit = register(function).sampled(games)
        assert credit == pytest.approx(ESTIMATORS[same].sampled(games), abs=1e-14)
        assert credit.any()


def test_every_argument_is_of_its_turn():
    games, seen = played("nim"), []

    def keep(**arrays):
        seen.append(arrays)
        return arrays["turns"]

    register(keep).sampled(games)
    assert len(seen) == 2
    for run, arrays in enumerate(seen):
        for number, (group, game, turn) in enumerate(np.argwhere(games.reached[run])):
            at = (run, group, game, turn)
            state, action = games.states[at], games.actions[at]
            last = turn + 1 == games.reached[run, group, game].sum()
            result = games.results[run, group, game]
            context = games.contexts[run, group]
            expected = {
                "rewards": result if last else 0, "groups": group, "games": 8 * group + game,
                "turns": turn, "states": state, "actions": action,
                "last": last, "results": result, "seats": games.task.contexts[context, 1],
                "log_probabilities": np.log(games.policies[run, state, action]),
            }  # fmt: skip
            assert {name: array[number] for name, array in arrays.items()} == expected


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda rewards, critic: rewards,
            "asks for 'critic'; an estimator may ask for rewards, groups",
        ),
        (lambda rewards: rewards[:-1], "expected a credit for each of"),
        (lambda rewards: rewards * np.nan, "not finite"),
    ],
)
def test_what_is_wrong_is_named(function, words):
    with pytest.raises(ValueError, match=words):
        register(function, "wrong").sampled(played())


def test_names_are_of_one_estimator_alone():
    with pytest.raises(ValueError, match="there is an estimator 'RLOO' already"):
        register(step_groups, "RLOO")
    with pytest.raises(InvalidGameError, match="has no 'nothing'"):
        find(f"{__name__}:nothing")
    name = f"{__name__}:step_groups"
    assert find(name) is find(name) is ESTIMATORS[name]
    with pytest.raises(ValueError, match="is not known"):
        find(name).gradient(at_random(task("nim")))


def test_its_direction_is_that_of_the_expectation_and_it_learns():
    name = f"{__name__}:step_groups"
    directions, _ = measure("take 1-3 of 10", "random", 0, 100, (name,))
    found = {each.estimator: each for each in directions}
    assert found[name].cosine == pytest.approx(found["by state"].cosine, abs=0.02)
    assert found[name].cost == pytest.approx(found["by state"].cost, rel=0.1)
    runs, pair = [(0, 0.3)], (find(name), ESTIMATORS["by state"])
    mine, same = (learn(task("misere"), each, runs, 3_000, 95) for each in pair)
    assert mine == same
