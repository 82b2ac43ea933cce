"""The contents of the README and the manual are made from the project."""

from __future__ import annotations

import csv
import doctest
import io
import re
from pathlib import Path

import click
import numpy as np
import pytest
from PIL import Image

from benchmarks.optimality import GAMES as SETTINGS
from benchmarks.optimality import HEADER, LEARNERS
from benchmarks.pictures import ON_DARK, PICTURES, darkened, frames_of, gif, main
from benchmarks.published.__main__ import HEADER as PUBLISHED_HEADER
from benchmarks.published.systems import SYSTEMS
from nim_envs.registration import GAMES

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results" / "optimality.csv"


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
    header = frames[-1][:46, 400:]
    assert (header == (0, 114, 178)).all(axis=-1).any()  # player_0's pill is lit
    assert all((one == two).all() for one, two in zip(
        frames, frames_of("nim", {"heaps": (3, 4, 5)}, seed=1), strict=True
    ))  # fmt: skip


@pytest.mark.parametrize("name", [*PICTURES, *(f"{name}_dark" for name in ON_DARK)])
def test_the_readmes_pictures_are_small_and_whole(name):
    content = (ROOT / "docs" / "images" / f"{name}.gif").read_bytes()
    assert len(content) < 400_000
    game, arguments = PICTURES[name.removesuffix("_dark")]
    assert len(list(images(content))) == len(frames_of(game, arguments))


def test_a_picture_for_a_dark_ground_exchanges_light_and_dark_alone():
    colours = np.array([[[255, 255, 255], [0, 0, 0], [250, 100, 10]]], dtype=np.uint8)
    dark = darkened(colours)
    assert dark.tolist() == [[[0, 0, 0], [255, 255, 255], [245, 95, 5]]]
    assert (darkened(dark) == colours).all()


def test_the_command_writes_pictures(tmp_path, capsys):
    main.main(["--names", "kayles,addition", "--output", str(tmp_path)], standalone_mode=False)
    assert {path.name for path in tmp_path.iterdir()} == {"kayles.gif", "addition.gif"}
    assert capsys.readouterr().out.count("wrote") == 2
    with pytest.raises(click.UsageError, match="chess"):
        main.main(["--names", "chess", "--output", str(tmp_path)], standalone_mode=False)


def test_the_manuals_results_are_of_games_and_learners_that_there_are():
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert tuple(rows[0]) == HEADER
    assert {row["game"] for row in rows} <= set(SETTINGS)
    assert {row["learner"] for row in rows} <= set(LEARNERS)
    assert {SETTINGS[row["game"]].name for row in rows} <= set(GAMES)
    for row in rows:
        assert 0 <= float(row["lowest"]) <= float(row["optimality %"]) + 1e-9
        assert float(row["optimality %"]) <= float(row["highest"]) + 1e-9 <= 100 + 2e-9
        if row["learner"] == "random":
            assert float(row["optimality %"]) == pytest.approx(float(row["random %"]))


@pytest.mark.parametrize(
    ("page", "programs"), [("index.md", 3), ("misere_quotients.md", 2), ("exercises.md", 12)]
)
def test_each_program_of_a_page_prints_alone_what_stands_below_it(page, programs, capsys):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == text.count("```python") == programs
    for code, printed in blocks:
        exec(compile(code, page, "exec"), {})
        assert capsys.readouterr().out == printed


def test_each_example_of_the_theory_is_right_when_it_runs_alone():
    text = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) > 10
    for number, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, {}, f"theory {number}", "theory.md", 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0


def cells(line):
    return [cell.strip() for cell in line.strip("| \n").split("|")]


def test_the_examples_of_the_diagnosis_are_right():
    result = doctest.testfile(str(ROOT / "docs" / "diagnosis.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_no_page_is_the_readmes_copy():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    paragraphs = {part for part in readme.split("\n\n") if len(part) > 200}
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        shared = [part for part in paragraphs if part in text and "```" not in part]
        assert not shared, page


def test_the_published_results_are_of_systems_that_there_are():
    with (RESULTS.parent / "published.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == PUBLISHED_HEADER
    assert {row["system"] for row in rows} == {
        name for name, system in SYSTEMS.items() if not system.full
    }
    for row in rows:
        figures = SYSTEMS[row["system"]].figures
        if row["published"] not in ("", "-"):
            assert figures[row["score"]] == row["published"]


def test_the_program_of_a_tutorial_is_the_one_that_the_benchmark_runs():
    tutorial = (ROOT / "docs" / "tutorials" / "ppo_from_scratch.md").read_text(encoding="utf-8")
    program = (ROOT / "agents" / "research" / "ppo_from_scratch.py").read_text(encoding="utf-8")
    assert f"```python\n{program}```" in tutorial


def test_every_picture_of_results_is_turned_around_on_dark_pages():
    style = (ROOT / "docs" / "style.css").read_text(encoding="utf-8")
    pictures = [path.name for path in RESULTS.parent.glob("*.png")]
    parts = re.findall(r'\[src[$*]="([\w.]+)"\]', style)
    assert len(pictures) > 3
    assert [name for name in pictures if not any(part in name for part in parts)] == []
