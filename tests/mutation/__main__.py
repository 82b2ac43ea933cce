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

``mutmut`` (3.8, tried on the theorems) changes no function that has a decorator, as all compiled
learning rules and all properties have, and nothing outside functions. It tries a fault only on the
tests that call its function, and all faults of a folder, not a random sample. ``cosmic-ray`` (8.7)
limits trials by the clock, so that other work on the machine changes its results, and runs all
tests anew, imports included, for each fault.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tests.mutation.faults import Finder
from tests.mutation.trials import Trials, collected, measure

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "results" / "mutation"


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
    outcomes = {mutant: kept.get(diffs[mutant], {}).get("outcome") for mutant in wanted}
    with tempfile.TemporaryDirectory() as scratch:
        copy = copy_of_checkout(Path(scratch).resolve() / "copy")
        measured = measure(copy, target, chosen)
        with collected(copy, chosen) as client, results.open("a", encoding="utf-8") as file:
            trials = Trials(copy, client, measured, chosen)
            trials.check()
            for needed, trial in ((None, trials.by_line), ("unnoticed", trials.by_others)):
                for mutant in wanted:
                    if outcomes[mutant] == needed and time.monotonic() < stop:
                        said = outcomes[mutant] = trial(mutant, sources[mutant.path])
                        row = {**asdict(mutant), "outcome": said, "diff": diffs[mutant]}
                        file.write(json.dumps(row) + "\n")
                        file.flush()
    report(results)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    click.echo(f"CPU time: {(used.ru_utime + used.ru_stime) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
