"""Judgement of the diagnosis by probe games over agents with known faults.

python -m benchmarks.studies.diagnosis --help explains every option.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.options import count_option, run_options
from benchmarks.report import invocation, machine, table, write_report
from benchmarks.runs import Runs
from nim_envs import GameEnv, diagnose
from nim_envs.diagnosis import FAULTS
from nim_envs.optional import installed

HARMLESS = "right, but"
AGENTS = "tests.agents_of_diagnosis"
"""Package of the agents, which the tests of the diagnosis use too."""

RANDOM_TABLES, RANDOM_NETWORKS = 500, 50


ALIASES = {
    "end as truncation": "bootstrap beyond the end",
    "learning rate": "learning rate 0 or tiny",
    "order": "blind to the order of entries",
    "cut": "observations cut",
    "halved": "observations halved",
    "scaled": "observations scaled otherwise in play",
    "reversed": "actions reversed",
    "off by one": "actions off by one",
    "draws as wins": "draws as wins",
    "losses or wins": "draws as wins",
    "stale": "remembers",
}
"""Names of faults of the diagnosis, by words in a fault's name."""

CUT = "truncation as end"
"""The fault that shows only where games are truncated."""


def names_of(fault: str) -> set[str]:
    """Return the names under which the diagnosis may name a fault of a set."""
    return {name for name in FAULTS if name in fault or fault in name} | {
        name for word, name in ALIASES.items() if word in fault
    }


@dataclass(frozen=True)
class Outcome:
    """The diagnosis of an agent; its fault is empty if it is right, and those named fit equally."""

    entry: str
    kind: str
    fault: str
    verdict: str
    named: tuple[str, ...]
    letters: str
    seconds: float

    @property
    def result(self) -> str:
        """How the diagnosis does: a key of the columns of the tables."""
        if not self.fault:
            if self.verdict in ("right", HARMLESS):
                return "right"
            return "accused" if self.named or self.verdict == "not in the list" else "not trained"
        if self.verdict == self.fault or names_of(self.fault).intersection(self.named):
            return "named"
        if self.verdict == "right":
            return "right"
        if self.named:
            return "wrong name"
        return "located" if self.verdict == "not in the list" else "not trained"


def entries_of(module: str) -> Sequence[Any]:
    """Return the agents of a set whose packages are installed, of ``ENTRIES`` of a module."""
    needs = [(each, getattr(each, "needs", None)) for each in import_module(module).ENTRIES]
    return [each for each, package in needs if package is None or installed(package)]


def judge(module: str, place: int, seed: int) -> Outcome:
    """Train an agent of a set on the probes, and diagnose it."""
    entry = entries_of(module)[place]
    train = entry.make(seed, entry.minimum)
    make_env = getattr(entry, "make_env", None) or GameEnv
    return diagnosed(entry.name, entry.kind, entry.fault or "", train, make_env)


def diagnosed(name: str, kind: str, fault: str, train: Any, make_env: Any = GameEnv) -> Outcome:
    """Return the diagnosis of a training function."""
    began = time.perf_counter()
    cycles = 1 if CUT in fault else None
    report = diagnose(train, make_env=make_env, boards=False, progress=False, max_cycles=cycles)
    letters = " ".join("".join(probe.letters.values()) for probe in report.probes)
    named = tuple(finding.name for finding in report.faults)
    named += tuple(CUT for note in report.notes if CUT in note)
    seconds = time.perf_counter() - began
    return Outcome(name, kind, fault, report.verdict, named, letters, seconds)


def judge_random(place: int, networks: bool) -> Outcome:
    """Diagnose a right learner at random settings."""
    learners, run = import_module(f"{AGENTS}.learners"), import_module(f"{AGENTS}.set_a").RUN
    rng = np.random.default_rng(place)
    kinds = ("DQN", "policy network") if networks else ("table", "sarsa", "expected", "monte carlo")
    kind = str(rng.choice(kinds))
    low, high = (-3.5, -2.0) if networks else (-2.0, 0.0)
    setting = learners.Setting(
        form=str(rng.choice(["negamax", "own"])),
        rate=float(10 ** rng.uniform(low, high)),
        epsilon=float(rng.uniform(0.02, 1.0)),
        discount=float(rng.uniform(0.8, 1.0)),
        one_hot=bool(rng.integers(2)),
        ties=str(rng.choice(["first", "random"])),
    )
    games = int(10 ** rng.uniform(np.log10(30), np.log10(3_000)))
    name = f"{kind}, {games} games, {setting}"
    return diagnosed(name, kind, "", lambda env: run[kind](env, games, place, setting))


