"""Pictures of games: what users see in a window, and get as arrays."""

import copy
import itertools
import math
import pickle

import gymnasium
import numpy as np
import pettingzoo
import pytest

from nim_envs import GameEnv, make_game
from nim_envs.errors import (
    DisplayError,
    InvalidGameError,
    SearchTooLargeError,
)
from nim_envs.registry import GAMES
from nim_envs.render import position_shapes
from nim_envs.render.geometry import Area
from nim_envs.render.heaps import HeapBar
from nim_envs.render.palette import PLAYERS, WINNING
from nim_envs.render.picture import SIZE, Picture
from nim_envs.render.scene import Scene
from nim_envs.render.window import Window

SIZES = [(240, 200), (420, 360), (640, 480), (1600, 1000)]


def make(game="nim", **arguments):
    return pettingzoo.make(
        "aec", GAMES[game].aec_id, render_mode="rgb_array", **arguments
    ).unwrapped


def play_to_the_end(env, seed=0):
    """Yield at every position of a random game, the last one included."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while True:
        yield
        if any(env.terminations.values()):
            return
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))


def has(frame, color, place=None):
    """Whether a picture, or a place in it, has pixels of a colour."""
    if place is not None:
        frame = frame[
            math.floor(place.y) : math.ceil(place.bottom),
            math.floor(place.x) : math.ceil(place.right),
        ]
    return bool((frame == np.array(color)).all(axis=-1).any())


def written(picture):
    """The lines of text in a picture that has just been made."""
    return {key[1] for key in picture.canvas._sprites if key[0] == "text"}


@pytest.mark.parametrize("name", GAMES)
def test_every_registered_game_is_drawn_at_every_position_of_a_game(name):
    env = make(name, show_winning_moves=True)
    frames = []
    for _ in play_to_the_end(env):
        frame = env.render()
        assert frame.shape == (SIZE[1], SIZE[0], 3)
        assert frame.dtype == np.uint8
        assert frame.flags.writeable
        frames.append(frame)
    for before, after in itertools.pairwise(frames):
        assert (before != after).any()


def test_copies_and_pickles_show_the_same_picture():
    env = make(heaps=(2, 3))
    env.reset()
    env.step(1)
    frame = env.render()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (twin.render() == frame).all()
        twin.step(3)
        assert (twin.render() != frame).any()
    assert (env.render() == frame).all()


def picture_of(env, **more):
    picture = Picture(env.game)
    return picture, picture.panels[0], picture.frame(env._scene())


def test_whose_turn_it_is_and_who_has_won_show_in_the_colour_of_the_seat():
    env = make(heaps=(1, 1))
    env.reset()
    header = Area(320, 0, 320, 46)
    for seat in (0, 1):
        frame = env.render()
        assert has(frame, PLAYERS[seat], header)
        env.step(seat)
    frame = env.render()
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert has(frame, PLAYERS[1], header)
    assert env._scene().status == "player_1 has won"


@pytest.mark.parametrize(
    ("game", "arguments"),
    [
        ("nim", {"heaps": (300, 200, 50)}),
        ("addition", {"k": 10, "n": 5000, "start": (4970,)}),
        ("kayles", {"heaps": (7, 4)}),
        ("graph", {}),
    ],
    ids=str,
)
def test_winning_moves_are_marked_if_asked_and_only_then(game, arguments):
    for asked in (True, False):
        env = make(game, show_winning_moves=asked, **arguments)
        marked = set()
        for _ in play_to_the_end(env, seed=3):
            over = any(env.terminations.values())
            winning = not over and len(env.game.solution.winning_actions(env.position)) > 0
            marked.add(winning)
            assert has(env.render(), WINNING) == (asked and winning)
            if marked == {True, False}:
                break
        assert marked == {True, False}


def random_graph(nodes, rng):
    return tuple(
        tuple(sorted(rng.choice(node, size=min(node, 2), replace=False).tolist())) if node else ()
        for node in range(nodes)
    )


HEAPS = [(1,), (3, 4, 5), (100,), (10**6, 10**5), tuple(range(1, 21)), (3,) * 60]
TRACKS = [(1, 0), (5, 2), (10, 100), (20, 400), (10, 10**5)]
ROWS = [(1,), (60, 50), (400, 3), (5,) * 20, (2,) * 60]
LAID_OUT = [
    *((name, {}) for name in GAMES),
    *(("subtraction", {"heaps": heaps, "subtraction_set": (1, 3)}) for heaps in HEAPS),
    *(("addition", {"k": k, "n": n}) for k, n in TRACKS),
    *(("kayles", {"heaps": heaps}) for heaps in ROWS),
    *(("graph", {"successors": random_graph(nodes, np.random.default_rng(nodes)),
                 "tokens": (nodes - 1,)}) for nodes in (2, 12, 40)),
]  # fmt: skip


def lie_apart_in(area, places):
    assert all(place.within(area) for place in places)
    assert not any(one.overlaps(two) for one, two in itertools.combinations(places[:40], 2))


@pytest.mark.parametrize(("name", "arguments"), LAID_OUT, ids=lambda value: str(value)[:40])
def test_parts_of_any_number_and_size_neither_overlap_nor_leave_the_picture(name, arguments):
    game = make_game(name, **arguments)
    for size in SIZES:
        picture = Picture(game, size)
        picture.shapes(Scene(game.start, mover=0))  # heaps that split are arranged for a position
        for panel in picture.panels:
            assert panel.area.within(picture.body)
            lie_apart_in(panel.area, [layout.cell for layout in panel.layouts.values()])
            for layout in panel.layouts.values():
                if layout.part.picture.style != "nodes":  # those on a circle may touch
                    lie_apart_in(layout.cell, getattr(layout, "squares", []))
                if isinstance(layout, HeapBar):
                    assert layout.bar(0, layout.part.num_positions - 1).within(layout.cell)
            for drawn in getattr(panel, "graphs", []) if size[0] >= SIZE[0] else ():
                lie_apart_in(drawn.cell, [drawn.node(node) for node in range(len(drawn.places))])


def act(env, description):
    """Make the move that is described so."""
    for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist():
        if env.game.describe(action, env.position) == description:
            env.step(action)
            return
    raise AssertionError(description)


@pytest.mark.parametrize(
    ("start", "move", "gone", "said"),
    [
        (7, "heap 0: leave 3 and 4", 0, ""),
        (6, "leave 2 and 4", 2, " (the 2 left has no move and is removed)"),
        (3, "leave 1 and 2", 3, " (neither has a move, so both are removed)"),
    ],
)
def test_a_heap_without_a_move_does_not_vanish_silently(start, move, gone, said):
    env = make("grundy", heaps=(start,))
    text = GameEnv(env.game, render_mode="ansi")
    for each in (env, text):
        each.reset()
        act(each, move)
    picture, _, _ = picture_of(env)
    shapes = position_shapes(
        env.game, env.position, mover=None, previous=env.game.start, last_mover=0
    )
    rings = [shape for shape in shapes if shape["shape"] == "disc" and shape["line_width"]]
    assert len(rings) == gone
    assert f"player_0 moved, {move}{said}" in written(picture)
    assert text.render().startswith(f"player_0 moved, {move}{said}; ")


@pytest.mark.parametrize("heaps", [(12, 9, 20), (150,)], ids=str)
def test_no_move_below_a_picture_is_cut(heaps):
    env = make("kayles", heaps=heaps, show_winning_moves=True)
    cut = 0
    for _ in itertools.islice(play_to_the_end(env, seed=5), 6):
        picture, _, _ = picture_of(env)
        scene = env._scene()
        lines = written(picture)
        assert not any("…" in line for line in lines)
        assert scene.last_move in lines | {""}
        if scene.winning is not None and len(scene.winning):
            (wins,) = [line for line in lines if line.startswith("wins: ")]
            moves = [env.game.describe(int(a), scene.position) for a in scene.winning]
            shown = wins.removeprefix("wins: ").split("; ")
            if shown != moves:
                cut += 1
                assert shown[:-1] == moves[: len(shown) - 1]
                assert shown[-1] == f"and {len(moves) - len(shown) + 1} more"
    assert cut


def test_a_click_chooses_the_move_that_is_drawn_there():
    heaps = Picture(make_game("nim", heaps=(3, 5)))
    panel = heaps.panels[0]
    position = np.array([2, 5])
    for heap, number, action in ((0, 0, 1), (0, 1, 0), (1, 0, 5 + 4), (1, 4, 5 + 0)):
        point = panel.layouts[heap].squares[number].center
        assert heaps.action_at(position, point) == action
    assert heaps.action_at(position, panel.layouts[0].squares[2].center) is None  # already taken
    assert heaps.action_at(position, (1, 1)) is None
    graph = Picture(make_game("graph", successors=((), (0,), (0, 1)), tokens=(2, 1)))
    (drawn,) = graph.panels[0].graphs
    assert graph.action_at(np.array([2, 1]), drawn.places[1]) == 1  # token 0 along its edge 1
    assert graph.action_at(np.array([2, 0]), drawn.places[2]) is None


def test_every_legal_move_of_heaps_and_tracks_can_be_clicked():
    rng = np.random.default_rng(0)
    for game in (
        make_game("nim", heaps=(3, 4, 5)),
        make_game("subtraction", heaps=(9, 20), subtraction_set=(2, 3, 7)),
        make_game("addition", k=6, n=40),
    ):
        picture = Picture(game)
        position = rng.integers(1, game.fields)
        found = {
            picture.action_at(position, (x, y))
            for x in range(0, SIZE[0], 5)
            for y in range(0, SIZE[1], 5)
        } - {None}
        assert found == set(game.actions(position.tolist()))


def test_the_window_shows_the_same_picture():
    import pygame

    env = GameEnv(make_game("nim", heaps=(2, 3)), render_mode="human", show_winning_moves=True)
    env.metadata["render_fps"] = 1000
    twin = GameEnv(env.game, render_mode="rgb_array", show_winning_moves=True)
    for each in (env, twin):
        each.reset()
    for action in (None, 1, 3, 5):
        if action is not None:
            env.step(action)
            twin.step(action)
        assert env.render() is None
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
        assert (shown == twin.render()).all()
    env.close()
    assert not pygame.display.get_init()


def test_the_window_can_change_its_size_and_be_closed():
    import pygame

    env = GameEnv(make_game("nim", heaps=(2, 3)), render_mode="human")
    env.metadata["render_fps"] = 1000
    env.reset()
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, w=900, h=700, size=(900, 700)))
    env.render()
    assert env._renderer.picture.canvas.size == (900, 700)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert not pygame.display.get_init()
    # The program goes on without it.
    env.step(0)
    env.reset()
    assert not pygame.display.get_init()
    env.close()
    # A new environment opens a new one.
    env = GameEnv(env.game, render_mode="human")
    env.reset()
    assert pygame.display.get_init()
    env.close()
    assert not pygame.display.get_init()


def test_without_a_display_human_rendering_shows_nothing_and_other_windows_are_refused(monkeypatch):
    import pygame

    pygame.display.quit()  # of a window that another test has left open
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    env = GameEnv(make_game("nim"), render_mode="human")
    with pytest.raises(DisplayError, match="rgb_array"):
        Window("title", (100, 100), needs_display=True)
    env.reset()
    assert env.render() is None
    env.close()


def test_pictures_need_no_display_and_print_nothing(forks):
    code = """
