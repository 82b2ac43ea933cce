"""Mutation testing: small faults are put into modules, and their tests should notice.

    python -m tests.mutation nim_envs/rules --mutants 300

puts 300 faults chosen at random, one at a time, into the modules of ``nim_envs/rules`` and runs the
tests of the same folder under ``tests``, and the modules' own examples, on each. A fault that no
test notices survives; it is printed as a diff, and either changes nothing that a user could see or
asks for a test. Started again, a run goes on where it stopped.

All of this happens in copies of the checkout. Compiled functions run as plain Python there
(``NUMBA_DISABLE_JIT``), so that a fault in one need not be compiled; what Numba alone can run,
such as an implementation chosen by the types of the arguments, cannot be tested so. A test that
takes far longer than without the fault, or more memory than is allowed, has noticed it.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

import click

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "mutation"
MEMORY_KIB = 8 << 20
SWAPS = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("+",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*", "%")),
    ast.Mod: ("%", ("//",)),
    ast.Pow: ("**", ("*",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("|",)),
    ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)),
}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "minimum": "maximum",
    "maximum": "minimum",
}


@dataclass(frozen=True)
class Mutant:
    """A fault: bytes ``start`` to ``end`` of a module replaced."""

    path: str
    line: int
    start: int
    end: int
    replacement: str

    def applied(self, source: bytes) -> bytes:
        """Return the module with the fault."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        """Return what the fault changes."""
        before, after = source.decode(), self.applied(source).decode()
        return "\n".join(
            difflib.unified_diff(
                before.splitlines(), after.splitlines(), self.path, self.path, n=1, lineterm=""
            )
        )


class Finder:
    """Finds the faults that can be put into a module."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._line_starts = starts

    def mutants(self) -> Iterator[Mutant]:
        """Yield every fault after which the module is still Python."""
        for mutant in self._in(ast.parse(self._source), inside_function=False):
            try:
                ast.parse(mutant.applied(self._source))
            except SyntaxError:
                continue
            yield mutant

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, (ast.expr, ast.stmt))
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._line_starts[node.lineno - 1] + node.col_offset,
            self._line_starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _replaced(self, start: int, end: int, text: str) -> Mutant:
        line = self._source.count(b"\n", 0, start) + 1
        return Mutant(self._path, line, start, end, text)

    def _whole(self, node: ast.AST, text: str) -> Mutant:
        return self._replaced(*self._span(node), text)

    def _between(self, left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutant]:
        """Swap the operator that stands between two operands, where brackets may stand too."""
        if type(operator) not in SWAPS:
            return
        old, swapped = SWAPS[type(operator)]
        (_, start), (end, _) = self._span(left), self._span(right)
        pattern = rb"\s+".join(re.escape(word).encode() for word in old.split())
        found = re.search(pattern, self._source[start:end])
        if found is not None:
            for new in swapped:
                yield self._replaced(start + found.start(), start + found.end(), new)

    def _negated(self, test: ast.expr) -> Mutant:
        start, end = self._span(test)
        return self._replaced(start, end, f"(not ({self._source[start:end].decode()}))")

    def _in(self, node: ast.AST, inside_function: bool) -> Iterator[Mutant]:
        """Yield the faults in a part of the module; none in annotations or in messages."""
        if isinstance(node, (ast.JoinedStr, ast.Assert)):
            return
        if isinstance(node, ast.Raise):
            yield self._whole(node, "pass")
            return
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if isinstance(node, ast.FunctionDef):
                inside_function = True
                for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                    yield from self._in(default, inside_function)
            for statement in node.body:
                yield from self._in(statement, inside_function)
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from self._in(node.value, inside_function)
            return
        yield from self._of_expression(node)
        if inside_function:
            yield from self._of_statement(node)
        for child in ast.iter_child_nodes(node):
            yield from self._in(child, inside_function)

    def _of_expression(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                yield self._whole(node, str(not node.value))
            elif isinstance(node.value, (int, float)):
                yield self._whole(node, f"({node.value + 1})")
                yield self._whole(node, f"({node.value - 1})")
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, right, operator in zip(operands, node.comparators, node.ops, strict=False):
                yield from self._between(left, right, operator)
        elif isinstance(node, ast.BinOp):
            yield from self._between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between(left, right, node.op)
        elif isinstance(node, ast.UnaryOp):
            start, _ = self._span(node)
            operand, _ = self._span(node.operand)
            yield self._replaced(start, operand - self._brackets_before(start, operand), "")
        elif isinstance(node, ast.IfExp):
            yield self._negated(node.test)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield self._negated(test)
        elif isinstance(node, ast.Call):
            _, end = self._span(node.func)
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in NAMES:
                yield self._replaced(end - len(name), end, NAMES[name])

    def _brackets_before(self, start: int, end: int) -> int:
        """Return how many bytes before ``end`` begin with a bracket, after ``start``."""
        found = self._source.find(b"(", start, end)
        return 0 if found < 0 else end - found

    def _of_statement(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, (ast.If, ast.While)):
            yield self._negated(node.test)
        elif isinstance(node, ast.AugAssign):
            yield from self._between(node.target, node.value, node.op)
            yield self._whole(node, "pass")
        elif isinstance(node, ast.Assign):
            yield self._whole(node, "pass")
        elif isinstance(node, ast.Expr):
            # Not docstrings, and not the dots of what has no body.
            if not isinstance(node.value, ast.Constant):
                yield self._whole(node, "pass")
        elif isinstance(node, ast.Return):
            if node.value is not None and not isinstance(node.value, ast.Constant):
                yield self._whole(node, "return None")
        elif isinstance(node, ast.Continue):
            yield self._whole(node, "break")
        elif isinstance(node, ast.Break):
            yield self._whole(node, "continue")


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


def run_tests(copy: Path, tests: list[str], timeout: float | None) -> str:
    """Return what the tests say in a copy: ``"survived"``, ``"killed"`` or ``"timeout"``."""
    command = [
        "bash", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "bash",
        sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
        "-o", "addopts=--doctest-modules", *tests,
    ]  # fmt: skip
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy)}
    with (copy / "tests.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            # Whatever the tests have started goes with them.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return "survived" if code == 0 else "killed"


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


def report(path: Path) -> None:
    """Print how many faults of a run were noticed, and which were not."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    counts = Counter(row["outcome"] for row in rows)
    for row in rows:
        if row["outcome"] == "survived":
            click.echo(f"{row['diff']}\n")
    noticed = counts["killed"] + counts["timeout"]
    click.echo(
        f"{path.stem}: {noticed} of {len(rows)} faults noticed "
        f"({100 * noticed / max(len(rows), 1):.1f} %), {counts['timeout']} of them by time"
    )


@click.command(context_settings={"show_default": True})
@click.argument("target")
@click.option("--tests", multiple=True, help="Tests to run; by default those of the same folder.")
@click.option(
    "--without", help="Tests to leave out, as after pytest's -k: what Numba alone can run."
)
@click.option("--mutants", default=300, type=click.IntRange(1), help="How many faults.")
@click.option("--seed", default=0, help="Chooses the faults.")
@click.option("--workers", default=2, type=click.IntRange(1, 2), help="Tests run side by side.")
@click.option("--minutes", default=120.0, help="When to stop; the next run goes on from there.")
@click.option("--retest", is_flag=True, help="Test those again that were not noticed before.")
@click.option("--only-report", is_flag=True, help="Print what earlier runs found.")
def main(
    target: str,
    tests: tuple[str, ...],
    without: str | None,
    mutants: int,
    seed: int,
    workers: int,
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
    results.parent.mkdir(parents=True, exist_ok=True)
    known = {}
    if results.exists():
        known = {
            row["diff"]: row
            for row in map(json.loads, results.read_text(encoding="utf-8").splitlines())
        }
    if retest:
        known = {diff: row for diff, row in known.items() if row["outcome"] != "survived"}
    kept = [known[diff] for diff in diffs.values() if diff in known]
    results.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    left = [mutant for mutant in wanted if diffs[mutant] not in known]
    click.echo(f"{target}: {len(wanted)} of {len(every)} faults, {len(left)} of them to be tested")
    stop = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as scratch:
        copies: SimpleQueue[Path] = SimpleQueue()
        first = copy_of_checkout(Path(scratch) / "0")
        began = time.monotonic()
        if run_tests(first, chosen, None) != "survived":
            raise click.ClickException(
                "the tests fail without any fault:\n" + (first / "tests.log").read_text()
            )
        seconds = time.monotonic() - began
        click.echo(f"without a fault the tests take {seconds:.0f} s")
        copies.put(first)
        for number in range(1, workers):
            copies.put(copy_of_checkout(Path(scratch) / str(number)))

        def outcome(mutant: Mutant) -> str | None:
            if time.monotonic() > stop:
                return None
            copy = copies.get()
            try:
                write_module(copy / mutant.path, mutant.applied(sources[mutant.path]))
                return run_tests(copy, chosen, 3 * seconds + 20)
            finally:
                write_module(copy / mutant.path, sources[mutant.path])
                copies.put(copy)

        with ThreadPoolExecutor(workers) as pool, results.open("a", encoding="utf-8") as file:
            futures = {pool.submit(outcome, mutant): mutant for mutant in left}
            for future in as_completed(futures):
                said, mutant = future.result(), futures[future]
                if said is not None:
                    row = {**asdict(mutant), "outcome": said, "diff": diffs[mutant]}
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    report(results)


if __name__ == "__main__":
    main()
