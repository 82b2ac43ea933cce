"""Files whose header is wrong are refused with a StorageError, and nothing large is unpacked."""

from __future__ import annotations

import copy
import io
import json
import zipfile

import numpy as np
import pytest
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import (
    ColumnAutomatonLearner,
    QLearning,
    QuotientLearner,
    RealTimeDynamicProgramming,
    SignedProducts,
)
from agents.storage import StorageError, load, save
from nim_envs import GameEnv, make_game
from tests.agents.learning import BOX, CASES, TWO, contents, small_env

NIM = make_game("nim", heaps=(2, 3))


def quotient_in_repair():
    """A learner that has run out of games while it learned its classes again."""
    learner, runs = QuotientLearner(make_game("dawsons_kayles", heaps=(12,), misere=True)), 0
    while learner.saved()["learned"]["repair"] is None:
        learner.fit(learner.game, 25, runs)
        runs += 1
        assert runs < 50
    return learner


KINDS = {
    **{name: lambda make=make: make(small_env())[0] for name, make in CASES.items()},
    "quotient": lambda: QuotientLearner(NIM),
    "quotient in repair": quotient_in_repair,
    "automaton": lambda: ColumnAutomatonLearner(NIM),
    "automaton by q-learning": lambda: ColumnAutomatonLearner(NIM, labels="q-learning"),
    "signed products": lambda: SignedProducts(NIM),
}
"""Learners of every kind that a file can hold."""


def members(path):
    """The header of a file, and its other members by name."""
    with zipfile.ZipFile(path) as file:
        names = [name for name in file.namelist() if name != "header.json"]
        return json.loads(file.read("header.json")), {name: file.read(name) for name in names}


def write(path, header, others):
    """Write a file of a header and other members."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in {"header.json": header, **others}.items():
            file.writestr(name, content)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The members of a file of each kind, and where to write others."""
    path = tmp_path_factory.mktemp("headers") / "learner.zip"
    saved = {}
    for name, make in KINDS.items():
        save(make(), path)
        saved[name] = members(path)
    return saved, path


