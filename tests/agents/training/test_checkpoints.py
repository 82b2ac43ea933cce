"""A checkpoint holds its run, goes on with that alone, and refuses any other by what differs."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import BaseWrapper

from agents import (
    SARSA,
    OptimalAgent,
    QLearning,
    RandomAgent,
)
from agents.storage import StorageError, load_content, save_content
from agents.training import Opponents, saved_run, train
from nim_envs import Game, GameEnv, make_game
from nim_envs.rules import Convention, Rules, TableComponent
from nim_envs.starts import Start, UniformStart
from tests.agents.learning import contents, own_game


def env_of(name="nim", **arguments):
    return GameEnv(make_game(name, **{"heaps": (2, 3), **arguments}))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.zip"


def run(env, agents, path, games=30, **settings):
    return train(env, agents, games, seed=3, progress=False, checkpoint=path, **settings)


@pytest.mark.parametrize(
    ("arguments", "settings", "options", "pair"),
    [
        ({"misere": True, "start": "uniform"}, {"max_cycles": 2}, None, False),
        ({"start": (1, 2)}, {"illegal_move": "raise"}, None, True),
        ({}, {}, {"start": "p_position"}, True),
        ({}, {}, {"start": (2, 1)}, False),
    ],
)
def test_a_run_goes_on_with_its_checkpoint_alone(arguments, settings, options, pair, path):
    def made():
        env = GameEnv(make_game("nim", heaps=(2, 3), **arguments), **settings)
        kinds = (QLearning, SARSA) if pair else (QLearning,)
        learners = tuple(kind.for_env(env, epsilon=0.3) for kind in kinds)
        return env, learners * (2 // len(learners))

    env, whole = made()
    log = train(env, whole, 70, seed=3, progress=False, options=options)
    env, part = made()
    stop = {"after_game": lambda done: done == 40, "checkpoint_every": 40}
    run(env, part, path, 70, options=options, **stop)
    saved = saved_run(path)
    assert (saved.games, saved.seed, saved.options) == (70, 3, options)
    assert (saved.env.game, saved.env.max_cycles) == (env.game, env.max_cycles)
    assert saved.env.illegal_move == env.illegal_move
    assert (saved.agents[0] is saved.agents[1]) is not pair
    resumed = train(
        saved.env, saved.agents, saved.games, seed=saved.seed, options=saved.options,
        progress=False, checkpoint=path,
    )  # fmt: skip
    assert contents(saved.agents) == contents(whole)
    assert resumed.winners.tolist() == log.winners.tolist()


class Renamed(BaseWrapper):
    pass


def swapped():
    """Two paths, of which the second state's moves are others than those of ``own_game``."""
    path = TableComponent(rows=((-1, -1), (0, -1), (0, 1), (2, 1)))
    return Game(Rules("two paths", (path, path), initial=(3, 2)), Convention.MISERE)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (env_of(), env_of(misere=True), "game nim, heaps 2-3, normal play, this one has .*misère"),
        (env_of(), env_of(max_take=2), "digest of its moves"),
        (env_of(), env_of(start="uniform"), r"start \(2, 3\), this one has uniform"),
        (env_of(), GameEnv(env_of().game, max_cycles=1), "max_cycles=None, this one .*=1"),
        (env_of(), Renamed(env_of()), "this one has GameEnv, .* in Renamed"),
        (GameEnv(own_game()), GameEnv(swapped()), "digest of its moves"),
    ],
    ids=lambda value: "" if isinstance(value, str) else str(getattr(value, "game", value)),
)  # fmt: skip
def test_a_run_of_another_process_is_refused_by_what_differs(before, now, said, path):
    learner = QLearning.for_env(before)
    run(before, learner, path)
    other = QLearning.for_env(before)
    new = contents(other)
    with pytest.raises(StorageError, match=said) as no:
        run(now, other, path)
    assert str(path) in str(no.value)
    assert contents(other) == new
    run(before, other, path)
    assert contents(other) == contents(learner)


