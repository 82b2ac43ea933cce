"""A benchmark that is killed loses no finished run, leaves no process, and goes on where it was."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.report import read_csv
from benchmarks.run_log import NAME
from nim_envs.interrupts import STOPPED

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes of Linux")

BOARDS = ("addition-3-10", "row-17-take-3", "nim-3-4-5", "kayles-7")

LEARNER = """
import os, time
from pathlib import Path

def learner(env, games, seed):
    # A line for each run that is begun, in a file for each worker.
    with open(Path(__file__).parent / "begun" / str(os.getpid()), "a") as file:
        file.write(f"{env.game.summary} {seed}\\n")
    time.sleep(0.25)
    return lambda observations, masks: masks / masks.sum(axis=1, keepdims=True)
"""

SECONDS = 120.0
"""Time for a process to begin, or to end, on a busy machine."""


def begun(folder):
    """Runs that each worker has begun, in their order."""
    return {path.name: path.read_text().splitlines() for path in (folder / "begun").iterdir()}


def finished(output):
    """Runs on disk: those of the file whose lines are whole."""
    path = output / NAME
    found = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            result = json.loads(line)["result"]["benchmarks.optimality:ScoredRun"]
        except ValueError:
            continue
        found.append((result["game"], result["seed"]))
    return found


def processes_of(group):
    """Processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state not in "ZX":
            found.append(path.parent.name)
    return found


def wait_until(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("kills", "seeds"),
    [
        (1, 3),
        pytest.param(2, 3, marks=pytest.mark.exhaustive),
        pytest.param(5, 8, marks=pytest.mark.release),
    ],
)
def test_a_killed_benchmark_loses_nothing_and_leaves_nobody(tmp_path, kills, seeds):
    (tmp_path / "begun").mkdir()
    (tmp_path / "slow.py").write_text(LEARNER)
    from benchmarks.optimality import GAMES

    names = {GAMES[board].make().game.summary: board for board in BOARDS}
    output = tmp_path / "results"
    command = [
        sys.executable, "-m", "benchmarks.optimality", "--boards", *BOARDS, "--learners",
        "slow:learner", "--seeds", str(seeds), "--jobs", "2", "--output", str(output),
    ]  # fmt: skip
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    settings = {
        "cwd": Path(__file__).parents[2],
        "env": {**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }

    def runs(lines):
        return [(names[line.rpartition(" ")[0]], int(line.rpartition(" ")[2])) for line in lines]

    rng = random.Random(0)
    whole, total = [], len(BOARDS) * seeds
    # Signals come to the program alone, and to all of its processes, as Ctrl-C and `timeout` send.
    ways = [(signal.SIGKILL, False), (signal.SIGTERM, True), (signal.SIGINT, False)]
    ways += [(signal.SIGTERM, False), (signal.SIGINT, True)]
    for kill in range(kills):
        before = begun(tmp_path)
        process = subprocess.Popen(command, start_new_session=True, **settings)
        wait_until(lambda earlier=before: begun(tmp_path) != earlier, "no run has begun")
        time.sleep(rng.uniform(0.0, 1.0))
        kind, to_all = ways[kill % len(ways)]
        if to_all:
            os.killpg(process.pid, kind)
        else:
            process.send_signal(kind)
        printed, _ = process.communicate(timeout=SECONDS)
        wait_until(lambda group=process.pid: not processes_of(group), "workers stay")
        there = finished(output)
        # What was there is there, once.
        assert there[: len(whole)] == whole
        assert len(set(there)) == len(there)
        whole = there
        # A worker begins the next run when the one before is on disk, and nothing is made twice.
        for worker, lines in begun(tmp_path).items():
            assert set(runs(lines[:-1])) <= set(whole)
            if worker not in before:
                earlier = {run for one in before.values() for run in runs(one[:-1])}
                assert not earlier & set(runs(lines))
        if kind != signal.SIGKILL:
            assert "Traceback" not in printed
            assert printed.endswith("stopped\n")
            assert process.returncode == STOPPED
            # Stopped after the last run, as tables are made, it leaves them to the next time.
            if 0 < len(whole) < total:
                rows = read_csv(output / "runs.csv")
                assert {(row["game"], int(row["seed"])) for row in rows} == set(whole)
    assert whole, "it was killed too early to show anything"
    last = subprocess.run(command, timeout=300, check=False, **settings)
    assert last.returncode == 0, last.stdout
    assert f"{len(whole)} of {total} runs were finished before" in last.stdout
    rows = read_csv(output / "runs.csv")
    assert sorted((row["game"], int(row["seed"])) for row in rows) == sorted(
        (board, seed) for board in BOARDS for seed in range(seeds)
    )
    counted = Counter(run for lines in begun(tmp_path).values() for run in runs(lines))
    # Two workers, so that no more than two runs were under way at each kill.
    assert sum(counted.values()) <= total + 2 * kills
    assert all(counted[run] >= 1 for run in whole)
    # The next time all is measured anew.
    assert not (output / NAME).exists()
