"""The main benchmark: train each learner on each game and score it exactly.

python -m benchmarks.optimality --help explains every option.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks import leaderboard
from benchmarks.entries import (
    LEARNERS,
    UNTRAINED,
    calls_of,
    checked_own,
    knows,
    learns,
    sources,
    train_learner,
)
from benchmarks.leaderboard import RUN_HEADER, stem
from benchmarks.options import count_option, names_option, run_options
from benchmarks.report import (
    NARROW,
    Table,
    grouped,
    mean_of,
    page,
    score_cells,
    table,
    write_report,
)
from benchmarks.runs import Runs
from benchmarks.tasks import SEEDS, TASKS

NEIGHBOURS = 5
"""Learners of the leaderboard that stand beside one of the user's own."""

BOARDS = {name: task for tasks in TASKS.values() for name, task in tasks.items()}
"""The tasks of all versions by name."""


@dataclass(frozen=True)
class ScoredRun:
    """One learner trained on one game with one seed, and its score."""

    game: str
    learner: str
    seed: int
    games: int
    seconds: float
    percent: float
    random_percent: float
    blunders: int
    count: int


def run(game: str, learner: str, seed: int, quick: bool) -> ScoredRun:
    """Train ``learner`` on ``game`` and score its greedy policy."""
    setting = BOARDS[game]
    games = setting.quick_games if quick else setting.games
    entry = train_learner(learner, setting.make(), games, seed)
    scores = entry.scores("reachable")
    return ScoredRun(
        game,
        learner,
        seed,
        entry.games,
        entry.seconds,
        mean_of(scores, "percent"),
        mean_of(scores, "random_percent"),
        sum(len(score.blunders) for score in scores),
        sum(score.count for score in scores),
    )


HEADER = (
    "game", "starts", "learner", "games", "seconds", "optimality %", "lowest", "highest",
    "random %", "blunders", "of",
)  # fmt: skip


def _in_order(learners: Iterable[str]) -> list[str]:
    """Return each learner once, those of this project first, in their order."""
    names = dict.fromkeys(learners)
    return [name for name in LEARNERS if name in names] + [
        name for name in names if name not in LEARNERS
    ]


def summary(runs: list[ScoredRun]) -> list[list[Any]]:
    """Return one row for each game and learner, over its seeds, in the order of :data:`BOARDS`."""
    groups = grouped(runs, "game", "learner")
    return [
        [
            game,
            BOARDS[game].starts,
            learner,
            group[0].games,
            f"{np.mean([run.seconds for run in group]):.2f}",
            *score_cells(group),
        ]
        for game, learner in product(BOARDS, _in_order(run.learner for run in runs))
        if (group := groups.get((game, learner)))
    ]


def matrix(rows: list[list[Any]]) -> str:
    """Return the mean scores in rows of :func:`summary` as a table that fits a narrow screen."""
    by_name = [dict(zip(HEADER, row, strict=True)) for row in rows]
    means = {(row["learner"], row["game"]): f"{row['optimality %']:.1f}" for row in by_name}
    # A player that does not learn plays no games.
    games: dict[str, int] = {}
    for row in by_name:
        games[row["game"]] = max(row["games"], games.get(row["game"], 0))
    scores = table(
        ("optimality %", *map(str, range(1, len(games) + 1))),
        [
            [learner, *(means.get((learner, game), "-") for game in games)]
            for learner in _in_order(learner for learner, _ in means)
        ],
        style=NARROW,
        aligned_right=len(games),
    )
    key = [
        f"{number:>3} {game}, {games[game]:,} games from {BOARDS[game].starts} starts"
        for number, game in enumerate(games, start=1)
    ]
    return "\n".join([scores, "", *key])


def run_rows(runs: list[ScoredRun], version: int) -> list[tuple[Any, ...]]:
    """Return a row for each run of a version of the tasks, under :data:`RUN_HEADER`."""
    return [
        (
            version, run.game, run.learner, knows(run.learner), run.seed, run.games,
            f"{run.seconds:.2f}", run.percent, run.random_percent, run.blunders, run.count,
        )
        for run in runs
    ]  # fmt: skip


