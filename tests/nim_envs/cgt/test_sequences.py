"""Grundy sequences against the definition and known values."""

from __future__ import annotations

from functools import reduce
from operator import xor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs.cgt.sequences import LARGEST_SEQUENCE, grundy_sequence
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.games.octal_codes import HeapGame
from nim_envs.nimbers import mex


def by_definition(game, size):
    """Values as the mex over the options that the rule lists: shares nothing with the methods."""
    values = []
    for heap in range(size):
        options = (
            reduce(xor, (values[left] for left in option), 0) for option in game.options(heap)
        )
        values.append(mex(options))
    return values


@settings(max_examples=40)
@given(
    head=st.sampled_from([0, 4]),
    digits=st.lists(st.integers(0, 7), min_size=1, max_size=5),
    repeating=st.booleans(),
    unequal=st.booleans(),
    size=st.integers(0, 120),
)
def test_values_of_any_digits(head, digits, repeating, unequal, size):
    if head or any(digits):
        game = HeapGame((head, *digits), repeating, unequal)
        assert grundy_sequence(game, size).tolist() == by_definition(game, size)


def test_known_sequences():
    known = {
        "kayles": [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6],
        "dawsons_chess": [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2],
        "dawsons_kayles": [0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2],
        "grundy": [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1],
        "splitting": [0, 0, 1, 0, 1, 0, 1],
        "nim": list(range(200)),
    }
    for name, values in known.items():
        assert grundy_sequence(name, len(values)).tolist() == values


def test_values_of_games_whose_values_grow_are_not_cut_off():
    assert grundy_sequence("0.(3)", 3000).tolist() == list(range(3000))


def test_bad_sizes_are_refused():
    with pytest.raises(SearchTooLargeError, match=f"{LARGEST_SEQUENCE} values"):
        grundy_sequence("0.77", LARGEST_SEQUENCE + 1)
    for size in (-1, 1.5, "9"):
        with pytest.raises(InvalidGameError, match="size"):
            grundy_sequence("0.77", size)
    with pytest.raises(InvalidGameError, match=r"0\.8"):
        grundy_sequence("0.8", 9)
