"""Moves of the classic games in words, at a position and at any."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import make_game

WORDS = [
    (
        "euclid",
        {"pairs": ((5, 2),)},
        ["pair 0: subtract 1 times 2, leave (3, 2)", "pair 0: subtract 2 times 2, leave (1, 2)"],
        [f"pair 0: subtract {times} times the smaller number" for times in (1, 2)],
    ),
    (
        "moores_nim",
        {"heaps": (2, 1), "k": 2},
        [
            "group 0: take 1 from heap 0",
            "group 0: take 2 from heap 0",
            "group 0: take 1 from heap 1",
            "group 0: take 1 from heap 0 and 1 from heap 1",
            "group 0: take 2 from heap 0 and 1 from heap 1",
        ],
        None,
    ),
    ("fibonacci_nim", {"heaps": (3,)}, ["heap 0: take 1", "heap 0: take 2"], None),
    (
        "wythoff",
        {"queens": ((1, 1),)},
        [
            "queen 0: move left 1, to (0, 1)",
            "queen 0: move down 1, to (1, 0)",
            "queen 0: move diagonally 1, to (0, 0)",
        ],
        [f"queen 0: move {way} 1" for way in ("left", "down", "diagonally")],
    ),
    (
        "chomp",
        {"rows": 2, "columns": 2},
        [f"bar 0: bite at {square}" for square in ("(0, 1)", "(1, 0)", "(1, 1)")],
        None,
    ),
    (
        "cram",
        {"rows": 2, "columns": 2},
        [
            "board 0: cover (0, 0) and (0, 1)",
            "board 0: cover (1, 0) and (1, 1)",
            "board 0: cover (0, 0) and (1, 0)",
            "board 0: cover (0, 1) and (1, 1)",
        ],
        None,
    ),
    (
        "node_kayles",
        {"nodes": 2, "edges": ((0, 1),)},
        ["graph 0: take node 0", "graph 0: take node 1"],
        None,
    ),
]


@pytest.mark.parametrize(("name", "arguments", "here", "anywhere"), WORDS)
def test_moves_are_described_with_what_they_leave_where_the_position_is_given(
    name, arguments, here, anywhere
):
    rules = make_game(name, **arguments).rules
    legal = np.flatnonzero(rules.action_mask(np.array(rules.initial)))
    assert [rules.describe_action(action, rules.initial) for action in legal] == here
    assert [rules.describe_action(action) for action in legal] == (anywhere or here)


def test_the_number_of_a_move_of_euclid_is_the_multiple():
    component = make_game("euclid", pairs=((5, 2),)).rules.components[0]
    state = make_game("euclid", pairs=((5, 2),)).rules.initial[0]
    assert [component.words.numbers(option, state) for option in (0, 1)] == [(1,), (2,)]


@pytest.mark.parametrize(("k", "heaps"), [(1, "one heap"), (3, "each of 1 to 3 heaps")])
def test_moores_move_says_from_how_many_heaps_it_takes(k, heaps):
    component = make_game("moores_nim", heaps=(2, 1, 1), k=k).rules.components[0]
    words = (
        f"take any number of objects from {heaps}; heaps are numbered from 0, and a group is given "
        "by the number of objects in each heap"
    )
    assert component.words.move == words
