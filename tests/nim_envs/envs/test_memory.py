"""Environments of large heaps: what is refused as too large, with its size."""

import gymnasium
import pettingzoo
import pytest

from nim_envs import GameEnv, make_game
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.validation import check_bytes


def make_aec(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", **arguments)


def make_gymnasium(**arguments):
    return gymnasium.make("nim_envs/Nim-v0", **arguments)


def test_too_large_games_are_refused_with_their_size():
    with pytest.raises(SearchTooLargeError, match=r"16001 positions with 16000 actions.* at most"):
        make_aec(heaps=(16_000,))
    one_hot = {"heaps": (12 * 10**6,), "max_take": 3, "encoding": "one_hot"}
    with pytest.raises(SearchTooLargeError, match=r"12000001 features in encoding 'one_hot'"):
        make_gymnasium(**one_hot)


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
