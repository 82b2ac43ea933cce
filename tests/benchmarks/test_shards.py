"""Shards: every run is made in one of them, and what is merged is what one machine would write."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from benchmarks import __main__ as catalogue
from benchmarks import optimality
from benchmarks.parallel import in_parallel
from benchmarks.shards import PLAN, RUNS, MergedRuns, Plan, Shard, ShardRuns
from nim_envs.interrupts import STOPPED

CALLS = []


def squared(number):
    CALLS.append(number)
    if number < 0:
        raise KeyboardInterrupt
    return number * number


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def benchmark(log):
    """A benchmark in three steps, of which the second needs all results of the first."""
    first = in_parallel(squared, [(number,) for number in (1, 2)], 1, log=log, shared=True)
    second = in_parallel(squared, [(sum(first) + number,) for number in range(6)], 1, log=log)
    third = in_parallel(squared, [(number,) for number in (21, 22)], 1, log=log)
    if log is not None:
        log.end_runs()
    return first, second, third


def run_shard(directory, number, total=3):
    with pytest.raises(click.exceptions.Exit):
        benchmark(ShardRuns(directory, Shard(number, total)))


PLANNED = Plan("optimality", ["--quick"], {}, 3)


def test_each_run_is_made_in_one_shard_and_merging_makes_none(tmp_path):
    whole = benchmark(None)
    CALLS.clear()
    for number in (1, 2, 3):
        run_shard(tmp_path, number)
    assert sorted(CALLS) == sorted([1, 2, 5, 6, 7, 8, 9, 10, 21, 22])
    assert len(list((tmp_path / RUNS).iterdir())) == 10
    CALLS.clear()
    assert benchmark(MergedRuns(tmp_path, PLANNED)) == whole
    assert CALLS == []


def test_missing_shards_are_named_with_their_command(tmp_path):
    run_shard(tmp_path, 2)
    with pytest.raises(click.UsageError) as caught:
        benchmark(MergedRuns(tmp_path, PLANNED))
    assert "shard 1/3, 3/3;" in caught.value.message
    assert "python -m benchmarks optimality --quick --shard 1/3" in caught.value.message


def test_more_shards_than_runs_do_no_harm(tmp_path):
    for number in range(1, 12):
        run_shard(tmp_path, number, 11)
    assert benchmark(MergedRuns(tmp_path, PLANNED._replace(total=11))) == benchmark(None)


def test_an_interrupted_shard_goes_on_and_a_damaged_file_is_made_again(tmp_path):
    def interrupted(numbers):
        log = ShardRuns(tmp_path, Shard(1, 1))
        in_parallel(squared, [(number,) for number in numbers], 1, log=log)
        log.end_runs()

    with pytest.raises(KeyboardInterrupt):
        interrupted((1, 2, -1, 4))
    assert CALLS == [1, 2, -1]
    CALLS.clear()
    (first, *_) = sorted((tmp_path / RUNS).iterdir())
    damaged = json.loads(first.read_bytes())["result"]
    first.write_bytes(first.read_bytes()[:-5])
    with pytest.raises(click.exceptions.Exit):
        interrupted((1, 2, 4))
    assert sorted(number * number for number in CALLS) == sorted([damaged, 16])


def without_times(path):
    """The content of a file, but for measured times."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return re.sub(r" +\d+\.\d\d +\|", " time |", text)
    rows = list(csv.DictReader(text.splitlines()))
    assert rows
    return [{name: cell for name, cell in row.items() if name != "seconds"} for row in rows]


def test_merged_shards_are_byte_for_byte_what_one_machine_writes(tmp_path, monkeypatch, capsys):
    options = [
        "--boards", "addition-3-10", "row-17-take-3", "--learners", "random", "q-learning",
        "--quick", "--jobs", "1",
    ]  # fmt: skip
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    # One of them in a process of its own, as on another machine.
    other = subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "optimality", "--shard", "2/2", *options],
        cwd=tmp_path / "parts", env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    monkeypatch.chdir(tmp_path / "whole")
    catalogue.main(["optimality", *options])
    monkeypatch.chdir(tmp_path / "parts")
    capsys.readouterr()
    catalogue.main(["optimality", "--shard", "1/2", *options])
    ended = "its runs are in results/optimality/runs"
    assert f"shard 1/2: {ended}" in capsys.readouterr().out
    printed, error = other.communicate(timeout=300)
    assert other.returncode == 0, error
    assert f"shard 2/2: {ended}" in printed
    there = tmp_path / "parts" / "results" / "optimality"
    # A shard makes no tables.
    assert {path.name for path in there.iterdir()} == {PLAN, RUNS}
    for _ in range(2):  # what was merged can be merged again
        catalogue.main(["merge", "results/optimality"])
    whole = tmp_path / "whole" / "results" / "optimality"
    files = {path.name for path in whole.iterdir()}
    assert files == {"optimality.csv", "optimality.md", "runs.csv"}
    assert {path.name for path in there.iterdir()} == files | {PLAN, RUNS}
    for name in files:
        assert without_times(there / name) == without_times(whole / name)


@pytest.mark.parametrize(
    "name",
    ["generalisation", "learning_speed", "open_track", "optimality", "published", "scaling",
     "throughput"],
)  # fmt: skip
def test_shards_of_every_benchmark_end_before_tables(name, tmp_path, capsys):
    options = ["--quick", "--output", str(tmp_path)]
    catalogue.main([name, *options, "--shard", "999/999"])
    assert "shard 999/999: its runs are in" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {PLAN, RUNS}
    with pytest.raises(SystemExit, match="2"):
        catalogue.main(["merge", str(tmp_path)])
    assert "shard 1/999, 2/999" in capsys.readouterr().err


def test_a_stopped_shard_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def run(*task):
        if CALLS:
            raise KeyboardInterrupt
        CALLS.append(task)
        return optimality.ScoredRun(*task[:3], 1, 0.1, 50.0, 25.0, 1, 8)

    monkeypatch.setattr(optimality, "run", run)
    options = ["--boards", "addition-3-10", "--jobs", "1", "--output", str(tmp_path)]
    with pytest.raises(SystemExit) as caught:
        optimality.main([*options, "--shard=1/2"])
    assert caught.value.code == STOPPED
    assert "the same command goes on with what is left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["optimality", "--shard", "4/3"], ["4/3", "1/N to N/N"]),
        (["optimality", "--shard", "three"], ["three", "1/N to N/N"]),
        (["optimalty"], ["did you mean 'optimality'?", "merge"]),
        (["merge", "{folder}"], ["{folder} has no shards", "--shard 1/20"]),
        (["merge"], ["DIRECTORY"]),
        (["optimality", "--seeds", "1", "--shard", "1/9", "--output", "{folder}/joined"],
         ["shards of another command", "python -m benchmarks optimality --quick --shard 1/9"]),
        (["optimality", "--quick", "--shard", "1/8", "--output", "{folder}/joined"],
         ["shards of another command"]),
    ],
)  # fmt: skip
def test_mistakes_are_named(arguments, named, tmp_path, capsys):
    (tmp_path / "joined").mkdir()
    options = {"boards": str(list(optimality.GAMES)), "learners": str(list(optimality.LEARNERS))}
    plan = Plan("optimality", ["--quick"], {**options, "quick": "True", "seeds": "None"}, 9)
    plan.join(tmp_path / "joined")
    with pytest.raises(SystemExit) as caught:
        catalogue.main([word.format(folder=tmp_path) for word in arguments])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    for words in named:
        assert words.format(folder=tmp_path) in error
