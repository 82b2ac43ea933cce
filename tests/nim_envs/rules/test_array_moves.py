"""Games from functions of arrays of positions: the same games, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import nim_envs
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules import rules_from_moves
from tests import outcome_games

LINES = np.array(
    [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
)


def has_line(cells):
    lines = cells[:, LINES]
    return ((lines > 0).all(2) & (lines == lines[:, :, :1]).all(2)).any(1)


def marks(cells):
    mover = 1 + (cells > 0).sum(1) % 2
    rows, places = np.nonzero((cells == 0) & ~has_line(cells)[:, None])
    after = cells[rows]
    after[np.arange(len(rows)), places] = mover[rows]
    backwards = slice(None, None, -1)  # rows may be in any order
    return rows[backwards], places[backwards], after[backwards]


def test_tic_tac_toe_is_the_same_game():
    entry = outcome_games.tic_tac_toe()
    game = nim_envs.game_from_moves(
        "tic-tac-toe", (0,) * 9, marks, vectorized=True, board=(3, 3),
        outcome=lambda cells: np.where(has_line(cells), -1.0, 0.0),
    )  # fmt: skip
    assert game == entry.game
    assert game.solution.value((0,) * 9) == 0


@pytest.mark.parametrize("factor", [1, 60, 10**12])
def test_labels_may_be_strings_and_coordinates_large(factor):
    """A pair of numbers, of which the first falls by 1 or 2 and the second rises."""

    def steps(position):
        low, high = position
        return [(f"{n} up", (low - n, high + n * factor)) for n in (1, 2) if n <= low]

    def many_steps(positions):
        rows, n = np.nonzero(positions[:, :1] >= np.array([1, 2]))
        after = positions[rows] + (n[:, None] + 1) * np.array([-1, factor])
        return rows, np.array(["1 up", "2 up"])[n], after

    rules = rules_from_moves("steps", (9, 3), many_steps, vectorized=True)
    assert rules == rules_from_moves("steps", (9, 3), steps)
    assert len(rules.lattice()) > 9


def down(positions):  # one coordinate, which falls by 1
    rows = np.flatnonzero(positions[:, 0])
    return rows, np.ones(len(rows), dtype=int), positions[rows] - 1


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (lambda p: 1 / 0, r"moves of \(3,\) raised ZeroDivisionError.*must return three arrays"),
    (lambda p: (0, 1, 2), r"rows must be integers \(moves,\), not int64 \(\)"),
    (lambda p: ([0, 0], [1], [[0], [1]]), r"labels must be .* not int64 \(1,\)"),
    (lambda p: ([0], [1], [[0, 0]]), r"positions must be integers \(moves, 1\), not int64"),
    (lambda p: ([1], [1], [[0]]), "rows must be from 0 to 0, not 1 to 1"),
    (lambda p: ([0, 0], [1, 1], [[0], [1]]), r"moves\(\(3,\)\) gives the label 1 twice"),
    (lambda p: ([0, 0], ["by", "on"], [[0], [-1]]), r"'on' at \(3,\) must not have a neg"),
    (lambda p: ([0], [1], p + 0), "the moves form a cycle"),
    (
            lambda p: (*down(p)[:2], down(p)[2] * (len(p) > 1)),
            r"moves\(\(3,\)\) gives other moves when it is called again",
        ),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong(moves, said):
    starts = [(2,)] if "again" in said else None
    with pytest.raises(InvalidGameError, match=said):
        rules_from_moves("g", (3,), moves, positions=starts, vectorized=True)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (lambda p: 1 / 0, r"outcome of \(0,\) raised ZeroDivisionError"),
        (lambda p: [0, 1], r"must be numbers \(1,\), not int64 \(2,\)"),
        (lambda p: p[:, 0] + 0.5, r"outcome of \(0,\) must be 1, 0 or -1, .* not .*0.5"),
    ],
)
def test_errors_of_outcomes_say_what_is_wrong(outcome, said):
    with pytest.raises(InvalidGameError, match=said):
        nim_envs.game_from_moves("g", (3,), down, outcome=outcome, vectorized=True)


@pytest.mark.parametrize("vectorized", [True, False])
def test_a_game_without_a_last_position_is_refused(vectorized):
    def around(position):
        return [("on", ((position[0] + 1) % 3,))]

    def around_many(positions):
        return np.arange(len(positions)), np.ones(len(positions), dtype=int), (positions + 1) % 3

    moves = around_many if vectorized else around
    with pytest.raises(InvalidGameError, match="the moves form a cycle"):
        nim_envs.game_from_moves("g", (0,), moves, outcome=lambda p: 0, vectorized=vectorized)


def test_moves_without_an_end_are_refused():
    with pytest.raises(SearchTooLargeError, match="more than 50 positions"):
        rules_from_moves(
            "g", (0,), lambda p: (np.arange(len(p)), np.arange(len(p)), p + 1), limit=50,
            vectorized=True,
        )  # fmt: skip
    with pytest.raises(InvalidGameError, match="vectorized must be True or False"):
        rules_from_moves("g", (3,), down, vectorized="yes")
