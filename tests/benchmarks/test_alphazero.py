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


def test_the_report_says_by_how_much_the_best_network_is_above_or_below_the_table():
    def row(board, learner, encoding, percent):
        cells = [board, learner, encoding, "self-play", 3, 100, 1.0, percent]
        return [*cells, 0, 100, 9.0, 1, 50, None]

    rows = [
        row("small", "q-learning", "integer", 90.0),
        row("small", "maskable-ppo", "one_hot", 80.0),
        row("small", "maskable-ppo", "binary", 97.5),
        row("large", "q-learning", "integer", 70.0),
        row("large", "maskable-ppo", "one_hot", 64.0),
        row("other", "random", "-", 64.0),
        row("equal", "q-learning", "integer", 100.0),
        row("equal", "maskable-ppo", "one_hot", 100.0),
    ]
    small, large, equal = alphazero.verdicts(rows)
    assert small.startswith("small: the best of maskable-ppo (binary, self-play) has 97.5 %")
    assert "7.5 points above the 90.0 %" in small
    assert "6.0 points below the 70.0 %" in large
    assert "the same as the 100.0 %" in equal


def test_tasks_are_each_encoding_in_self_play_and_one_against_each_opponent():
    tasks = alphazero.tasks_of(["five-heaps"], seeds=2)
    trained = [(task.encoding, task.opponent) for task in tasks if task.learner == "maskable-ppo"]
    assert len(trained) == 2 * (4 + 3)
    assert {encoding for encoding, opponent in trained if opponent == "optimal"} == {
        alphazero.MAIN_ENCODING
    }
    full = alphazero.tasks_of(["five-heaps"], seeds=1, full=True)
    assert sum(task.learner == "maskable-ppo" for task in full) == 4 * 4
    # The published recipe and the tutorial's program are for three heaps.
    assert not {task.learner for task in full} & {*alphazero.RECIPES, *alphazero.FROM_SCRATCH}
    chosen = alphazero.tasks_of(seeds=2, learners=["ppo-from-scratch"])
    assert [task.learner for task in chosen[::2]] == list(alphazero.FROM_SCRATCH)
    assert len(chosen) == 2 * len(alphazero.FROM_SCRATCH)
    published = alphazero.tasks_of(["alphazero-5"], seeds=2)
    networks = alphazero.ALPHAZERO_BOARDS["alphazero-5"]
    assert [task.learner for task in published if task.learner in alphazero.ALPHAZERO] == [
        name for name in networks for _ in range(2)
    ]
    others = {"random", "q-learning", alphazero.UNTRAINED}
    assert {task.learner for task in published} == {*others, *networks}
    equal = alphazero.tasks_of(["nim-4-4-9"], seeds=5)
    assert [(task.learner, task.encoding) for task in equal if task.seed == 4] == [
        ("q-learning", "integer"),
        ("alphazero, mlp", "binary"),
        ("alphazero, mlp, symmetry", "binary"),
    ]
    everything = alphazero.tasks_of()
    assert len(set(everything)) == len(everything)
    assert {task.seed for task in everything if task.learner == "published"} == {0, 1, 2}


def test_the_report_names_what_was_published_of_alphazero():
    rows = [
        ["alphazero-6", learner, "-", "self-play", 3, 100, 1.0, percent, 0, 100, 9.9, 1, 50, None]
        for learner, percent in (("random", 9.9), ("alphazero, mlp", 21.2))
    ]
    (line,) = alphazero.verdicts(rows)
    assert line == (
        "alphazero-6: published of AlphaZero 15.6 %, at best 43.2 % in one of its checkpoints; "
        "here random 9.9 %, alphazero, mlp 21.2 %"
    )
    assert alphazero.verdicts(rows[:1]) == []


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
