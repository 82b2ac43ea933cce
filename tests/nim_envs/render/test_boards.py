"""Pictures of components with coordinates: squares, clicks, marks."""

import numpy as np
import pytest

from nim_envs.registry import GAMES, make_game
from nim_envs.render.boards import BOARDS, BoardPanel, NumberPanel, Tile, board_layout
from nim_envs.render.geometry import Area
from nim_envs.render.palette import WINNING
from nim_envs.render.picture import Picture
from nim_envs.render.scene import Scene
from tests.nim_envs.render.test_pictures_of_games import has

DRAWN = [
    name for name in GAMES if any(part.picture.style in BOARDS for part in make_game(name).parts)
]


def board(name, **arguments):
    """The game, and the panel that shows its only part."""
    game = make_game(name, **arguments)
    (panel,) = Picture(game).panels
    assert isinstance(panel, BoardPanel)
    return game, panel


def clicked(panel, position, square, right=0.5, down=0.5):
    """The action chosen by a click inside a square, in shares of its side."""
    place = panel.layouts[0].squares[square]
    point = place.x + right * place.width, place.y + down * place.height
    moves = panel.moves_at([position], point)
    return moves[0][1] if len(moves) == 1 else None


@pytest.mark.parametrize("name", DRAWN)
def test_each_position_fills_other_squares(name):
    part = make_game(name).parts[0]
    layout = board_layout(part, Area(0, 0, 600, 400))
    positions = part.positions(np.arange(min(part.num_positions, 300)))
    shown = np.unique(layout.filled(positions), axis=0)
    # The limit of Fibonacci Nim is shown by the colour of the coins.
    told_apart = np.unique(positions[:, 0]) if name == "fibonacci_nim" else positions
    assert len(shown) == len(told_apart)


def test_a_click_moves_the_queen_to_the_square():
    game, panel = board("wythoff")
    ranks = game.fields[1]
    for option, (file, rank) in game.moves(game.start):
        assert clicked(panel, game.start, file * ranks + rank) == option
    assert clicked(panel, game.start, game.start[0] * ranks + game.start[1]) is None


def test_a_click_near_a_side_of_a_cell_covers_the_two_cells_and_in_the_middle_it_does_not_decide():
    game, panel = board("cram")
    _, columns = game.parts[0].picture.board
    inner = columns + 1  # a cell with four neighbours
    said = [
        game.describe(clicked(panel, game.start, inner, *where)).partition("cover ")[2]
        for where in ((0.05, 0.5), (0.95, 0.5), (0.5, 0.05), (0.5, 0.95))
    ]
    assert said == [
        "(1, 0) and (1, 1)", "(1, 1) and (1, 2)", "(0, 1) and (1, 1)", "(1, 1) and (2, 1)",
    ]  # fmt: skip
    assert clicked(panel, game.start, inner) is None
    assert len(panel.moves_at([game.start], panel.layouts[0].squares[inner].center)) == 4


@pytest.mark.parametrize("name", DRAWN)
def test_winning_moves_and_the_last_move_are_marked(name):
    game = make_game(name)
    start = game.start
    while not game.solution.is_winning(start):
        start = game.moves(start)[0][1]
    picture = Picture(game)
    body = picture.body
    rows = slice(int(body.y), int(body.bottom)), slice(int(body.x), int(body.right))

    def frame(**more):
        return np.asarray(picture.frame(Scene(start, mover=0, **more)))[rows]

    assert not has(frame(), WINNING)
    assert has(frame(winning=game.solution.winning_actions(start)), WINNING)
    action = game.solution.winning_actions(start)[0]
    after = game.play(start, action)
    moved, by_the_other, unmoved = (
        np.asarray(picture.frame(Scene(after, mover=1, previous=before, last_mover=last)))[rows]
        for before, last in ((start, 0), (start, 1), (None, 0))
    )
    assert (moved != unmoved).any()
    assert (moved != by_the_other).any()
    assert (frame(pointed=int(action)) != frame()).any()


def test_coordinates_without_a_picture_or_too_many_squares_are_boxes_with_their_numbers():
    (panel,) = Picture(make_game("euclid")).panels
    assert isinstance(panel, NumberPanel)
    game = make_game("wythoff", queens=((150, 100),))
    (panel,) = Picture(game).panels
    assert isinstance(panel.layouts[0], Tile)
    frames = [Picture(game).frame(Scene(each, mover=0)) for each in ((0, 5), (0, 6))]
    assert (frames[0] != frames[1]).any()
    # A click opens the list of its moves.
    moves = panel.moves_at([game.start], panel.layouts[0].cell.center)
    assert [option for _, option in moves] == game.actions(game.start)
