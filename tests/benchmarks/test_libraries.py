"""Rows of other libraries' learners: over the seeds, and where a library is missing."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.report import read_csv, write_csv
from benchmarks.studies.libraries.__main__ import (
    HEADER,
    LibraryRun,
    introduction,
    missing,
    report,
    summary,
    table_rows,
    with_earlier,
)
from benchmarks.studies.libraries.recipes import BOARDS, DOCUMENTED, RECIPES, SIGN_RIGHT

ROOT = Path(__file__).resolve().parents[2]
SIGN = "wrong sign of the bootstrap"


def scored(recipe, seed, percent, fault="", log_odds=0.0, board="nim-3-4-5"):
    return LibraryRun(board, recipe, seed, 100, percent, 25.0, 2.0, "library 1.0", fault, log_odds)


def test_a_row_has_the_lowest_seed_and_the_fault_of_most_seeds():
    runs = [
        scored("sb3", 0, 50.0),
        scored("torchrl", 0, 20.0, SIGN, 23.1),
        scored("torchrl", 1, 30.0, SIGN, 46.1),
        scored("torchrl", 2, 40.0, "same action always", 9.3),
    ]
    rows = summary(runs)
    assert [row["name"] for row in rows] == ["sb3", "torchrl"]
    assert (rows[0]["fault"], rows[0]["found"], rows[0]["odds"]) == ("", 0, "")
    of_torchrl = [rows[1][title] for title in ("optimality %", "lowest", "fault", "found", "odds")]
    # exp(23.1) is 1.08·10^10.
    assert of_torchrl == [30.0, 20.0, SIGN, 2, "10^10"]
    assert table_rows(rows, "nim-3-4-5")[1][-1] == f"{SIGN} (2, 10^10)"
    assert table_rows(rows, "kayles-7") == []


def test_rows_that_are_not_made_anew_stay(tmp_path):
    path = tmp_path / "libraries.csv"
    assert with_earlier(summary([scored("sb3", 0, 50.0)]), path)
    earlier = summary([scored("rllib", 0, 60.0), scored("sb3", 0, 1.0)])
    write_csv(path, HEADER, [[row[title] for title in HEADER] for row in earlier])
    both = with_earlier(summary([scored("sb3", 0, 50.0)]), path)
    percents = [(row["name"], float(row["optimality %"])) for row in both]
    assert percents == [("sb3", 50.0), ("rllib", 60.0)]


def test_text_before_the_tables_stays(tmp_path):
    path = tmp_path / "libraries.md"
    rows = summary([scored("sb3", 0, 50.0)])
    assert introduction(path, "one") == "`one`"
    path.write_text(report(rows, "`one`"), encoding="utf-8")
    assert introduction(path, "two") == "`two`"
    text = "`one`\n\nMore moves help.\n\n```sh\ntwo\n```"
    path.write_text(report(rows, text), encoding="utf-8")
    assert introduction(path, "three") == text


def test_the_published_page_is_that_of_its_rows_and_its_text():
    folder = ROOT / "docs" / "results"
    rows = read_csv(folder / "libraries.csv")
    made = report(rows, introduction(folder / "libraries.md", ""))
    page = (folder / "libraries.md").read_text(encoding="utf-8")
    without_machine = [re.sub("- Machine: .*", "", text) for text in (made, page)]
    assert without_machine[0] == without_machine[1]


def test_what_the_published_page_says_of_the_sign_is_so():
    rows = read_csv(ROOT / "docs" / "results" / "libraries.csv")
    of = {(row["library"], row["recipe"], row["board"]): row for row in rows}  # one learner each
    percent = {key: float(row["optimality %"]) for key, row in of.items()}
    gains = {}
    for library, found in (("PettingZoo's tutorial", {1}), ("TorchRL", {0, 3})):
        for board in BOARDS:
            wrong, right = ((library, recipe, board) for recipe in (DOCUMENTED, SIGN_RIGHT))
            assert round(percent[wrong] - float(of[wrong]["random %"])) <= 5
            assert of[wrong]["fault"] in (SIGN, "")
            assert int(of[wrong]["found"]) in found
            gains.setdefault(board.startswith("misere"), []).append(percent[right] - percent[wrong])
    assert (round(min(gains[False])), round(max(gains[False]))) == (9, 17)
    assert (round(min(gains[True])), round(max(gains[True]))) == (4, 7)
    wrong_signs = {"pettingzoo", "torchrl", "tianshou", "mctx-gumbel-one-player"}
    assert {row["name"] for row in rows if row["fault"]} - wrong_signs == set()


def test_each_reason_is_said_once():
    runs = [LibraryRun("kayles-7", "rllib", seed, missing="no ray") for seed in range(3)]
    assert missing([*runs, scored("sb3", 0, 50.0)]) == ["rllib was not run: no ray"]


def test_a_recipe_with_the_sign_right_stands_beside_one_that_is_documented():
    documented = {each.library for each in RECIPES.values() if each.recipe == DOCUMENTED}
    assert documented >= {each.library for each in RECIPES.values() if each.recipe == SIGN_RIGHT}
