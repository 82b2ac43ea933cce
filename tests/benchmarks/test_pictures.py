"""Moving pictures of games, for the README and the manual."""

import io

import click
import numpy as np
import pytest
from PIL import Image

from benchmarks.pictures import ON_DARK, PICTURES, frames_of, gif, main
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


@pytest.mark.parametrize("name", PICTURES)
def test_the_readmes_pictures_are_small_and_whole(name):
    number = len(frames_of(*PICTURES[name]))
    for file in [name, *([f"{name}_dark"] if name in ON_DARK else [])]:
        path = ROOT / "docs" / "images" / f"{file}.gif"
        assert path.stat().st_size < 400_000
        with Image.open(path) as shown:
            assert shown.n_frames == number


def test_the_command_writes_pictures(tmp_path, capsys):
    main.main(["--names", "addition", "--output", str(tmp_path)], standalone_mode=False)
    assert {path.name for path in tmp_path.iterdir()} == {"addition.gif"}
    assert capsys.readouterr().out.count("wrote") == 1
    with pytest.raises(click.UsageError, match="chess"):
        main.main(["--names", "chess", "--output", str(tmp_path)], standalone_mode=False)
