"""The open track: its tasks, scores, standings and entries."""

import hashlib
from dataclasses import astuple

import pytest
from click.testing import CliRunner

from agents import OptimalAgent, QLearning
from benchmarks.leaderboard import InvalidRunsError
from benchmarks.report import read_csv, write_csv
from benchmarks.studies.open_track import __main__ as open_track
from benchmarks.studies.open_track import standings as places
from benchmarks.studies.open_track.page import page
from benchmarks.studies.open_track.runs import BOARDS, REFUSED, area, run
from benchmarks.studies.open_track.tasks import (
    CODES,
    GAMES,
    OF_VERSION,
    SEEDS,
    TASKS,
    TASKS_VERSION,
    code_of,
)


def test_the_tasks_change_with_their_version_alone():
    frozen = [(name, astuple(task)) for name, task in TASKS.items() if name != OF_VERSION]
    digest = hashlib.sha256(repr((frozen, GAMES, SEEDS)).encode()).hexdigest()
    assert (TASKS_VERSION, digest[:16]) == (1, "d29d587f5a5d133f")


def test_the_last_code_changes_with_the_version_of_the_package_and_is_none_of_the_others():
    codes = {code_of(version, CODES) for version in ("0.3.0", "0.3.1", "0.4.0", "1.0", "1.0rc2")}
    assert len(codes) == 5
    code = code_of("0.3.0", ())
    assert code == code_of("0.3.0", ())
    assert code_of("0.3.0", [code]) not in (code, *CODES)
    assert code not in CODES


def test_the_area_is_that_of_straight_lines_between_scores():
    # Equal steps of the logarithm: the trapezoidal rule with the weights 1, 2 and 1.
    assert area([10.0, 40.0, 100.0]) == pytest.approx(47.5)
    # Of unequal ones the longer step weighs more: here it is twice the other.
    assert area([10.0, 40.0, 100.0], (10, 100, 10_000)) == pytest.approx((25 + 2 * 70) / 3)


class PlaysEveryBoard(QLearning):
    """A learner that is right everywhere, in no time."""

    knows = "a secret"

    def greedy(self, game=None):
        """Return the optimal policy of a board."""
        return OptimalAgent(game or TASKS["nim"].board("learned"))


def trained_elsewhere(env, games, seed):
    """Return a learner of another library, which plays every board."""
    return PlaysEveryBoard.for_env(env)


def test_a_learner_of_ones_own_is_scored_on_both_boards_and_is_told_how_to_enter(tmp_path):
    learner = f"{__name__}:PlaysEveryBoard"
    learners = (learner, f"{__name__}:trained_elsewhere", "random", "q-learning")
    words = [
        "--learners", ",".join(learners), "--tasks", "nim", "--quick", "--jobs", "1",
        "--output", str(tmp_path),
    ]  # fmt: skip
    printed = CliRunner().invoke(open_track.main, words, catch_exceptions=False).stdout
    rows = read_csv(tmp_path / "open_track.csv")
    assert [(row["learner"], row["board"]) for row in rows[::4]] == [
        (learner, "learned"), (learner, "larger")
    ]  # fmt: skip
    for row in rows:
        assert tuple(row) == places.HEADER
        scores = {float(row[name]) for name in (*places.SCORES, "area", "lowest", "highest")}
        if row["learner"] == learner or "elsewhere" in row["learner"]:
            assert (scores, row["plays"]) == ({100.0}, "plays")
        elif row["learner"] == "random":
            assert scores == {float(row["random %"])}
        elif row["board"] == "larger":
            assert (scores, row["plays"]) == ({float(row["random %"])}, "random moves")
        else:
            assert float(row["last %"]) > float(row["random %"])
    assert rows[0]["knows"] == "a secret"
    assert (tmp_path / "open_track.png").exists()
    assert f"{learner} (yours)" in printed
    assert f"python -m benchmarks.studies.open_track --learners {learner}" in printed


def test_random_moves_count_where_a_learner_refuses_the_game():
    for each in run("chomp", "column-automaton", 0, quick=True):
        assert each.plays == REFUSED
        assert set(each.percents) == {each.random_percent}


def entry(learner, score="80.0", **changed):
    """Rows of a learner with all tasks."""
    return [
        {
            **dict.fromkeys(places.HEADER, score), "tasks": places.VERSION, "task": task,
            "board": board, "learner": learner, "knows": "what it observes", "plays": "plays",
            **changed,
        }
        for task in TASKS
        for board in BOARDS
    ]  # fmt: skip


def write(path, rows):
    path.parent.mkdir(exist_ok=True)
    write_csv(path, places.HEADER, [list(row.values()) for row in rows])


def test_entries_with_all_tasks_of_this_version_stand_beside_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "RESULTS", tmp_path)
    ours = [*entry("q-learning", "70.0"), *entry("optimal", "100.0", knows="the solution")]
    write(tmp_path / "open_track.csv", [*ours, *entry("quotient", "90.0", knows="the rules")])
    write(tmp_path / "open_entries" / "a.csv", entry("my:Learner"))
    write(tmp_path / "open_entries" / "b.csv", entry("my:Partial")[1:])
    write(tmp_path / "open_entries" / "c.csv", entry("my:Earlier", tasks="1 with nim_envs 0.1.0"))
    found = places.standings(places.published(), list(TASKS))
    assert [(each.learner, each.score) for each in found] == [
        ("optimal", 100.0), ("quotient", 90.0), ("my:Learner", 80.0), ("q-learning", 70.0),
    ]  # fmt: skip
    # Of those that know what they observe alone, and of all but the solution.
    assert places.best_by_task(places.published())["nim"] == [80.0, 80.0, 90.0, 90.0]


@pytest.mark.parametrize(
    ("learner", "score", "task", "said"),
    [
        ("q-learning", "80", "nim", r"named package\.module:Name, not 'q-learning'"),
        ("my:Learner", "nan", "nim", "first % is from 0 to 100, not 'nan'"),
        ("my:Learner", "80", "chess", "on chess, learned: there is no such board"),
    ],
)
def test_rows_that_no_run_has_written_are_refused(
    learner, score, task, said, tmp_path, monkeypatch
):
    monkeypatch.setattr(places, "RESULTS", tmp_path)
    write(tmp_path / "open_entries" / "b.csv", entry(learner, score, task=task))
    with pytest.raises(InvalidRunsError, match=said):
        places.published()


def test_the_committed_page_is_that_of_the_committed_rows():
    rows = places.published()
    written = (places.RESULTS / "open_track.md").read_text(encoding="utf-8")
    assert set(open_track.EVERYONE) <= {each.learner for each in places.standings(rows, [*TASKS])}
    assert page(rows, "python -m benchmarks.studies.open_track") == written
