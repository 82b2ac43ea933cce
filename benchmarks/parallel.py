"""Runs in parallel through joblib: on the local cores, or on an existing Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import click
import joblib
from tqdm import tqdm

from benchmarks.command_line import count_option
from nim_envs.optional import needed

BACKENDS = ("local", "ray")

Result = TypeVar("Result")


def parallel_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--jobs`` and ``--backend`` to the command of a benchmark."""
    command = click.option(
        "--backend", type=click.Choice(BACKENDS), default="local", show_default=True,
        help="Where runs take place: on the cores of this machine, or on the Ray cluster that "
        "RAY_ADDRESS names or that runs here, whose machines all have this checkout installed.",
    )(command)  # fmt: skip
    jobs = (
        f"Runs at the same time (default: all {joblib.cpu_count()} cores; on Ray as many as "
        "it has room for)"
    )
    return cast("Callable[..., None]", count_option("--jobs", jobs)(command))


def in_parallel(
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    jobs: int | None,
    backend: str,
) -> list[Result]:
    """Call ``function`` with the arguments of every task, and show how many are done.

    Args:
        function: of a module that workers can import.
        tasks: tuples of its arguments.
        jobs: runs at the same time; ``None`` for as many as the machines can take.
        backend: one of :data:`BACKENDS`.

    Returns:
        One result for each task, in the order in which they were given.

    Raises:
        MissingPackageError: Ray is asked for and not installed.
        click.UsageError: no Ray cluster is there.
    """
    calls = [joblib.delayed(function)(*task) for task in tasks]
    parallel = _parallel(jobs, backend)
    return list(tqdm(parallel(calls), total=len(calls), desc="runs", unit="run"))


def _parallel(jobs: int | None, backend: str) -> Any:
    if backend == "local":
        jobs = jobs or joblib.cpu_count()
        return joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    ray_tasks = needed("benchmarks.ray_tasks", "--backend ray", extra="ray")
    try:
        ray_tasks.connect()
    except ray_tasks.NoClusterError as error:
        raise click.UsageError(f"--backend ray: {error}") from error
    # Without a limit Ray is given all tasks at once, so that machines may join later.
    return joblib.Parallel(
        n_jobs=jobs or -1,
        backend="ray_tasks",
        return_as="generator_unordered",
        pre_dispatch="n_jobs" if jobs else "all",
    )
