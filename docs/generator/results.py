"""Tables and pages of results, from the files committed in docs/results."""

from __future__ import annotations

from collections.abc import Sequence

from agents.registry import LEARNERS
from benchmarks.leaderboard import RESULTS, leaderboard, published
from benchmarks.published.systems import SYSTEMS
from benchmarks.report import percent, read_csv
from benchmarks.tasks import GAMES, SEEDS, VERSION
from docs.generator.markdown import filled, table, write

Row = dict[str, str]

COLUMNS = {
    "score": "score",
    "published": "published",
    "measured as published": "measured as published",
    "ours": "learner here",
    "knows": "knows",
    "same games": "measured here",
    "attainable": "attainable",
}
"""Columns of ``published.csv`` that the manual shows, and their names there."""


def board(task: str) -> str:
    """Return the arguments of a task's game, as code."""
    return ", ".join(f"{key}={value!r}" for key, value in GAMES[task].arguments.items())


def learner(name: str) -> str:
    """Return a learner's name, linked to the page of learners; for pages one folder deep."""
    row = LEARNERS.get(name)
    if row is None:
        return name
    return f"[{name}](../learners/index.md#{row.learner.__name__.lower()})"


def scores(tasks: Sequence[str]) -> str:
    """Return the scores of all learners on tasks as a table; empty if there are none."""
    rows = [
        (
            f"[{row['game']}](../games/{GAMES[row['game']].name}.md#results)",
            learner(row["learner"]), f"{int(row['games']):,}", percent(float(row["optimality %"])),
            percent(float(row["lowest"])), percent(float(row["highest"])),
            percent(float(row["random %"])), row["of"],
        )
        for row in read_csv(RESULTS / "optimality.csv")
        if row["game"] in tasks
    ]  # fmt: skip
    header = ("task", "learner", "games", "mean %", "lowest", "highest", "random moves", "of")
    return table(header, rows) if rows else ""


def leaderboard_page() -> None:
    """Write the page of the leaderboard, the tasks and how to enter."""
    ranking = [
        (
            learner(each.learner), each.knows, percent(each.interquartile_mean),
            f"{percent(each.low)} to {percent(each.high)}", percent(each.mean),
            f"{each.solved} of {len(GAMES)}",
        )
        for each in leaderboard(published())
    ]  # fmt: skip
    means: dict[str, Row] = {}
    for row in read_csv(RESULTS / "optimality.csv"):
        means.setdefault(row["learner"], {})[row["game"]] = percent(float(row["optimality %"]))
    boards = [(learner(name), *(found[task] for task in GAMES)) for name, found in means.items()]
    tasks = [
        (
            number, name, f"[{task.name}](../games/{task.name}.md)", f"`{board(name)}`",
            task.starts, f"{task.games:,}",
        )
        for number, (name, task) in enumerate(GAMES.items(), 1)
    ]  # fmt: skip
    numbers = [f"[{number}](#tasks)" for number, *_ in tasks]
    ranks = ("learner", "knows", "interquartile mean %", "95 % interval", "mean %", "boards solved")
    text = filled(
        "results.md",
        version=VERSION,
        runs=len(GAMES) * len(SEEDS),
        seeds=SEEDS,
        ranking=table(ranks, ranking),
        boards=table(("learner", *numbers), boards),
        tasks=table(("", "task", "game", "arguments", "starts", "games"), tasks),
    )
    write("results/index.md", text)


def published_table(rows: Sequence[Row]) -> str:
    """Return rows of ``published.csv`` as a table without columns that are empty."""
    used = [key for key in COLUMNS if any(row[key] not in ("", "-") for row in rows)]
    cells = [[row[key] if row[key] not in ("", "-") else "–" for key in used] for row in rows]
    return table([COLUMNS[key] for key in used], cells)


def pages() -> None:
    """Write the pages of results."""
    leaderboard_page()
    rows: dict[str, list[Row]] = {}
    for row in read_csv(RESULTS / "published.csv"):
        rows.setdefault(row["system"], []).append(row)
    systems = [(SYSTEMS[name], published_table(found)) for name, found in rows.items()]
    write("results/published.md", filled("published.md", systems=systems))
