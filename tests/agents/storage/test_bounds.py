"""Files of strangers take bounded memory, and whatever is wrong with one is said by its name."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from agents import QLearning
from agents.storage import StorageError, load, load_content, save, save_content
from agents.tabular.replay import Replay
from tests.agents.learning import BOX, CASES, TWO, small_env
from tests.agents.storage.test_headers import at, members, npy, places, write

MEBIBYTE = 1 << 20


@contextmanager
def memory_below(most):
    """Check that the body takes less than ``most`` bytes at any time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def learner_file(path):
    save(QLearning(BOX, TWO, replay=Replay(4, 2, 1)), path)
    return load


def test_a_file_holds_no_more_than_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "content.zip"
    save_content({name: np.zeros(MEBIBYTE) for name in "ab"}, path)
    assert path.stat().st_size < 1 << 17
    assert len(load_content(path)["a"]) == MEBIBYTE
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", str(8 * MEBIBYTE))
    with (
        memory_below(MEBIBYTE),
        pytest.raises(StorageError, match=r"8388608 bytes, .*NIM_ENVS_LARGEST_BYTES"),
    ):
        load_content(path)


@pytest.mark.parametrize(
    "text",
    ["{'descr': '<f8', 'fortran_order': False, 'shape': (3,", "{'descr': '<f8'\n  x\n y", "('''"],
)
def test_an_npy_header_that_is_no_python_is_refused(text, tmp_path):
    path = tmp_path / "file.zip"
    loaded = learner_file(path)
    header, others = members(path)
    written = text.encode().ljust(117) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(written).to_bytes(2, "little") + written
    write(path, header, dict.fromkeys(others, content))
    with pytest.raises(StorageError, match="is damaged") as no:
        loaded(path)
    assert str(path) in str(no.value)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", CASES)
def test_a_table_that_is_not_finite_is_refused_by_the_name_of_the_file(name, number, tmp_path):
    path = tmp_path / "learner.zip"
    save(CASES[name](small_env())[0], path)
    header, others = members(path)
    tables = 0
    for member, content in others.items():
        array = np.load(io.BytesIO(content))
        if array.dtype.kind == "f" and array.size:
            tables += 1
            array.flat[-1] = number
            write(path, header, {**others, member: npy(array)})
            with pytest.raises(StorageError, match=f"not finite, such as {number}") as no:
                load(path)
            assert str(path) in str(no.value)
    assert tables or name == "sweeping"  # that one's table is of integers


def test_a_learner_that_has_diverged_is_not_saved(tmp_path):
    path = tmp_path / "learner.zip"
    learner = QLearning(BOX, TWO)
    save(learner, path)
    before = path.read_bytes()
    learner.table[3, 1] = np.nan
    with pytest.raises(
        StorageError, match=r"'table'\] has numbers that are not finite, such as nan"
    ):
        save(learner, path)
    assert path.read_bytes() == before


def damaged(rng, header, others, whole):
    """The content of a file that is wrong in one of many ways."""
    how = rng.choice(["bytes", "directory", "numbers", "npy", "end"])
    content = bytearray(whole)
    if how == "end":
        return content[: rng.randrange(len(content))]
    if how == "bytes":
        for _ in range(rng.randint(1, 8)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        return content
    if how == "directory":
        place = rng.randrange(len(content) // 2, len(content) - 60)
        for _ in range(rng.randint(1, 4)):
            content[place + rng.randrange(60)] = rng.choice([0, 1, 8, 12, 14, 0x7F, 0xFF])
        return content
    header, others = json.loads(json.dumps(header)), dict(others)
    if how == "npy":
        member = rng.choice(sorted(others))
        array = bytearray(others[member])
        for _ in range(rng.randint(1, 6)):
            array[rng.randrange(8, 128)] = rng.choice(b"0123456789(){}[]',:<>fiubOV\n \\\"")
        others[member] = bytes(array)
    else:
        numbers = [place for place in places(header) if type(at(header, place)) in (int, float)]
        for place in rng.choices(numbers, k=rng.randint(1, 3)):
            at(header, place[:-1])[place[-1]] = rng.choice(
                [10**6, 10**9, 10**12, 2**31, 2**62, -(10**9), 1e300]
            )
    file = io.BytesIO()
    write(file, header, others)
    return file.getvalue()


@pytest.mark.parametrize("number", [100, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_a_damaged_file_takes_little_memory_and_is_refused_by_its_name(number, tmp_path):
    path = tmp_path / "file.zip"
    loaded = learner_file(path)
    loaded(path)
    header, others = members(path)
    whole, rng, refused = path.read_bytes(), random.Random(0), 0
    with memory_below(32 * MEBIBYTE), warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(number):
            path.write_bytes(damaged(rng, header, others, whole))
            try:
                loaded(path)
            except StorageError as error:
                assert str(path) in str(error)
                refused += 1
    assert refused > number / 2
