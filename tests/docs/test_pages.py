"""Pages of the manual show what their programs and commands print and draw."""

import doctest
import io
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from agents.cli.main import main as agents_main
from tests.docs.blocks import (
    COMMANDS,
    PICTURE,
    PICTURES,
    PROGRAM,
    ROOT,
    TUTORIALS,
    as_program,
    with_outputs,
    with_printed,
    write_files,
)

DOCS = ROOT / "docs"
NOTEBOOK = TUTORIALS / "first_steps.ipynb"
PAGES = sorted(path.stem for path in TUTORIALS.glob("*.md") if path.stem != "index")
OF_OTHER_LIBRARIES = {
    "alphazero", "libraries", "minari", "openspiel", "pgx", "ppo_from_scratch", "rllib",
    "stable_baselines3", "tianshou", "torchrl", "trl", "verifiers",
}  # fmt: skip
"""Tutorials whose programs run in tests/clients."""

SHOWN_FILES = {"diagnosis.md": "my_agent.py", "exercises.md": "pupils.py"}
"""Files of the tutorials that a page shows whole."""

LONG = ("three_games", "unseen_boards")
"""Tutorials that take half a minute; the commands of the first are run below."""


def read(path):
    return (DOCS / path).read_text(encoding="utf-8")


def alike(one, other):
    """Whether two pictures in PNG are the same but for how letters and edges are smoothed."""
    drawn = [np.asarray(Image.open(io.BytesIO(each)).convert("RGB"), int) for each in (one, other)]
    return drawn[0].shape == drawn[1].shape and np.abs(drawn[0] - drawn[1]).mean() < 4


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.exhaustive] if name in LONG else [])
        for name in PAGES
        if name not in OF_OTHER_LIBRARIES
    ],
)
def test_a_tutorial_shows_what_its_programs_print_and_draw(name, tmp_path):
    text = read(f"tutorials/{name}.md")
    with as_program(tmp_path):
        assert with_outputs(text, {"__name__": "__main__"}) == text
    for picture in PICTURE.findall(text):
        made = (tmp_path / picture).read_bytes()
        if picture.endswith(".png"):
            assert alike(made, (PICTURES / picture).read_bytes())


@pytest.mark.parametrize(
    "page", ["index.md", "how_it_works.md", "misere_quotients.md", "exercises.md"]
)
def test_each_program_of_a_page_prints_alone_what_stands_below_it(page, tmp_path):
    text = read(page)
    with as_program(tmp_path):
        assert with_outputs(text) == text
    assert PROGRAM.search(text)


def test_each_example_of_the_theory_is_right_when_it_runs_alone():
    for block in re.findall(r"```python\n(.*?)```", read("theory.md"), re.DOTALL):
        test = doctest.DocTestParser().get_doctest(block, {}, "theory.md", "theory.md", 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.exhaustive
def test_the_diagnosis_shows_whole_reports_of_an_agent_and_of_ones_own_game(tmp_path):
    def without_time(page):
        return re.sub(r"[0-9.]+ s in all", "", page)

    text = read("diagnosis.md")
    with as_program(tmp_path):
        assert without_time(with_outputs(text)) == without_time(text)
        assert without_time(with_printed(text)) == without_time(text)


@pytest.mark.parametrize(("page", "file"), SHOWN_FILES.items())
def test_a_page_shows_the_file_that_one_copies(page, file):
    assert f'```python title="{file}"\n{read(f"tutorials/{file}")}```\n' in read(page)


WITH_COMMANDS = [f"tutorials/{name}.md" for name in PAGES
                 if COMMANDS.search(read(f"tutorials/{name}.md"))]  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("commands.md", marks=pytest.mark.exhaustive),
        pytest.param("exercises.md", marks=pytest.mark.exhaustive),
        *(
            pytest.param(x, marks=pytest.mark.release)
            for x in WITH_COMMANDS
            if x not in SHOWN_FILES
        ),
    ],
)
def test_commands_of_a_page_print_what_it_shows(page, tmp_path):
    with as_program(tmp_path):
        write_files(read(page))
        assert with_printed(read(page)) == read(page)


def test_commands_of_three_games_train_score_and_play(tmp_path):
    """On the smallest of them, in few games; another test compares all that they print."""
    text = read("tutorials/three_games.md")
    typed = "".join(re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    done = []
    with as_program(tmp_path):
        write_files(text)
        for command in re.findall(r"python -m agents (.*)", typed):
            smaller = command.replace("2000000", "500").replace("connect_four", "tic_tac_toe")
            words = smaller.replace(" --window", "").split()
            result = CliRunner().invoke(agents_main, words, input="quit\n", catch_exceptions=False)
            assert result.exit_code == 0, result.output
            done.append(words[0])
    assert done == ["train", "evaluate"] * 2 + ["play"] * 2


# Matplotlib warns that figures cannot be shown without a display.
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_shows_what_its_cells_print(tmp_path, capsys):
    names = {"__name__": "__main__"}
    with as_program(tmp_path):
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), names)
                shown = ["".join(each["text"]) for each in cell["outputs"] if "text" in each]
                assert capsys.readouterr().out == "".join(shown)


def test_the_index_lists_every_tutorial_once_with_a_sentence():
    cards = re.findall(
        r'<div class="card" markdown="1">\n'
        r"(?:\[!\[[^\]]+\]\(([^)]+)\)(?:\{[^}]*\})?\]\(([\w.#-]+)\)\n\n)?"
        r"\*\*\[[^\]]+\]\(([\w.#-]+)\)\*\*\n\n([A-Z][^.]+\.)\n</div>",
        read("tutorials/index.md"),
    )
    assert all(picture in (title, "") for _, picture, title, _ in cards)
    titles = [title for _, _, title, _ in cards]
    parts = set(re.findall(r'"docs/tutorials/(\w+)\.md"', read("tutorials/libraries.md")))
    assert len([title for title in titles if title.startswith("libraries.md#")]) == len(parts)
    pages = {title for title in titles if "#" not in title}
    assert pages == {f"{name}.md" for name in {*PAGES} - parts - {"libraries"}} | {NOTEBOOK.name}
    assert len(set(titles)) == len(titles)
    assert all((TUTORIALS / picture).exists() for picture, *_ in cards if picture)
