"""The tutorials show what their programs print and draw."""

from __future__ import annotations

import base64
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from agents.cli.main import main as agents_main
from docs.generator import notebooks
from docs.generator.outputs import (
    COMMANDS,
    END,
    OF_ONE_RUN,
    PICTURE,
    PICTURES,
    PROGRAM,
    TUTORIALS,
    as_program,
    digest,
    printed_by,
)
from nim_envs.cli.main import main
from tests import outcome_games
from tests.clients.tutorials import outputs

PAGES = sorted(path.stem for path in TUTORIALS.glob("*.md") if path.stem != "index")
NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))


def read(name):
    return (TUTORIALS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_outputs_and_pictures_were_made_by_the_programs_of_the_page(name):
    text = read(name)
    (said,) = END.findall(text)
    assert said == digest(text), f"python -m docs.generator.outputs {name}"
    assert ("*Outputs and pictures on this page are of one run" in text) == (name in OF_ONE_RUN)


def test_a_change_of_a_program_an_output_or_a_picture_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("docs.generator.outputs.PICTURES", tmp_path)
    (tmp_path / "x.svg").write_text("a")
    page = "```python\nprint(1)\n```\n\n```text\n1\n```\n\n![A picture](pictures/x.svg)\n\nWords.\n"
    before = digest(page)
    assert digest(page.replace("Words", "Other words")) == before
    assert digest(page.replace("print(1)", "print(2)")) != before
    assert digest(page.replace("text\n1", "text\n2")) != before
    (tmp_path / "x.svg").write_text("b")
    assert digest(page) != before


def alike(one, other):
    """Whether two pictures in PNG are the same but for how letters and edges are smoothed."""
    drawn = [np.asarray(Image.open(io.BytesIO(each)).convert("RGB"), int) for each in (one, other)]
    return drawn[0].shape == drawn[1].shape and np.abs(drawn[0] - drawn[1]).mean() < 4


# The programs of three games, which list large boards, are in part run by their commands, below.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.exhaustive] if name == "three_games" else [])
        for name in PAGES
        if name not in (*OF_ONE_RUN, "verifiers")
    ],
)
def test_the_page_shows_what_its_programs_print_and_draw(name, tmp_path):
    known = set(sys.modules)
    with as_program(name, tmp_path):
        try:
            for printed, shown in outputs(name):
                assert printed == shown
        finally:
            for module in set(sys.modules) - known:
                if Path(getattr(sys.modules[module], "__file__", None) or "/").parent == tmp_path:
                    del sys.modules[module]
    for picture in PICTURE.findall(read(name)):
        made = (tmp_path / picture).read_bytes()
        if picture.endswith(".png"):
            assert alike(made, (PICTURES / picture).read_bytes())


def test_facts_that_are_known_of_games_stand_in_the_tutorials():
    more = read("more_own_games")
    assert f"\n{list(range(3, 11))}\n" in more  # one pin, or two, fall at once
    assert "illegal 0.00 %\n[]\n" in read("own_game")
    three = read("three_games")
    assert all(f"\n{known}\n" in three for known in ("5478 0", "161029 0", "5514 1"))
    truth = outcome_games.hex_game().truth()
    first = [cell for cell in range(9) if truth[(*(0,) * cell, 1, *(0,) * (8 - cell))] == -1]
    winning = [f"board 0: row {cell // 3 + 1}, column {cell % 3 + 1}" for cell in first]
    assert f"\n{winning}\n" in three
    unseen = read("unseen_boards")
    assert unseen.count("100.00 % of ") == 2
    assert "are the same to an automaton" in unseen


