"""Training that is stopped: Ctrl-C saves what was learned, and a kill leaves the file that was."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from agents import QLearning
from agents.storage import load
from tests.commands import run_agents as run
from tests.forks import ROOT, Forks

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def test_ctrl_c_saves_what_was_learned_and_says_how_to_go_on(tmp_path):
    agent = tmp_path / "agent.npz"
    process = subprocess.Popen(
        [sys.executable, "-m", "agents", "train", "--game", "nim", "--set", "heaps=4",
         "--games", "100000000", "--output", str(agent), "--save-every", "1000",
         "--plots", str(tmp_path / "plots")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not agent.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("stopped after ")
    assert "agents.train goes on with agents.load" in out.splitlines()[0]
    learned = load(agent)
    assert isinstance(learned, QLearning)
    assert learned.table.any()
    assert (tmp_path / "plots" / "training.png").exists()


PROGRAM = """
import os, signal, sys, threading, time
from agents.cli.main import main
if {seconds}:
    kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
    threading.Timer({seconds}, kill).start()
began = time.perf_counter()
main({words}, standalone_mode=False)
print(time.perf_counter() - began, flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("moments", [4, pytest.param(20, marks=pytest.mark.exhaustive)])
def test_a_killed_training_leaves_a_whole_file(moments, tmp_path):
    path = tmp_path / "agent.zip"
    words = ["train", "--game", "nim", "--set", "heaps=20,20,20", "--output", str(path)]
    assert run([*words, "--games", "100", "--seed", "1"]) == 0
    before, table = path.read_bytes(), load(path).table
    words += ["--save-every", "5000", "--games"]
    with Forks("agents.cli.main") as forks:
        seconds = float(forks.output(PROGRAM.format(seconds=0, words=[*words, "20000"]))[-1])
        for moment in np.linspace(0.1, 1.0, moments):
            path.write_bytes(before)
            # It has saved some times by then, and never ends by itself.
            long = PROGRAM.format(seconds=seconds * moment, words=[*words, "100000000"])
            assert forks.run(long).code == -signal.SIGKILL
            assert load(path).table.shape == table.shape
