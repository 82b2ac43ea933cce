"""Gymnasium and PettingZoo record videos of games, without a display."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.wrappers import RecordVideo
from moviepy import VideoFileClip
from pettingzoo.utils.wrappers import RecordVideo as RecordTurns

import nim_envs  # noqa: F401 - registers the games


def of_gymnasium(record):
    """Play and record a game; return the shape of a picture and the number of positions."""
    env = record(RecordVideo, gymnasium.make("nim_envs/Nim-v0", render_mode="rgb_array"))
    _, info = env.reset(seed=0)
    shape, shown, ended = env.render().shape, 1, False
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        shown += 1
    env.close()
    return shape, shown


def of_pettingzoo(record):
    """Do the same turn by turn."""
    env = record(RecordTurns, pettingzoo.make("aec", "nim_envs/graph-v0", render_mode="rgb_array"))
    env.reset(seed=0)
    shape, shown = env.render().shape, 1
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        ended = terminated or truncated
        shown += not ended
        env.step(None if ended else int(observation["action_mask"].argmax()))
    env.close()
    return shape, shown


@pytest.mark.parametrize("played", [of_gymnasium, of_pettingzoo])
def test_games_are_recorded(played, tmp_path):
    def record(wrapper, env):
        folder = str(tmp_path / "videos")
        return wrapper(env, folder, episode_trigger=lambda episode: True, disable_logger=True)

    shape, shown = played(record)
    (path,) = (tmp_path / "videos").glob("*.mp4")
    # MoviePy leaves the pipes open of a process that has ended before.
    with VideoFileClip(str(path)) as clip, clip.reader.proc:
        pictures = list(clip.iter_frames())
    # Encoders pad to even sizes, and players to whole seconds.
    assert len(pictures) >= shown
    assert np.abs(np.subtract(pictures[0].shape, shape)).max() <= 1
    assert not np.array_equal(pictures[0], pictures[-1])
