"""Learners come back from files as they were, and training goes on as if it had never stopped."""

import json
import os

import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import (
    OptimalAgent,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
    Replay,
    train,
)
from agents.storage import load, load_content, save, save_content
from nim_envs import GameEnv, make_game, optimality
from nim_envs.errors import InvalidPositionError, StorageError
from tests.agents.learning import CASES, contents, own_game, small_env
from tests.pairwise import in_turn


@pytest.mark.parametrize(("name", "opponent"), in_turn(list(CASES), [None, RandomAgent()]), ids=str)
def test_training_goes_on_from_a_file_bit_for_bit(name, opponent, tmp_path):
    env = small_env()
    whole, saved = CASES[name](env)[0], CASES[name](env)[0]
    for learner in (whole, saved):
        train(env, learner if opponent is None else (learner, opponent), 60, seed=7, progress=False)
    save(saved, tmp_path / "learner.npz")
    loaded = load(tmp_path / "learner.npz")
    assert contents(loaded) == contents(whole)
    assert loaded.game == env.game
    for learner in (whole, loaded):
        train(env, learner if opponent is None else (learner, opponent), 60, seed=8, progress=False)
    assert contents(loaded) == contents(whole)


def test_rows_of_observations_come_back_too(tmp_path):
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    whole, saved = (
        QLearning.for_env(env, initial_range=0.1),
        QLearning.for_env(env, initial_range=0.1),
    )
    for learner in (whole, saved):
        train(env, learner, 100, seed=1, progress=False)
    save(saved, tmp_path / "learner.npz")
    loaded = load(tmp_path / "learner.npz")
    for learner in (whole, loaded):
        train(env, learner, 100, seed=2, progress=False)
    assert len(whole.rows.saved()["observed"]) > 300
    assert contents(loaded) == contents(whole)


@pytest.mark.parametrize("name", ["q-learning", "real-time-dynamic-programming"])
def test_a_game_that_is_not_registered_is_given_and_checked(name, tmp_path):
    game, path = own_game(), tmp_path / "learner.npz"
    learner = CASES[name](GameEnv(game))[0]
    train(GameEnv(game), learner, 20, seed=0, progress=False)
    save(learner, path)
    assert contents(load(path, own_game())) == contents(learner)
    with pytest.raises(StorageError, match=r"two paths.*not registered here: load it with game="):
        load(path)
    with pytest.raises(StorageError, match=r"it has learned two paths.*, not nim"):
        load(path, make_game("nim"))


def test_another_game_than_the_one_that_was_learned_is_refused(tmp_path):
    env, path = small_env(), tmp_path / "learner.npz"
    learner = QLearning.for_env(env)
    save(learner, path)
    for other in (make_game("nim", heaps=(3, 2)), make_game("nim", heaps=(2, 3), misere=True)):
        with pytest.raises(StorageError, match="it has learned nim, heaps 2-3, normal play"):
            load(path, other)
    assert load(path, make_game("nim", heaps=(2, 3))).game == env.game
    for policy in (learner.greedy(), RealTimeDynamicProgramming.for_env(env).greedy()):
        with pytest.raises(InvalidPositionError, match="is no position of nim, heaps 2-3"):
            optimality(policy, make_game("nim", heaps=(3, 4, 5)))


def test_what_cannot_be_saved_is_refused_and_the_old_file_kept(tmp_path):
    path, game = tmp_path / "learner.npz", small_env().game
    save(QLearning(game), path)
    before = path.read_bytes()
    diverged = QLearning(game)
    diverged.table[1, 1] = np.inf
    for odd, message in (
        (QLearning(game, epsilon=lambda games: 0.1), "cannot be saved"),
        (OptimalAgent(game), "cannot be saved"),
        (diverged, "not finite"),
    ):
        with pytest.raises(StorageError, match=message):
            save(odd, path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["learner.npz"]


def test_files_without_a_learner_are_refused_with_the_reason(tmp_path):
    path = tmp_path / "learner.npz"
    for foreign in (b"hello", b"\x80\x04K\x01.", os.urandom(500)):
        path.write_bytes(foreign)
        with pytest.raises(StorageError, match=r"learner\.npz cannot be loaded"):
            load(path)
    save_content({"run": [1, (2, "three")]}, path)
    assert load_content(path) == {"run": [1, (2, "three")]}
    with pytest.raises(StorageError, match="not a saved learner"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


def test_files_that_are_too_large_are_refused_before_they_are_read(tmp_path, monkeypatch):
    save(QLearning(make_game("nim", heaps=(20, 20))), tmp_path / "learner.npz")
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "10000")
    with pytest.raises(StorageError, match="at most 10000 are allowed"):
        load(tmp_path / "learner.npz")


def changed(path, **values):
    """Write a file again with other arrays by name; a header is changed by a function of it."""
    with np.load(path) as file:
        arrays = dict(file)
    if "header" in values:
        header = json.loads(arrays["header"].tobytes())
        values["header"](header)
        values["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **{**arrays, **values})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"array0": np.zeros((3, 5))}, "saved arrays are"),
        ({"array0": np.full((12, 5), np.nan)}, "not finite"),
        ({"array0": np.zeros((12, 5), object)}, "allow_pickle"),
        ({"array4": np.full(4, 12)}, "must be from 0 to 11"),
        ({"header": lambda header: header.update(version=6)}, "format 5"),
        ({"header": lambda header: header.pop("content")}, "content"),
    ],
)
def test_content_that_no_learner_can_have_is_refused(values, message, tmp_path):
    path = tmp_path / "learner.npz"
    save(QLearning(make_game("nim", heaps=(2, 3), max_take=2), replay=Replay(4, 1, 1)), path)
    shape = load(path).table.shape
    values = {
        name: np.resize(value, shape) if getattr(value, "shape", ()) == (12, 5) else value
        for name, value in values.items()
    }
    changed(path, **values)
    with pytest.raises(StorageError, match=message):
        load(path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A small file, what it holds, and where to write it damaged."""
    folder = tmp_path_factory.mktemp("damaged")
    learner = QLearning(make_game("nim", heaps=(2,)), initial_range=1.0)
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
