"""Compiled functions are kept on disk and follow every change of the sources."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nim_envs import compilation

ROOT = Path(__file__).resolve().parent.parent

CALL = (
    "import numpy as np; from agents.epsilon_greedy import act_epsilon_greedily as _act; "
    "print(_act(np.zeros((1, 2)), np.ones(1, np.int64), 0, np.zeros(1, np.int64), "
    "np.ones(2, np.int8), 1.0, 0.9), end=' '); "
    "print(sum(_act.stats.cache_hits.values()))"
)


def run(checkout):
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_the_cache_is_used_and_never_stale(tmp_path):
    for package in ("nim_envs", "agents"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    assert run(tmp_path) == ["1", "0"]
    assert run(tmp_path) == ["1", "1"]
    # A change in another file than the function's own: Numba alone would miss it.
    selection = tmp_path / "agents" / "selection.py"
    text = selection.read_text(encoding="utf-8")
    changed = text.replace("min(int(uniform * legal), legal - 1)", "0")
    assert changed != text
    selection.write_text(changed, encoding="utf-8")
    assert run(tmp_path) == ["0", "0"]


def test_processes_that_compile_at_the_same_time_write_different_files(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    path = tmp_path / "module.py"
    path.write_text(
        "from nim_envs.compilation import compiled\n@compiled\ndef double(x):\n    return 2 * x\n",
        encoding="utf-8",
    )
    # Neither process has seen what the other has written to the index.
    for argument in (1, 1.5):
        double = runpy.run_path(str(path))["double"]
        assert double(argument) == 2 * argument
        for index in tmp_path.rglob("*.nbi"):
            index.unlink()
    assert len(list(tmp_path.rglob("*.nbc"))) == 2


@pytest.mark.parametrize("slow", [True, False])
def test_compilation_that_takes_long_says_so(slow, monkeypatch, capsys):
    monkeypatch.setattr(compilation, "SILENT_SECONDS", 0.05 if slow else 60.0)
    with compilation.announced_compilation("the moon"):
        time.sleep(0.3 if slow else 0.0)
    said = capsys.readouterr().err
    assert ("compiling the moon" in said) == slow


USE_BATCHES = """
import sys
import nim_envs.kernels as kernels
from nim_envs import make_game
from nim_envs.vector import VectorGameEnv

FUNCTIONS = [one for one in vars(kernels).values() if hasattr(one, "signatures")]

def signatures():
    return sum(len(function.signatures) for function in FUNCTIONS)

opponent = lambda observations, masks, rng: masks.argmax(axis=1)
for more in ({}, {"opponent": 0.5, "seat": "random"}, {"opponent": opponent}):
    for mode in ("NextStep", "SameStep"):
        game = make_game(sys.argv[1], start=sys.argv[2])
        env = VectorGameEnv(game, 3, autoreset_mode=mode, **more)
        made = signatures()
        for seed in (None, 1, [1, None, 2]):
            env.reset(seed=seed, options={"start": "uniform"})
            for _ in range(6):
                env.step(env.sample_actions())
        assert signatures() == made, "something was compiled after construction"
print(sum(sum(function.stats.cache_misses.values()) for function in FUNCTIONS))
"""


def test_the_batched_environment_is_compiled_when_made_and_once_for_all_games():
    compiled = []
    for arguments in (("nim", "fixed"), ("misere_nim", "balanced"), ("addition", "uniform")):
        done = subprocess.run(
            [sys.executable, "-c", USE_BATCHES, *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        compiled.append(int(done.stdout))
    # The first process may find everything on disk already; the others must.
    assert compiled[1:] == [0, 0]
