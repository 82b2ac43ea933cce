"""The contents of the manual are those of the project."""

import csv
import importlib.util
import re

import pytest

from benchmarks.optimality import BOARDS as SETTINGS
from benchmarks.optimality import HEADER, LEARNERS
from benchmarks.published.__main__ import HEADER as PUBLISHED_HEADER
from benchmarks.published.__main__ import LONGEST
from benchmarks.published.systems import SYSTEMS
from benchmarks.studies.alphazero.settings import UNTRAINED
from nim_envs.registry import GAMES
from tests import ROOT

RESULTS = ROOT / "docs" / "results"


def read(name):
    with (RESULTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["optimality.csv", "optimality_3.csv"])
def test_the_manuals_results_are_of_games_and_learners_that_there_are(name):
    rows = read(name)
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


def test_the_leaderboards_networks_are_scored_on_its_tasks_at_the_same_positions():
    scored = {row["game"]: (row["random %"], row["of"]) for row in read("optimality_3.csv")}
    networks = read("alphazero_3.csv")
    assert {row["board"] for row in networks} == set(scored)
    for row in networks:
        assert (row["random %"], row["of"], row["seeds"]) == (*scored[row["board"]], "3")


def test_the_published_results_are_of_systems_that_there_are():
    rows = read("published.csv")
    assert tuple(rows[0]) == PUBLISHED_HEADER
    assert {row["system"] for row in rows} == {*SYSTEMS} - {LONGEST}
    for row in rows:
        figures = SYSTEMS[row["system"]].figures
        if row["published"] not in ("", "-"):
            assert figures[row["score"]] == row["published"]


def test_the_program_of_a_tutorial_is_the_one_that_the_benchmark_runs():
    tutorial = (ROOT / "docs" / "tutorials" / "ppo_from_scratch.md").read_text(encoding="utf-8")
    program = (ROOT / "agents" / "research" / "ppo_from_scratch.py").read_text(encoding="utf-8")
    assert f"```python\n{program}```" in tutorial


def figure(row, *keys):
    """A score as the first page shows it: the mean, and the range where seeds differ."""
    mean, low, high = (f"{float(row[key]):.1f}" for key in keys)
    return mean if low == high else f"{mean} ({low} to {high})"


def test_the_first_page_shows_figures_of_the_committed_results():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    shown = {}
    for row in re.findall(r"^\| (.+) \|$", text, re.MULTILINE):
        learner, _, *cells = row.split(" | ")
        shown[learner] = cells
    keys = ("optimality %", "lowest", "highest")
    deep = {(row["board"], row["learner"]): figure(row, *keys) for row in read("alphazero.csv")}
    published = {(row["system"], row["ours"]): row for row in read("published.csv")}
    names = {
        "random moves": "random", "signed products, random weights": UNTRAINED,
        "AlphaZero here, MLP": "alphazero, mlp",
        "AlphaZero here, signed products": "alphazero, signed products",
    }  # fmt: skip
    ours = {
        "Q-learning, heaps sorted": "Q-learning, heap symmetry",
        "real-time dynamic programming": "real-time dynamic programming",
        "column automaton, proved": "column automaton",
    }
    for number, board in enumerate(("alphazero-5", "alphazero-7")):
        for name, learner in names.items():
            assert shown[name][number] == deep[board, learner]
        for name, learner in ours.items():
            assert shown[name][number] == published[board, learner]["same games"]
        row = next(row for (system, _), row in published.items() if system == board)
        assert shown["Q-learning, a table"][number] == row["measured as published"]
        last, best = (shown[f"AlphaZero as published, {each}"][number]
                      for each in ("last network", "best checkpoint"))  # fmt: skip
        assert row["published"] == f"{last} (best {best})"


REFERENCE = ROOT / "docs" / "reference"


def test_every_public_module_has_a_page_of_the_reference_and_no_other():
    shown = set()
    for page in REFERENCE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        shown.update(re.findall(r"^::: (\S+)", text, re.MULTILINE))
        if page.stem != "index":
            assert f"({page.name})" in (REFERENCE / "index.md").read_text(encoding="utf-8")
    assert [name for name in shown if importlib.util.find_spec(name) is None] == []
    files = [*(ROOT / "nim_envs").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]
    exporting = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in files
        if re.search(r"^__all__ = \[\n? *\S", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert exporting - shown == set()


def test_the_glossary_is_in_order_and_each_word_has_a_source():
    entries = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").split("\n## ")[1:]
    words = [entry.partition("\n")[0] for entry in entries]
    assert words == sorted(words, key=str.lower)
    assert all("\n*Source:* " in entry for entry in entries)


def test_the_page_of_libraries_says_how_much_better_than_random_moves_they_play():
    text = " ".join((RESULTS / "libraries.md").read_text(encoding="utf-8").split())
    gains = {"as documented": [], "sign right": []}
    for row in read("libraries.csv"):
        if row["library"] in ("PettingZoo's tutorial", "TorchRL"):
            gains[row["recipe"]].append(float(row["optimality %"]) - float(row["random %"]))
    as_documented, right = gains.values()
    assert f"play at most {max(as_documented):.0f} points better than random moves" in text
    assert f"and {min(right):.0f} to {max(right):.0f} points better with the sign right" in text
