"""Tables and pages of results, from the files committed in docs/results."""

from __future__ import annotations

from collections.abc import Sequence

from agents.registry import LEARNERS
from benchmarks.leaderboard import RESULTS, leaderboard, published
from benchmarks.published.systems import SYSTEMS
from benchmarks.report import bars, percent, read_csv
from benchmarks.studies.open_track.standings import published as open_track
from benchmarks.tasks import GAMES, SEEDS, VERSION
from docs.generator.markdown import filled, table, write

Row = dict[str, str]

TELLING = ("wythoff", "octal-266", "misere-kayles")
"""Tasks of the open track whose learned boards tell learners apart."""


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


def telling() -> tuple[list[tuple[str, float]], str]:
    """Return the means over :data:`TELLING` by learner, the best first, and a table of them."""
    scores: dict[str, dict[str, float]] = {}
    for row in open_track():
        if row["board"] == "learned" and row["task"] in TELLING:
            scores.setdefault(row["learner"], {})[row["task"]] = float(row["last %"])
    ranked = {
        each.learner: (each.knows, [scores[each.learner][task] for task in TELLING])
        for each in leaderboard(published())
        if each.learner in scores
    }
    means = {name: sum(found) / len(found) for name, (_, found) in ranked.items()}
    names = sorted(means, key=lambda name: -means[name])
    rows = [
        (learner(name), ranked[name][0], *map(percent, (means[name], *ranked[name][1])))
        for name in names
    ]
    header = ("learner", "knows", "mean %", *(f"[{task}](open_track.md#tasks)" for task in TELLING))
    return [(name, means[name]) for name in names], table(header, rows)


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
    means: dict[str, dict[str, float]] = {}
    for row in read_csv(RESULTS / "optimality.csv"):
        means.setdefault(row["game"], {})[row["learner"]] = float(row["optimality %"])
    # The boards that most learners do not solve come first.
    unsolved = {task: sum(score < 100 for score in found.values()) for task, found in means.items()}
    order = sorted(GAMES, key=lambda task: -unsolved[task])
    names = list(means[order[0]])
    boards = [(learner(name), *(percent(means[task][name]) for task in order)) for name in names]
    tasks = [
        (
            number, name, f"[{GAMES[name].name}](../games/{GAMES[name].name}.md)",
            f"`{board(name)}`", GAMES[name].starts, f"{GAMES[name].games:,}",
        )
        for number, name in enumerate(order, 1)
    ]  # fmt: skip
    numbers = [f"[{number}](#tasks)" for number, *_ in tasks]
    ranks = ("learner", "knows", "interquartile mean %", "95 % interval", "mean %", "boards solved")
    chart, scores_there = telling()
    learned = [(name, score) for name, score in chart if name not in ("optimal", "random")]
    text = filled(
        "results.md",
        version=VERSION,
        best=learned[0],
        worst=learned[-1],
        chart=bars(chart),
        telling=scores_there,
        runs=len(GAMES) * len(SEEDS),
        seeds=SEEDS,
        ranking=table(ranks, ranking),
        boards=table(("learner", *numbers), boards),
        tasks=table(("", "task", "game", "arguments", "starts", "games"), tasks),
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
