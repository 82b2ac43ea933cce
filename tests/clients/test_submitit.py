"""The manual's program for submitit starts every shard, here by its executor for one machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.__main__ import main
from benchmarks.report import read_csv

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--boards", "addition-3-10", "--learners", "random", "q-learning", "--quick", "--jobs=1"]


def test_the_program_of_the_manual_makes_all_shards(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    for written, small in (
        ("shards = 20", "shards = 2"),
        ('"optimality",', f'"optimality", *{SMALL},'),
    ):
        assert written in program
        program = program.replace(written, small)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    # submitit pickles what it runs; a program is run as a program.
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("its runs are in results/optimality/runs") >= 2
    monkeypatch.chdir(tmp_path)
    main(["merge", "results/optimality"])
    runs = read_csv(Path("results/optimality/runs.csv"))
    assert [(run["learner"], run["seed"]) for run in runs] == [
        ("q-learning", "0"), ("q-learning", "1"), ("random", "0"),
    ]  # fmt: skip