RIGHT_COLUMNS = ("right", "not trained", "accused")
FAULTY_COLUMNS = ("named", "located", "not trained", "wrong name", "right")


def counted(outcomes: Sequence[Outcome], attribute: str, columns: Sequence[str]) -> list[list[Any]]:
    """Return rows of a table: how often each result came, by an attribute, and in all."""
    rows = []
    groups = list(dict.fromkeys(getattr(each, attribute) for each in outcomes))
    for group in (*groups, "all"):
        some = [each for each in outcomes if group in (getattr(each, attribute), "all")]
        results = Counter(each.result for each in some)
        rows.append([group, len(some), *(results[column] for column in columns)])
    return rows


def page(outcomes: Sequence[Outcome], random: Sequence[Outcome], sets: Sequence[str]) -> str:
    """Return the three tables as Markdown, and the agents that were judged wrong."""
    right = [each for each in outcomes if not each.fault]
    faulty = [each for each in outcomes if each.fault]
    parts = [f"# The diagnosis, judged\n\n`{invocation()}`, sets {', '.join(sets)}."]
    for title, rows, columns in (
        ("Right agents, by kind", counted(right, "kind", RIGHT_COLUMNS), RIGHT_COLUMNS),
        ("Faults, by name", counted(faulty, "fault", FAULTY_COLUMNS), FAULTY_COLUMNS),
        ("Right agents at random settings", counted(random, "kind", RIGHT_COLUMNS), RIGHT_COLUMNS),
    ):
        cells = table(("", "agents", *columns), rows, style="github")
        parts.append(f"## {title}\n\n{cells}")
    for title, some in (("right", right), ("faulty", faulty)):
        if some:
            times = [each.seconds for each in some]
            parts.append(
                f"Seconds if {title}: median {np.median(times):.1f}, most {max(times):.1f}."
            )
    missed = [
        f"- {each.entry}: {each.verdict} {', '.join(each.named)} `{each.letters}`"
        for each in (*outcomes, *random)
        if each.result not in (("named",) if each.fault else ("right",))
        and (each.fault or each.result == "accused" or each in right)
    ]
    parts.append("## Agents that were judged otherwise\n\n" + "\n".join(missed))
    return "\n\n".join(parts) + f"\n\nMachine: {machine()}.\n"


@click.command()
@click.option(
    "--set",
    "sets",
    multiple=True,
    default=(f"{AGENTS}.set_a", f"{AGENTS}.set_b"),
    show_default=True,
    help="Module of a set of agents, ENTRIES with name, kind, fault, minimum and make; repeatable.",
)
@count_option("--seeds", "Seeds 0 to N-1 of each agent (default: 1)")
@click.option("--random/--no-random", default=True, help="Right agents at random settings, too.")
@click.option("--only", default="", help="Agents whose name has this in it.")
@run_options("results/diagnosis", "Few agents: a check, not a result.")
def main(
    sets: tuple[str, ...], seeds: int | None, random: bool, only: str,
    jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Judge the diagnosis over right and faulty agents, and print three tables.

    Right agents, by kind of learner; faulty ones, by fault; and right ones at random settings.
    """
    tasks = [
        (module, place, seed)
        for module in sets
        for place, entry in enumerate(entries_of(module))
        if only in entry.name
        for seed in range(seeds or 1)
    ]
    tasks = tasks[:: max(1, len(tasks) // 8)] if quick else tasks
    tables, networks = (4, 1) if quick else (RANDOM_TABLES, RANDOM_NETWORKS)
    settings = [*((n, False) for n in range(tables)), *((n, True) for n in range(networks))]
    with Runs(output, jobs) as runs:
        outcomes = runs(judge, tasks)
        text = page(outcomes, runs(judge_random, settings) if random else [], sets)
        click.echo(text)
        header = ("set", "agent", "kind", "fault", "verdict", "named", "letters", "seconds")
        cells = [
            [module, each.entry, each.kind, each.fault, each.verdict, "; ".join(each.named),
             each.letters, each.seconds]
            for (module, _, _), each in zip(tasks, outcomes, strict=True)
        ]  # fmt: skip
        write_report(output, "diagnosis", text, {"diagnosis": (header, cells)})


if __name__ == "__main__":
    main()
