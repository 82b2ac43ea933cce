"""Compiled self-play against the step-by-step loop: the same games, tables and generators."""

import os
import subprocess
import sys

import pytest

from agents import (
    OptimalAgent,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
)
from agents.self_play import compiled_self_play
from agents.storage import load
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.sums import Sum
from tests import outcome_games
from tests.agents.learning import CASES, contents, players
from tests.pairwise import in_turn

GAMES = [
    make_game("misere_nim", heaps=(3, 1, 3, 5), start="uniform"),
    make_game("addition"),
    make_game("subtraction", heaps=(9, 2), subtraction_set=(2, 3), start="balanced"),
]

WIDER = [
    make_game("kayles", heaps=(5,), start="uniform"),
    make_game("graph", start="uniform"),
    make_game("sum", games=(("nim", {"heaps": (2,)}), ("grundy", {"heaps": (7,)}))),
    make_game("sum", games=(("kayles", {"heaps": (3,)}), ("kayles", {"heaps": (4,)})), misere=True),
]
"""Games that split, graphs and sums: what the learners do with a turn is the same there."""


def alone(make):
    """One learner for both seats."""
    return lambda env: make(env)[:1]


def run(make, game, *, compiled, games=300, **arguments):
    env = GameEnv(game)
    learners = make(env)
    env.reset(seed=0)
    fast = compiled_self_play(env, (learners[0], learners[-1]), None)
    assert fast is not None, "there is nothing to compare"
    log = train(
        env, players(learners), games, seed=3, progress=False, compiled=compiled, **arguments
    )
    return {
        "winners": log.winners.tolist(),
        "lengths": log.lengths.tolist(),
        "starts": env._rng.bit_generator.state,
        "learners": contents(learners),
        "epsilons": [learner.exploration.epsilon for learner in learners],
        "finished": [learner.exploration.games_by_seat for learner in learners],
    }


@pytest.mark.parametrize(("name", "game"), in_turn(list(CASES), GAMES), ids=str)
def test_compiled_games_are_the_step_by_step_games_bit_for_bit(name, game):
    make = alone(CASES[name])
    steps = run(make, game, compiled=False)
    assert run(make, game, compiled=True) == steps
    assert steps["learners"] != contents(make(GameEnv(game)))


def test_compiled_games_of_two_learners_of_a_kind_are_the_same_too():
    def twice(env):
        return tuple(CASES["watkins-q-lambda"](env)[0] for _ in range(2))

    assert run(twice, GAMES[0], compiled=True) == run(twice, GAMES[0], compiled=False)


@pytest.mark.parametrize(
    ("game", "name"),
    in_turn(WIDER, ["q-learning", "watkins-q-lambda", "real-time-dynamic-programming"]),
    ids=str,
)
def test_games_that_split_and_sums_are_played_alike_by_both_loops(name, game):
    make = alone(CASES[name])
    assert run(make, game, compiled=True) == run(make, game, compiled=False)


def test_sums_that_only_learners_list_are_played_alike_by_both_loops():
    game = make_game("nim", heaps=(16,) * 4, start="uniform")
    assert isinstance(game.board, Sum)
    make = alone(CASES["real-time-dynamic-programming"])
    assert run(make, game, compiled=True, games=50) == run(make, game, compiled=False, games=50)


# Compiling a loop takes a second: a third of the learners in every run, all of them if exhaustive.
@pytest.mark.parametrize(
    ("name", "game"),
    [
        pytest.param(*each, marks=[] if number % 3 == 0 else pytest.mark.exhaustive)
        for number, each in enumerate(in_turn(list(CASES), [*outcome_games.GAMES]))
    ],
)
def test_compiled_games_with_draws_are_the_step_by_step_games_bit_for_bit(name, game):
    played = outcome_games.GAMES[game]().game
    assert run(CASES[name], played, compiled=True) == run(CASES[name], played, compiled=False)


def test_pauses_change_nothing_and_save_what_was_learned(tmp_path):
    game, make = GAMES[0], alone(CASES["q-learning with replay"])
    calls: list[int] = []
    paused = run(
        make, game, compiled=True, after_game=calls.append, after_every=70,
        save_to=tmp_path / "learner.npz", save_every=45,
    )  # fmt: skip
    assert calls == [70, 140, 210, 280, 300]
    assert run(make, game, compiled=True) == paused
    assert [contents(load(tmp_path / "learner.npz"))] == paused["learners"]


def test_games_are_compiled_only_where_results_are_the_same():
    def fast(env, *agents):
        env.reset(seed=0)
        return compiled_self_play(env, agents if len(agents) == 2 else agents * 2, None)

    plain = GameEnv(make_game("nim", heaps=(1, 2)))
    learner = QLearning.for_env(plain)
    assert fast(plain, learner) is not None
    assert fast(plain, learner, RandomAgent()) is None
    assert fast(plain, OptimalAgent(plain.game)) is None
    other = GameEnv(make_game("nim", heaps=(2, 2)))
    assert fast(plain, QLearning.for_env(other)) is None
    misere = make_game("nim", heaps=(1, 2), misere=True)
    assert fast(plain, RealTimeDynamicProgramming(misere)) is None
    for arguments in ({"max_cycles": 3}, {"render_mode": "ansi"}, {"encoding": "one_hot"}):
        limited = GameEnv(make_game("nim", heaps=(1, 2)), **arguments)
        assert fast(limited, learner) is None


PLAIN = """
import json, numpy, numba
assert numba.config.DISABLE_JIT
from tests.agents.test_self_play import GAMES, alone, run
from tests.agents.learning import CASES
for name in CASES:
    run(alone(CASES[name]), GAMES[1], compiled=True, games=40)
    print(name)
"""


def test_the_loop_runs_as_plain_python_for_a_debugger():
    command = [sys.executable, "-c", PLAIN]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:-1] == list(CASES), done.stderr
