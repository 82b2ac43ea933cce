"""Every benchmark at its smallest setting: it writes what it prints, and what it measured."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from benchmarks import batched, learning_speed, optimality, scaling, throughput
from benchmarks.published import __main__ as published
from benchmarks.published.systems import SYSTEMS
from benchmarks.report import percents, read_csv, table, write_csv
from benchmarks.tasks import GameSetting
from benchmarks.timing import Batch, Rate


def run(command, *words):
    """Run the command of a benchmark, and return what it prints."""
    result = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_optimality_writes_what_it_prints(tmp_path, monkeypatch):
    setting = GameSetting("addition", {"k": 3, "n": 10}, 3_000, 3_000)
    monkeypatch.setitem(optimality.BOARDS, "addition-3-10", setting)
    printed = run(
        optimality.main, "--boards", "addition-3-10", "--learners", "q-learning,optimal,random",
        "--seeds", 2, "--jobs", 1, "--output", tmp_path,
    )  # fmt: skip
    rows = {row["learner"]: row for row in read_csv(tmp_path / "optimality.csv")}
    assert {name: float(row["optimality %"]) for name, row in rows.items()} == {
        "random": pytest.approx(100 / 3),
        "optimal": 100.0,
        "q-learning": 100.0,
    }
    assert rows["q-learning"]["games"] == "3000"
    assert all(float(row["random %"]) == pytest.approx(100 / 3) for row in rows.values())
    assert float(rows["random"]["blunders"]) == float(rows["random"]["of"])
    page = (tmp_path / "optimality.md").read_text(encoding="utf-8")
    assert all(name in printed and name in page for name in rows)
    runs = read_csv(tmp_path / "runs.csv")
    assert [run["seed"] for run in runs if run["learner"] == "q-learning"] == ["0", "1"]


@pytest.mark.exhaustive
def test_published_systems_stand_beside_the_learners_here(tmp_path):
    names = ("monte-carlo", "q-improved-10000", "bandit-3-10")
    run(published.main, "--quick", "--systems", ",".join(names), "--jobs", 1, "--output", tmp_path)
    rows = read_csv(tmp_path / "published.csv")
    assert list(dict.fromkeys(row["system"] for row in rows)) == [
        name for name in SYSTEMS if name in names
    ]
    against_optimal = next(row for row in rows if "optimal %" in row["score"])
    assert against_optimal["published"] == "4.3"
    # 940 of the 1000 starts are N-positions.
    assert against_optimal["attainable"] == "94.0"
    page = (tmp_path / "published.md").read_text(encoding="utf-8")
    assert all(SYSTEMS[name].defect in page for name in names)


def test_learning_speed_reports_games_and_seconds(tmp_path):
    learners = ("q-learning", "real-time-dynamic-programming")
    printed = run(
        learning_speed.main, "--quick", "--boards", "misere-nim-1-3-5-7", "--learners",
        ",".join(learners), "--jobs", 1, "--output", tmp_path,
    )  # fmt: skip
    assert "published, improved" in printed
    rows = {row["learner"]: row for row in read_csv(tmp_path / "learning_speed.csv")}
    assert float(rows[learners[1]]["last score %"]) > 80


def test_scaling_ends_where_every_position_is_played_right(tmp_path, monkeypatch):
    for name, heaps in ((5, 3), (6, 4)):
        monkeypatch.setitem(scaling.BOARDS, name, replace(scaling.BOARDS[name], heaps=heaps))
    run(scaling.main, "--heaps", "5,6", "--output", tmp_path)
    rows = read_csv(tmp_path / "scaling.csv")
    assert [row["positions"] for row in rows] == ["48", "48", "384", "384"]
    exploring = [row for row in rows if row["starts"] == "exploring"]
    assert [row["optimality %"] for row in exploring] == ["100.0000", "100.0000"]
    assert [row["bytes"] for row in exploring] == [str(8 * 48), str(8 * 384)]


def throughput_of(monkeypatch, part, batches, output, *words):
    """Time other environments in a part of the report, and return what it prints."""
    monkeypatch.setitem(throughput.PARTS, part, replace(throughput.PARTS[part], batches=batches))
    return run(throughput.main, *words, "--rounds", 1, "--parts", part, "--output", output)


def test_throughput_counts_moves_and_names_who_is_missing(tmp_path, monkeypatch):
    batches = {
        "nim 3-4-5": throughput.ENVIRONMENTS["nim 3-4-5"],
        "elsewhere": throughput.random_play(throughput.shimmy_nim, modules=("no_such_module",)),
        "training": throughput.ENVIRONMENTS["training loop, q-learning, nim 3-4-5"],
    }
    printed = throughput_of(monkeypatch, "turn-based", batches, tmp_path, "--quick")
    assert "missing: elsewhere: not installed: no_such_module" in printed
    assert "no_such_module" in (tmp_path / "throughput.md").read_text(encoding="utf-8")
    rows = read_csv(tmp_path / "throughput.csv")
    assert [row["environment"] for row in rows] == ["nim 3-4-5", "training"]
    assert all(float(row["moves/s (median)"]) > 0 for row in rows)


def test_batches_are_compared_each_at_its_best_size(tmp_path, monkeypatch):
    def pretended(size):
        # Ten times as fast at ten games as at one, and a thousandth of the moves of any real one.
        return lambda seconds: Rate(steps=10.0 * size, moves=5.0 * size)

    batches = {
        "nim": Batch(batched.our_batch("nim"), (8, 64)), "pretended": Batch(pretended, (1, 10)),
    }  # fmt: skip
    throughput_of(monkeypatch, "batched", batches, tmp_path, "--quick")
    assert [row["at a time"] for row in read_csv(tmp_path / "batched.csv")] == ["8", "1"]
    throughput_of(monkeypatch, "batched", batches, tmp_path)
    rows = {
        (row["environment"], row["at a time"]): row for row in read_csv(tmp_path / "batched.csv")
    }
    assert float(rows["pretended", "10"]["steps/s (median)"]) == 100
    base = rows["nim", "64"]
    # Every game's last step is followed by one that only begins the next.
    assert 0.5 < float(base["moves/s (median)"]) / float(base["steps/s (median)"]) < 0.95
    ratios = [list(row.values()) for row in read_csv(tmp_path / "batched_ratios.csv")]
    assert [float(ratio) for ratio in ratios[0][2:]] == [1, 1]
    assert ratios[1][:2] == ["pretended", "10"]
    best = rows["nim", ratios[0][1]]
    assert float(ratios[1][2]) == pytest.approx(float(best["moves/s (median)"]) / 50, rel=1e-3)
    assert float(ratios[1][3]) == pytest.approx(float(best["steps/s (median)"]) / 100, rel=1e-3)


def test_tables_keep_text_as_it_is_and_leave_a_gap_where_nothing_is(tmp_path):
    rows = [["0.07", 2.25], ["a", None]]
    assert [line.split() for line in table(("code", "score"), rows).splitlines()[2:]] == [
        ["0.07", "2.2"], ["a", "-"],
    ]  # fmt: skip
    write_csv(tmp_path / "deep" / "table.csv", ("code", "score"), rows)
    assert read_csv(tmp_path / "deep" / "table.csv") == [
        {"code": "0.07", "score": "2.25"}, {"code": "a", "score": ""},
    ]  # fmt: skip
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("scores", "text"),
    [([], "-"), ([50.0, 50.0], "50.0"), ([50.0, 100.0], "75.0 (50.0 to 100.0)"),
     ([99.99], "99.9"), ([100.0], "100.0")],
)  # fmt: skip
def test_a_score_below_100_is_not_rounded_up_to_it(scores, text):
    assert percents(scores) == text
