"""Runs of a benchmark, in parallel; joblib keeps their results until the tables are written."""

import multiprocessing
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import click
import joblib
from joblib.parallel import get_active_backend
from tqdm import tqdm

from benchmarks.report import machine
from nim_envs.cli.options import STOPPED
from nim_envs.errors import NimEnvsError

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("nim_envs", "agents", "benchmarks")

Result = TypeVar("Result")


class Runs(AbstractContextManager["Runs"]):
    """The runs of a benchmark: calls of plain functions with plain arguments.

    Each result is kept in ``DIRECTORY/runs`` until the ``with`` block, in which the tables are
    written, has ended. So a benchmark that was stopped goes on where it was. A result counts only
    for the sources and the machine that made it.

    Args:
        output: directory of the benchmark's results.
        jobs: number of runs at the same time; ``None``: as many as there are cores. They take place
            on the backend of :func:`joblib.parallel_config`, by default processes of this machine.
        own: modules of learners of the user's own.
    """

    def __init__(self, output: Path, jobs: int | None = None, own: Iterable[Path] = ()) -> None:
        output.mkdir(parents=True, exist_ok=True)
        self._output, self._jobs = output, jobs or -1
        self._memory = joblib.Memory(output.resolve() / "runs", verbose=0)
        self._call = self._memory.cache(result_of)
        self._calls: list[tuple[str, tuple[Any, ...], str]] = []
        files = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]
        sources = [path.read_bytes() for path in (*files, *own)]
        self._sources = str(joblib.hash([machine(), *sources]))

    def __call__(
        self,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        *,
        alone: bool = False,
    ) -> list[Result]:
        """Return the results of a function for each tuple of arguments, in their order.

        With ``alone`` one run follows the other, as their times are compared.
        """
        name = f"{_importable(function.__module__)}:{function.__qualname__}"
        calls = [(name, task, self._sources) for task in tasks]
        self._calls += calls
        finished = sum(self._call.check_call_in_cache(*each) for each in calls)
        if finished:
            click.echo(f"{finished} of {len(calls)} runs were finished before", err=True)
        # Not every backend, such as Ray's, returns a result before all have finished.
        backend, _ = get_active_backend()
        results = joblib.Parallel(
            n_jobs=1 if alone else self._jobs,
            return_as="generator" if backend.supports_return_generator else "list",
        )(joblib.delayed(self._call)(*each) for each in calls)
        names = [" ".join(str(each) for each in task if isinstance(each, str)) for task in tasks]
        return list(followed(results, "runs", names))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Forget the results if all has gone well; otherwise say how to go on.

        Raises:
            click.exceptions.Exit: the benchmark was stopped by Ctrl-C.
            click.UsageError: what the user has asked for is not possible.
        """
        if isinstance(error, KeyboardInterrupt):
            click.echo("stopped; the same command goes on with what is left", err=True)
            raise click.exceptions.Exit(STOPPED) from None
        if isinstance(error, NimEnvsError):
            raise click.UsageError(str(error)) from error
        if error is None:
            for call in self._calls:
                if self._call.check_call_in_cache(*call):
                    self._call.call_and_shelve(*call).clear()
            if not self._memory.store_backend.get_items():  # none of other options, left for later
                shutil.rmtree(self._output / "runs")
            click.echo(f"\nwritten to {self._output}")


def followed(results: Iterable[Result], title: str, names: Sequence[str]) -> Iterator[Result]:
    """Yield results as they come: with a bar on a terminal, elsewhere with a line for each."""
    with tqdm(desc=title, total=len(names), unit="run", disable=None) as bar:
        for number, (name, result) in enumerate(zip(names, results, strict=True), 1):
            bar.update()
            if bar.disable:
                click.echo(f"{title}: {number} of {len(names)} {name}".rstrip(), err=True)
            yield result


def result_of(name: str, arguments: tuple[Any, ...], sources: str) -> Any:
    """Return the result of a function, named ``"module:function"``, of these sources' digest."""
    if multiprocessing.parent_process() and threading.current_thread() is threading.main_thread():
        # Ctrl-C is answered by the main process, which ends its workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The default is a semaphore of the system, which a worker that is stopped would leave behind.
    tqdm.set_lock(threading.RLock())
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)(*arguments)


def _importable(module: str) -> str:
    """Return the name by which another process imports a module, which may be running here."""
    spec = sys.modules[module].__spec__ if module == "__main__" else None
    return module if spec is None else spec.name
