"""Runs of a benchmark: in order, kept when it is stopped, made anew for other code."""

import os
import signal
import subprocess
import sys
import time

import click
import pytest
from click.testing import CliRunner

from benchmarks import __main__ as catalogue
from benchmarks import optimality
from benchmarks.report import read_csv
from benchmarks.runs import STOPPED, Runs, followed
from nim_envs.errors import InvalidGameError
from tests import ROOT

CALLS: list[int] = []


def squared(number):
    """Square a number; -1 stands for Ctrl-C."""
    CALLS.append(number)
    if number == -1:
        raise KeyboardInterrupt
    return number * number


def refused(number):
    """Fail as what a user asks for does."""
    raise InvalidGameError(f"{number} is too large")


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def made(output, *numbers, jobs=1, own=()):
    with Runs(output, jobs, own) as runs:
        return runs(squared, [(number,) for number in numbers])


def stopped(output, *numbers, own=()):
    with pytest.raises(click.exceptions.Exit) as caught:
        made(output, *numbers, -1, own=own)
    assert caught.value.exit_code == STOPPED
    CALLS.clear()


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order_and_are_measured_anew_the_next_time(tmp_path, jobs):
    for _ in range(2):
        assert made(tmp_path, 3, 1, 2, jobs=jobs) == [9, 1, 4]
    # Workers have lists of their own.
    assert len(CALLS) == (6 if jobs == 1 else 0)
    assert not list(tmp_path.rglob("*.pkl"))


def test_what_was_stopped_goes_on_and_other_options_keep_what_they_have(tmp_path, capsys):
    stopped(tmp_path, 2, 3)
    assert "stopped; the same command goes on with what is left\n" in capsys.readouterr().err
    assert made(tmp_path, 2, 5) == [4, 25]
    assert "1 of 2 runs were finished before" in capsys.readouterr().err
    assert made(tmp_path, 3, 5) == [9, 25]
    assert CALLS == [5, 5]


def test_away_from_a_terminal_each_step_is_a_line(capsys):
    assert list(followed([9, 1], "runs", ["nim random", "nim sarsa"])) == [9, 1]
    error = capsys.readouterr().err
    assert error == "runs: 1 of 2 nim random\nruns: 2 of 2 nim sarsa\n"


def test_other_code_is_measured_anew(tmp_path):
    learner = tmp_path / "learner.py"
    learner.write_text("first")
    stopped(tmp_path, 2, own=[learner])
    learner.write_text("second")
    assert made(tmp_path, 2, own=[learner]) == [4]
    assert CALLS == [2]


def test_what_cannot_be_done_is_an_error_of_one_sentence(tmp_path):
    with pytest.raises(click.UsageError, match="7 is too large"), Runs(tmp_path, 1) as runs:
        runs(refused, [(7,)])


LEARNER = """
import time
from pathlib import Path

def learner(env, games, seed):
    (Path(__file__).parent / "begun" / f"{time.time_ns()}").touch()
    time.sleep(0.2)
    return lambda observations, masks: masks / masks.sum(axis=1, keepdims=True)
"""
SEEDS = 8
SECONDS = 120.0
"""Time for a process to begin, or to end, on a busy machine."""


@pytest.fixture
def program(tmp_path):
    """A benchmark of a slow learner in a process group of its own, as a terminal starts it."""
    (tmp_path / "begun").mkdir()
    (tmp_path / "slow.py").write_text(LEARNER)
    words = ["--boards", "addition-3-10", "--learners", "slow:learner", "--seeds", str(SEEDS)]
    paths = [str(tmp_path), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]

    def start():
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.optimality", *words, "--jobs", "2", "--output",
             str(tmp_path / "results")],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    return start


def begun(folder):
    return len(list((folder / "begun").iterdir()))


def wait_until(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def finish(program, folder):
    """Run to the end, and return what is said of runs that were finished before."""
    _, error = (process := program()).communicate(timeout=SECONDS)
    assert process.returncode == 0, error
    rows = read_csv(folder / "results" / "runs.csv")
    assert [row["seed"] for row in rows] == [str(seed) for seed in range(SEEDS)]
    return [line for line in error.splitlines() if "finished before" in line]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.exhaustive
@pytest.mark.parametrize("to_all", [False, True], ids=["program", "terminal"])
def test_ctrl_c_is_answered_in_one_line_and_the_same_command_goes_on(program, tmp_path, to_all):
    process = program()
    # Of two workers, who have finished two then.
    wait_until(lambda: begun(tmp_path) >= 4)
    (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=SECONDS)
    assert process.returncode == STOPPED
    assert error.endswith("stopped; the same command goes on with what is left\n")
    assert "Traceback" not in error
    before = begun(tmp_path)
    (said,) = finish(program, tmp_path)
    assert int(said.split()[0]) >= 2
    assert begun(tmp_path) - before == SEEDS - int(said.split()[0])


class NoLearner:
    """A class without the methods of a learner."""

    def __init__(self, env):
        pass


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--boards", "nim-3-4-5,chess"], ["'chess'", "addition-3-10", "nim-10-10-10"]),
        (["--learners", "oracle"], ["'oracle'", "q-learning", "package.module:Name"]),
        (["--learners", "nowhere:Learner"], ["nowhere"]),
        (["--learners", f"{__name__}:NoLearner"], ["act, update and greedy", "NoLearner object"]),
        (["--seeds", "0"], ["x>=1"]),
        (["--output", __file__], ["is a file"]),
    ],
)
def test_mistakes_are_named_with_what_is_allowed(words, named):
    result = CliRunner().invoke(optimality.main, words)
    assert result.exit_code == 2
    assert all(name in result.stderr for name in named)


def test_the_list_has_a_line_about_every_benchmark_and_each_explains_its_options():
    listed = CliRunner().invoke(catalogue.main, [])
    assert listed.exit_code == 0
    for name in catalogue.PROGRAMS:
        assert name in listed.stdout
        assert len(catalogue.about(name)) > 20
        result = CliRunner().invoke(catalogue.main, [name, "--help"])
        assert result.exit_code == 0
        assert "--output" in result.stdout
    assert CliRunner().invoke(catalogue.main, ["optimalty"]).exit_code == 2
