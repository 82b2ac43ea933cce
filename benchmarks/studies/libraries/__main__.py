"""Learners of other libraries on the same boards, scored exactly.

python -m benchmarks.studies.libraries --help explains every option.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.options import count_option, names_option, run_options
from benchmarks.report import (
    bars,
    folded,
    grouped,
    invocation,
    machine,
    read_csv,
    table,
    write_report,
)
from benchmarks.runs import Runs
from benchmarks.studies.libraries.recipes import BOARDS, RECIPES, board_game
from nim_envs import GameEnv, optimality
from nim_envs.errors import MissingPackageError

MOVES = 20_000
QUICK_MOVES = 500
SEEDS = 3


@dataclass(frozen=True)
class LibraryRun:
    """A learner of a library, trained on one board with one seed, and its score.

    Its score is exact, the mean of both seats where each has a policy; ``missing`` is the error
    where the library is not installed.
    """

    board: str
    recipe: str
    seed: int
    moves: int = 0
    percent: float = 0.0
    random_percent: float = 0.0
    seconds: float = 0.0
    versions: str = ""
    missing: str = ""


def run(board: str, recipe_name: str, seed: int, moves: int) -> LibraryRun:
    """Train a learner as its recipe says, and score it at every N-position."""
    recipe = RECIPES[recipe_name]
    try:
        module = import_module(f"benchmarks.studies.libraries.{recipe.module}")
    except MissingPackageError as error:
        return LibraryRun(board, recipe_name, seed, missing=str(error))
    began = time.perf_counter()
    policies = getattr(module, recipe.function)(board, moves, seed, **recipe.options)
    seconds = time.perf_counter() - began
    env = GameEnv(board_game(board), encoding="one_hot" if recipe.learns else "integer")
    # Searches draw their moves, so that no policy is asked twice.
    scores = [optimality(policy, env, samples=1) for policy in policies]
    return LibraryRun(
        board,
        recipe_name,
        seed,
        moves if recipe.learns else 0,
        float(np.mean([score.percent for score in scores])),
        scores[0].random_percent,
        seconds,
        ", ".join(f"{package} {version(package)}" for package in recipe.packages),
    )


HEADER = (
    "board", "library", "learner", "recipe", "seeds", "moves", "optimality %", "lowest",
    "random %", "seconds", "versions", "name",
)  # fmt: skip


def summary(runs: Sequence[LibraryRun]) -> list[dict[str, Any]]:
    """Return a row for each board and recipe over its seeds, in the order of the recipes."""
    groups = grouped([run for run in runs if not run.missing], "board", "recipe")
    rows = []
    for board, name in product(BOARDS, RECIPES):
        if not (group := groups.get((board, name))):
            continue
        recipe = RECIPES[name]
        percents = [run.percent for run in group]
        cells = (
            board, recipe.library, recipe.learner, recipe.recipe, len(group), group[0].moves,
            float(np.mean(percents)), min(percents), group[0].random_percent,
            float(np.mean([run.seconds for run in group])), group[0].versions, name,
        )  # fmt: skip
        rows.append(dict(zip(HEADER, cells, strict=True)))
    return rows


def with_earlier(rows: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    """Return rows together with those of a table on disk whose runs were not made this time.

    Libraries that cannot be installed beside each other are run one after the other.
    """
    earlier = read_csv(path) if path.exists() else []
    by_key = {(row["board"], row["name"]): row for row in [*earlier, *rows]}
    return [by_key[key] for key in product(BOARDS, RECIPES) if key in by_key]


SHOWN = ("library", "learner", "recipe", "optimality %", "lowest", "seconds")


def table_rows(rows: list[dict[str, Any]], board: str) -> list[list[Any]]:
    """Return the rows of one board as they are printed, under :data:`SHOWN`."""
    cells = []
    for row in rows:
        if row["board"] == board:
            numbers = (float(row[name]) for name in ("optimality %", "lowest", "seconds"))
            cells.append([row["library"], row["learner"], row["recipe"], *numbers])
    return cells


def missing(runs: Sequence[LibraryRun]) -> list[str]:
    """Return a sentence for each recipe that could not be run here, with the reason."""
    reasons = {run.recipe: run.missing for run in runs if run.missing}
    return [f"{name} was not run: {reason}" for name, reason in reasons.items()]


NOTES = """\
- *optimality %*: share of N-positions at which the policy moves to a P-position, a probability
  where it draws its moves; mean over the seeds, and *lowest* of them. Where each seat has a policy,
  the mean of both.
