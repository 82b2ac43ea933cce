"""Games and environments in one short line, and as a picture in a notebook."""

from __future__ import annotations

import io

import gymnasium
import numpy as np
import pettingzoo
from PIL import Image

import nim_envs
from nim_envs import make_game
from nim_envs.registration import GAMES, aec_id
from nim_envs.render.frame import Frame
from nim_envs.rules import TableComponent

LONGEST = 140


def test_every_game_shows_itself_in_one_short_line():
    for name in GAMES:
        game = make_game(name)
        env = pettingzoo.make("aec", aec_id(name)).unwrapped
        env.reset(seed=0)
        for shown in map(repr, (game, game.rules, game.solution, env, *game.rules.components)):
            assert len(shown) <= LONGEST
            assert "\n" not in shown
            assert " object at " not in shown
        assert game.convention.play in repr(game)
        assert game.solution.method in repr(game.solution)


def test_reprs_of_games_and_rules():
    nim = make_game("nim", misere=True, start="p_position")
    assert repr(nim) == "Game(nim, heaps 3-4-5, misère play, start p_position)"
    assert repr(make_game("kayles", heaps=(60,))) == (
        "Game(kayles, heap 60, normal play, start fixed)"
    )
    many = make_game("nim", heaps=(2,) * 100, start=(1,) + (0,) * 99)
    assert repr(many.rules) == "Rules(nim, heaps 2-2-2-2-2-2-2-2-2-2-2-2-…)"
    assert repr(make_game("nim", start=(1, 2, 4))).endswith("start (1, 2, 4))")
    assert repr(make_game("sum").rules) == "Rules(kayles + nim + graph, heaps 5-4, token 9)"
    assert repr(nim.solution) == ("SumSolution(nim, heaps 3-4-5, misère play, by Bouton's theorem)")
    large = make_game("graph", successors=tuple(tuple(range(n)) for n in range(99)), tokens=(98,))
    assert repr(large.rules.components[0]) == "Token(99 nodes, 4851 edges)"
    assert repr(TableComponent(((-1,), (0,)))) == "TableComponent(2 states, 1 options)"


def test_the_repr_of_an_environment_has_its_position():
    env = pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(1, 2)).unwrapped
    assert repr(env) == "GameEnv(nim, heaps 1-2, normal play; not reset)"
    env.reset()
    env.step(2)
    assert repr(env) == "GameEnv(nim, heaps 1-2, normal play; at (1, 1), player_1 to move)"
    env.step(0)
    env.step(2)
    assert repr(env) == "GameEnv(nim, heaps 1-2, normal play; at (0, 0), player_0 has won)"
    versus = gymnasium.make("nim_envs/Nim-v0", heaps=(1, 2), opponent="optimal").unwrapped
    versus.reset(seed=0)
    assert repr(versus) == "VersusEnv(nim, heaps 1-2, normal play; at (1, 2), player_0 to move)"


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


def test_a_part_of_a_picture_is_an_array_and_no_picture():
    frame = np.arange(60, dtype=np.uint8).reshape(4, 5, 3).view(Frame)
    assert (picture(frame[::-1, 1:]._repr_png_()) == np.asarray(frame)[::-1, 1:]).all()
    for part in (frame[0], frame[..., :2], frame / 2, frame[:0]):
        assert part._repr_png_() is None


def test_without_pygame_an_environment_has_no_picture(monkeypatch):
    env = pettingzoo.make("aec", "nim_envs/nim-v0").unwrapped
    env.reset()
    monkeypatch.setattr("nim_envs.envs.aec.installed", lambda package: False)
    assert env._repr_png_() is None


def test_scores_are_one_line():
    game = make_game("nim", heaps=(7, 7, 7))
    score = nim_envs.optimality(lambda observations, masks: masks.argmax(axis=1), game)
    assert repr(score) == f"Optimality({score}; {len(score.blunders)} blunders)"
    assert len(repr(score)) <= LONGEST
