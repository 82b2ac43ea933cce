"""Compiled functions are kept on disk and follow every change of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
