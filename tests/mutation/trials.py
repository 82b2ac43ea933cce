"""Runs tests in a copy of the checkout: without a fault, to measure, and on each fault."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pytest

from tests.mutation.faults import Mutant
from tests.mutation.forking import NOT_APPLIED, PIPES, Client
from tests.mutation.limits import TIMEOUTS
from tests.mutation.measuring import LINES, Measured

MEMORY_KIB = 8 << 20
PYTEST = (
    "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
    "-o", "addopts=--doctest-modules",
    # Of unsigned integers that wrap around NumPy warns, and compiled code does not.
    "-W", "ignore:overflow encountered:RuntimeWarning",
)  # fmt: skip
LIMITED = ("-p", "tests.mutation.limits")
HOUR = 3600.0
WORDS = {0: "survived", **dict.fromkeys(TIMEOUTS, "timeout")}
"""Of exit codes; any other says that a test failed."""


def started(
    copy: Path,
    *arguments: str,
    pass_fds: tuple[int, ...] = (),
    environment: dict[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a Python module, as after ``python -m``, in a copy of the checkout.

    Args:
        copy: the copy.
        arguments: the module's name and arguments.
        pass_fds: file descriptors that stay open.
        environment: more of its environment.
    """
    limited = f'ulimit -v {MEMORY_KIB}; exec "$@"'
    command = ["bash", "-c", limited, "bash", sys.executable, "-m", *arguments]
    chosen = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy), **(environment or {})}
    with (copy / "tests.log").open("wb") as log:
        return subprocess.Popen(
            command, cwd=copy, env={**os.environ, **chosen}, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True, pass_fds=pass_fds,
        )  # fmt: skip


def ended(process: subprocess.Popen[bytes], seconds: float | None = None) -> int:
    """Return the exit code of a process; one that takes longer is killed."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return TIMEOUTS[0]
    finally:
        # Whatever the tests have started goes with them.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def measure(copy: Path, target: str, tests: list[str]) -> Measured:
    """Run the tests in a copy without a fault."""
    include = target if target.endswith(".py") else f"{target}/*"
    coverage = ("coverage", "run", f"--data-file={LINES}", f"--include={include}", "-m")
    plugin = ("-p", "tests.mutation.measuring")
    # The other ways to trace lines cannot tell tests apart.
    process = started(
        copy, *coverage, *PYTEST, *plugin, *tests, environment={"COVERAGE_CORE": "ctrace"}
    )
    if ended(process) != 0:
        log = (copy / "tests.log").read_text(encoding="utf-8")
        raise click.ClickException(f"the tests fail without any fault:\n{log}")
    return Measured.of(copy)


@contextlib.contextmanager
def collected(copy: Path, tests: list[str]) -> Iterator[Client]:
    """Collect the tests in a copy, to run them on one fault after another."""
    (asked, requests), (answers, answer) = os.pipe(), os.pipe()
    plugins = (*LIMITED, "-p", "tests.mutation.forking", "--capture=sys")
    process = started(
        copy,
        *PYTEST,
        *plugins,
        *tests,
        pass_fds=(asked, answer),
        environment={PIPES: f"{asked} {answer}"},
    )
    os.close(asked)
    os.close(answer)
    try:
        yield Client(requests, answers)
    finally:
        ended(process, 0)


class Trials:
    """Runs tests on faults.

    Args:
        copy: of the checkout.
        client: has collected the tests there.
        measured: what a run without a fault showed.
        tests: arguments of pytest.
    """

    def __init__(self, copy: Path, client: Client, measured: Measured, tests: list[str]) -> None:
        self._copy = copy
        self._client = client
        self._measured = measured
        self._tests = tests

    def check(self) -> None:
        """Raise where tests fail without any fault, the quick ones first."""
        tests = self._measured.quick_first(self._measured.seconds)
        if self._client.run(tests) != 0:
            raise click.ClickException("without any fault the tests fail in another order")

    def by_line(self, mutant: Mutant, source: bytes) -> str:
        """Run the tests that execute the line, as far as is known, with the fault put in memory.

        What was made before, while tests were collected, is as without the fault.

        Returns:
            ``"killed"``, ``"timeout"``, or ``"unnoticed"`` where other tests are left to be run.
        """
        tests = self._measured.tests_of(mutant.path, mutant.line)
        code = self._in_memory(mutant, source, tests or self._measured.seconds)
        return "unnoticed" if code in (0, NOT_APPLIED) else WORDS.get(code, "killed")

    def by_others(self, mutant: Mutant, source: bytes) -> str:
        """Run the tests that did not execute the line, for what was not noticed by those that do.

        What an earlier test left in a cache they may have used without executing it. Where the
        line is executed outside tests too, all tests are run with the fault imported.

        Returns:
            ``"killed"``, ``"timeout"`` or ``"survived"``.
        """
        code = NOT_APPLIED
        if not self._measured.is_outside_tests(mutant.path, mutant.line):
            chosen = self._measured.tests_of(mutant.path, mutant.line)
            rest = self._measured.seconds.keys() - chosen
            code = self._in_memory(mutant, source, rest or chosen)
        if code == NOT_APPLIED:
            code = self._imported(mutant, source)
        return WORDS.get(code, "killed")

    def _in_memory(self, mutant: Mutant, source: bytes, tests: Iterable[str]) -> int:
        """Run tests in a process in which functions are changed."""
        changed = mutant.applied(source).decode()
        return self._client.run(
            self._measured.quick_first(tests), (mutant.path, mutant.line, changed)
        )

    def _imported(self, mutant: Mutant, source: bytes) -> int:
        """Run all tests in a process that imports the module with the fault."""
        module = self._copy / mutant.path
        write_module(module, mutant.applied(source))
        names = self._measured.quick_first(self._measured.seconds)
        (self._copy / "names.txt").write_text("\n".join(names), encoding="utf-8")
        # With the fault, tests may have other names.
        for tests in (["@names.txt"], self._tests):
            code = ended(started(self._copy, *PYTEST, *LIMITED, *tests), HOUR)
            if code not in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
                break
        write_module(module, source)
        return code


def write_module(path: Path, source: bytes) -> None:
    """Write a module; Python must not take what it compiled before, of the same second."""
    path.write_bytes(source)
    for stale in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        stale.unlink()
