"""Games and environments in one short line, and as a picture in a notebook."""

import io

import gymnasium
import numpy as np
import pettingzoo
from PIL import Image

from nim_envs import make_game
from nim_envs.registry import GAMES

LONGEST = 140


def test_every_game_shows_itself_in_one_short_line():
    for name in GAMES:
        game = make_game(name)
        env = pettingzoo.make("aec", GAMES[name].aec_id).unwrapped
        env.reset(seed=0)
        for shown in map(repr, (game, game.board, game.solution, env, *game.parts)):
            assert len(shown) <= LONGEST
            assert "\n" not in shown
            assert " object at " not in shown
        assert game.kind_of_play in repr(game)
        assert "player_0 to move" in repr(env)
        assert game.solution.method in repr(game.solution)


def picture(content):
    return np.asarray(Image.open(io.BytesIO(content)))


def test_a_notebook_shows_the_picture_of_an_environment_and_of_render():
    env = pettingzoo.make("aec", "nim_envs/nim-v0", render_mode="rgb_array").unwrapped
    assert env._repr_png_() is None
    env.reset()
    frame = env.render()
    assert (picture(frame._repr_png_()) == frame).all()
    assert (picture(env._repr_png_()) == frame).all()
    env.step(0)
    assert (picture(env._repr_png_()) != frame).any()
    plain = gymnasium.make("nim_envs/Nim-v0").unwrapped
    plain.reset()
    assert picture(plain._repr_png_()).shape == frame.shape
