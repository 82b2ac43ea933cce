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

LONGEST = 1_000
"""Most characters of a call in words."""

STOPS = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop a benchmark."""


class RunLog:
    """A file of finished runs, with a line of JSON for each: the call, its result and its key.

    A benchmark that was stopped goes on with the runs in it: a call of the same function with the
    same arguments, of the same sources, is not made again.

    Args:
        path: the file; it is made with the first run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        root = Path(__file__).resolve().parents[1]
        self._sources = [source_digest(root / package) for package in PACKAGES]
        self._asked: set[str] = set()

    def has_runs(self) -> bool:
        """Return whether it has runs, of whatever options."""
        return any(True for _ in self._lines())

    def depend_on(self, files: Iterable[Path]) -> None:
        """Let runs depend on more files, such as the modules of a learner from elsewhere."""
        self._sources += [hashlib.sha256(file.read_bytes()).digest() for file in files]

    def key(self, function: Callable[..., Any], task: Sequence[Any]) -> str:
        """Return the key of a call, by which its result is found again."""
        self._asked.add(_in_words(function, task))
        return str(joblib.hash((_name(function), tuple(task), self._sources)))

    def results(self, keys: Collection[str]) -> dict[str, Any]:
        """Return the results that it has of calls with these keys."""
        return {
            line["key"]: decoded(line["result"]) for line in self._lines() if line["key"] in keys
        }

    def append(
        self, key: str, function: Callable[..., Any], task: Sequence[Any], result: Any
    ) -> None:
        """Add a finished run; if it cannot be written, a warning is printed."""
        line = {
            "run": _in_words(function, task),
            "result": encoded(result),
            "key": key,
        }
        # The line break before it ends a line of a process that was killed as it wrote.
        text = f"\n{json.dumps(line)}\n".encode()
        try:
            with without_stops(), self.path.open("ab", buffering=0) as file:
                file.write(text)
        except OSError as error:
            reason = error.strerror or error
            click.echo(f"warning: {self.path}: {reason}; a run is not kept there", err=True)

    def result(self, function: Callable[..., Result], *task: Any) -> Result:
        """Return the result of a call: that of the file, or else a new one, which is added."""
        function, key = importable(function), self.key(function, task)
        found: dict[str, Result] = self.results([key])
        if key not in found:
            found[key] = function(*task)
            self.append(key, function, task, found[key])
        return found[key]

    def forget(self) -> None:
        """Remove the runs that were asked for, of whatever sources; those of other options stay."""
        others = [line for line in self._lines() if line["run"] not in self._asked]
        if others:
            text = "".join(f"{json.dumps(line)}\n" for line in others)
            write_atomically(self.path, text.encode())
        else:
            self.path.unlink(missing_ok=True)

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
    held: list[int] = []
    handlers = {each: signal.signal(each, lambda number, _: held.append(number)) for each in STOPS}
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
        if held:
            signal.raise_signal(held[0])


def importable(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function of the running program as other processes import it."""
    if function.__module__ != "__main__" or sys.modules["__main__"].__spec__ is None:
        return function
    module = importlib.import_module(sys.modules["__main__"].__spec__.name)
    found: Callable[..., Result] = getattr(module, function.__qualname__)
    return found


def _in_words(function: Callable[..., Any], task: Sequence[Any]) -> str:
    return f"{_name(function)}{tuple(task)}"[:LONGEST]


def _name(function: Callable[..., Any]) -> str:
    function = importable(function)
    return f"{function.__module__}.{function.__qualname__}"
