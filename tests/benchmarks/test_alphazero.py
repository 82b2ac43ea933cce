"""The study of deep learners: its tasks, its sentences, and what needs no other library."""

import sys

import pytest
from click.testing import CliRunner

import benchmarks.studies.alphazero.__main__ as alphazero
from benchmarks.report import read_csv


def test_it_writes_what_it_prints(tmp_path):
    words = ["--quick", "--learners", "random,q-learning", "--jobs", "1", "--output", str(tmp_path)]
    printed = CliRunner().invoke(alphazero.main, words, catch_exceptions=False).stdout
    rows = read_csv(tmp_path / "alphazero.csv")
    assert [row["learner"] for row in rows] == ["random", "q-learning"]
    assert float(rows[0]["optimality %"]) == pytest.approx(float(rows[0]["random %"]))
    page = (tmp_path / "alphazero.md").read_text(encoding="utf-8")
    assert all(row["learner"] in printed and row["learner"] in page for row in rows)


def test_a_missing_library_is_named_with_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    result = CliRunner().invoke(alphazero.main, ["--quick", "--output", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr.endswith(' needs sb3_contrib: python -m pip install "nim-envs[sb3]"\n')


@pytest.mark.parametrize(
    ("percents", "games"),
    [([], None), ([100], 0), ([50, 100, 99, 100, 100], 3), ([100, 50], None), ([100] * 3, 0)],
)
def test_a_learner_is_done_at_the_first_score_that_is_kept(percents, games):
    curve = tuple(enumerate(percents))
    run = alphazero.Run("b", "l", "e", "o", 0, 9, 0, 1.0, 100.0, 25.0, 0, 50, curve)
    assert run.games_to_sustained == games
    other = alphazero.Run("b", "l", "e", "o", 1, 9, 0, 1.0, 99.0, 25.0, 1, 50, ((0, 99.0),))
    assert alphazero.summary([run])[0][-1] == games
    assert alphazero.summary([run, other])[0][-1] is None


def test_curves_are_drawn_of_boards_of_any_game():
    task = ("wythoff", "alphazero, mlp", "binary", "self-play", 0)
    curve = ((0, 11.0), (250, 40.0))
    run = alphazero.Run(*task, 250, 0, 1.0, 40.0, 11.3, 9, 160, curve)
    (axes,) = alphazero.alphazero_curves([run]).axes
    assert axes.get_title(loc="left") == "wythoff, full board (one seed)"
    assert axes.lines[0].get_xydata().tolist() == [list(point) for point in curve]
