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

import numpy as np
import pettingzoo
import pytest

from agents import (
    GradientBandit,
    MonteCarloES,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
    WinLossRatio,
)
from agents.storage import StorageError, load, save
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay
from agents.training import train
from tests.agents.learners.test_learners import BOX, ENV, NAMES, TWO, make_all, turn

ROOT = Path(__file__).resolve().parents[2]


def contents(agent):
    """All that an agent holds, as plain values, nested learners and generators included."""
    if isinstance(agent, np.ndarray):
        return agent.tolist()
    if isinstance(agent, np.random.Generator):
        return agent.bit_generator.state
    if isinstance(agent, (list, tuple)):
        return [contents(entry) for entry in agent]
    if isinstance(agent, dict):
        return {key: contents(entry) for key, entry in agent.items()}
    if hasattr(agent, "__dict__") and type(agent).__module__.startswith("agents"):
        kept = {
            k: v
            for k, v in vars(agent).items()
            if k not in ("constructor_arguments", "_scratch", "_unfilled")
        }
        return {key: contents(entry) for key, entry in kept.items()}
    return agent


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_comes_back_as_it_was_and_learns_on_alike(name, tmp_path):
    agent = make_all(ENV)[name]
    train(ENV, agent, 120, seed=1, progress=False)
    save(agent, tmp_path / "agent")
    again = load(tmp_path / "agent")
    assert type(again) is type(agent)
    assert contents(again) == contents(agent)
    for learner in (agent, again):
        train(ENV, learner, 80, seed=2, progress=False)
    assert contents(again) == contents(agent)
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]


def test_a_learner_in_the_middle_of_a_game_is_saved_with_its_turns(tmp_path):
    agents = [GradientBandit(BOX, TWO), WinLossRatio(BOX, TWO), MonteCarloES(BOX, TWO)]
    for agent in agents:
        agent.update(turn(1, 0, seat=1))
        save(agent, tmp_path / "agent")
        again = load(tmp_path / "agent")
        for learner in (agent, again):
            learner.update(turn(3, 1, seat=1, reward=1.0))
        assert contents(again) == contents(agent)


def test_settings_survive(tmp_path):
    agent = QLearning(
        BOX, TWO, epsilon=Decay(0.5, 0.9, 10, 0.1), replay=Replay(50, 4, 1), bootstrap="own_turn",
        initial_range=0.01, seed=3,
    )  # fmt: skip
    for position in range(5):
        agent.update(turn(position, 1, reward=1.0))
    save(agent, str(tmp_path / "agent"))
    again = load(str(tmp_path / "agent"))
    assert again.exploration.games == 5
    assert again.exploration._schedule == Decay(0.5, 0.9, 10, 0.1)
    assert (again.buffer.batch, again.buffer.interval) == (4, 1)
    assert (again.buffer.positions == agent.buffer.positions).all()
    assert again.bootstrap == "own_turn"
    for learner in (agent, again):
        for position in range(5):
            learner.update(turn(position, 0, following=1))
            learner.update(turn(position, 0, reward=1.0))
    assert (again.table == agent.table).all()


