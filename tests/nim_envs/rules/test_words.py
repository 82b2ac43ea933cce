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
        [(1,), (2,)],
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
        [(1, 0), (2, 0), (0, 1), (1, 1), (2, 1)],
    ),
    ("fibonacci_nim", {"heaps": (3,)}, ["heap 0: take 1", "heap 0: take 2"], None, [(1,), (2,)]),
    (
        "wythoff",
        {"queens": ((1, 1),)},
        [
            "queen 0: move left 1, to (0, 1)",
            "queen 0: move down 1, to (1, 0)",
            "queen 0: move diagonally 1, to (0, 0)",
        ],
        [f"queen 0: move {way} 1" for way in ("left", "down", "diagonally")],
        [(0, 1), (1, 0), (0, 0)],
    ),
    (
        "chomp",
        {"rows": 2, "columns": 2},
        [f"bar 0: bite at {square}" for square in ("(0, 1)", "(1, 0)", "(1, 1)")],
        None,
        [(0, 1), (1, 0), (1, 1)],
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
        [(0, 0, 0, 1), (1, 0, 1, 1), (0, 0, 1, 0), (0, 1, 1, 1)],
    ),
    (
        "node_kayles",
        {"nodes": 2, "edges": ((0, 1),)},
        ["graph 0: take node 0", "graph 0: take node 1"],
        None,
        [(0,), (1,)],
    ),
    (
        "graph",
        {"successors": ((), (), (1, 0)), "tokens": (2,)},
        ["token 0: move to 1", "token 0: move to 0"],
        ["token 0: move along edge 0", "token 0: move along edge 1"],
        [(1,), (0,)],
    ),
]


@pytest.mark.parametrize(("name", "arguments", "here", "anywhere", "numbers"), WORDS)
def test_moves_are_described_with_what_they_leave_where_the_position_is_given(
    name, arguments, here, anywhere, numbers
):
    rules = make_game(name, **arguments).rules
    legal = np.flatnonzero(rules.action_mask(np.array(rules.initial)))
    assert [rules.describe_action(action, rules.initial) for action in legal] == here
    assert [rules.describe_action(action) for action in legal] == (anywhere or here)
    words, state = rules.components[0].words, rules.initial[0]
    assert [words.numbers(action, state) for action in legal.tolist()] == numbers


def test_a_move_of_euclid_that_is_not_legal_is_described_as_anywhere():
    rules = make_game("euclid", pairs=((5, 2),)).rules
    assert rules.describe_action(2, rules.initial) == (
        "pair 0: subtract 3 times the smaller number"
    )


@pytest.mark.parametrize(("k", "heaps"), [(1, "one heap"), (3, "each of 1 to 3 heaps")])
def test_moores_move_says_from_how_many_heaps_it_takes(k, heaps):
    component = make_game("moores_nim", heaps=(2, 1, 1), k=k).rules.components[0]
    words = (
        f"take any number of objects from {heaps}; heaps are numbered from 0, and a group is given "
        "by the number of objects in each heap"
    )
    assert component.words.move == words
