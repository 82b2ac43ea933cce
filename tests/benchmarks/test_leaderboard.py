"""The tasks are frozen, learners are ranked by them, and external learners can enter."""

import hashlib

import click
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import leaderboard, optimality, tasks
from benchmarks.entries import LEARNERS, train_learner
from benchmarks.leaderboard import bootstrap_interval, interquartile_mean
from benchmarks.report import read_csv, write_csv
from tests import ROOT

RESULTS = ROOT / "docs" / "results"


def optimality_of(output, *words):
    """Run the main benchmark, and return what it prints."""
    words = [*words, "--jobs", "1", "--output", str(output)]
    result = CliRunner().invoke(optimality.main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(("version", "known"), [(2, "789753b7203d692a"), (3, "dda1d9a2a799838b")])
def test_the_tasks_change_with_their_version_alone(version, known):
    frozen = [
        (name, task.name, sorted(task.arguments.items()), task.games)
        for name, task in tasks.TASKS[version].items()
    ]
    digest = hashlib.sha256(repr((frozen, tasks.SEEDS)).encode()).hexdigest()
    assert digest[:16] == known


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40))
def test_the_interquartile_mean_is_that_of_the_middle_half(scores):
    quarter = len(scores) // 4
    expected = np.sort(scores)[quarter : len(scores) - quarter].mean()
    assert interquartile_mean(np.array(scores)) == pytest.approx(expected, abs=1e-9)


def test_the_interval_covers_the_variation_between_seeds_only():
    rng = np.random.default_rng(0)
    scores = np.clip(rng.normal(70, 10, size=(8, 5)), 0, 100)
    low, high = bootstrap_interval(scores)
    assert low < interquartile_mean(scores.ravel()) < high
    assert bootstrap_interval(scores) == (low, high)
    same = np.repeat(rng.uniform(0, 100, size=(8, 1)), 5, axis=1)
    assert bootstrap_interval(same) == pytest.approx([interquartile_mean(same.ravel()).item()] * 2)


def row(learner, game, seed, games, score):
    """A row of ``runs.csv``."""
    return {
        "tasks": "2", "learner": learner, "game": game, "seed": str(seed),
        "games": str(games), "optimality %": str(score), "knows": "what it observes",
    }  # fmt: skip


def whole_entry(learner, score=80.0):
    """Rows of a learner with all tasks and seeds."""
    return [
        row(learner, game, seed, tasks.GAMES[game].games, score)
        for game in tasks.GAMES
        for seed in tasks.SEEDS
    ]


def test_only_learners_with_all_runs_are_ranked():
    whole = [
        row("whole", game, seed, tasks.GAMES[game].games, 80 + seed)
        for game in tasks.GAMES
        for seed in tasks.SEEDS
    ]
    best = [{**each, "learner": "best", "optimality %": "100.0"} for each in whole]
    partial = [{**each, "learner": "partial"} for each in whole[1:]]
    quick = [{**each, "learner": "quick", "games": "5000"} for each in whole]
    untrained = [row("untrained", game, 0, 0, 20) for game in tasks.GAMES]
    ranked = leaderboard.leaderboard([*untrained, *whole, *partial, *quick, *best], 2)
    assert [each.learner for each in ranked] == ["best", "whole", "untrained"]
    assert [each.solved for each in ranked] == [len(tasks.GAMES), 0, 0]
    assert ranked[1].interquartile_mean == pytest.approx(81)
    assert (ranked[2].low, ranked[2].high) == (20, 20)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"optimality %": "100.1"}, "from 0 to 100 %, not 100.1"),
        ({"optimality %": "nan"}, "from 0 to 100 %, not nan"),
        ({"optimality %": "many"}, "'many'"),
        ({"games": "-50000"}, "at least 0, not 1, -50000"),
        ({"games": "0"}, "a player that does not learn has 0 games"),
        ({"seed": "0"}, "50000 games have two rows"),
        ({"game": "chess"}, "there is no such task"),
    ],
    ids=str,
)
def test_rows_that_no_run_has_written_are_refused_by_file_and_row(change, said, tmp_path):
    rows = whole_entry("my:Learner")
    assert leaderboard.leaderboard(rows, 2)[0].interquartile_mean == 80
    assert (rows[1]["game"], rows[1]["seed"], rows[1]["games"]) == ("addition-3-10", "1", "50000")
    rows[1] = {**rows[1], **change}
    path = tmp_path / "entry.csv"
    write_csv(path, list(rows[0]), [list(each.values()) for each in rows])
    with pytest.raises(leaderboard.InvalidRunsError, match=said) as no:
        leaderboard.read_runs(path, 2)
    assert str(no.value).startswith(f"{path}: my:Learner on {rows[1]['game']}")


def test_an_entry_has_rows_of_its_own_learners_alone(tmp_path, monkeypatch):
    before = leaderboard.published(2)
    (tmp_path / "entries").mkdir()
    (tmp_path / "runs.csv").write_bytes((RESULTS / "runs.csv").read_bytes())
    monkeypatch.setattr(leaderboard, "RESULTS", tmp_path)

    def enter(name, rows):
        path = tmp_path / "entries" / f"{name}.csv"
        write_csv(path, list(rows[0]), [list(each.values()) for each in rows])

    enter("first", whole_entry("my:Learner"))
    assert len(leaderboard.published(2)) == len(before) + len(whole_entry(""))
    enter("second", whole_entry("q-learning", 0.0))
    with pytest.raises(leaderboard.InvalidRunsError, match=r"named package\.module:Name"):
        leaderboard.published(2)
    enter("second", [*whole_entry("other:Learner"), *whole_entry("my:Learner", 0.0)[:1]])
    with pytest.raises(leaderboard.InvalidRunsError, match="my:Learner is entered by"):
        leaderboard.published(2)


