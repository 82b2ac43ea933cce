"""Shapes of pictures as data for JSON."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.registration import GAMES, make_game
from nim_envs.render import position_shapes
from nim_envs.render.geometry import Area, Point
from nim_envs.render.palette import INK, PLAYERS, WINNING
from nim_envs.render.shapes import Box, Disc, Drawing, Group, Line, Polygon, Words, as_json

FIELDS = {
    "box": {"area", "radius", "line_width"},
    "disc": {"area", "line_width"},
    "line": {"start", "end", "line_width"},
    "polygon": {"corners"},
    "words": {"text", "place", "size", "anchor"},
}


def hexadecimal(color):
    return "#" + "".join(f"{part:02x}" for part in color)


@pytest.mark.parametrize("name", GAMES)
def test_the_shapes_of_every_game_are_json_and_lie_in_the_picture(name):
    game = make_game(name)
    start = game.rules.initial
    shapes = position_shapes(game, start, size=(600, 400))
    assert json.loads(json.dumps(shapes)) == shapes
    assert shapes[0]["area"] == [0, 0, 600, 400]
    for shape in shapes:
        assert set(shape) == {"shape", "color"} | FIELDS[shape["shape"]]
        assert len(shape["color"]) == 7
        if "area" in shape:
            assert Area(*shape["area"]).within(Area(0, 0, 600, 400))
    assert any(shape.get("text", "").startswith("player_0") for shape in shapes)
    after = game.rules.step(np.array(start), np.flatnonzero(game.rules.action_mask(start))[0])
    assert position_shapes(game, after, size=(600, 400)) != shapes


def test_each_shape_is_written_with_its_fields():
    area = Area(1, 2, 3.5, 4)
    shapes = [
        Box(area, WINNING, 2),
        Group(area, (Line(Point(0, 1), Point(2, 3), INK), Disc(area, INK, 1))),
        Polygon((Point(0, 0), Point(1, 0), Point(0, 1)), INK),
        Words("heap 0", Point(5, 6), 17),
    ]
    ink = hexadecimal(INK)
    assert as_json(shapes) == [
        {
            "shape": "box",
            "area": [1, 2, 3.5, 4],
            "color": "#00966e",
            "radius": 2,
            "line_width": 0,
        },
        {"shape": "line", "start": [0, 1], "end": [2, 3], "color": ink, "line_width": 2},
        {"shape": "disc", "area": [1, 2, 3.5, 4], "color": ink, "line_width": 1},
        {"shape": "polygon", "corners": [[0, 0], [1, 0], [0, 1]], "color": ink},
        {
            "shape": "words",
            "text": "heap 0",
            "place": [5, 6],
            "size": 17,
            "color": ink,
            "anchor": [0.5, 0.5],
        },
    ]


def test_an_arrow_is_a_line_and_its_point():
    drawing = Drawing()
    drawing.arrow((0, 0), (30, 0), INK, 2)
    line, head = drawing.shapes
    assert line == Line(Point(0, 0), Point(22, 0), INK, 2)
    assert head == Polygon((Point(30, 0), Point(21, 4.05), Point(21, -4.05)), INK)


def test_the_last_move_and_winning_moves_are_shown_where_they_are_asked_for():
    game = make_game("nim", heaps=(3, 4, 5))

    def colors(**more):
        return [shape["color"] for shape in position_shapes(game, (3, 4, 3), **more)]

    winning, orange = hexadecimal(WINNING), hexadecimal(PLAYERS[1])
    assert winning not in colors()
    assert winning in colors(show_winning_moves=True)
    assert winning not in colors(show_winning_moves=True, mover=None)
    rings = [
        shape
        for shape in position_shapes(game, (3, 4, 3), previous=(3, 4, 5), last_mover=1)
        if shape["shape"] == "disc" and shape["line_width"]
    ]
    assert len(rings) == 2
    for mover in (0, 1, None):
        boxes = [each for each in position_shapes(game, (3, 4, 3), mover=mover) if "radius" in each]
        assert (orange in {each["color"] for each in boxes}) == (mover == 1)


def test_coordinates_are_taken_as_positions_and_what_is_none_is_refused():
    game = make_game("wythoff", queens=((3, 2),))
    state = game.rules.positions_at(np.array([1, 2]))
    assert position_shapes(game, (1, 2)) == position_shapes(game, state)
    with pytest.raises(InvalidPositionError):
        position_shapes(game, (9, 9))
    with pytest.raises(InvalidPositionError):
        position_shapes(game, (1, 2), previous=(9, 9))
    with pytest.raises(InvalidGameError, match="at least"):
        position_shapes(game, (1, 2), size=(10, 10))


def test_shapes_need_no_pygame():
    code = (
        "import sys\n"
        "sys.modules['pygame'] = None\n"
        "from nim_envs import make_game\n"
        "from nim_envs.render import position_shapes\n"
        "assert position_shapes(make_game('graph'), make_game('graph').rules.initial)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
