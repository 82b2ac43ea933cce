"""Gymnasium and PettingZoo record videos of games, without a display."""

import gymnasium
import numpy as np
import pettingzoo
from gymnasium.wrappers import RecordVideo
from moviepy import VideoFileClip
from pettingzoo.utils.wrappers import RecordVideo as RecordTurns

import nim_envs  # noqa: F401 - registers the games


def frames(folder):
    """The pictures of the one video in ``folder``."""
    (path,) = folder.glob("*.mp4")
    # MoviePy leaves the pipes open of a process that has ended before.
    with VideoFileClip(str(path)) as clip, clip.reader.proc:
        return list(clip.iter_frames())


def assert_a_film_of(pictures, moves, shape):
    # Encoders pad to even sizes, and players to whole seconds.
    assert len(pictures) >= moves
    assert np.abs(np.subtract(pictures[0].shape, shape)).max() <= 1
    assert not np.array_equal(pictures[0], pictures[-1])


def test_gymnasium_records_games(tmp_path):
    env = gymnasium.make("nim_envs/Nim-v0", render_mode="rgb_array")
    env = RecordVideo(
        env, str(tmp_path / "videos"), episode_trigger=lambda episode: True, disable_logger=True
    )
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    shape = env.render().shape
    moves, ended = 1, False
    while not ended:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, _, ended, _, info = env.step(action)
        moves += 1
    env.close()
    assert_a_film_of(frames(tmp_path / "videos"), moves, shape)


def test_pettingzoo_records_games(tmp_path):
    env = pettingzoo.make("aec", "nim_envs/graph-v0", render_mode="rgb_array")
    env = RecordTurns(
        env, str(tmp_path / "videos"), episode_trigger=lambda episode: True, disable_logger=True
    )
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    shape = env.render().shape
    moves = 1
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        ended = terminated or truncated
        moves += not ended
        env.step(None if ended else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    env.close()
    assert_a_film_of(frames(tmp_path / "videos"), moves, shape)