def test_options_and_players_are_part_of_a_run(path):
    env = env_of()
    game = env.game
    learner, other = (QLearning.for_env(env) for _ in range(2))
    players = (learner, OptimalAgent(game))
    run(env, players, path, options={"start": "uniform"})
    again = {"options": {"start": "uniform"}}
    for agents, options, said in (
        ((other, OptimalAgent(game)), {}, r"start uniform, this one has \(2, 3\)"),
        ((other, OptimalAgent(game)), {"options": {"start": (1, 1)}}, "start uniform"),
        ((other, RandomAgent()), again, r"against OptimalAgent\(.*against RandomAgent"),
        (other, again, "itself"),
        (Opponents(other, [OptimalAgent(game)], seat=0), again, "rotation order"),
    ):
        with pytest.raises(StorageError, match=said):
            run(env, agents, path, **options)
    run(env, (other, OptimalAgent(game)), path, **again)
    assert contents(other) == contents(learner)
    # The same start, said by the game.
    run(env_of(start="uniform"), (other, OptimalAgent(env_of(start="uniform").game)), path)


class AnyPosition(Start):
    """A start of the user's own, which Python shows by its address."""

    def sampler(self, game, *, search=True):
        return UniformStart().sampler(game, search=search)


def learner_of(env):
    return QLearning(env.observation_space("player_1"), env.action_space("player_1"))


def against_random(env):
    return learner_of(env), RandomAgent()


@pytest.mark.parametrize(
    ("make", "players", "start", "lacking"),
    [
        (lambda: GameEnv(own_game()), learner_of, None, "environment"),
        (lambda: pettingzoo.make("aec", "classic/tictactoe-v3"), learner_of, None, "environment"),
        (env_of, learner_of, AnyPosition, "options"),
        (env_of, against_random, None, "agents"),
    ],
)
def test_what_a_file_cannot_hold_is_given_again(make, players, start, lacking, path):
    def options():  # each time another object, at another address
        return {"options": {"start": start()}} if start else {}

    env = make()
    whole, part, resumed = (players(env) for _ in range(3))
    train(env, whole, 20, seed=3, progress=False, **options())
    run(env, part, path, 10, **options())
    with pytest.raises(StorageError, match=f"does not hold all of its run.*: {lacking}") as no:
        saved_run(path)
    assert str(path) in str(no.value)
    run(env, resumed, path, 20, **options())
    learners = [agents[0] if isinstance(agents, tuple) else agents for agents in (resumed, whole)]
    assert contents(learners[0]) == contents(learners[1])


def test_a_checkpoint_that_was_changed_is_refused(path):
    env = env_of()
    run(env, QLearning.for_env(env), path)
    whole = load_content(path)
    for change in (
        {"seats": [0, 1]},
        {"environment": {**whole["environment"], "encoding": "x"}},
        {"winners": whole["winners"].astype(float)},
        {"training": -1},
        {"games": None},
    ):
        save_content({**whole, **change}, path)
        with pytest.raises(StorageError) as no:  # noqa: PT012
            saved_run(path)
            run(env, QLearning.for_env(env), path)
        assert str(path) in str(no.value)


def test_a_learner_that_diverges_keeps_its_last_checkpoint(path):
    env = env_of()
    learner = QLearning.for_env(env)

    def spoil(done):
        if done == 30:
            learner.table[-1] = np.nan

    with pytest.raises(StorageError, match="numbers that are not finite"):
        run(env, learner, path, 60, checkpoint_every=20, after_game=spoil, after_every=10)
    assert load_content(path)["training"] == 20


def test_what_cannot_be_saved_is_refused_before_the_first_game(tmp_path):
    env = env_of()
    played = []
    (tmp_path / "file").touch()
    for learner, where, error in (
        (QLearning.for_env(env, epsilon=lambda games: 0.1), "run.zip", StorageError),
        (QLearning.for_env(env), "file/run.zip", OSError),
        (QLearning.for_env(env), ".", OSError),
    ):
        with pytest.raises(error):
            run(env, learner, tmp_path / where, after_game=played.append)
    assert played == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
