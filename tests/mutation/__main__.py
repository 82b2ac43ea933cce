"""Mutation testing: small faults are put into modules, and their tests should notice.

    python -m tests.mutation nim_envs/rules --mutants 300

puts 300 faults chosen at random, one at a time, into the modules of ``nim_envs/rules`` and runs the
tests of the same folder under ``tests``, and the modules' own examples, on each: first those that
execute the line, and, if none of them notices, all. A fault that no test notices survives; it is
printed as a diff, and either changes nothing that a user could see or asks for a test. Started
again, a run goes on where it stopped.

All of this happens in a copy of the checkout. Compiled functions run as plain Python there
(``NUMBA_DISABLE_JIT``), so that a fault in one need not be compiled; what Numba alone can run,
such as an implementation chosen by the types of the arguments, cannot be tested so. A test that
takes far longer than without the fault, or more memory than is allowed, has noticed it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import pytest

from tests.mutation.faults import Finder, Mutant
from tests.mutation.forking import NOT_APPLIED, PIPES, Client
from tests.mutation.limits import TIMEOUTS
from tests.mutation.measuring import LINES, Measured

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "results" / "mutation"
MEMORY_KIB = 8 << 20
PYTEST = (
    "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
    "-o", "addopts=--doctest-modules",
)  # fmt: skip
LIMITED = ("-p", "tests.mutation.limits")
HOUR = 3600.0
WORDS = {0: "survived", **dict.fromkeys(TIMEOUTS, "timeout")}
"""Of exit codes; any other says that a test failed."""


def modules(target: str) -> list[str]:
    """Return the modules of a file or folder, by their paths in the checkout."""
    path = ROOT / target
    found = [path] if path.is_file() else sorted(path.rglob("*.py"))
    if not found:
        raise click.BadParameter(f"there are no modules in {target!r}")
    return [module.relative_to(ROOT).as_posix() for module in found]


def usual_tests(target: str) -> list[str]:
    """Return the tests that mirror ``target``, and its own examples."""
    path = Path("tests") / target
    mirrored = path.with_name(f"test_{path.name}") if path.suffix else path
    if not (ROOT / mirrored).exists():
        raise click.BadParameter(f"there is no {mirrored}; name the tests with --tests")
    return [mirrored.as_posix(), target]


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
        """Run the tests that execute the line; all, where the module has to be imported anew.

        Returns:
            ``"killed"``, ``"timeout"``, ``"survived"``, or ``"unnoticed"`` where other tests are
            left to be run.
        """
        tests = self._measured.tests_of(mutant.path, mutant.line)
        code = self._in_memory(mutant, source, tests) if tests else NOT_APPLIED
        if code == NOT_APPLIED:
            return WORDS.get(self._imported(mutant, source), "killed")
        return "unnoticed" if code == 0 else WORDS.get(code, "killed")

    def by_others(self, mutant: Mutant, source: bytes) -> str:
        """Run the tests that did not execute the line.

        What an earlier test left in a cache they may have used without executing it.
        """
        chosen = self._measured.tests_of(mutant.path, mutant.line)
        rest = self._measured.seconds.keys() - chosen
        code = self._in_memory(mutant, source, rest) if rest else 0
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


def copy_of_checkout(folder: Path) -> Path:
    """Return a copy of the checkout in ``folder``."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "results", "site", "dist")
    shutil.copytree(ROOT, folder, ignore=ignored)
    # Where results are read.
    shutil.copytree(ROOT / "docs" / "results", folder / "docs" / "results", dirs_exist_ok=True)
    return folder


Rows = dict[str, dict[str, Any]]
"""Faults and their outcomes, by the fault's diff."""


def rows_of(path: Path) -> Rows:
    """Return what earlier runs found; what was written last counts."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {row["diff"]: row for row in map(json.loads, lines)}


def report(path: Path) -> None:
    """Print how many faults of a run were noticed, and which were not."""
    rows = rows_of(path).values()
    for row in rows:
        if row["outcome"] == "survived":
            click.echo(f"{row['diff']}\n")
    counts = Counter(row["outcome"] for row in rows)
    noticed = counts["killed"] + counts["timeout"]
    click.echo(
        f"{path.stem}: {noticed} of {len(rows)} faults noticed "
        f"({100 * noticed / max(len(rows), 1):.1f} %), {counts['timeout']} of them by time"
    )
    if counts["unnoticed"]:
        click.echo(f"{counts['unnoticed']} others were tried only on tests that execute the line")


@click.command(context_settings={"show_default": True})
@click.argument("target")
@click.option("--tests", multiple=True, help="Tests to run; by default those of the same folder.")
@click.option(
    "--without", help="Tests to leave out, as after pytest's -k: what Numba alone can run."
)
@click.option("--mutants", default=300, type=click.IntRange(1), help="How many faults.")
@click.option("--seed", default=0, help="Chooses the faults.")
@click.option("--minutes", default=120.0, help="When to stop; the next run goes on from there.")
@click.option("--retest", is_flag=True, help="Test those again that were not noticed before.")
@click.option("--only-report", is_flag=True, help="Print what earlier runs found.")
def main(
    target: str,
    tests: tuple[str, ...],
    without: str | None,
    mutants: int,
    seed: int,
    minutes: float,
    retest: bool,
    only_report: bool,
) -> None:
    """Put faults into the modules of TARGET, a file or folder, and count those that are noticed."""
    target = Path(target).as_posix()
    sources = {path: (ROOT / path).read_bytes() for path in modules(target)}
    results = RESULTS / f"{target.removesuffix('.py').replace('/', '.')}.jsonl"
    if only_report:
        report(results)
        return
    chosen = list(tests) or usual_tests(target)
    if without:
        chosen += ["-k", f"not ({without})"]
    every = [
        mutant for path, source in sources.items() for mutant in Finder(path, source).mutants()
    ]
    random.Random(seed).shuffle(every)
    wanted = every[:mutants]
    # Faults of modules that have changed since are tested again.
    diffs = {mutant: mutant.diff(sources[mutant.path]) for mutant in wanted}
    known = rows_of(results)
    kept = {diff: known[diff] for diff in diffs.values() if diff in known}
    if retest:
        kept = {diff: row for diff, row in kept.items() if row["outcome"] != "survived"}
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text("".join(json.dumps(row) + "\n" for row in kept.values()), encoding="utf-8")
    left = sum(diff not in kept for diff in diffs.values())
    click.echo(f"{target}: {len(wanted)} of {len(every)} faults, {left} of them to be tested")
    stop = time.monotonic() + 60 * minutes
    with (
        tempfile.TemporaryDirectory() as scratch,
        results.open("a", encoding="utf-8") as file,
        contextlib.ExitStack() as closing,
    ):
        copy = copy_of_checkout(Path(scratch).resolve() / "copy")
        measured = measure(copy, target, chosen)
        client = closing.enter_context(collected(copy, chosen))
        trials = Trials(copy, client, measured, chosen)
        trials.check()
        outcomes = {mutant: kept.get(diffs[mutant], {}).get("outcome") for mutant in wanted}
        for needed, trial in ((None, trials.by_line), ("unnoticed", trials.by_others)):
            for mutant in wanted:
                if outcomes[mutant] == needed and time.monotonic() < stop:
                    outcomes[mutant] = trial(mutant, sources[mutant.path])
                    row = {**asdict(mutant), "outcome": outcomes[mutant], "diff": diffs[mutant]}
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    report(results)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    click.echo(f"CPU time: {(used.ru_utime + used.ru_stime) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
