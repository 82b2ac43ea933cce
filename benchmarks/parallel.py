"""Runs in parallel through joblib: on the local cores, or on an existing Ray cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from multiprocessing import resource_tracker
from typing import Any, TypeVar

import click
import joblib
import tqdm
from joblib.externals.loky.backend import resource_tracker as joblib_tracker

from benchmarks.run_log import STOPS, RunLog, importable, without_stops
from nim_envs.optional import needed
from nim_envs.progress import progress_bar

BACKENDS = ("local", "ray")

BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""Format without tqdm's estimate of the time left, which assumes runs of equal length."""

LEAST_SHARE = 0.1
"""Share of the work after which the time left is shown; compilation distorts it before."""

SECONDS_ALONE = 0.5
"""Seconds after which a worker notices that the program that started it has gone."""

Result = TypeVar("Result")


class Finished(list[Result]):
    """Results in the order of their tasks; ``complete`` says whether none is missing."""

    complete = True


class Runner:
    """The runs of a benchmark: where they take place, and the file of those that have finished.

    Args:
        log: file of finished runs.
        jobs: number of parallel runs; ``None``: as many as the machines have cores.
        backend: one of :data:`BACKENDS`.

    Attributes:
        complete: whether none is missing so far.
    """

    complete = True

    def __init__(self, log: RunLog, jobs: int | None = None, backend: str = "local") -> None:
        self.log = log
        self._jobs, self._backend = jobs, backend

    def __call__(
        self,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        weights: Sequence[float] | None = None,
        desc: str = "runs",
        *,
        alone: bool = False,
        shared: bool = False,
    ) -> list[Result]:
        """Return the results of :func:`in_parallel`, of one run after the other if ``alone``."""
        jobs, backend = (1, "local") if alone else (self._jobs, self._backend)
        results = in_parallel(function, tasks, jobs, backend, weights, desc, self.log, shared)
        self.complete &= results.complete
        return results


def in_parallel(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int | None,
    backend: str = "local",
    weights: Sequence[float] | None = None,
    desc: str = "runs",
    log: RunLog | None = None,
    shared: bool = False,
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
        log: file to which every result is added as soon as it is there, and whose results are
            those of tasks that a benchmark has finished before it was stopped. In a shard only its
            own tasks are done.
        shared: whether later tasks need the results, so that every shard does all of these.

    Returns:
        The results; after Ctrl-C those finished so far, and all workers are stopped.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first result of the benchmark.
        MissingPackageError: the backend is Ray, which is not installed.
        click.UsageError: no Ray cluster is running.
    """
    weights = weights or [1.0] * len(tasks)
    function = importable(function)
    keys = ["" if log is None else log.key(function, task) for task in tasks]
    indices = range(len(tasks)) if log is None else log.own_indices(keys, shared)
    by_index = _earlier(log, keys, indices)
    if by_index:
        click.echo(f"{len(by_index)} of {len(indices)} {desc} were finished before", err=True)
    # So that no core is idle at the end.
    longest_first = sorted(
        (index for index in indices if index not in by_index),
        key=lambda index: -weights[index],
    )
    # Workers on this machine write to the file themselves: what they have finished is not lost on
    # its way here.
    worker_log, main_log = (log, None) if backend == "local" else (None, log)
    calls = [
        joblib.delayed(_logged)(function, tasks[each], each, keys[each], worker_log)
        for each in longest_first
    ]
    parallel = _parallel(jobs, backend)
    bar = progress_bar(
        desc=desc, unit="run", total=len(indices), initial=len(by_index), bar_format=BAR
    )
    total_weight, done = sum(weights[each] for each in longest_first), 0.0
    try:
        # The workers are stopped before an interrupt is answered: what they have finished is in
        # the log then.
        with ExitStack() as workers:
            if os.name == "posix":
                # Starting these processes lets signals through, so they are started before.
                resource_tracker.ensure_running()
                joblib_tracker.ensure_running()
            with without_stops():
                results = workers.enter_context(closing(parallel(calls)))
            for index, result in results:
                if main_log is not None:
                    result = main_log.append(keys[index], function, tasks[index], result)
                by_index[index] = result
                done += weights[index]
                time_left = _time_left(bar.format_dict["elapsed"], done / total_weight)
                bar.set_postfix_str(time_left, refresh=False)
                bar.update()
    except KeyboardInterrupt:
        by_index.update(_earlier(log, keys, indices))
        if not by_index and (log is None or not log.reportable):
            raise
    finally:
        bar.close()
    if log is not None:
        log.reportable |= bool(by_index)
    finished = Finished(by_index[index] for index in sorted(by_index))
    finished.complete = len(finished) == len(indices)
    return finished


def _earlier(log: RunLog | None, keys: Sequence[str], indices: Sequence[int]) -> dict[int, Any]:
    """Return the results that the log has of these tasks, by their indices."""
    results = {} if log is None else log.results([keys[index] for index in indices])
    return {index: results[keys[index]] for index in indices if keys[index] in results}


def _logged(
    function: Callable[..., Result],
    task: tuple[Any, ...],
    index: int,
    key: str,
    log: RunLog | None,
) -> tuple[int, Result]:
    """The index of a task with its result, as results come in any order."""
    result = function(*task)
    if log is not None:
        result = log.append(key, function, task, result)
    return index, result


def _time_left(elapsed: float, share: float) -> str:
    """The estimated time left in words; empty before ``LEAST_SHARE`` of the work."""
    if share < LEAST_SHARE:
        return ""
    minutes, seconds = divmod(round(elapsed * (1 - share) / share), 60)
    return f"about {minutes}:{seconds:02} left"


def _end_with(parent: int) -> None:
    """Let this worker end soon after the process that started it, even if that was killed.

    A terminal sends Ctrl-C to all of its processes: this one ignores it, and SIGTERM.

    Args:
        parent: id of that process.
    """
    for kind in STOPS:
        signal.signal(kind, signal.SIG_IGN)
    # The default is a lock for several processes, which a worker that is killed would leave behind.
    tqdm.tqdm.set_lock(threading.RLock())

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_ALONE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _parallel(jobs: int | None, backend: str) -> Any:
    if backend == "local":
        jobs = jobs or joblib.cpu_count()
        return joblib.Parallel(
            n_jobs=jobs, return_as="generator_unordered", initializer=_end_with,
            initargs=(os.getpid(),),
        )  # fmt: skip
    needed("benchmarks.ray_tasks", "--backend ray", "ray").connect()
    # Without a limit Ray gets all tasks at once, so that machines may join later.
    return joblib.Parallel(
        n_jobs=jobs or -1,
        backend="ray_tasks",
        return_as="generator_unordered",
        pre_dispatch="n_jobs" if jobs else "all",
    )