NOTES = """\
- *optimality %*: mean probability that the greedy policy moves to a P-position, over the
  N-positions that games can reach; ties count as fractions. Mean, lowest and highest over the
  seeds.
- A learner with one table for both seats is scored over all of them. One with a table for each
  seat (gradient-bandit) is scored over those at which each seat can be to move, and *of* counts
  both seats' together.
- *starts*: `fixed` plays every game from the initial position; `uniform` draws any
  position with a legal move (exploring starts), for every learner alike.
- *seconds*: training alone, mean over seeds, environment included, compilation not; runs
  share the machine's cores.
- *blunders*: N-positions where a most likely move does not win; mean over the seeds.
- `random` and `optimal` are not trained: they bound what a score can mean.
"""


@click.command()
@click.option(
    "--tasks", "version", type=click.Choice(list(TASKS)), default=2, show_default=True,
    help="Version of the tasks.",
)  # fmt: skip
@names_option("--boards", BOARDS, "Boards to play on", default="all of these tasks")
@names_option(
    "--learners", LEARNERS, "Learners to train; one of your own is package.module:Name", own=True
)
@count_option("--seeds", f"Seeds 0 to N-1 (default: {len(SEEDS)}; quick: 2)")
@run_options("results/optimality", "Few games and two seeds: a check, not a result.")
def main(
    version: int, boards: list[str] | None, learners: list[str], seeds: int | None,
    jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Train each learner on each board and report how much it plays optimally.

    That is the share of positions at which it does, over several seeds. A learner of your own is a
    class or function that makes it for an environment, by its method for_env or else by calling
    it; a function of observations and action masks; or a function of an environment, a number of
    games and a seed that trains and returns a policy. The manual's page of results has examples.
    """
    tasks = TASKS[version]
    if others := [board for board in boards or () if board not in tasks]:
        raise click.UsageError(
            f"--boards {','.join(others)}: the tasks of version {version} are {', '.join(tasks)}"
        )
    boards = [board for board in tasks if boards is None or board in boards]
    own = checked_own(learners, BOARDS[boards[0]].make())
    seeds = seeds or (2 if quick else len(SEEDS))
    calls = calls_of(boards, learners, seeds, quick)
    # The longest first, so that no core is idle at the end.
    calls.sort(key=lambda call: -BOARDS[call[0]].games if learns(call[1]) else 0)
    with Runs(output, jobs, own=sources(own)) as runs:
        scored = runs(run, calls)
        scored.sort(key=lambda run: (run.game, run.learner, run.seed))
        rows, rows_of_runs = summary(scored), run_rows(scored, version)
        print(matrix(rows))
        results: dict[str, Table] = {
            "optimality": (HEADER, rows),
            "runs": (RUN_HEADER, rows_of_runs),
        }
        here = [dict(zip(RUN_HEADER, map(str, row), strict=True)) for row in rows_of_runs]
        published = leaderboard.published(version) if own else []
        everyone = here + [row for row in published if row["learner"] not in learners]
        ranked = leaderboard.leaderboard(everyone, version)
        whole = {standing.learner for standing in ranked} & set(learners)
        if whole:
            results["leaderboard"] = leaderboard.HEADER, ranked
        text = page("Optimality", [(HEADER, rows)], NOTES)
        named = {stem(name, version): written for name, written in results.items()}
        write_report(output, "optimality", text, named)
        if own:
            print(f"\n{beside_published(everyone, own, boards)}")
            command = f"optimality --tasks {version} --learners {','.join(own)}"
            files = output / f"{stem('runs', version)}.csv", f"entries/{stem('NAME', version)}.csv"
            print(leaderboard.how_to_enter(command, whole.issuperset(own), *files))


def beside_published(rows: list[dict[str, str]], own: list[str], boards: list[str]) -> str:
    """Return a table of the user's learners, ``own``, beside the nearest of the others."""
    scores = leaderboard.means(rows, boards)
    means = {name: float(np.mean(each)) for name, each in scores.items()}
    others = [name for name in means if name not in (*own, *UNTRAINED)]
    others.sort(key=lambda name: min(abs(means[name] - means[each]) for each in own))
    shown = [*own, *(name for name in UNTRAINED if name in means), *others[:NEIGHBOURS]]
    lines = [
        [f"{name} (yours)" if name in own else name, means[name], *scores[name]]
        for name in sorted(shown, key=lambda name: -means[name])
    ]
    fewer = any(
        0 < int(row["games"]) < BOARDS[row["game"]].games for row in rows if row["learner"] in own
    )
    return (
        "Beside random, optimal and the nearest of the leaderboard on these boards"
        + (",\nwhich have played all games of each task; yours fewer" if fewer else "")
        + ":\n\n"
        + table(("optimality %", "mean", *map(str, range(1, len(boards) + 1))), lines)
    )


if __name__ == "__main__":
    main()
