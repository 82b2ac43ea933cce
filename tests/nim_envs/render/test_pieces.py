"""Pictures of two players' pieces on a board, by their shapes and by their text."""

import numpy as np
import pytest

import nim_envs
from nim_envs.render import position_shapes
from nim_envs.render.geometry import Area
from nim_envs.render.palette import PLAYERS, WINNING
from nim_envs.render.picture import Picture
from tests.outcome_games import tic_tac_toe

SIZES = [(240, 200), (640, 480), (1200, 500)]
CELLS = (1, 2, 0, 0, 1, 0, 0, 0, 2)


def drawn_as(entry, picture, board=(3, 3)):
    return nim_envs.game_from_moves(
        entry.game.name, entry.game.start, entry.moves, outcome=entry.outcome, board=board,
        picture=picture,
    )  # fmt: skip


def hexadecimal(color):
    return "#" + bytes(color).hex()


COLORS = [hexadecimal(color) for color in PLAYERS]


def squares_of(game, size):
    """Return the squares of the board, row by row."""
    return Picture(game, size).panels[0].layouts[0].squares


def inside(area, shape):
    """Return whether the middle of a disc or a line lies in an area."""
    if shape["shape"] == "disc":
        x, y, width, height = shape["area"]
        return area.contains((x + width / 2, y + height / 2))
    (x, y), (right, bottom) = shape["start"], shape["end"]
    return area.contains(((x + right) / 2, (y + bottom) / 2))


def pieces_in(shapes, area):
    """Return shapes, colours and fillings of the pieces and marks on a square."""
    return [
        (shape["shape"], shape["color"], shape["line_width"] > 0)
        for shape in shapes
        if shape["shape"] in ("disc", "line") and inside(area, shape)
    ]


@pytest.mark.parametrize("size", SIZES)
def test_crosses_and_circles_stand_on_their_squares(size):
    game = drawn_as(tic_tac_toe(), "crosses")
    shapes = position_shapes(game, CELLS, size=size)
    cross, circle = [("line", COLORS[0], True)] * 2, [("disc", COLORS[1], True)]
    squares = squares_of(game, size)
    assert len({square.y for square in squares}) == len({square.x for square in squares}) == 3
    for cell, area in zip(CELLS, squares, strict=True):
        assert area.within(Area(0, 0, *size))
        assert pieces_in(shapes, area) == [[], cross, circle][cell]


@pytest.mark.parametrize("picture", ["crosses", "discs"])
def test_moves_that_keep_a_draw_are_marked(picture):
    entry = tic_tac_toe()
    game = drawn_as(entry, picture)
    truth = entry.truth()
    shapes = position_shapes(game, CELLS, mover=0, show_winning_moves=True)
    right = {label for label, after in entry.moves(CELLS) if -truth[after] == truth[CELLS] >= 0}
    mark = ("disc", hexadecimal(WINNING), False)
    squares = squares_of(game, (640, 480))
    assert {i for i, area in enumerate(squares) if mark in pieces_in(shapes, area)} == right


@pytest.mark.parametrize("picture", ["crosses", "discs"])
def test_a_click_chooses_the_move_that_puts_a_piece_there(picture):
    game = drawn_as(tic_tac_toe(), picture)
    picture_of = Picture(game)
    for cell, area in enumerate(squares_of(game, (640, 480))):
        chosen = picture_of.action_at(CELLS, area.center)
        assert chosen == (None if CELLS[cell] else cell)


def test_any_square_chooses_a_pass_and_a_piece_goes_where_the_click_is():
    moved = {  # a piece of two steps to one of two squares; then a pass
        (1, 0, 0, 0): [("a", (0, 1, 0, 1)), ("b", (0, 0, 1, 1))],
        (0, 1, 0, 1): [("pass", (0, 1, 0, 0))],
        (0, 0, 1, 1): [],
        (0, 1, 0, 0): [],
    }
    game = nim_envs.game_from_moves(
        "steps", (1, 0, 0, 0), moved.__getitem__, outcome=lambda _: 0, board=(1, 3), picture="discs"
    )
    picture = Picture(game)
    squares = squares_of(game, (640, 480))
    start, later = list(moved)[:2]
    assert [picture.action_at(start, area.center) for area in squares] == [None, 0, 1]
    names = [picture.action_at(later, area.center) for area in squares]
    assert [game.describe(action, later) for action in names] == ["pass"] * 3


def test_the_end_of_a_drawn_game_says_so():
    entry = tic_tac_toe()
    game = drawn_as(entry, "crosses")
    full = next(each for each in entry.truth() if all(each) and entry.outcome(each) == 0)
    for size in SIZES:
        shapes = position_shapes(game, full, mover=None, size=size)
        assert "the game is drawn" in [shape.get("text") for shape in shapes]
    env = nim_envs.GameEnv(game, render_mode="ansi")
    last = next(each for each in entry.truth() if each.count(0) == 1 and entry.truth()[each] == 0)
    env.reset(options={"start": last})
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert "the game is drawn" in env.render()
