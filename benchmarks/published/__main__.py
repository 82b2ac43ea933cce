"""Published figures, reproduced under their own settings and beaten.

python -m benchmarks.published --help explains every option.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.options import count_option, names_option, run_options
from benchmarks.published.contenders import TrainingResult
from benchmarks.published.systems import SYSTEMS
from benchmarks.report import grouped, page, percents, table, write_report
from benchmarks.runs import Runs

QUICK_GAMES = 300
QUICK_SECONDS = 0.05
LEAST_SECONDS = 1.0
"""Least training time for a comparison by seconds; below it the clock's noise dominates."""

LONGEST = "q-improved-10000000"
"""The system of ten million games, which runs only where it is named."""

LARGE_BOARDS = ("alphazero-6", "alphazero-7")
"""Boards of up to 603,648 N-positions, whose scores take too long for ``--quick``."""


@dataclass(frozen=True)
class SystemRun:
    """One system with one seed: its own result, and those of the learners here.

    Results in the same time are ``None`` where the system took less than :data:`LEAST_SECONDS`.
    """

    system: str
    seed: int
    published: TrainingResult
    same_games: Mapping[str, TrainingResult]
    same_seconds: Mapping[str, TrainingResult] | None


def run(name: str, seed: int, quick: bool) -> SystemRun:
    """Train a system as published, and each contender for as many games and as many seconds.

    ``quick`` compares by seconds even below :data:`LEAST_SECONDS`.
    """
    system = SYSTEMS[name]
    games = min(system.games, QUICK_GAMES) if quick else system.games
    published = system.as_published(seed, games)
    seconds = min(published.seconds, QUICK_SECONDS) if quick else published.seconds
    same_games = {each.name: each.train(seed, games=games) for each in system.ours}
    same_seconds = None
    if quick or seconds >= LEAST_SECONDS:
        same_seconds = {each.name: each.train(seed, seconds=seconds) for each in system.ours}
    return SystemRun(name, seed, published, same_games, same_seconds)


HEADER = (
    "system", "score", "published", "measured as published", "ours", "knows", "same games",
    "same seconds", "attainable",
)  # fmt: skip


def score_text(results: list[TrainingResult], score: str) -> str:
    """Return the mean of a score over seeds, with its lowest and highest where they differ."""
    return percents([result.scores[score] for result in results if score in result.scores])


def in_same_seconds(runs: list[SystemRun], contender: str) -> list[TrainingResult]:
    """Return a contender's results in the same time, by seed; empty if a run has none."""
    results = [run.same_seconds[contender] for run in runs if run.same_seconds is not None]
    return results if len(results) == len(runs) else []


def summary(runs: list[SystemRun]) -> list[list[Any]]:
    """Return one row for each system, score and contender, over the seeds."""
    rows = []
    for name, group in grouped(runs, "system").items():
        system = SYSTEMS[name]
        limits = system.limit() if system.limit else {}
        published = [run.published for run in group]
        for score in published[0].scores:
            once = [system.figures.get(score, "-"), score_text(published, score)]
            for contender in system.ours:
                same_games = [run.same_games[contender.name] for run in group]
                rows.append(
                    [
                        name,
                        score,
                        *once,
                        contender.name,
                        contender.knows,
                        score_text(same_games, score),
                        score_text(in_same_seconds(group, contender.name), score),
                        f"{limits[score]:.1f}" if score in limits else "-",
                    ]
                )
                once = ["", ""]
    return rows


NOTES = f"""\
- *published*: as printed by the authors. *measured as published*: their settings run here,
  with their defects. *same games* and *same seconds*: the learner named under *ours*, with
  as many games as the published one, or in as many seconds as it took here, if these are at
  least {LEAST_SECONDS:.0f}. Each is the mean over the seeds, with the lowest and highest where
  they differ.
- *knows*: information that a learner of ours uses besides its rewards. None knows a theorem or
  which positions are won, except that some settings have an optimal opponent. A learner that knows
  the rules examines the options of a position before it moves; one that knows that the order of
  heaps does not matter treats all orders of the same heaps as one position.
- Optimality is over N-positions, by the greedy policy; ties count as fractions. Chances of
  winning are exact, by backward induction, not by games played.
- *attainable*: the score of perfect play. From uniform starts in three heaps of 1 to 10 not every
  start can be won by the player who moves first.
- Learners without "exploring starts" in their name start as the published system did.
- Seconds are of training alone, without compilation; runs share the machine's cores.
"""


@click.command()
@names_option(
    "--systems", SYSTEMS, "Systems to run",
    default=f"all but {LONGEST}; quick: without {' and '.join(LARGE_BOARDS)} too",
)  # fmt: skip
@count_option("--seeds", "Seeds 0 to N-1 (default: 3; quick: 1)")
@run_options(
    "results/published",
    "Few games and one seed, without the largest boards: a check, not a result.",
)
def main(
    systems: list[str] | None, seeds: int | None, jobs: int | None, output: Path, quick: bool
) -> None:
    """Reproduce published figures, and train the learners here under the same settings.

    It shows the defects of the systems as published; the learners here get as many games and
    seconds.
    """
    left_out = (LONGEST, *LARGE_BOARDS) if quick else (LONGEST,)
    systems = systems or [name for name in SYSTEMS if name not in left_out]
    seeds = seeds or (1 if quick else 3)
    tasks = [(name, seed, quick) for name in systems for seed in range(seeds)]
    # The longest first, so that no core is idle at the end.
    tasks.sort(key=lambda task: -SYSTEMS[task[0]].games)
    with Runs(output, jobs) as runs:
        order = list(SYSTEMS)
        finished = sorted(runs(run, tasks), key=lambda run: (order.index(run.system), run.seed))
        rows = summary(finished)
        print(table(HEADER, rows))
        defects = "".join(
            f"- `{name}`: {SYSTEMS[name].settings}. {SYSTEMS[name].defect}\n"
            for name in grouped(finished, "system")
        )
        text = page("Published figures", [(HEADER, rows)], NOTES + defects)
        write_report(output, "published", text, {"published": (HEADER, rows)})


if __name__ == "__main__":
    main()
