"""Learners come back from files as they were, and training goes on as if it had never stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import (
    GradientBandit,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
    WinLossRatio,
)
from agents.storage import StorageError, load, load_content, restore, save
from agents.training import train
from nim_envs import GameEnv, make_game
from tests.agents.learning import (
    BOX,
    CASES,
    TWO,
    contents,
    own_game,
    small_env,
)
from tests.pairwise import in_turn

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("case", "name", "arguments"),
    [
        (case, *game)
        for case, game in in_turn(
            list(CASES),
            [
                ("misere_nim", {"heaps": (2, 3), "start": "p_position"}),
                ("nim", {"heaps": (2, 3), "max_take": 2, "misere": True, "start": (1, 2)}),
            ],
        )
    ],
    ids=str,
)
def test_a_saved_learner_knows_its_game_convention_and_start(case, name, arguments, tmp_path):
    game = make_game(name, **arguments)
    save(CASES[case](GameEnv(game))[0], tmp_path / "learner.zip")
    learner = load(tmp_path / "learner.zip", make_game("nim"))  # the file knows better
    assert learner.game == game
    again = make_game(learner.game.registered.name, **learner.game.registered.arguments)
    assert again == game


@pytest.mark.parametrize("name", CASES)
def test_of_a_game_that_is_not_registered_the_file_is_loaded_with_the_game(name, tmp_path):
    game, path = own_game(), tmp_path / "learner.zip"
    env = GameEnv(game)
    learner = CASES[name](env)[0]
    train(env, learner, 20, seed=0, progress=False)
    save(learner, path)
    loaded = load(path, game)
    assert loaded.game == game
    assert contents(loaded) == contents(learner)
    if getattr(learner, "uses_rules", False):
        with pytest.raises(StorageError, match=r"not (a )?registered.* game=") as no:
            load(path)
        assert str(path) in str(no.value)
    else:
        assert load(path).game is None


def test_restoring_needs_the_same_learner():
    env = small_env()
    learner = QLearning.for_env(env)
    for other, message in (
        (GradientBandit.for_env(env), "saved learner is a GradientBandit, this one a QLearning"),
        (QLearning.for_env(env, discount=0.5), "other arguments"),
        (QLearning(BOX, TWO), r"saved table is float64 \(6, 2\), this one"),
    ):
        with pytest.raises(StorageError, match=message):
            restore(learner, other)


def test_a_file_without_a_saved_learner_is_refused_with_the_reason(tmp_path):
    path = tmp_path / "agent"
    save(QLearning(BOX, TWO), path)
    for foreign in (b"hello", b"\x80\x04K\x01.", os.urandom(500)):
        path.write_bytes(foreign)
        with pytest.raises(StorageError, match="was not written by this package"):
            load(path)
    content = {"learner": "Magic", "saved": {"dict": []}}
    header = {"format": "nim_envs agent", "version": 4, "content": content}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
    with pytest.raises(StorageError, match="there is no learner 'Magic', but QLearning, "):
        load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("something.txt", "else")
    with pytest.raises(StorageError, match="not written by this package"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A small file, what it holds, and where to write it damaged."""
    folder = tmp_path_factory.mktemp("damaged")
    learner = QLearning(BOX, TWO, initial_range=1.0)
    save(learner, folder / "whole")
    return (folder / "whole").read_bytes(), contents(learner), folder / "damaged"


@given(
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=3
    )
)
def test_a_damaged_file_is_refused_or_holds_the_same(saved, changes):
    whole, expected, path = saved
    damaged = bytearray(whole)
    for place, change in changes:
        damaged[int(place * len(damaged))] ^= change
    path.write_bytes(damaged)
    try:
        held = contents(load(path))
    except StorageError as error:
        assert str(path) in str(error)
    else:
        assert held == expected  # a byte that says nothing of the learner, such as a date


@given(share=st.floats(0, 1, exclude_max=True))
def test_a_part_of_a_file_is_refused(saved, share):
    whole, _, path = saved
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(StorageError, match="is damaged"):
        load(path)


