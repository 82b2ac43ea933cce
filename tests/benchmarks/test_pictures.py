"""Moving pictures of games, for the README and the manual."""

import io

import numpy as np
from PIL import Image

from benchmarks.pictures import HEAPS, frames_of, gif, main
from tests import ROOT


def images(content):
    """The pictures of a GIF, and how long each is shown."""
    image = Image.open(io.BytesIO(content))
    for index in range(image.n_frames):
        image.seek(index)
        yield np.asarray(image.convert("RGB")), image.info["duration"]


def test_a_gif_shows_a_whole_game_in_which_the_optimal_player_wins():
    frames = frames_of("nim", {"heaps": (3, 4, 5)}, seed=1)
    shown = list(images(gif(frames, milliseconds=500)))
    assert len(shown) == len(frames)
    assert [time for _, time in shown] == [500] * (len(frames) - 1) + [1000]
    for frame, (picture, _) in zip(frames, shown, strict=True):
        # A GIF has few colours, but the same picture.
        assert np.abs(frame.astype(int) - picture).mean() < 4


def test_the_readmes_pictures_are_small_and_whole():
    number = len(frames_of("nim", {"heaps": HEAPS}))
    for file in ("nim.gif", "nim_dark.gif"):
        path = ROOT / "docs" / "images" / file
        assert path.stat().st_size < 400_000
        with Image.open(path) as shown:
            assert shown.n_frames == number


def test_the_command_writes_them(tmp_path, capsys):
    main.main(["--output", str(tmp_path)], standalone_mode=False)
    assert {path.name for path in tmp_path.iterdir()} == {"nim.gif", "nim_dark.gif"}
    assert capsys.readouterr().out.count("wrote") == 2
