"""PettingZoo's own tests and example loops, on every id and on unusual arguments."""

import re
import warnings

import pettingzoo
import pytest
from pettingzoo.test import render_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils import average_total_reward, random_demo

from nim_envs.check import check_env
from nim_envs.registry import GAMES
from tests.games import ALL, KINDS, REGISTERED, UNUSUAL, labels
from tests.looped import in_one_test
from tests.pairwise import in_turn

EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",  # a dict, as the action mask asks for
    "Observation space for each agent probably should be gymnasium.spaces.box or",
    "Observation numpy array is all zeros",  # empty heaps, total 0
    "Observation is a single number",  # one heap, one total
    "Action mask is a single number",  # one heap of one object
    "Action mask numpy array is all zeros",  # at the end of the game
    "Environment's maximum and minimum state space values are equal",  # an empty heap
    "State numpy array is all zeros",
)
"""Warnings of PettingZoo's tests that its own classic games cause too."""


@pytest.fixture(autouse=True)
def only_allowed_warnings():
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=re.escape(message))
        yield


def maker(case, **more):
    name, arguments = case
    return lambda **extra: pettingzoo.make("aec", GAMES[name].aec_id, **arguments, **more, **extra)


# PettingZoo's api_test and seed_test are parts of it.
@pytest.mark.parametrize(
    ("case", "truth"), in_turn(REGISTERED[::2] + UNUSUAL[::6], [False, True]), ids=labels
)
def test_the_check_of_environments_passes(case, truth):
    check_env(maker(case, truth_in_info=truth)())


# Pictures of every game and of unusual boards are tested in tests/nim_envs/render.
@pytest.mark.parametrize("name", KINDS)
def test_render_test(name, capfd):
    def make(**extra):
        env = maker((name, {}))(**extra)
        env.unwrapped.metadata["render_fps"] = 1_000
        return env

    render_test(make, custom_tests={"ansi": lambda text: isinstance(text, str)})
    assert not capfd.readouterr().out


@in_one_test("case", ALL)
def test_state_test(case):
    env = maker(case)()
    check_state_space(env)
    check_state(env, num_cycles=10)


@in_one_test("case", ALL)
def test_example_loops(case, capsys):
    assert random_demo(maker(case, render_mode="ansi")(), episodes=3) == 0
    # Plays unmasked actions: illegal ones forfeit, and the sum stays zero.
    assert average_total_reward(maker(case)(), max_episodes=5) == 0
    capsys.readouterr()


def test_ids_are_registered_with_and_without_a_version():
    for name in GAMES:
        assert str(pettingzoo.make("aec", f"nim_envs/{name}")) == f"{name}_v0"
        assert pettingzoo.spec("aec", f"nim_envs/{name}-v0").kwargs["game"] == name