def test_the_file_of_the_tutorial_of_large_boards_serves_the_command_line(tmp_path, monkeypatch):
    (file,) = re.findall(r'^```python title="large_wythoff.py"\n(.*?)^```', read("large_boards"),
                         flags=re.DOTALL | re.MULTILINE)  # fmt: skip
    (tmp_path / "large_wythoff.py").write_text(file, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        typed = ["--game", "large_wythoff:wythoff", "--position", "1000,618"]
        done = CliRunner().invoke(main, ["solve", *typed], catch_exceptions=False)
    finally:
        sys.modules.pop("large_wythoff", None)
    assert "the theorem golden_ratio" in done.output


def test_commands_of_three_games_train_score_and_play(tmp_path, monkeypatch):
    """On the smallest of them, in few games; another test compares all that they print."""
    typed = "".join(re.findall(r"^```sh\n(.*?)^```", read("three_games"), re.DOTALL | re.MULTILINE))
    for program in PROGRAM.finditer(read("three_games")):
        if program["file"]:
            (tmp_path / program["file"]).write_text(program["code"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    done = []
    for command in re.findall(r"python -m agents (.*)", typed):
        smaller = command.replace("2000000", "500").replace("connect_four", "tic_tac_toe")
        words = smaller.replace(" --window", "").split()
        result = CliRunner().invoke(agents_main, words, input="quit\n", catch_exceptions=False)
        assert result.exit_code == 0, result.output
        done.append(words[0])
    sys.modules.pop("tic_tac_toe", None)
    assert done == ["train", "evaluate"] * 2 + ["play"] * 2


@pytest.mark.release
@pytest.mark.parametrize("name", [name for name in PAGES if COMMANDS.search(read(name))])
def test_commands_of_a_page_print_what_it_shows(name, tmp_path):
    with as_program(name, tmp_path):
        for program in PROGRAM.finditer(read(name)):
            if program["file"]:
                Path(program["file"]).write_text(program["code"], encoding="utf-8")
        for block in COMMANDS.finditer(read(name)):
            assert printed_by(block["typed"]).rstrip() == block["printed"].rstrip()


def test_the_index_lists_every_tutorial_once_with_a_picture_and_a_sentence():
    text = read("index")
    cards = re.findall(
        r'<div class="card" markdown="1">\n'
        r"\[!\[[^\]]+\]\(([^)]+)\)(?:\{[^}]*\})?\]\((\w+)\.md\)\n\n"
        r"\*\*\[[^\]]+\]\((\w+)\.md\)\*\*\n\n([A-Z][^.]+\.)\n</div>",
        text,
    )
    assert len(cards) == text.count('class="card"')
    assert all(picture == title for _, picture, title, _ in cards)
    names = [title for _, _, title, _ in cards]
    assert sorted(names) == sorted([*PAGES, *(path.stem for path in NOTEBOOKS)])
    assert names[0] == "first_steps"
    for picture, *_ in cards:
        assert (TUTORIALS / picture).exists()


def cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


# Matplotlib warns that figures cannot be shown without a display.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_print(path, tmp_path, capsys):
    names = {"__name__": "__main__"}
    with as_program(path.stem, tmp_path):
        for cell in cells(json.loads(path.read_text(encoding="utf-8"))):
            shown = ["".join(each["text"]) for each in cell["outputs"] if "text" in each]
            exec(compile("".join(cell["source"]), path.name, "exec"), names)
            assert capsys.readouterr().out == "".join(shown)


# Warnings of Jupyter's clients are not this project's.
@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_in_jupyter_what_its_cells_return_and_draw(path):
    kept = json.loads(path.read_text(encoding="utf-8"))
    made = notebooks.executed(kept)
    drawn = 0
    for before, after in zip(cells(kept), cells(made), strict=True):
        assert len(before["outputs"]) == len(after["outputs"])
        for one, other in zip(before["outputs"], after["outputs"], strict=True):
            if "image/png" not in one.get("data", {}):
                assert one == other
            else:
                pictures = (each["data"]["image/png"] for each in (one, other))
                assert alike(*map(base64.b64decode, pictures))
            drawn += "image/png" in one.get("data", {})
    # The environment, what render() returns, the curve and the heatmap.
    assert drawn == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_becomes_a_page_with_its_outputs_and_pictures(path):
    text, pictures = notebooks.page(path)
    assert len(pictures) == path.read_text(encoding="utf-8").count('"image/png"') == 4
    assert all(f"]({picture})" in text for picture in pictures)
    assert "100.00 % of 102 N-positions" in text
