"""Environments take what their positions need, and share what equal rules have."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import gymnasium
import numpy as np
import pettingzoo
import pytest

from nim_envs import GameEnv, make_game
from nim_envs.encoding import ENCODINGS, Encoding
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules import nim
from nim_envs.validation import check_bytes

MEBIBYTE = 2**20


def make_aec(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", **arguments)


def make_gymnasium(**arguments):
    return gymnasium.make("nim_envs/Nim-v0", **arguments)


@pytest.fixture
def allocated():
    """A function that returns the most bytes that were allocated since it was called last."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]

    def most():
        nonlocal before
        now, peak = tracemalloc.get_traced_memory()
        peak, before = peak - before, now
        tracemalloc.reset_peak()
        return peak

    yield most
    tracemalloc.stop()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("make", [make_aec, make_gymnasium])
def test_a_large_heap_takes_no_table(make, encoding, allocated):
    env = make(heaps=(16_000,), encoding=encoding)
    assert allocated() < 8 * MEBIBYTE
    env.reset(seed=0)
    # One heap is won by taking all of it, which is the last of the actions.
    if make is make_aec:
        env.step(9)
        observation, reward, *_ = env.last()
        assert observation["action_mask"].tolist() == [1] * 15_990 + [0] * 10
        env.step(15_989)
        assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    else:
        observation, reward, terminated, *_ = env.step(15_999)
        assert (reward, terminated) == (1.0, True)
        assert not observation["action_mask"].any()
    assert allocated() < 8 * MEBIBYTE


def test_a_large_heap_that_splits_takes_no_table(allocated):
    env = pettingzoo.make("aec", "nim_envs/octal-v0", code="0.(7)", heaps=(220,))
    env.reset(seed=0)
    rules = env.unwrapped.game.rules
    heap = rules.components[0]
    action = int(env.observe("player_0")["action_mask"].argmax())
    env.step(action)
    after = env.state()[:-1].tolist()
    assert allocated() < heap.states * heap.options * np.dtype(np.int64).itemsize
    # The rules answer as well, where their table would be refused.
    assert rules.step(np.array(rules.initial), np.array(action)).tolist() == after
    with pytest.raises(SearchTooLargeError, match=r"110 components, 221 states and 12210 options"):
        _ = rules.table


def test_environments_of_equal_rules_share_their_tables(allocated):
    def play(env):
        env.reset(seed=0)
        for move in range(40):
            for heap in range(3):
                env.step(2000 * heap + move)
        return env

    envs = [play(make_aec(heaps=(2000,) * 3))]
    alone = allocated()
    envs += [play(make_aec(heaps=(2000,) * 3)) for _ in range(7)]
    assert alone < 8 * MEBIBYTE
    # Each of the others has its masks and its spaces: a few bytes for an action.
    assert allocated() < 7 * 16 * 6000


def test_copies_find_shared_tables():
    env = make_aec(heaps=(3, 9))
    env.reset()
    for again in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (
            again.unwrapped.game.rules.state_options[1] is env.unwrapped.game.rules.state_options[1]
        )
        again.step(9)
        assert again.state().tolist() == [3, 8, 1]
        assert again.observe("player_1")["action_mask"].tolist() == [1] * 3 + [0] * 6 + [1] * 8 + [
            0
        ]


@pytest.mark.parametrize("make", [make_aec, make_gymnasium])
@pytest.mark.parametrize(
    ("arguments", "bytes_named"),
    [
        ({"heaps": (10**9,)}, r"10{9} actions would take \d{11} bytes"),
        ({"heaps": (10**15,)}, r"10{15} actions would take \d{17} bytes"),
        (
            {"heaps": (10**9,), "max_take": 3, "encoding": "one_hot"},
            r"1000000001 features in encoding 'one_hot' would take \d{11} bytes",
        ),
        ({"heaps": (10**9,), "max_take": 3, "encoding": "unary"}, r"'unary' would take \d{11}"),
    ],
)
def test_too_large_data_are_refused_with_their_bytes(make, arguments, bytes_named, allocated):
    with pytest.raises(SearchTooLargeError, match=f"{bytes_named}.*limit is {2**30} bytes"):
        make(**arguments)
    assert allocated() < MEBIBYTE


@pytest.mark.parametrize("encoding", ["integer", "binary"])
def test_huge_heaps_are_played_where_moves_are_few(encoding):
    env = make_aec(heaps=(10**15, 5), max_take=3, encoding=encoding)
    env.reset(seed=0)
    env.step(1)
    observed = env.observe("player_1")
    shown = [10**15 - 2, 5]
    if encoding == "binary":
        shown = [int(bit) for bit in f"{10**15 - 2:050b}"[::-1]] + [1, 0, 1]
    assert observed["observation"].tolist() == shown
    assert observed["action_mask"].tolist() == [1] * 6


@pytest.mark.parametrize("encoding", ["one_hot", "binary", "unary"])
def test_features_are_those_of_each_component(encoding):
    rules = nim(heaps=(0, 5, 2, 8))
    codes = Encoding(encoding, rules)
    lattice = rules.lattice().reshape(2, -1, 4)
    expected = {
        "one_hot": lambda state, top: [int(number == state) for number in range(top + 1)],
        "binary": lambda state, top: [state >> bit & 1 for bit in range(max(1, top.bit_length()))],
        "unary": lambda state, top: [int(number < state) for number in range(top)],
    }[encoding]
    shown = codes.encode(lattice)
    assert shown.dtype == np.float32
    assert shown.shape == (2, lattice.shape[1], *codes.space.shape)
    assert shown.reshape(-1, sum(codes.widths)).tolist() == [
        [
            bit
            for state, top in zip(position, rules.initial, strict=True)
            for bit in expected(state, top)
        ]
        for position in rules.lattice().tolist()
    ]
    for component in range(4):
        column = codes.features(component, lattice[..., component])
        first = sum(codes.widths[:component])
        assert (column == shown[..., first : first + codes.widths[component]]).all()


def test_the_limit_is_what_the_user_says(monkeypatch):
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "1000")
    with pytest.raises(SearchTooLargeError, match=r"the limit is 1000 bytes .* NIM_ENVS_LARGEST"):
        GameEnv(make_game("nim", heaps=(1000,)))
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", str(2**40))
    check_bytes("tables", 2**39)
    monkeypatch.delenv("NIM_ENVS_LARGEST_BYTES")
    with pytest.raises(SearchTooLargeError, match="512 GiB"):
        check_bytes("tables", 2**39)
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "much")
    with pytest.raises(InvalidGameError, match="number of bytes, not 'much'"):
        check_bytes("tables", 1)
