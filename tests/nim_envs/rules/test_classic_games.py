"""The classic games: their moves, coordinates and arguments; who wins is tested with the theory."""

from __future__ import annotations

import pytest

from nim_envs.errors import InvalidGameError
from nim_envs.rules import (
    addition,
    chomp,
    cram,
    euclid,
    fibonacci_nim,
    moores_nim,
    nim,
    node_kayles,
    wythoff,
)
from nim_envs.theory import count_games


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


def test_boards_of_too_many_cells_are_refused():
    with pytest.raises(InvalidGameError, match=r"a board of 64 cells .* at most 61 cells"):
        cram(rows=8, columns=8)
    with pytest.raises(InvalidGameError, match="a graph of 62 cells"):
        node_kayles(62, ())
    assert node_kayles(61, ()).shape == (2**61,)


def test_numbers_of_states_and_actions_fit_in_64_bits():
    assert wythoff(((2**31 - 1, 2**31 - 1),)).shape == (2**62,)
    with pytest.raises(InvalidGameError, match=f"has {2**62 + 2**31} states; at most {2**62} are"):
        wythoff(((2**31 - 1, 2**31),))
    assert nim((2**62,)).num_actions == 2**62
    with pytest.raises(InvalidGameError, match=f"are {2**63} actions; at most {2**62} are"):
        nim((2**62, 2**62))


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: wythoff((8, 8)), r"queens\[0\] must be a pair of integers of at least 0, not 8"),
        (lambda: wythoff(()), "queens must be a sequence of at least 1 pair"),
        (lambda: wythoff(((1, -1),)), r"queens\[0\]\[1\] must be an integer from 0"),
        (lambda: chomp(40, 40), "bar of 40 rows and 40 columns has .* states; at most"),
        (lambda: cram(1, 1), "a board must have at least 2 cells"),
        (lambda: node_kayles(3, [(0, 3)]), r"edges\[0\] must be two different nodes from 0 to 2"),
        (lambda: node_kayles(3, "ab"), "edges must be a sequence of pairs"),
    ],
)
def test_arguments_that_describe_no_game_are_named(make, named):
    with pytest.raises(InvalidGameError, match=named):
        make()
