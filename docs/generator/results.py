"""Tables and pages of results, from the files committed in docs/results."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from agents.registry import LEARNERS
from benchmarks.leaderboard import RESULTS, complete, leaderboard, means, published
from benchmarks.published.systems import SYSTEMS
from benchmarks.report import bars, percent, read_csv
from benchmarks.tasks import GAMES, SEEDS, TASKS
from docs.generator.markdown import filled, table, write

Row = dict[str, str]

NETWORKS = {
    "ppo-from-scratch": ("PPO", "ppo_from_scratch", "what it observes"),
    "alphazero, mlp": ("AlphaZero, its network alone", "alphazero", "the rules"),
    "alphazero, mlp, with search": ("AlphaZero", "alphazero", "the rules"),
}
"""The networks on the leaderboard: name, tutorial and knowledge by the name in their study."""


def tasks_of(version: int, names: Sequence[str]) -> str:
    """Return a table of tasks of a version, numbered in the order of their names."""
    rows = []
    for number, name in enumerate(names, 1):
        task = TASKS[version][name]
        board = ", ".join(f"{key}={value!r}" for key, value in task.arguments.items())
        game = f"[{task.name}](../games/{task.name}.md)"
        rows.append((number, name, game, f"`{board}`", task.starts, f"{task.games:,}"))
    return table(("", "task", "game", "arguments", "starts", "games"), rows)


def learner(name: str) -> str:
    """Return a learner's name, linked to its tutorial or its part of the page of learners."""
    if name in NETWORKS:
        words, tutorial, _ = NETWORKS[name]
        return f"[{words}](../tutorials/{tutorial}.md)"
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


def on_three_boards() -> tuple[list[tuple[str, float]], str]:
    """Return the means over the tasks of version 3 by learner, the best first, and their table."""
    runs = complete(published(3), 3)
    for row in read_csv(RESULTS / "alphazero_3.csv"):
        knows, seconds = NETWORKS[row["learner"]][2], row["CPU seconds"]
        row.update(game=row["board"], knows=knows, seconds=seconds)
        runs.setdefault(row["learner"], []).append(row)
    scores = means(itertools.chain(*runs.values()), list(TASKS[3]))
    ranked = [(name, float(np.mean(each))) for name, each in scores.items()]
    ranked.sort(key=lambda each: -each[1])
    rows = []
    for name, mean in ranked:
        games, seconds = (
            float(np.mean([float(row[key]) for row in runs[name]])) for key in ("games", "seconds")
        )
        took = f"{seconds:.0f}" if seconds >= 1 else f"{seconds:.2f}"
        shown = map(percent, (mean, *scores[name]))
        rows.append((learner(name), runs[name][0]["knows"], *shown, f"{games:,.0f}", took))
    header = ("learner", "knows", "mean %", *TASKS[3], "games", "seconds")
    return ranked, table(header, rows)


def leaderboard_page() -> None:
    """Write the page of the leaderboard, the tasks and how to enter."""
    ranking = [
        (
            learner(each.learner), each.knows, percent(each.interquartile_mean),
            f"{percent(each.low)} to {percent(each.high)}", percent(each.mean),
            f"{each.solved} of {len(GAMES)}",
        )
        for each in leaderboard(published(2), 2)
    ]  # fmt: skip
    by_task: dict[str, dict[str, float]] = {}
    for row in read_csv(RESULTS / "optimality.csv"):
        by_task.setdefault(row["game"], {})[row["learner"]] = float(row["optimality %"])
    # The boards that most learners do not solve come first.
    order = sorted(GAMES, key=lambda task: -sum(each < 100 for each in by_task[task].values()))
    names = list(by_task[order[0]])
    boards = [(learner(name), *(percent(by_task[task][name]) for task in order)) for name in names]
    numbers = [f"[{number}](#version-2)" for number in range(1, len(order) + 1)]
    ranks = ("learner", "knows", "interquartile mean %", "95 % interval", "mean %", "boards solved")
    chart, three = on_three_boards()
    observing = [name for name, row in LEARNERS.items() if row.knows == "what it observes"]
    text = filled(
        "results.md",
        means={name: percent(mean) for name, mean in chart},
        best=next(name for name, _ in chart if name in observing),
        chart=bars((NETWORKS.get(name, (name,))[0], mean) for name, mean in chart),
        three=three,
        tasks_3=tasks_of(3, list(TASKS[3])),
        full=sum(each[2] == "100.0" for each in ranking),
        learners=len(ranking),
        runs=len(GAMES) * len(SEEDS),
        seeds=SEEDS,
        ranking=table(ranks, ranking),
        boards=table(("learner", *numbers), boards),
        tasks=tasks_of(2, order),
    )
    write("results/index.md", text)


def compared(rows: dict[str, list[Row]]) -> tuple[list[tuple[str, float]], list[int]]:
    """Return bars of each system and of a learner here, and how many are lower, equal, higher."""
    chart, counts = [], [0, 0, 0]
    for system, found in rows.items():
        row = next(each for each in found if each["score"].endswith("%"))
        theirs, ours = (
            float(row[key].split()[0]) for key in ("measured as published", "same games")
        )
        stand_in = SYSTEMS[system].stand_in
        by = "as published" if stand_in is None else f"by {stand_in.name}"
        chart += [(f"{system}, {by}", theirs), (f"{row['ours']}, here", ours)]
        counts[1 + (theirs > ours) - (theirs < ours)] += 1
    return chart, counts


def pages() -> None:
    """Write the pages of results."""
    leaderboard_page()
    rows: dict[str, list[Row]] = {}
    for row in read_csv(RESULTS / "published.csv"):
        rows.setdefault(row["system"], []).append(row)
    chart, counts = compared(rows)
    systems = [SYSTEMS[name] for name in rows]
    text = filled("published.md", systems=systems, chart=bars(chart), counts=counts)
    write("results/published.md", text)