def test_policies_and_what_was_trained_elsewhere_are_scored_and_stand_beside_the_nearest(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "tutorials"))
    names = [f"my_learner:{name}" for name in ("MyLearner", "first_move", "trained_elsewhere")]
    words = ("--learners", ",".join(names), "--boards", "addition-3-10", "--quick", "--seeds", "2")
    out = optimality_of(tmp_path, *words)
    rows = {row["learner"]: row for row in read_csv(tmp_path / "optimality.csv")}
    games = str(tasks.GAMES["addition-3-10"].quick_games)
    assert [rows[name]["games"] for name in names] == [games, "0", games]
    env = tasks.GAMES["addition-3-10"].make()
    own = train_learner("agents:QLearning", env, int(games), 0).scores("all")[0].percent
    assert tuple(rows[names[0]]) == optimality.HEADER
    # Few games are a check and no result.
    assert not (tmp_path / "leaderboard.csv").exists()
    runs = read_csv(tmp_path / "runs.csv")
    assert tuple(runs[0]) == leaderboard.RUN_HEADER
    assert [run["seed"] for run in runs if run["learner"] == names[1]] == ["0"]
    (same,) = [run for run in runs if run["learner"] == names[2] and run["seed"] == "0"]
    assert float(same["optimality %"]) == own
    beside = out.partition("Beside random, optimal and the nearest")[2].split("\n\n")[1]
    shown = [line.split()[0] for line in beside.splitlines()[2:]]
    assert {"random", "optimal", *names} <= set(shown)
    assert len([name for name in shown if name in LEARNERS]) == 2 + optimality.NEIGHBOURS
    assert f"python -m benchmarks.optimality --tasks 2 --learners {','.join(names)}\n" in out


def test_whoever_has_run_everything_gets_a_place_and_the_way_to_enter(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "tutorials"))
    out = optimality_of(tmp_path, "--tasks", "3", "--learners", "my_learner:first_move")
    names = [row["learner"] for row in read_csv(tmp_path / "leaderboard_3.csv")]
    assert set(names) == {*LEARNERS, "my_learner:first_move"}
    assert f"cp {tmp_path / 'runs_3.csv'} docs/results/entries/NAME_3.csv" in out
    # Entered, it is ranked among the tasks of its version.
    (tmp_path / "entries").mkdir()
    (tmp_path / "runs_3.csv").rename(tmp_path / "entries" / "NAME_3.csv")
    for name in ("runs.csv", "runs_3.csv"):
        (tmp_path / name).write_bytes((RESULTS / name).read_bytes())
    monkeypatch.setattr(leaderboard, "RESULTS", tmp_path)
    for version, ranked in ((2, {*LEARNERS}), (3, {*names})):
        rows = leaderboard.published(version)
        assert {each.learner for each in leaderboard.leaderboard(rows, version)} == ranked


def test_boards_are_of_the_version_of_the_tasks(tmp_path):
    words = ["--tasks", "3", "--boards", "nim-3-4-5", "--output", str(tmp_path)]
    result = CliRunner().invoke(optimality.main, words)
    assert result.exit_code == 2
    assert (
        "nim-3-4-5: the tasks of version 3 are wythoff, misere-kayles, octal-266" in result.stderr
    )


def test_a_policy_that_was_trained_on_another_game_is_refused():
    env = tasks.GAMES["addition-3-10"].make()
    with pytest.raises(click.UsageError, match="scored on nim, heaps 3-4-5"):
        train_learner(f"{__name__}:on_another_game", env, 1, 0)


def on_another_game(env, games, seed):
    return lambda observations, masks: masks.argmax(axis=1), tasks.GAMES["nim-3-4-5"].make()


@pytest.mark.parametrize("version", tasks.TASKS)
def test_the_committed_leaderboard_is_that_of_the_committed_runs(version):
    def committed(name):
        return RESULTS / f"{leaderboard.stem(name, version)}.csv"

    runs = read_csv(committed("runs"))
    ranked = leaderboard.leaderboard(leaderboard.read_runs(committed("runs"), version), version)
    assert {each.learner for each in ranked} == {row["learner"] for row in runs}
    # Last digits of means and intervals may differ between releases of NumPy and SciPy.
    for standing, row in zip(ranked, read_csv(committed("leaderboard")), strict=True):
        for computed, written in zip(standing, row.values(), strict=True):
            if isinstance(computed, float):
                assert computed == pytest.approx(float(written), rel=1e-12)
            else:
                assert str(computed) == written
    by_seed = {}
    for run in runs:
        by_seed.setdefault((run["game"], run["learner"]), []).append(float(run["optimality %"]))
    for row in read_csv(committed("optimality")):
        scores = by_seed.pop((row["game"], row["learner"]))
        assert float(row["optimality %"]) == float(np.mean(scores))
        assert (float(row["lowest"]), float(row["highest"])) == (min(scores), max(scores))
    assert not by_seed
