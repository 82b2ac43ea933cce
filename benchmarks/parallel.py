"""Runs in parallel through joblib: on the local cores, or on an existing Ray cluster."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import click
import joblib

from benchmarks.command_line import count_option
from nim_envs.optional import needed
from nim_envs.progress import progress_bar

BACKENDS = ("local", "ray")

BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""Without the usual estimate, which takes all runs to be alike."""

LEAST_SHARE = 0.1
"""Before this share of the work is done nothing is said of the time left: compiling is in it."""

Result = TypeVar("Result")


class Finished(list[Result]):
    """Results, in the order in which they came; ``complete`` says whether they are all there."""

    complete = True


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
    tasks: Sequence[tuple[Any, ...]],
    jobs: int | None,
    backend: str = "local",
    weights: Sequence[float] | None = None,
) -> Finished[Result]:
    """Call ``function`` with the arguments of every task, and show how many are done.

    Args:
        function: of a module that workers can import.
        tasks: tuples of its arguments.
        jobs: runs at the same time; ``None`` for as many as the machines can take.
        backend: one of :data:`BACKENDS`.
        weights: how long the tasks take, compared with each other, for the time that is left; all
            alike if not given.

    Returns:
        The results; after Ctrl-C those that there are, and then no worker is left.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first result.
        MissingPackageError: Ray is asked for and not installed.
        click.UsageError: no Ray cluster is there.
    """
    weighted = list(zip(tasks, weights or [1.0] * len(tasks), strict=True))
    calls = [joblib.delayed(_weighed)(function, task, weight) for task, weight in weighted]
    whole = sum(weight for _, weight in weighted)
    parallel = _parallel(jobs, backend)
    finished: Finished[Result] = Finished()
    with _workers_without_interrupts():
        results = parallel(calls)
    bar = progress_bar(desc="runs", unit="run", total=len(calls), bar_format=BAR)
    done = 0.0
    try:
        for result, weight in results:
            finished.append(result)
            done += weight
            bar.set_postfix_str(_time_left(bar.format_dict["elapsed"], done / whole), refresh=False)
            bar.update()
    except KeyboardInterrupt:
        if not finished:
            raise
    finally:
        bar.close()
        # Ends the workers that are left.
        results.close()
    finished.complete = len(finished) == len(calls)
    return finished


def _weighed(
    function: Callable[..., Result], task: tuple[Any, ...], weight: float
) -> tuple[Result, float]:
    """The result of a task beside its weight, as results come in any order."""
    return function(*task), weight


def _time_left(elapsed: float, share: float) -> str:
    """How long the rest takes in words, once enough is done to tell."""
    if share < LEAST_SHARE:
        return ""
    minutes, seconds = divmod(round(elapsed * (1 - share) / share), 60)
    return f"about {minutes}:{seconds:02} left"


@contextmanager
def _workers_without_interrupts() -> Iterator[None]:
    """Let the processes that are started here ignore Ctrl-C, which reaches all of a terminal's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _parallel(jobs: int | None, backend: str) -> Any:
    if backend == "local":
        jobs = jobs or joblib.cpu_count()
        return joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    ray_tasks = needed("benchmarks.ray_tasks", "--backend ray")
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
