"""Compiled self-play against the step-by-step loop: the same games, tables and generators."""

from __future__ import annotations

from typing import Any

import pytest
from agents.tabular.compiled_games.self_play import compiled_self_play
from agents.tabular.schedules import Decay

from agents import (
    SARSA,
    DoubleQLearning,
    MonteCarloES,
    OptimalAgent,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
    WinLossRatio,
)
from agents.training import train
from nim_envs import GameEnv, make_game
from tests.agents.learning import CASES, contents
from tests.pairwise import in_turn

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("misere_nim", {"heaps": (3, 1, 3, 5), "start": "uniform"}),
    ("addition", {}),
    ("subtraction", {"heaps": (9, 2), "subtraction_set": (2, 3), "start": "balanced"}),
]

WIDER: list[tuple[str, dict[str, Any]]] = [
    ("kayles", {"heaps": (5,), "start": "uniform"}),
    ("graph", {"start": "uniform"}),
    ("sum", {"games": (("nim", {"heaps": (2,)}), ("grundy", {"heaps": (7,)}))}),
    ("sum", {"games": (("kayles", {"heaps": (3,)}), ("kayles", {"heaps": (4,)})), "misere": True}),
]
"""Games that split, graphs and sums: what the learners do with a turn is the same there."""


def alone(make):
    """One learner for both seats."""
    return lambda env: make(env)[:1]


def twice(make):
    """A learner of the same kind for each seat."""
    return lambda env: (make(env)[0], make(env)[0])


def run(make, game, *, compiled, games=300, **arguments):
    env = GameEnv(make_game(game[0], **game[1]))
    learners = make(env)
    players = learners if len(learners) == 2 else learners[0]
    env.reset(seed=0)
    fast = compiled_self_play(env, (learners[0], learners[-1]), None)
    assert fast is not None, "there is nothing to compare"
    log = train(env, players, games, seed=3, progress=False, compiled=compiled, **arguments)
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
    assert steps["learners"] != contents(make(GameEnv(make_game(game[0], **game[1]))))


def test_compiled_games_of_two_learners_of_a_kind_are_the_same_too():
    make = twice(CASES["watkins-q-lambda"])
    assert run(make, GAMES[0], compiled=True) == run(make, GAMES[0], compiled=False)


@pytest.mark.parametrize(
    ("game", "name"),
    in_turn(WIDER, ["q-learning", "watkins-q-lambda", "real-time-dynamic-programming"]),
    ids=str,
)
def test_games_that_split_and_sums_are_played_alike_by_both_loops(name, game):
    make = alone(CASES[name])
    assert run(make, game, compiled=True) == run(make, game, compiled=False)


MIXED = {
    "from turns, from games": lambda env: (
        QLearning.for_env(env, epsilon=Decay(0.5, 0.9, 10, 0.05)),
        MonteCarloES.for_env(env),
    ),
    "from games, from turns": lambda env: (WinLossRatio.for_env(env), SARSA.for_env(env)),
    "each with a generator of its own": lambda env: (
        DoubleQLearning.for_env(env, seed=1),
        CASES["q-learning with replay"](env)[0],
    ),
    "one of them by the rules": lambda env: (
        QLearning.for_env(env),
        RealTimeDynamicProgramming.for_env(env),
    ),
}


@pytest.mark.parametrize("kinds", MIXED)
def test_two_learners_of_different_kinds_meet_in_compiled_games(kinds):
    game = ("nim", {"heaps": (2, 3), "start": "uniform"})
    assert run(MIXED[kinds], game, compiled=True) == run(MIXED[kinds], game, compiled=False)


def test_pauses_change_nothing(tmp_path):
    game, make = GAMES[0], alone(CASES["q-learning with replay"])
    calls: list[int] = []
    paused = run(
        make, game, compiled=True, after_game=calls.append, after_every=70,
        checkpoint=tmp_path / "run", checkpoint_every=45,
    )  # fmt: skip
    assert calls == [70, 140, 210, 280, 300]
    assert run(make, game, compiled=True) == paused
    for later in (False, True):
        # The run goes on from its checkpoint in either loop.
        games = 400 + 100 * later
        on = run(make, game, compiled=later, games=games, checkpoint=tmp_path / "run")
        assert run(make, game, compiled=False, games=games) == on


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


def test_after_game_can_stop_the_run():
    env = GameEnv(make_game("nim", heaps=(2, 3), start="uniform"))
    stopped, other = QLearning.for_env(env), QLearning.for_env(env)
    log = train(
        env, stopped, 500, seed=0, progress=False, after_game=lambda done: done >= 120,
        after_every=40,
    )  # fmt: skip
    assert log.games == 120
    train(env, other, 120, seed=0, progress=False)
    assert contents(stopped) == contents(other)


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("q-learning", GAMES[0]),
        ("sweeping", GAMES[0]),
        ("q-learning", WIDER[0]),
    ],
    ids=str,
)
def test_games_too_large_to_list_their_legal_actions_are_played_alike(name, game, monkeypatch):
    make = alone(CASES[name])
    steps = run(make, game, compiled=False)
    monkeypatch.setattr("agents.tabular.compiled_games.position_rows.LARGEST_LISTS", 0)
    assert run(make, game, compiled=True) == steps