def test_what_is_no_saved_learner_is_refused(tmp_path):
    path = tmp_path / "agent"
    save(QLearning(BOX, TWO), path)
    whole = path.read_bytes()
    for length in (0, 1, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(StorageError, match="truncated"):
            load(path)
    for foreign in (b"hello", b"\x80\x04K\x01.", os.urandom(500)):
        path.write_bytes(foreign)
        with pytest.raises(StorageError, match="agent"):
            load(path)
    for header, message in (
        ({"format": "something else", "version": 1}, "no file of this package"),
        ({"format": "nim_envs agent", "version": 99}, "99"),
        ({"format": "nim_envs agent", "version": 1, "content": {"value": "System"}}, "agent"),
        ({"format": "nim_envs agent", "version": 1, "content": {"dict": []}}, "not a saved"),
        ([1, 2], "no file of this package"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", json.dumps(header))
        with pytest.raises(StorageError, match=message):
            load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("something.txt", "else")
    with pytest.raises(StorageError, match="header"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


def test_a_damaged_byte_is_noticed(tmp_path):
    path = tmp_path / "agent"
    agent = QLearning(BOX, TWO, initial_range=1.0)
    save(agent, path)
    whole = bytearray(path.read_bytes())
    noticed = 0
    for place in range(40, len(whole) - 200, 37):
        damaged = whole.copy()
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        try:
            assert contents(load(path)) == contents(agent)
        except StorageError:
            noticed += 1
    assert noticed > 5


def test_what_no_file_can_hold_is_refused_and_the_old_file_kept(tmp_path):
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
    """An opponent that gives up after so many moves."""

    def __init__(self, moves):
        self.moves = moves

    def act(self, observation, action_mask, rng):
        self.moves -= 1
        if self.moves < 0:
            raise StopHereError
        return super().act(observation, action_mask, rng)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.95])
def test_training_stopped_anywhere_ends_as_if_it_had_not(name, share, tmp_path):
    whole = make_all(ENV)[name]
    expected = train(ENV, (whole, RandomAgent()), 150, seed=7, progress=False)
    stopped = make_all(ENV)[name]
    path = tmp_path / "run"
    setting = {"seed": 7, "progress": False, "checkpoint": path, "checkpoint_every": 40}
    moves_of_opponent = int((expected.lengths // 2).sum())
    with pytest.raises(StopHereError):
        train(ENV, (stopped, Stopping(int(share * moves_of_opponent))), 150, **setting)
    assert path.exists() == (share >= 0.5)
    resumed = make_all(ENV)[name]
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 3), start="uniform")
    log = train(env, (resumed, RandomAgent()), 150, **setting)
    assert contents(resumed) == contents(whole)
    assert log.winners.tolist() == expected.winners.tolist()
    assert log.lengths.tolist() == expected.lengths.tolist()


def test_a_finished_run_is_not_run_again_and_can_be_made_longer(tmp_path):
    setting = {"seed": 7, "progress": False, "checkpoint": tmp_path / "run"}
    short, long, again = (RealTimeDynamicProgramming(ENV.game) for _ in range(3))
    train(ENV, short, 60, **setting)
    train(ENV, again, 60, **setting)
    assert contents(again) == contents(short)
    train(ENV, again, 100, **setting)
    train(ENV, long, 100, seed=7, progress=False)
    assert contents(again) == contents(long)


def test_a_checkpoint_of_another_run_is_refused_and_changes_nothing(tmp_path):
    path = tmp_path / "run"
    setting = {"progress": False, "checkpoint": path}
    spaces = ENV.observation_space("player_0"), ENV.action_space("player_0")
    agent = QLearning(*spaces)
    train(ENV, agent, 50, seed=1, **setting)
    for other, seed, games, message in (
        (QLearning(*spaces), 2, 50, "seed"),
        (QLearning(*spaces), 1, 20, "50 games"),
        (WinLossRatio(*spaces), 1, 50, "other learners"),
        (QLearning(*spaces, learning_rate=0.5), 1, 50, "other arguments"),
        ((QLearning(*spaces), QLearning(*spaces)), 1, 50, "other learners"),
    ):
        with pytest.raises(StorageError, match=message):
            train(ENV, other, games, seed=seed, **setting)
    save(agent, path)
    with pytest.raises(StorageError, match="not a training run"):
        train(ENV, agent, 50, seed=1, **setting)
    with pytest.raises(ValueError, match="0"):
        train(ENV, agent, 50, seed=1, checkpoint_every=0)


SCRIPT = """
import sys, pettingzoo
from agents import QLearning
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
        time.sleep(0.5)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    from agents.storage import load_content

    done = load_content(path)["training"]
    assert done >= 100
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5), start="uniform")
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    resumed, whole = QLearning(*spaces), QLearning(*spaces)
    games = done + 150
    train(env, resumed, games, seed=0, progress=False, checkpoint=path)
    train(env, whole, games, seed=0, progress=False)
    assert (resumed.table == whole.table).all()
