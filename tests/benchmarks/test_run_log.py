"""Finished runs are on disk, are read back as they were, and are not made again."""

from __future__ import annotations

import json
import math
import os
import signal
import sys

import numpy as np
import pytest

from agents.evaluation.learning_curves import LearningCurve
from agents.training.log import TrainingLog
from benchmarks import entries, optimality, parallel
from benchmarks.as_json import decoded, encoded
from benchmarks.learning_speed import LearningSpeedRun
from benchmarks.learning_speed import main as learning_speed
from benchmarks.parallel import in_parallel
from benchmarks.published.__main__ import main as published
from benchmarks.run_log import RunLog, without_stops
from benchmarks.scaling import BOARDS
from benchmarks.studies.generalisation.__main__ import GeneralisationRun
from benchmarks.studies.generalisation.__main__ import main as generalisation
from benchmarks.studies.open_track.__main__ import main as open_track
from benchmarks.timing import Rate
from nim_envs import GameEnv, make_game
from nim_envs import optimality as score
from nim_envs.interrupts import STOPPED

ENV = GameEnv(make_game("addition"))


def uniform(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def same(one, other):
    """Whether two results have the same types and values throughout."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and math.isnan(one):
        return math.isnan(other)
    if hasattr(one, "__dataclass_fields__"):
        return same(vars(one), vars(other))
    return one == other


NOTHING = TrainingLog(np.empty(0, np.int8), np.empty(0, np.int32), 0.5)
CURVE = LearningCurve(np.arange(3), np.array([0.1, 1 / 3, math.inf]), np.ones(3), NOTHING)

RESULTS = [
    None,
    [1, 2.5, "words", True, None, -0.0, math.inf, math.nan, 0.1 + 0.2],
    (1, (2, [3])),
    {(1, "a"): [np.float64(0.1), np.int64(3), np.float32(0.1), np.bool_(True)], None: {}},
    {"weights": np.random.default_rng(0).normal(size=(3, 1, 2)).astype(np.float32)},
    np.zeros((0, 4), np.int8),
    Rate(1.5, 2.0),
    LearningSpeedRun("board", "learner", 0, CURVE, 2.5),
    GeneralisationRun("nim-5", "random", 0, "x", scores={"b": score(uniform, ENV)}),
    BOARDS[5],
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_results_are_the_same_after_json(result):
    assert same(decoded(json.loads(json.dumps(encoded(result)))), result)


def test_other_objects_are_neither_written_nor_made():
    with pytest.raises(TypeError, match="no result of a benchmark: <object"):
        encoded([object()])
    for name in ("os:system", "subprocess:Popen", "nothing"):
        with pytest.raises(ValueError, match="no result of a benchmark"):
            decoded({name: {"command": "true"}})


def finished(log, *numbers):
    """The results of runs of a benchmark."""
    return in_parallel(squared, [(number,) for number in numbers], 1, log=log)


CALLS = []


def squared(number):
    CALLS.append(number)
    if number < 0:
        raise KeyboardInterrupt
    return [number * number]


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


@pytest.fixture
def log(tmp_path):
    return RunLog(tmp_path / "finished.jsonl")


def test_a_run_is_made_once_until_the_benchmark_is_complete(log):
    assert [finished(log, number) for number in (3, 4, 3)] == [[[9]], [[16]], [[9]]]
    assert CALLS == [3, 4]
    again = RunLog(log.path)
    assert again.has_runs()
    assert finished(again, 4) == [[16]]
    assert CALLS == [3, 4]
    # The run of another command stays.
    again.forget()
    last = RunLog(log.path)
    assert finished(last, 3) == [[9]]
    last.forget()
    assert not log.path.exists()
    assert not last.has_runs()


def test_runs_of_other_sources_are_made_again(log, tmp_path):
    module = tmp_path / "mine.py"
    module.write_text("one = 1")
    log.depend_on([module])
    finished(log, 3)
    for text, calls in (("one = 1", [3]), ("one = 2", [3, 3])):
        module.write_text(text)
        other = RunLog(log.path)
        other.depend_on([module])
        finished(other, 3)
        assert calls == CALLS
    # Both are forgotten.
    other.forget()
    assert not log.path.exists()


def test_the_modules_beside_a_learner_from_elsewhere_are_its_sources(tmp_path, monkeypatch):
    for name in ("learner_from_elsewhere", "its_features"):
        (tmp_path / f"{name}.py").write_text("def make(env): ...")
    (tmp_path / "notes.txt").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    found = [path.name for path in entries.sources("learner_from_elsewhere:make")]
    monkeypatch.delitem(sys.modules, "learner_from_elsewhere")
    assert found == ["its_features.py", "learner_from_elsewhere.py"]


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_line_that_was_cut_short_is_left_out_and_spoils_no_other(log, cut):
    finished(log, 3)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + whole[:-cut])
    finished(log, 4)
    again = RunLog(log.path)
    assert finished(again, 3, 4) == [[9], [16]]
    assert CALLS == [3, 4]


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    log = RunLog(tmp_path / "no folder" / "finished.jsonl")
    assert finished(log, 3) == [[9]]
    assert "a run is not kept there" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", [1, 2])
def test_runs_in_parallel_go_on_where_they_were(log, capsys, jobs):
    assert in_parallel(abs, [(1,), (2,)], jobs, log=log) == [1, 2]
    lines = log.path.read_bytes()
    assert in_parallel(abs, [(2,), (-3,), (1,)], jobs, log=RunLog(log.path)) == [2, 3, 1]
    assert "2 of 3 runs were finished before" in capsys.readouterr().err
    assert log.path.read_bytes().startswith(lines)
    assert log.path.read_bytes().count(b'"run"') == 3


def test_what_was_finished_before_is_returned_even_if_nothing_more_is(log):
    in_parallel(squared, [(5,)], 1, log=log)
    stopped = in_parallel(squared, [(5,), (-1,)], 1, log=RunLog(log.path))
    assert (stopped, stopped.complete) == ([[25]], False)


class LateWorker:
    """Workers that are interrupted at once, of which one finishes a run before it is stopped."""

    def __init__(self, calls):
        self.function, self.arguments, _ = calls[0]

    def __iter__(self):
        raise KeyboardInterrupt

    def close(self):
        self.function(*self.arguments)


def test_what_workers_finish_until_they_are_stopped_is_returned(log, monkeypatch):
    monkeypatch.setattr(parallel, "_parallel", lambda *_: LateWorker)
    assert in_parallel(squared, [(5,), (6,)], 2, log=log) == [[25]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_held_back_until_the_end_of_a_block(number):
    before = signal.signal(number, signal.default_int_handler)
    steps = []

    def stopped():
        with without_stops():
            os.kill(os.getpid(), number)
            steps.append("after the signal")

    try:
        with pytest.raises(KeyboardInterrupt):
            stopped()
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
    assert steps == ["after the signal"]


def handling(number):
    kinds = (signal.SIGINT, signal.SIGTERM)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return [signal.getsignal(kind) is signal.SIG_IGN and kind in blocked for kind in kinds]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_workers_get_no_signal_that_is_for_the_program():
    # From their beginning, which is blocking; a run that were interrupted would be lost.
    assert in_parallel(handling, [(1,), (2,)], 2) == [[True, True]] * 2
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


SMALL = {
    "optimality": (
        optimality.main,
        ("--boards", "addition-3-10", "--learners", "random", "optimal"),
    ),
    "published": (published, ("--systems", "ratio-17-3-500", "bandit-3-10")),
    "learning_speed": (learning_speed, ("--learners", "q-learning", "sarsa")),
    "generalisation": (
        generalisation,
        ("--experiments", "nim-5", "take-3", "--learners", "random"),
    ),
    "open_track": (open_track, ("--tasks", "nim", "--learners", "random", "optimal")),
}


@pytest.mark.parametrize(
    ("name", "runs"),
    # Before and after the first learner of that report, whose first run is of the published ones.
    [*((name, 1) for name in SMALL), ("learning_speed", 2)],
)
def test_benchmarks_stopped_after_a_run_report_it(name, runs, tmp_path, monkeypatch, capsys):
    main, options = SMALL[name]
    ran = []

    def interrupted(function, task, number, key, log):
        if len(ran) == runs:
            raise KeyboardInterrupt
        ran.append(task)
        return logged(function, task, number, key, log)

    logged = parallel._logged
    monkeypatch.setattr(parallel, "_logged", interrupted)
    if name == "learning_speed":
        rates = [["published, improved", 1, 1.0, 1, 1.0, None]]
        monkeypatch.setattr("benchmarks.learning_speed.against_published", lambda *_: rates)
    with pytest.raises(SystemExit) as caught:
        main([*options, "--quick", "--jobs", "1", "--output", str(tmp_path)])
    assert caught.value.code == STOPPED
    printed = capsys.readouterr()
    assert "the same command goes on with what is left" in printed.out
    assert "Traceback" not in printed.err
    assert (tmp_path / "finished.jsonl").read_bytes().count(b'"run"') == runs
    assert (tmp_path / f"{name}.md").exists()
