"""The study of deep learners: its tasks, its sentences, and what needs no other library."""

from __future__ import annotations

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


def row(board, learner, encoding, percent):
    cells = [board, learner, encoding, "self-play", 3, 100, 1.0, percent]
    return [*cells, 0, 100, 9.0, 1, 50, None]


def test_the_report_compares_the_best_network_with_the_table_and_with_what_was_published():
    rows = [
        row("small", "q-learning", "integer", 90.0),
        row("small", "maskable-ppo", "one_hot", 80.0),
        row("small", "maskable-ppo", "binary", 97.5),
        row("large", "q-learning", "integer", 70.0),
        row("large", "maskable-ppo", "one_hot", 64.0),
        row("alphazero-6", "random", "-", 9.9),
        row("alphazero-6", "alphazero, mlp", "binary", 21.2),
    ]
    small, large, published = alphazero.verdicts(rows)
    assert small.startswith("small: the best of maskable-ppo (binary, self-play) has 97.5 %")
    assert "7.5 points above the 90.0 %" in small
    assert "6.0 points below the 70.0 %" in large
    assert published == (
        "alphazero-6: published of AlphaZero 15.6 %, at best 43.2 % in one of its checkpoints; "
        "here random 9.9 %, alphazero, mlp 21.2 %"
    )


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
