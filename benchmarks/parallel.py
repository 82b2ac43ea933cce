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
"""Format without tqdm's estimate of the time left, which assumes runs of equal length."""

LEAST_SHARE = 0.1
"""Share of the work after which the time left is shown; compilation distorts it before."""

Result = TypeVar("Result")


class Finished(list[Result]):
    """Results in the order of their tasks; ``complete`` says whether none is missing."""

    complete = True


def parallel_options(command: Callable[..., bool]) -> Callable[..., bool]:
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
    return cast("Callable[..., bool]", count_option("--jobs", jobs)(command))


def in_parallel(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int | None,
    backend: str = "local",
    weights: Sequence[float] | None = None,
    desc: str = "runs",
) -> Finished[Result]:
    """Call ``function`` with the arguments of every task, the longest first, with a progress bar.

    Args:
        function: function of a module that workers can import.
        tasks: tuples of its arguments.
        jobs: number of parallel calls; ``None``: as many as the machines have cores.
        backend: one of :data:`BACKENDS`.
        weights: relative times of the tasks, for their order and the estimate of the time left; by
            default equal.
        desc: title of the progress bar.

    Returns:
        The results; after Ctrl-C those finished so far, and all workers are stopped.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first result.
        MissingPackageError: the backend is Ray, which is not installed.
        click.UsageError: no Ray cluster is running.
    """
    weights = weights or [1.0] * len(tasks)
    # So that no core is idle at the end.
    longest_first = sorted(range(len(tasks)), key=lambda number: -weights[number])
    calls = [joblib.delayed(_numbered)(function, tasks[each], each) for each in longest_first]
    parallel = _parallel(jobs, backend)
    found: dict[int, Result] = {}
    with _workers_without_interrupts():
        results = parallel(calls)
    bar = progress_bar(desc=desc, unit="run", total=len(calls), bar_format=BAR)
    done = 0.0
    try:
        for number, result in results:
            found[number] = result
            done += weights[number]
            left = _time_left(bar.format_dict["elapsed"], done / sum(weights))
            bar.set_postfix_str(left, refresh=False)
            bar.update()
    except KeyboardInterrupt:
        if not found:
            raise
    finally:
        bar.close()
        # Stops the remaining workers.
        results.close()
    finished = Finished(found[number] for number in sorted(found))
    finished.complete = len(finished) == len(calls)
    return finished


def _numbered(
    function: Callable[..., Result], task: tuple[Any, ...], number: int
) -> tuple[int, Result]:
    """The number of a task with its result, as results come in any order."""
    return number, function(*task)


def _time_left(elapsed: float, share: float) -> str:
    """The estimated time left in words; empty before ``LEAST_SHARE`` of the work."""
    if share < LEAST_SHARE:
        return ""
    minutes, seconds = divmod(round(elapsed * (1 - share) / share), 60)
    return f"about {minutes}:{seconds:02} left"


@contextmanager
def _workers_without_interrupts() -> Iterator[None]:
    """Let processes started here ignore Ctrl-C, which a terminal sends to all its processes."""
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
    needed("benchmarks.ray_tasks", "--backend ray", "ray").connect()
    # Without a limit Ray gets all tasks at once, so that machines may join later.
    return joblib.Parallel(
        n_jobs=jobs or -1,
        backend="ray_tasks",
        return_as="generator_unordered",
        pre_dispatch="n_jobs" if jobs else "all",
    )