def places(value, path=()):
    """The paths of all entries of JSON."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in entries:
        yield (*path, key)
        if isinstance(entry, (dict, list)):
            yield from places(entry, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


VALUES = [
    None, True, False, 0, -1, 1, 3, 10**10, 10**30, 0.5, float("nan"), float("inf"), "", "x",
    "uniform", [], [1], [[1, 2]], {}, {"x": 1}, {"array": 0}, {"tuple": [1, 2]}, {"dict": []},
    {"dict": [["a", 1]]}, {"dict": [[[], 1]]}, {"schedule": "harmonic"}, {"generator": {}},
    {"decay": [0.5, 2, 0, 1]}, {"decay": [0.5, "x"]}, {"replay": [10**9, 1, 1]},
    {"replay": [1, 1]}, {"game": "nim", "arguments": {"dict": []}}, {"game": [], "arguments": 0},
    {"learner": "SARSA", "saved": {"dict": []}}, {"learner": []},
]  # fmt: skip


@settings(max_examples=150)
@given(data=st.data())
def test_an_edited_header_is_refused_or_is_one_of_a_learner(files, data):
    saved, path = files
    header, others = saved[data.draw(st.sampled_from(sorted(saved)))]
    edited = copy.deepcopy(header)
    for _ in range(data.draw(st.integers(1, 2))):
        where = data.draw(st.sampled_from([path for path in places(edited) if path]))
        inside, key = at(edited, where[:-1]), where[-1]
        how = data.draw(st.sampled_from(["delete", "rename", "replace", "copy", "repeat"]))
        if how == "delete":
            del inside[key]
        elif how == "rename" and isinstance(inside, dict):
            new_key = data.draw(st.sampled_from(["x", "array", "dict", "learner", "game"]))
            inside[new_key] = inside.pop(key)
        elif how == "repeat" and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[key]))
        elif how == "copy":
            source = data.draw(st.sampled_from(list(places(header))))
            inside[key] = copy.deepcopy(at(header, source))
        else:
            inside[key] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))
    write(path, edited, others)
    try:
        learner = load(path)
    except StorageError as error:
        assert str(path) in str(error)
    else:
        learner.greedy()
        save(learner, path)
        assert contents(load(path)) == contents(learner)


def entry(header, name):
    """The JSON of an entry of a learner, as a pair of its name and its value."""
    saved = at(header, ["content", "dict", 0, 1, "saved", "dict"])
    return next(pair for pair in saved if pair[0] == name)


def mlp(env):
    return SignedProducts(env.game, architecture="mlp")


@pytest.mark.parametrize(
    ("kind", "heaps"),
    [(QLearning.for_env, (3, 2)), (QLearning.for_env, (2, 3, 1)),
     (RealTimeDynamicProgramming.for_env, (3, 2)), (mlp, (7, 9)),
     (lambda env: ColumnAutomatonLearner(env.game, labels="q-learning"), (4, 4))],
)  # fmt: skip
def test_a_table_that_contradicts_the_game_of_its_header_is_refused(kind, heaps, tmp_path):
    path = tmp_path / "learner.zip"
    save(kind(GameEnv(NIM)), path)
    header, others = members(path)
    entry(header, "game")[1]["arguments"]["dict"] = [["heaps", {"tuple": list(heaps)}]]
    write(path, header, others)
    with pytest.raises(StorageError, match=r"nim, heaps|this one|no such table"):
        load(path)


@pytest.mark.parametrize("change", [{"version": 3}, {"version": "4"}, {"format": "another"}])
def test_another_format_is_refused(change, tmp_path):
    path = tmp_path / "learner.zip"
    save(QLearning(BOX, TWO), path)
    header, others = members(path)
    write(path, {**header, **change}, others)
    with pytest.raises(StorageError) as no:
        load(path)
    assert str(path) in str(no.value)


@pytest.mark.parametrize("name", CASES)
def test_a_table_that_is_not_finite_is_refused_by_the_name_of_the_file(name, tmp_path):
    path = tmp_path / "learner.zip"
    save(CASES[name](small_env())[0], path)
    header, others = members(path)
    for member, content in others.items():
        array = np.load(io.BytesIO(content))
        if array.dtype.kind == "f" and array.size:
            array.flat[-1] = np.nan
            write(path, header, {**others, member: npy(array)})
            with pytest.raises(StorageError, match="not finite, such as nan") as no:
                load(path)
            assert str(path) in str(no.value)


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_numbers_that_compiled_code_would_follow_are_checked(tmp_path):
    path = tmp_path / "learner.zip"
    learner = QLearning(BOX, TWO, replay=Replay(4, 2, 1))
    save(learner, path)
    header, others = members(path)
    numbers = {
        name: array["array"] for name, array in entry(header, "learned")[1]["dict"]
        if name.startswith("replay_") and name != "replay_rewards"
    }  # fmt: skip
    assert len(numbers) == 6
    for name, number in numbers.items():
        shape = learner.saved()["learned"][name].shape
        for wrong in (-1, 2**62 if name != "replay_counters" else -5):
            write(path, header, {**others, f"{number}.npy": npy(np.full(shape, wrong))})
            with pytest.raises(StorageError, match=f"{name} must be from 0"):
                load(path)


def test_a_learner_that_could_not_be_loaded_is_not_saved(tmp_path):
    path = tmp_path / "learner.zip"
    with pytest.raises(StorageError, match="seed must be int, not None"):
        save(QLearning(BOX, TWO, seed=None), path)
    assert not path.exists()
    of_numpy = QLearning(
        BOX, TWO, epsilon=Decay(np.float32(0.5), 1, np.int64(3)), replay=Replay(np.int8(4))
    )
    save(of_numpy, path)
    assert contents(load(path)) == contents(of_numpy)
