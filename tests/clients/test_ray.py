"""Benchmarks on a Ray cluster: a machine may go, and nothing is lost and nothing twice."""

from __future__ import annotations

import csv
import runpy
import shutil
import sys
import tempfile
import threading
import time

import click
import pytest
import ray
from ray.cluster_utils import Cluster

from benchmarks import optimality
from benchmarks.parallel import in_parallel

TASKS = 12
GONE = "gone"


@pytest.fixture
def cluster(monkeypatch):
    """Two machines of one core each, beside a head that computes nothing."""
    # Apart from any cluster that this machine is part of. Sockets need short paths.
    directory = tempfile.mkdtemp(prefix="ray")
    monkeypatch.setenv("RAY_TMPDIR", directory)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    cluster.workers = [cluster.add_node(num_cpus=1) for _ in range(2)]
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    shutil.rmtree(directory, ignore_errors=True)


def squared(number, directory):
    """The square of a number, and a note of who began to compute it.

    Nobody is done before a machine has gone, and that machine never.
    """
    node = ray.get_runtime_context().get_node_id()
    (directory / f"{number}-{node}-{time.time_ns()}").touch()
    while not (directory / GONE).exists() or (directory / GONE).read_text() == node:
        time.sleep(0.05)
    return number, number**2


def notes(directory):
    """Who began to compute what: pairs of number and machine."""
    return [note.name.split("-")[:2] for note in directory.iterdir() if "-" in note.name]


def test_a_machine_that_goes_takes_no_run_with_it(cluster, tmp_path):
    done = []

    def kill_one_when_both_work():
        while len({node for _, node in notes(tmp_path)}) < 2:
            time.sleep(0.05)
        machine = cluster.workers[0]
        # Said first, and whole at once: its run may see it and must not end.
        (tmp_path / "going").write_text(machine.node_id)
        (tmp_path / "going").rename(tmp_path / GONE)
        cluster.remove_node(machine, allow_graceful=False)
        done.append(True)

    killer = threading.Thread(target=kill_one_when_both_work)
    killer.start()
    results = in_parallel(squared, [(number, tmp_path) for number in range(TASKS)], None, "ray")
    killer.join(timeout=60)
    assert done
    assert sorted(results) == [(number, number**2) for number in range(TASKS)]
    # The machine was in the middle of one, which the other made again.
    assert len(notes(tmp_path)) == TASKS + 1
    assert len({node for _, node in notes(tmp_path)}) == 2


def failing(number):
    raise ValueError(f"run {number} failed")


def test_an_error_of_a_run_is_raised_here_and_other_runs_follow(cluster, tmp_path):
    with pytest.raises(ValueError, match="failed"):
        in_parallel(failing, [(number,) for number in range(3)], None, "ray")
    (tmp_path / GONE).touch()
    assert in_parallel(squared, [(3, tmp_path)], 1, "ray") == [(3, 9)]


def scores(path):
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        del row["seconds"]
    return rows


def test_a_benchmark_scores_the_same_on_the_cluster_as_here(cluster, tmp_path, monkeypatch):
    arguments = ["--boards", "addition-3-10", "--learners", "q-learning", "random", "--quick"]
    optimality.main([*arguments, "--output", str(tmp_path / "local")])
    # As a script, whose functions no worker can import by name.
    arguments += ["--backend", "ray", "--output", str(tmp_path / "ray")]
    monkeypatch.setattr(sys, "argv", ["optimality", *arguments])
    monkeypatch.delitem(sys.modules, "benchmarks.optimality")
    runpy.run_module("benchmarks.optimality", run_name="__main__", alter_sys=True)
    assert scores(tmp_path / "ray" / "runs.csv") == scores(tmp_path / "local" / "runs.csv")


def test_without_a_cluster_it_says_what_to_do(monkeypatch):
    # Nobody listens there.
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(click.UsageError, match="ray start --head"):
        in_parallel(squared, [], None, "ray")