- *seconds*: training, mean over the seeds, compilation included; runs share the machine's cores.
- All play from uniformly drawn positions, see them one-hot encoded, and have the same number of
  moves of training; a search has none. So few moves favour small learners: a low score
  means too few moves, or settings, not a wrong library.
"""


TITLE = "# Learners of other libraries"


def introduction(page: Path, command: str) -> str:
    """Return the text before the chart: the command, or what somebody has written on the page."""
    earlier = page.read_text(encoding="utf-8") if page.exists() else ""
    written = earlier.partition('\n<div class="bars">')[0].removeprefix(TITLE).strip()
    return written if "\n\n" in written else f"`{command}`"


def report(rows: list[dict[str, Any]], introduction: str) -> str:
    """Return the whole report as Markdown."""
    names = {row["name"] for row in rows}
    tables = "\n\n".join(
        f"## {board}\n\n{folded('Scores', table(SHOWN, table_rows(rows, board), style='github'))}"
        for board in BOARDS
        if table_rows(rows, board)
    )
    first = next(iter(BOARDS))
    chart = bars((f"{each[0]}, {each[1]}, {each[2]}", each[3]) for each in table_rows(rows, first))
    setups = "\n".join(
        f"- **{recipe.library}, {recipe.learner}**, {recipe.recipe}: {recipe.setup}."
        for name, recipe in RECIPES.items()
        if name in names
    )
    versions = sorted({row["versions"] for row in rows})
    return (
        f"{TITLE}\n\n{introduction}\n\n{chart}\n\n"
        f"Percent of N-positions of {first} played right.\n\n"
        f"{tables}\n\n## Notes\n\n{NOTES}"
        f"- Versions: {'; '.join(versions)}.\n- Machine: {machine()}.\n\n## Set-ups\n\n"
        f"{folded('Of each learner', setups)}\n"
    )


@click.command()
@names_option("--boards", BOARDS, "Boards to play on")
@names_option("--recipes", RECIPES, "Learners to train")
@count_option("--seeds", f"Seeds 0 to N-1 (default: {SEEDS}; quick: 1)")
@count_option("--moves", f"Moves of training (default: {MOVES:,}; quick: {QUICK_MOVES})")
@run_options("results/libraries", "Few moves, one board and one seed: a check, not a result.")
def main(
    boards: list[str], recipes: list[str], seeds: int | None, moves: int | None,
    jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Train learners of other libraries and score them exactly.

    Each as the documentation of its library has it; where that takes the opponent's values for its
    own, the same learner stands beside it with the sign right. A learner whose library is not
    installed is left out, with the command that installs it. Rows that are in the output directory
    and are not made anew stay, as does text that was written before its tables.
    """
    seeds = seeds or (1 if quick else SEEDS)
    moves = moves or (QUICK_MOVES if quick else MOVES)
    boards = boards[:1] if quick else boards
    tasks = [
        (board, name, seed, moves) for seed in range(seeds) for board in boards for name in recipes
    ]
    with Runs(output, jobs) as runs:
        finished = runs(run, tasks)
        rows = with_earlier(summary(finished), output / "libraries.csv")
        for board in BOARDS:
            if board_rows := table_rows(rows, board):
                print(f"{board}\n{table(SHOWN, board_rows)}\n")
        for sentence in missing(finished):
            print(sentence)
        cells = [[row[title] for title in HEADER] for row in rows]
        page = report(rows, introduction(output / "libraries.md", invocation()))
        write_report(output, "libraries", page, {"libraries": (HEADER, cells)})


if __name__ == "__main__":
    main()
