"""Finished runs of a benchmark on disk: each is appended as it ends, and is not made again."""

from __future__ import annotations

import hashlib
import importlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import click
import joblib

from benchmarks.as_json import PACKAGES, decoded, encoded
from nim_envs.compilation import source_digest
from nim_envs.files import write_atomically

Result = TypeVar("Result")

NAME = "finished.jsonl"
"""Name of the file among the results of a benchmark."""

LONGEST_CALL = 1_000
"""Maximum length of a call in words, in characters."""

STOPS = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop a benchmark."""


class RunLog:
    """A file of finished runs, with a line of JSON for each: the call, its result and its key.

    A benchmark that was stopped goes on with the runs in it: a call of the same function with the
    same arguments, of the same sources, is not made again.

    Args:
        path: the file; it is made with the first run.

    Attributes:
        reportable: whether the benchmark that is running has any result so far.
    """

    reportable = False

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        root = Path(__file__).resolve().parents[1]
        self._sources = [source_digest(root / package) for package in PACKAGES]
        self._requested: set[str] = set()

    def has_runs(self) -> bool:
        """Return whether it has runs, of whatever options."""
        return any(True for _ in self._lines())

    def depend_on(self, files: Iterable[Path]) -> None:
        """Let runs depend on more files, such as the modules of a learner of the user's own."""
        self._sources += [hashlib.sha256(file.read_bytes()).digest() for file in files]

    def key(self, function: Callable[..., Any], task: Sequence[Any]) -> str:
        """Return the key of a call, by which its result is found again."""
        self._requested.add(_in_words(function, task))
        # Where a run writes changes nothing of its result.
        arguments = ["" if isinstance(each, Path) else each for each in task]
        return str(joblib.hash((_name(function), arguments, self._sources)))

    def results(self, keys: Collection[str]) -> dict[str, Any]:
        """Return the results that it has of calls with these keys."""
        return {
            line["key"]: decoded(line["result"]) for line in self._lines() if line["key"] in keys
        }

    def own_indices(self, keys: Sequence[str], shared: bool = False) -> Sequence[int]:
        """Return the indices, among a benchmark's next runs, of those of this process: all.

        Args:
            keys: keys of the runs.
            shared: whether other runs need their results, so that every shard has them all.
        """
        return range(len(keys))

    def end_runs(self) -> None:
        """End the runs, before their tables are made.

        Raises:
            click.exceptions.Exit: they are a shard's, whose tables are made when shards are merged.
            KeyboardInterrupt: they are a shard's, and not all of them have finished.
            click.UsageError: shards are merged, and one is missing.
        """

    def append(
        self, key: str, function: Callable[..., Any], task: Sequence[Any], result: Result
    ) -> Result:
        """Add a finished run, and return its result; if it cannot be written, print a warning."""
        line = {
            "run": _in_words(function, task),
            "result": encoded(result),
            "key": key,
        }
        try:
            with without_stops():
                self._write(key, json.dumps(line))
        except OSError as error:
            reason = error.strerror or error
            click.echo(f"warning: {self.path}: {reason}; a run is not kept there", err=True)
        return result

    def forget(self) -> None:
        """Remove the runs that were asked for, of whatever sources; those of other options stay."""
        others = [line for line in self._lines() if line["run"] not in self._requested]
        if others:
            text = "".join(f"{json.dumps(line)}\n" for line in others)
            write_atomically(self.path, text.encode())
        else:
            self.path.unlink(missing_ok=True)

    def _write(self, key: str, line: str) -> None:
        # The line break before it ends a line of a process that was killed as it wrote.
        with self.path.open("ab", buffering=0) as file:
            file.write(f"\n{line}\n".encode())

    def _lines(self) -> Iterator[dict[str, str]]:
        """Yield the lines of the file, but those whose writers were killed."""
        content = self.path.read_bytes() if self.path.exists() else b""
        for line in content.splitlines():
            with suppress(ValueError):
                yield json.loads(line)


@contextmanager
def without_stops() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM until the end of the block; its new processes get neither."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals: list[int] = []
    handlers = {
        each: signal.signal(each, lambda number, _: signals.append(number)) for each in STOPS
    }
    blocking = hasattr(signal, "pthread_sigmask")  # not on Windows
    # Handlers are this process's alone, what is blocked is so in its children too.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS) if blocking else ()
    try:
        yield
    finally:
        if blocking:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for each, handler in handlers.items():
            signal.signal(each, handler)
        if signals:
            signal.raise_signal(signals[0])


def importable(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function of the running program as other processes import it."""
    if function.__module__ != "__main__" or sys.modules["__main__"].__spec__ is None:
        return function
    module = importlib.import_module(sys.modules["__main__"].__spec__.name)
    imported: Callable[..., Result] = getattr(module, function.__qualname__)
    return imported


def _in_words(function: Callable[..., Any], task: Sequence[Any]) -> str:
    return f"{_name(function)}{tuple(task)}"[:LONGEST_CALL]


def _name(function: Callable[..., Any]) -> str:
    function = importable(function)
    return f"{function.__module__}.{function.__qualname__}"
