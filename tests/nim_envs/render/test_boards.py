"""Pictures of components with coordinates: squares, clicks, marks."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs.registry import GAMES, make_game
from nim_envs.render.geometry import Area
from nim_envs.render.layouts import TileLayout, board_layout
from nim_envs.render.palette import WINNING
from nim_envs.render.panels import BoardPanel, NumberPanel
from nim_envs.render.picture import Picture
from nim_envs.render.scene import Scene

DRAWN = [
    name
    for name in GAMES
    if any(component.coordinate_system.picture for component in make_game(name).rules.components)
]
SIZES = ((240, 200), (640, 480), (1000, 700))


def board(name, **arguments):
    """The game, its only component and the panel that shows it."""
    game = make_game(name, **arguments)
    (panel,) = Picture(game).panels
    assert isinstance(panel, BoardPanel)
    return game, panel


def clicked(panel, position, square, right=0.5, down=0.5):
    """The action chosen by a click inside a square, in shares of its side."""
    place = panel.layouts[0].squares[square]
    point = place.x + right * place.width, place.y + down * place.height
    actions = panel.candidates_at(np.array(position), point)
    return actions[0] if len(actions) == 1 else None


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", DRAWN)
def test_squares_are_inside_their_cell_and_do_not_overlap_at_any_size(name, size):
    for panel in Picture(make_game(name), size).panels:
        for index, layout in panel.layouts.items():
            assert not isinstance(layout, TileLayout)
            assert all(place.within(panel.cells[index]) for place in layout.squares)
            component = layout.component
            if component.coordinate_system.board is not None or component.kind != "graph":
                first, *others = layout.squares[:40]
                assert not any(first.overlaps(other) for other in others)


@pytest.mark.parametrize("name", DRAWN)
def test_each_state_fills_other_squares(name):
    component = make_game(name).rules.components[0]
    layout = board_layout(component, Area(0, 0, 600, 400))
    states = np.arange(min(component.states, 300))
    shown = np.unique(layout.filled(component.coordinate_system.of(states)), axis=0)
    # The limit of Fibonacci Nim is shown by the colour of the coins.
    alike = (
        1 + component.coordinate_system.of(states)[:, 0].max() if name == "fibonacci_nim" else None
    )
    assert len(shown) == (len(states) if alike is None else alike)


def test_a_click_moves_the_queen_to_the_square():
    game, panel = board("wythoff")
    component = game.rules.components[0]
    for option in np.flatnonzero(game.rules.action_mask(np.array(game.rules.initial))):
        after = int(component.successors(np.array(game.rules.initial[0]))[option])
        file, rank = component.coordinate_system.of(np.array(after)).tolist()
        assert (
            clicked(panel, game.rules.initial, file * component.coordinate_system.fields[1] + rank)
            == option
        )
    here = component.states - 1
    assert clicked(panel, game.rules.initial, here) is None


def test_a_click_near_a_side_of_a_cell_covers_the_two_cells_and_in_the_middle_it_does_not_decide():
    game, panel = board("cram")
    _, columns = game.rules.components[0].coordinate_system.board
    inner = columns + 1  # a cell with four neighbours
    said = {
        where: game.rules.describe_action(clicked(panel, game.rules.initial, inner, *where))
        for where in ((0.05, 0.5), (0.95, 0.5), (0.5, 0.05), (0.5, 0.95))
    }
    assert [words.partition("cover ")[2] for words in said.values()] == [
        "(1, 0) and (1, 1)", "(1, 1) and (1, 2)", "(0, 1) and (1, 1)", "(1, 1) and (2, 1)",
    ]  # fmt: skip
    assert clicked(panel, game.rules.initial, inner) is None
    center = panel.layouts[0].squares[inner].center
    assert len(panel.candidates_at(np.array(game.rules.initial), center)) == 4


def has(frame, color):
    return bool((np.asarray(frame) == color).all(axis=-1).any())


@pytest.mark.parametrize("name", DRAWN)
def test_winning_moves_and_the_last_move_are_marked(name):
    game = make_game(name)
    rules = game.rules
    starts = rules.lattice() if rules.num_positions < 3_000 else np.array([rules.initial])
    start = next(each for each in starts[::-1] if game.solution.is_winning(each))
    picture = Picture(game)
    body = picture.body
    rows = slice(int(body.y), int(body.bottom)), slice(int(body.x), int(body.right))

    def frame(**more):
        return np.asarray(picture.frame(Scene(start, mover=0, **more)))[rows]

    assert not has(frame(), WINNING)
    assert has(frame(winning=game.solution.winning_actions(start)), WINNING)
    action = game.solution.winning_actions(start)[0]
    after = rules.step(start[np.newaxis], np.array([action]))[0]
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
    game = make_game("wythoff", queens=((400, 300),))
    (panel,) = Picture(game).panels
    assert isinstance(panel.layouts[0], TileLayout)
    pairs = [Picture(game).frame(Scene(np.array([state]), mover=0)) for state in (5, 6)]
    assert (pairs[0] != pairs[1]).any()
    # A click opens the list of its moves.
    center = panel.cells[0].center
    position = np.array(game.rules.initial)
    legal = np.flatnonzero(game.rules.action_mask(position)).tolist()
    assert panel.candidates_at(position, center) == legal
