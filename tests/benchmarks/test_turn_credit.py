"""The benchmark of turn credit: its parts, and a run at its smallest setting."""

from __future__ import annotations

import csv
import math

import pytest

from agents.turn_credit.learning import RunResult
from benchmarks.turn_credit import __main__ as turn_credit
from benchmarks.turn_credit import moves
from benchmarks.turn_credit.report import span, thousands

NEVER = RunResult(None, 60.0)


def runs(*each):
    return [RunResult(number, 95.0) if number else NEVER for number in each]


def test_the_middle_of_the_rates_that_are_as_good_is_chosen():
    tried = {0.01: runs(900, 950, 900), 0.1: runs(880, 880, 890), 1.0: runs(899, 900, 890)}
    assert moves.choose(tried, 10_000) == 0.1
    # A failure counts as the cap.
    assert moves.choose({0.1: runs(4_000, 4_000, 700), 3.0: runs(400, 400, None)}, 10_000) == 0.1
    # Where no seed comes to the score, who comes closest is taken.
    closer = [RunResult(None, 80.0)] * 3
    assert moves.choose({0.1: runs(None, None, None), 1.0: closer}, 10_000) == 1.0


def test_the_grid_grows_until_the_choice_is_inside(monkeypatch):
    asked = []

    def tried(task, estimator, rates, cap):
        asked.extend(rates)
        # The higher the better, up to 20.
        return {rate: runs(*[round(1e4 * abs(math.log(rate / 20)))] * 3) for rate in rates}

    monkeypatch.setattr(moves, "_runs_by_rate", tried)
    monkeypatch.setattr(moves, "learn", lambda *arguments: runs(100, 200, 300, 400, 500))
    found = moves.moves_to_learn("misère 1-3-5, any start", "RLOO", quick=False)
    assert found.lowest < found.rate < found.highest
    assert found.rate in asked
    assert found.rate > max(moves.RATES)
    assert found.median == 300


def test_seeds_that_choose_are_not_reported():
    assert not set(moves.CHOOSING) & set(range(moves.SEEDS))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([0.25, 0.5], "0.250 to 0.500"),
        ([1.0, 1 - 1e-16], "1"),
        ([0.99996, 1.0], "0.99996 to 1"),
        ([], "-"),
    ],
)
def test_a_number_below_one_is_not_rounded_up_to_one(numbers, text):
    assert span(numbers) == text


@pytest.mark.parametrize(
    ("reached", "text"),
    [
        ((1_000, 3_000, 90_000), "3"),
        ((1_000, 3_000, None), "3 (2 of 3)"),
        ((1_000, None, None), "mostly never (1 of 3)"),
        ((None, None, None), "never"),
    ],
)
def test_seeds_that_do_not_come_to_the_score_are_counted(reached, text):
    assert thousands(moves.MovesToLearn("", "", 0.1, 0.01, 1.0, runs(*reached))) == text


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_writes_what_it_prints(tmp_path, capsys):
    turn_credit.main(["--quick", "--jobs", "1", "--output", str(tmp_path)])
    printed = capsys.readouterr().out
    directions = read(tmp_path / "turn_credit_direction.csv")
    assert len(directions) == 2 * len(turn_credit.ESTIMATORS)
    assert max(abs(float(row["standard_errors"])) for row in directions) < 4
    ends = {
        row["estimator"]: float(row["share"]) for row in read(tmp_path / "turn_credit_ends.csv")
    }
    assert ends.keys() == set(turn_credit.QUICK_ESTIMATORS)
    assert ends["by turn: result summed"] < ends["kept_win"] < ends["RLOO"] <= 1
    reached = {row["estimator"]: row["moves"] for row in read(tmp_path / "turn_credit_moves.csv")}
    assert reached["kept_win"]
    report = (tmp_path / "turn_credit.md").read_text(encoding="utf-8")
    for name in turn_credit.ESTIMATORS:
        assert f"\n{name} " in printed
        assert f"\n| {name} " in report
    for check in ("∇J against finite differences", "formula of the bias by turn"):
        assert check in printed
        assert check in report
    for part in ("direction", "ends", "moves"):
        assert (tmp_path / f"turn_credit_{part}.png").exists()
        assert f"(turn_credit_{part}.png)" in report


def test_an_estimator_of_ones_own_stands_in_the_tables(tmp_path, capsys, monkeypatch):
    (tmp_path / "my_credit.py").write_text(
        "def plain(results, rewards):\n    return results - results.mean()\n"
        "def odd(critic):\n    return critic\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(turn_credit, "POLICIES", ("random",))
    before = dict(turn_credit.ESTIMATORS)
    try:
        arguments = ["--quick", "--parts", "direction", "moves", "--jobs", "1"]
        turn_credit.main(
            [*arguments, "--estimator", "my_credit:plain", "--output", str(tmp_path / "found")]
        )
        printed = capsys.readouterr().out
        rows = read(tmp_path / "found" / "turn_credit_direction.csv")
        assert [row["estimator"] for row in rows] == [*before, "my_credit:plain"]
        assert 0.9 < float(rows[-1]["cosine"]) < 1.1
        moves_rows = read(tmp_path / "found" / "turn_credit_moves.csv")
        assert {row["estimator"] for row in moves_rows} == {
            *turn_credit.QUICK_ESTIMATORS, "my_credit:plain"
        }  # fmt: skip
        report = (tmp_path / "found" / "turn_credit.md").read_text(encoding="utf-8")
        assert "\nmy_credit:plain " in printed
        assert report.count("\n| my_credit:plain ") == 4
        for name, words in (
            ("my_credit:odd", "asks for 'critic'"), ("my_credit:none", "has no 'none'"),
            ("no_credit:none", "cannot be imported"), ("RLO", "expected a name such as"),
        ):  # fmt: skip
            with pytest.raises(SystemExit):
                turn_credit.main(["--estimator", name, "--output", str(tmp_path)])
            assert words in capsys.readouterr().err
    finally:
        turn_credit.ESTIMATORS.clear()
        turn_credit.ESTIMATORS.update(before)


def test_all_parts_and_some_parts_are_not_both_asked_for(tmp_path, capsys):
    with pytest.raises(SystemExit):
        turn_credit.main(["--all", "--parts", "ends", "--output", str(tmp_path)])
    assert "--all runs every part" in capsys.readouterr().err


def test_one_part_is_run_alone():
    alone = turn_credit.tasks(["ends"], quick=False)
    assert {part for part, _ in alone} == {"ends"}
    assert len(alone) == 5 * len(turn_credit.ESTIMATORS)
    assert len(turn_credit.tasks(turn_credit.PARTS, quick=False)) == len(alone) + 48 + 3 * len(
        turn_credit.ESTIMATORS
    )