import os, sys, warnings, pettingzoo, nim_envs
warnings.simplefilter("error")
for name in "DISPLAY", "WAYLAND_DISPLAY":
    os.environ.pop(name, None)
assert "pygame" not in sys.modules
env = pettingzoo.make("aec", "nim_envs/nim-v0", render_mode="rgb_array")
env.reset(); env.render()
import pygame
assert not pygame.display.get_init()
"""
    assert forks.run(code) == (0, "", "")


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidGameError, match="show_winning_moves"):
        GameEnv(make_game("nim"), show_winning_moves="yes")
    with pytest.raises(InvalidGameError, match="100"):
        Picture(make_game("nim"), (100, 100))
    # No theorem solves misère play of Officers, and its positions are too many to search.
    with pytest.raises(SearchTooLargeError):
        GameEnv(make_game("officers", heaps=(30,) * 8, misere=True), show_winning_moves=True)


def test_batched_games_have_a_picture_each():
    envs = gymnasium.make_vec(
        GAMES["nim"].gymnasium_id,
        num_envs=3,
        vectorization_mode="vector_entry_point",
        heaps=(1, 2),
        opponent=None,
        render_mode="rgb_array",
        show_winning_moves=True,
    )
    assert envs.metadata["render_fps"] == 2
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 3
    assert all((frame == frames[0]).all() for frame in frames)
    envs.step(np.array([0, 2, 3]))
    frames = envs.render()
    twin = make(heaps=(1, 2), show_winning_moves=True)
    for action, frame in zip((0, 2, 3), frames, strict=True):
        twin.reset()
        twin.step(action)
        assert (twin.render() == frame).all()
    # The second game ends, and its last position shows; then a new one begins.
    envs.step(np.array([2, 0, 0]))
    envs.step(np.array([2, 2, 0]))
    over = envs.render()
    twin.reset()
    for action in (2, 0, 2):
        twin.step(action)
    assert (over[1] == twin.render()).all()
    twin.reset()
    assert (over[2] == twin.render()).all()
    envs.close()


@pytest.mark.parametrize("name", ["graph", "chomp"])
def test_a_sharper_picture_is_the_same_one_with_more_pixels(name):
    game = make_game(name)
    scene = Scene(game.start, mover=0)
    usual, sharp = (Picture(game, scale=scale).frame(scene).astype(float) for scale in (1, 2))
    height, width, _ = usual.shape
    assert sharp.shape == (2 * height, 2 * width, 3)
    shrunk = sharp.reshape(height, 2, width, 2, 3).mean(axis=(1, 3))
    assert abs(shrunk - usual).mean() < 2  # of 255; edges and letters differ