def test_a_learner_that_cannot_be_saved_is_refused_and_the_old_file_kept(tmp_path):
    path = tmp_path / "agent"
    save(QLearning(BOX, TWO), path)
    before = path.read_bytes()
    for odd in (QLearning(BOX, TWO, epsilon=lambda games: 0.1), RandomAgent()):
        with pytest.raises(StorageError, match="cannot be saved"):
            save(odd, path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["agent"]


class StopHereError(Exception):
    pass


class Stopping(RandomAgent):
    """An opponent that raises an error after a number of moves."""

    def __init__(self, moves):
        self.moves = moves

    def act(self, observation, action_mask, rng):
        self.moves -= 1
        if self.moves < 0:
            raise StopHereError
        return super().act(observation, action_mask, rng)


@pytest.mark.parametrize(("name", "share"), in_turn(list(CASES), [0.0, 0.05, 0.5, 0.95]))
def test_training_stopped_anywhere_ends_as_if_it_had_not(name, share, tmp_path):
    env = small_env()
    whole = CASES[name](env)[0]
    expected = train(env, (whole, RandomAgent()), 150, seed=7, progress=False)
    stopped = CASES[name](env)[0]
    path = tmp_path / "run"
    setting = {"seed": 7, "progress": False, "checkpoint": path, "checkpoint_every": 40}
    moves_of_opponent = int((expected.lengths // 2).sum())
    with pytest.raises(StopHereError):
        train(env, (stopped, Stopping(int(share * moves_of_opponent))), 150, **setting)
    assert path.exists() == (share >= 0.5)
    env = small_env()
    resumed = CASES[name](env)[0]
    log = train(env, (resumed, RandomAgent()), 150, **setting)
    assert contents(resumed) == contents(whole)
    assert log.winners.tolist() == expected.winners.tolist()
    assert log.lengths.tolist() == expected.lengths.tolist()


def test_a_finished_run_is_not_run_again_and_can_be_made_longer(tmp_path):
    setting = {"seed": 7, "progress": False, "checkpoint": tmp_path / "run"}
    env = small_env()
    short, long, again = (RealTimeDynamicProgramming(env.game) for _ in range(3))
    train(env, short, 60, **setting)
    train(env, again, 60, **setting)
    assert contents(again) == contents(short)
    train(env, again, 100, **setting)
    train(env, long, 100, seed=7, progress=False)
    assert contents(again) == contents(long)


def test_a_checkpoint_of_another_run_is_refused_and_changes_nothing(tmp_path):
    path = tmp_path / "run"
    setting = {"progress": False, "checkpoint": path}
    env = small_env()
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    agent = QLearning(*spaces)
    train(env, agent, 50, seed=1, **setting)
    for other, seed, games, message in (
        (QLearning(*spaces), 2, 50, "seed"),
        (QLearning(*spaces), 1, 20, "50 games"),
        (WinLossRatio(*spaces), 1, 50, r"with agents QLearning .* itself, this one has WinLoss"),
        (QLearning(*spaces, learning_rate=0.5), 1, 50, "other arguments"),
        ((QLearning(*spaces), QLearning(*spaces)), 1, 50, r"against itself, .* \(learner 1\)"),
    ):
        with pytest.raises(StorageError, match=message):
            train(env, other, games, seed=seed, **setting)
    save(agent, path)
    with pytest.raises(StorageError, match="not a training run"):
        train(env, agent, 50, seed=1, **setting)
    with pytest.raises(ValueError, match="0"):
        train(env, agent, 50, seed=1, checkpoint_every=0)


SCRIPT = """
import sys, pettingzoo
from agents import QLearning
from tests.agents.learning import contents
from agents.training import train
env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5), start="uniform")
agent = QLearning(env.observation_space("player_0"), env.action_space("player_0"))
print("ready", flush=True)
train(env, agent, 10**9, seed=0, progress=False, checkpoint=sys.argv[1], checkpoint_every=100)
"""


def test_a_killed_run_resumes_from_its_last_checkpoint(tmp_path):
    path = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.replace("import sys,", "import nim_envs, sys,"), str(path)],
        cwd=ROOT, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    done = load_content(path)["training"]
    assert done >= 100
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5), start="uniform")
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    resumed, whole = QLearning(*spaces), QLearning(*spaces)
    games = done + 150
    train(env, resumed, games, seed=0, progress=False, checkpoint=path)
    train(env, whole, games, seed=0, progress=False)
    assert (resumed.table == whole.table).all()
