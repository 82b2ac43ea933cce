"""Shapes of pictures as data for JSON."""

import json

import numpy as np
import pytest

from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.registry import GAMES, make_game
from nim_envs.render import position_shapes
from nim_envs.render.geometry import Area

FIELDS = {
    "box": {"area", "radius", "line_width"},
    "disc": {"area", "line_width"},
    "line": {"start", "end", "line_width"},
    "polygon": {"corners"},
    "words": {"text", "place", "size", "anchor"},
}


@pytest.mark.parametrize("name", GAMES)
def test_the_shapes_of_every_game_are_json_and_lie_in_the_picture(name):
    game = make_game(name)
    start = game.start
    shapes = position_shapes(game, start, size=(600, 400))
    assert json.loads(json.dumps(shapes)) == shapes
    assert shapes[0]["area"] == [0, 0, 600, 400]
    for shape in shapes:
        assert set(shape) == {"shape", "color"} | FIELDS[shape["shape"]]
        assert len(shape["color"]) == 7
        if "area" in shape:
            assert Area(*shape["area"]).within(Area(0, 0, 600, 400))
    assert any(shape.get("text", "").startswith("player_0") for shape in shapes)
    after = game.play(start, game.actions(start)[0])
    assert position_shapes(game, after, size=(600, 400)) != shapes


def test_what_is_no_position_or_too_small_is_refused():
    game = make_game("wythoff", queens=((3, 2),))
    assert position_shapes(game, np.array([1, 2])) == position_shapes(game, (1, 2))
    with pytest.raises(InvalidPositionError):
        position_shapes(game, (9, 9))
    with pytest.raises(InvalidPositionError):
        position_shapes(game, (1, 2), previous=(9, 9))
    with pytest.raises(InvalidGameError, match="at least"):
        position_shapes(game, (1, 2), size=(10, 10))


def test_shapes_need_no_pygame(forks):
    code = """
import sys
sys.modules["pygame"] = None
from nim_envs import make_game
from nim_envs.render import position_shapes
assert position_shapes(make_game("graph"), make_game("graph").start)
"""
    forks.output(code)
