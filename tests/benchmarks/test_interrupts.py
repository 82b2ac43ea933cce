"""Ctrl-C ends a program with one line and keeps what is finished; logs stay short."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time

import pytest

from benchmarks import __main__ as catalogue
from benchmarks import optimality
from benchmarks.parallel import in_parallel
from nim_envs import progress
from nim_envs.interrupts import STOPPED, stop_without_traceback


def first_or_stop(number):
    if number:
        raise KeyboardInterrupt
    return number


def test_finished_results_are_kept():
    finished = in_parallel(first_or_stop, [(0,), (1,), (2,)], jobs=1)
    assert (finished, finished.complete) == ([0], False)
    whole = in_parallel(abs, [(-1,), (2,)], jobs=1)
    assert (whole, whole.complete) == ([1, 2], True)
    assert in_parallel(abs, [], jobs=1).complete
    with pytest.raises(KeyboardInterrupt):
        in_parallel(first_or_stop, [(1,)], jobs=1)


def test_a_stopped_benchmark_writes_what_it_has_and_says_so(tmp_path, capsys, monkeypatch):
    ran = []

    def run(*task):
        if ran:
            raise KeyboardInterrupt
        ran.append(task)
        return optimality.ScoredRun(*task[:3], 1, 0.1, 50.0, 25.0, 1, 8)

    monkeypatch.setattr(optimality, "run", run)
    arguments = ["--boards", "addition-3-10", "--jobs", "1", "--output", str(tmp_path)]
    with pytest.raises(SystemExit) as caught:
        optimality.main(arguments)
    assert caught.value.code == STOPPED
    printed = capsys.readouterr()
    assert f"what was finished is in {tmp_path}" in printed.out
    assert printed.err.endswith("stopped\n")
    assert "Traceback" not in printed.err
    rows = (tmp_path / "optimality.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 2


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("package", "kind"),
    [
        ("nim_envs", signal.SIGINT),
        ("agents", signal.SIGTERM),
        ("benchmarks.optimality", signal.SIGINT),
        ("benchmarks.optimality", signal.SIGTERM),
    ],
)
def test_ctrl_c_during_imports_is_one_line_and_so_is_sigterm(package, kind):
    # The import of a package of the first imports takes for ever, so that the signal comes within.
    code = (
        "import runpy, sys, time\n"
        f"sys.orig_argv = [sys.executable, '-m', {package!r}]\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'gymnasium':\n"
        "            print('importing', flush=True); time.sleep(60)\n"
        "sys.meta_path.insert(0, Slow())\n"
        f"runpy.run_module({package!r}, run_name='__main__')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    process.send_signal(kind)
    _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (STOPPED, "stopped\n")


@pytest.fixture
def _sigterm_as_it_was():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("_sigterm_as_it_was")
def test_importing_programs_keep_what_they_do_at_signals(monkeypatch):
    monkeypatch.setattr(sys, "excepthook", before := object())
    for words in (["python", "train.py"], ["python", "-m", "pytest", "nim_envs"], ["python", "-m"]):
        monkeypatch.setattr(sys, "orig_argv", words)
        stop_without_traceback()
        assert sys.excepthook is before
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    monkeypatch.setattr(sys, "orig_argv", ["python", "-W", "error", "-m", "agents", "train"])
    stop_without_traceback()
    assert sys.excepthook is not before
    assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler


def test_a_file_gets_a_line_of_progress_in_ten_seconds_at_most(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    bar = progress.progress_bar(desc="games", unit="game", total=1000)
    # tqdm has its own reference to the clock.
    bar._time = time.time
    bar.start_t = bar.last_print_t = 0.0
    for _ in range(1000):
        now[0] += 0.1
        bar.update()
    bar.close()
    # A hundred seconds: the first line, one in ten seconds, and the last.
    assert log.getvalue().count("\r") <= 12
    assert "1000/1000" in log.getvalue()


def test_the_list_names_every_benchmark_and_what_it_is_about():
    listed = catalogue.programs()
    assert {"optimality", "published", "learning_speed", "throughput", "deep"} <= set(listed)
    assert "parallel" not in listed
    assert all(len(text) > 20 for text in listed.values())


def test_the_matrix_fits_a_screen():
    runs = [
        optimality.ScoredRun(game, learner, seed, 5000, 0.1, 100.0 - seed, 25.0, 1, 8)
        for game in optimality.GAMES
        for learner in optimality.LEARNERS
        for seed in range(2)
        if (game, learner) != ("kayles-7", "sarsa")
    ]
    lines = optimality.matrix(optimality.summary(runs)).splitlines()
    assert max(map(len, lines)) <= 100
    sarsa = next(line for line in lines if line.startswith("sarsa"))
    column = list(optimality.GAMES).index("kayles-7")
    assert sarsa.split()[1 + column] == "-"
    assert sarsa.split()[1] == "99.5"
    assert "nim-10-10-10, 5,000 games from uniform starts" in "\n".join(lines)
