"""Rows of other libraries' learners: over the seeds, and where a library is missing."""

import re
import sys

from click.testing import CliRunner

from benchmarks.report import read_csv, write_csv
from benchmarks.studies.libraries.__main__ import (
    HEADER,
    LibraryRun,
    introduction,
    main,
    report,
    summary,
    table_rows,
    with_earlier,
)
from tests import ROOT


def scored(recipe, seed, percent, board="nim-3-4-5"):
    return LibraryRun(board, recipe, seed, 100, percent, 25.0, 2.0, "library 1.0")


def test_a_row_has_the_mean_and_the_lowest_seed():
    runs = [scored("sb3", 0, 50.0), *(scored("torchrl", n, 20.0 + 10 * n) for n in range(3))]
    rows = summary(runs)
    assert [row["name"] for row in rows] == ["sb3", "torchrl"]
    assert [rows[1][title] for title in ("optimality %", "lowest")] == [30.0, 20.0]
    assert table_rows(rows, "nim-3-4-5")[1][-3:] == [30.0, 20.0, 2.0]
    assert table_rows(rows, "kayles-7") == []


def test_rows_that_are_not_made_anew_stay(tmp_path):
    path = tmp_path / "libraries.csv"
    assert with_earlier(summary([scored("sb3", 0, 50.0)]), path)
    earlier = summary([scored("rllib", 0, 60.0), scored("sb3", 0, 1.0)])
    write_csv(path, HEADER, [[row[title] for title in HEADER] for row in earlier])
    both = with_earlier(summary([scored("sb3", 0, 50.0)]), path)
    percents = [(row["name"], float(row["optimality %"])) for row in both]
    assert percents == [("sb3", 50.0), ("rllib", 60.0)]


def test_the_published_page_is_that_of_its_rows_and_its_text():
    folder = ROOT / "docs" / "results"
    rows = read_csv(folder / "libraries.csv")
    made = report(rows, introduction(folder / "libraries.md", ""))
    page = (folder / "libraries.md").read_text(encoding="utf-8")
    without_machine = [re.sub("- Machine: .*", "", text) for text in (made, page)]
    assert without_machine[0] == without_machine[1]


def test_text_stays_and_a_library_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchrl", None)
    monkeypatch.setitem(sys.modules, "tensordict", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    page = '# Learners\n\nMore moves help.\n\nMuch.\n\n<div class="bars">'
    (tmp_path / "libraries.md").write_text(page)
    words = ["--quick", "--recipes", "torchrl", "--jobs", "1", "--output", str(tmp_path)]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert "torchrl was not run: " in result.stdout
    assert "More moves help." in (tmp_path / "libraries.md").read_text(encoding="utf-8")
