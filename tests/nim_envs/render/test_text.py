"""Boards and graphs in the terminal, against what a person would draw."""

import pytest

from nim_envs import make_game
from nim_envs.render import render_text


def drawn(game, *coordinates):
    """The lines of a position, without what is before the drawing in the first line."""
    return render_text(game, coordinates).split("\n")


@pytest.mark.parametrize(
    ("name", "arguments", "position", "lines"),
    [
        ("chomp", {"rows": 3, "columns": 4}, (4, 2, 0), """
            bar 0  4 2 0     0 1 2 3
                          0  X # # #
                          1  # # . .
                          2  . . . ."""),
        ("cram", {"rows": 2, "columns": 3}, (1, 0, 0, 1, 0, 0), """
            board 0       0 1 2
                       0  # . .
                       1  # . ."""),
        ("wythoff", {"queens": ((3, 2),)}, (1, 2), """
            queen 0  1 2     0 1 2 3
                          2  . Q . .
                          1  . . . .
                          0  . . . ."""),
        ("node_kayles", {"nodes": 4, "edges": ((0, 1), (1, 2), (2, 3))}, (1, 1, 0, 0), """
            graph 0  1 1 0 0  free nodes - and their free neighbours
                              2 - 3
                              3 - 2"""),
        ("graph", {"successors": ((), (0,), (0, 1), (2,), (2, 3)), "tokens": (4, 3)}, (4, 0), """
            token 0  4  -> 2 3
            token 1  0  no move
            arrows   1 -> 0   2 -> 0 1   3 -> 2"""),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)  # fmt: skip
def test_boards_are_grids_and_graphs_are_arrows(name, arguments, position, lines):
    expected = lines.strip("\n").split("\n")
    indent = len(expected[0]) - len(expected[0].lstrip())
    assert drawn(make_game(name, **arguments), *position) == [line[indent:] for line in expected]


def test_boards_too_large_for_a_terminal_are_coordinates_alone():
    assert drawn(make_game("chomp", rows=2, columns=40), 40, 7) == ["bar 0  40 7"]
    assert drawn(make_game("wythoff", queens=((40, 3),)), 40, 3) == ["queen 0  40 3"]
    long = make_game("graph", successors=[range(max(0, n - 1), n) for n in range(50)], tokens=[49])
    assert drawn(long, 49) == ["token 0  49  -> 48"]
