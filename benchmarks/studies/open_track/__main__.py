"""The open track: few games from one start, boards that are larger, and codes that nobody chose.

python -m benchmarks.studies.open_track --help explains every option.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import click
import numpy as np

from benchmarks.entries import LEARNERS, MORE_LEARNERS, calls_of, checked_own, knows, sources
from benchmarks.leaderboard import how_to_enter
from benchmarks.options import count_option, names_option, run_options
from benchmarks.report import grouped, invocation, write_report
from benchmarks.runs import Runs
from benchmarks.studies.open_track.figures import curves
from benchmarks.studies.open_track.page import page, standings_table
from benchmarks.studies.open_track.runs import BOARDS, QUICK_GAMES, REFUSED, OpenRun, area, run
from benchmarks.studies.open_track.standings import HEADER, Row, published, standings
from benchmarks.studies.open_track.tasks import GAMES, OF_VERSION, SEEDS, TASKS, VERSION
from benchmarks.timing import missing_modules

EVERYONE = (*LEARNERS, *MORE_LEARNERS)
NETWORKS = ("signed-products",)
"""Learners that need PyTorch."""

QUICK_TASKS = ("nim", "chomp", OF_VERSION)
QUICK_LEARNERS = ("random", "q-learning", "quotient")


def rows_of(runs: Iterable[OpenRun], games: Sequence[int]) -> list[Row]:
    """Return a row for each learner, task and board, over its seeds, under :data:`HEADER`."""
    groups = grouped(runs, "task", "board", "learner")
    rows = []
    for task, board, learner in product(TASKS, BOARDS, dict.fromkeys(key[2] for key in groups)):
        group = groups.get((task, board, learner))
        if group is None:
            continue
        areas = [area(run.percents, games) for run in group]
        worst = REFUSED if any(run.plays == REFUSED for run in group) else group[0].plays
        cells = (
            VERSION, task, board, learner, knows(learner), len(group), *games,
            *map(float, np.mean([run.percents for run in group], axis=0)), float(np.mean(areas)),
            min(areas), max(areas), group[0].random_percent, group[0].count, worst,
        )  # fmt: skip
        rows.append(dict(zip(HEADER, map(str, cells), strict=True)))
    return rows


@click.command()
@names_option("--tasks", TASKS, "Tasks", default=f"all; quick: {', '.join(QUICK_TASKS)}")
@names_option(
    "--learners", EVERYONE, "Learners to train; one of your own is package.module:Name", own=True,
    default=f"all; quick: {', '.join(QUICK_LEARNERS)}",
)  # fmt: skip
@count_option("--seeds", f"Seeds 0 to N-1 (default: {len(SEEDS)}; quick: 1)")
@run_options("results/open_track", "A hundred games and one seed: a check, not a result.")
def main(
    tasks: list[str] | None, learners: list[str] | None, seeds: int | None,
    jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Score learners after few games from one start, on that board and on a larger one, unseen.

    The score is the share of N-positions that the greedy policy plays right, and the area under its
    curve by games. The manual's page of the open track says what each learner knows, and how to
    enter one of your own.
    """
    tasks = tasks or list(QUICK_TASKS if quick else TASKS)
    left_out = [] if learners or quick or not missing_modules(["torch"]) else list(NETWORKS)
    if left_out:
        click.echo(f"left out, as PyTorch is not installed: {', '.join(left_out)}", err=True)
    everyone = QUICK_LEARNERS if quick else EVERYONE
    learners = learners or [name for name in everyone if name not in left_out]
    own = checked_own(learners, TASKS[tasks[0]].env())
    seeds = seeds or (1 if quick else len(SEEDS))
    calls = calls_of(tasks, learners, seeds, quick)
    # The longest first, so that no core is idle at the end.
    calls.sort(key=lambda call: call[1] not in NETWORKS)
    with Runs(output, jobs, own=sources(own)) as runs:
        finished = [each for boards in runs(run, calls) for each in boards]
        finished.sort(key=lambda run: learners.index(run.learner))
        rows = rows_of(finished, QUICK_GAMES if quick else GAMES)
        whole = not quick and len(tasks) == len(TASKS) and seeds == len(SEEDS)
        all_rows = rows  # with those published, where they can be compared
        if whole or (own and not quick):
            measured = {row["learner"] for row in rows}
            all_rows = rows + [row for row in published() if row["learner"] not in measured]
        places = standings(all_rows, tasks)
        print(standings_table(places, own))
        write_report(
            output,
            "open_track",
            page(all_rows, invocation()) if whole else standings_table(places, own, "github"),
            {"open_track": (HEADER, [tuple(row.values()) for row in rows])},
            {"open_track": curves(all_rows, tasks)},
        )
        if own:
            command = f"studies.open_track --learners {','.join(own)}"
            files = output / "open_track.csv", "open_entries/NAME.csv"
            print(how_to_enter(command, whole, *files))


if __name__ == "__main__":
    main()
