"""The games of the package: plays that are counted by hand, and arguments."""

import numpy as np
import pytest

from nim_envs import sum_of
from nim_envs.counting import count_games
from nim_envs.errors import InvalidGameError
from nim_envs.games import (
    addition,
    chomp,
    cram,
    euclid,
    fibonacci_nim,
    kayles,
    moores_nim,
    nim,
    node_kayles,
    subtraction,
    wythoff,
)


def test_plays_of_the_smallest_games_are_counted_by_hand():
    assert count_games(wythoff(((0, 0),))) == 1  # without a move
    assert count_games(euclid(((1, 1),))) == 1
    assert count_games(fibonacci_nim((2,))) == 1  # one object, and then the other
    assert count_games(moores_nim((1, 1), k=1)) == 2
    # A bite at (1, 1) leaves two squares, bitten off in either order; any other bite leaves one.
    assert count_games(chomp(2, 2)) == 2 + 1 + 1
    assert count_games(cram(1, 2)) == count_games(cram(2, 1)) == 1
    assert count_games(node_kayles(1, ())) == 1
    assert count_games(addition(k=1, n=0)) == 1
    assert count_games(sum_of([nim((1,)), subtraction((2,), (1,))])) == 3
    assert (
        count_games(kayles((3,))) == 1 + 2 + 2
    )  # a move leaves one pin, a row of two, or two rows
    assert count_games(nim((5,)), (2,)) == 2
    assert count_games(nim((17,), max_take=3)) == 19_513  # of the literature


@pytest.mark.parametrize("heaps", [[3, 4], np.array([3, 4]), range(3, 5), (n for n in (3, 4))])
def test_heaps_are_taken_from_all_that_lists_them(heaps):
    assert nim(heaps=heaps) == nim(heaps=(3, 4))


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: wythoff((8, 8)), r"queens\[0\] must be a pair of integers of at least 0, not 8"),
        (lambda: wythoff(()), "queens must be a sequence of at least 1 pair"),
        (lambda: wythoff(((1, -1),)), r"queens\[0\]\[1\] must be an integer from 0"),
        (lambda: cram(1, 1), "a board must have at least 2 cells"),
        (lambda: node_kayles(3, [(0, 3)]), r"edges\[0\] must be two different nodes from 0 to 2"),
        (lambda: node_kayles(3, "ab"), "edges must be a sequence of pairs"),
        (lambda: nim(heaps={1: 2}), r"heaps must be a sequence .*, not \{1: 2\}"),
        (lambda: nim(heaps=memoryview(b"\3")), "heaps must be a sequence .*, not <memory"),
        (lambda: subtraction((3,), {1: 2}), "subtraction_set must be a sequence"),
    ],
)
def test_arguments_that_describe_no_game_are_named(make, named):
    with pytest.raises(InvalidGameError, match=named):
        make()
