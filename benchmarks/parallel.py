"""Runs in parallel through joblib: on the local cores, or on an existing Ray cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import joblib
from tqdm import tqdm

from benchmarks.report import positive

BACKENDS = ("local", "ray")

Result = TypeVar("Result")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--jobs`` and ``--backend`` to the command line of a benchmark."""
    parser.add_argument(
        "--jobs", type=positive, metavar="N",
        help=f"runs at the same time (default: one a core, {joblib.cpu_count()} here; on Ray as "
        "many as it has room for)",
    )  # fmt: skip
    parser.add_argument(
        "--backend", choices=BACKENDS, default="local",
        help="where runs take place: on the cores of this machine, or on the Ray cluster that "
        "RAY_ADDRESS names or that runs here, whose machines all have this checkout installed "
        "(default: %(default)s)",
    )  # fmt: skip


def in_parallel(
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    options: argparse.Namespace,
) -> list[Result]:
    """Call ``function`` with the arguments of every task, and show how many are done.

    Args:
        function: of a module that workers can import.
        tasks: tuples of its arguments.
        options: with what :func:`add_options` added.

    Returns:
        One result a task, in the order in which they came.

    Raises:
        SystemExit: no Ray cluster is there, or Ray is not installed.
    """
    calls = [joblib.delayed(function)(*task) for task in tasks]
    parallel = _parallel(options.backend, options.jobs)
    return list(tqdm(parallel(calls), total=len(calls), desc="runs", unit="run"))


def _parallel(backend: str, jobs: int | None) -> Any:
    if backend == "local":
        jobs = jobs or joblib.cpu_count()
        return joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    try:
        # Only needed here: Ray is large.
        from benchmarks.ray_tasks import NoClusterError, connect
    except ImportError as error:
        raise SystemExit(f"--backend ray needs Ray: pip install ray ({error})") from error
    try:
        connect()
    except NoClusterError as error:
        raise SystemExit(f"--backend ray: {error}") from error
    # Where there is no limit Ray is given all at once, so that machines may join later.
    return joblib.Parallel(
        n_jobs=jobs or -1,
        backend="ray_tasks",
        return_as="generator_unordered",
        pre_dispatch="n_jobs" if jobs else "all",
    )
