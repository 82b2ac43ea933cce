"""Benchmarks on a Ray cluster: the program of the manual scores as one machine does."""

import re
import shutil
import tempfile
import time

import joblib
import pytest
import ray
from ray.cluster_utils import Cluster

from benchmarks import optimality
from benchmarks.report import read_csv
from benchmarks.runs import Runs
from tests import ROOT

PAGE = ROOT / "docs" / "commands.md"


@pytest.fixture
def _cluster(monkeypatch):
    """Two machines of one core each, beside a head that computes nothing."""
    # Apart from any cluster that this machine is part of. Sockets need short paths.
    directory = tempfile.mkdtemp(prefix="ray")
    monkeypatch.setenv("RAY_TMPDIR", directory)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield
    ray.shutdown()
    cluster.shutdown()
    shutil.rmtree(directory, ignore_errors=True)


def scores(path):
    return [
        {name: cell for name, cell in row.items() if name != "seconds"} for row in read_csv(path)
    ]


def place(number):
    """Return the machine on which this runs."""
    time.sleep(0.5)
    return number, ray.get_runtime_context().get_node_id()


@pytest.mark.usefixtures("_cluster")
def test_a_benchmark_scores_the_same_on_two_workers_as_here(tmp_path):
    options = ["--boards", "addition-3-10", "--learners", "q-learning,random", "--quick"]
    here, there = ([*options, "--output", str(tmp_path / name)] for name in ("here", "there"))
    optimality.main.main(here, standalone_mode=False)
    (program,) = re.findall(r"```python\n(import joblib, ray.*?)```", PAGE.read_text(), re.DOTALL)
    assert 'ray_remote_args={"num_cpus": 1}' in program
    assert "main([])" in program
    exec(program.replace("main([])", f"main.main({there!r}, standalone_mode=False)"), {})
    # A core for each worker, as in the program; without it all may be on one machine.
    one_core = {"num_cpus": 1}
    with (
        joblib.parallel_config(backend="ray", ray_remote_args=one_core),
        Runs(tmp_path) as runs,
    ):
        numbers, places = zip(*runs(place, [(number,) for number in range(6)]), strict=True)
    assert numbers == tuple(range(6))
    assert len(set(places)) == 2
    assert scores(tmp_path / "there" / "runs.csv") == scores(tmp_path / "here" / "runs.csv")
