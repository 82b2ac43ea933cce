"""Pages of results, from the files committed in docs/results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agents.registry import LEARNERS
from benchmarks.leaderboard import RESULTS, leaderboard, published
from benchmarks.published.systems import SYSTEMS, System
from benchmarks.report import percent, read_csv
from benchmarks.tasks import GAMES, SEEDS, VERSION
from docs.generator.markdown import ROOT, filled, heading, table, write

STARTER = ROOT / "docs" / "tutorials" / "my_learner.py"

Row = dict[str, str]


def optimality() -> dict[tuple[str, str], Row]:
    """Return the committed rows of the main benchmark by task and learner."""
    return {(row["game"], row["learner"]): row for row in read_csv(RESULTS / "optimality.csv")}


def _board(task: str) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in GAMES[task].arguments.items())


def _learner(name: str, folder: str) -> str:
    """Return a learner's name, as a link if it has a page."""
    row = LEARNERS.get(name)
    return name if row is None else f"[{name}]({folder}learners/{row.learner.__name__}.md)"


def _spread(row: Row) -> tuple[str, str]:
    mean, low, high = (percent(float(row[key])) for key in ("optimality %", "lowest", "highest"))
    return mean, "" if low == high else f"{low} to {high}"


HOW = (
    "Printed by `python -m benchmarks.optimality`: the percentage of N-positions at which a "
    f"winning move is played, mean and range of {len(SEEDS)} seeds."
)


def of_game(name: str) -> str:
    """Return the learners' results on a registered game."""
    parts = [f"## Results\n\n{HOW} [More about these scores](../results/index.md#boards)."]
    for task in (task for task in GAMES if GAMES[task].name == name):
        shown = [
            (_learner(learner, "../"), f"{int(row['games']):,}", *_spread(row), row["of"])
            for (game, learner), row in optimality().items()
            if game == task
        ]
        header = ("learner", "games", "mean %", "range", "positions")
        parts.append(f"### {task}\n\n`{_board(task)}`\n\n{table(header, shown)}")
    return "\n\n".join(parts) if len(parts) > 1 else ""


def of_learners(names: Iterable[str]) -> str:
    """Return some learners' results on every board."""
    rows = optimality()
    names = [name for name in names if any(learner == name for _, learner in rows)]
    if not names:
        return ""
    shown = []
    for task in GAMES:
        cells = []
        for name in names:
            mean, spread = _spread(rows[task, name])
            cells.append(f"{mean} ({spread})" if spread else mean)
        random = percent(float(rows[task, names[0]]["random %"]))
        board = f"[{task}](../games/{GAMES[task].name}.md#results)"
        shown.append((board, f"{GAMES[task].games:,}", *cells, random))
    header = ("board", "games", *names, "random moves")
    return f"{HOW}\n\n{table(header, shown)}"


def standings() -> list[Any]:
    """Return the leaderboard, entries of others included."""
    return leaderboard(published())


def leaderboard_page() -> None:
    """Write the page of the leaderboard, the tasks and how to enter."""
    ranked = [
        (
            _learner(each.learner, "../"), each.knows, percent(each.interquartile_mean),
            f"{percent(each.low)} to {percent(each.high)}", percent(each.mean),
            f"{each.solved} of {len(GAMES)}",
        )
        for each in standings()
    ]  # fmt: skip
    tasks = [
        (
            name, f"[{task.name}](../games/{task.name}.md)", f"`{_board(name)}`", task.starts,
            f"{task.games:,}",
        )
        for name, task in GAMES.items()
    ]  # fmt: skip
    rows = optimality()
    boards = [
        (
            _learner(learner, "../"),
            *(percent(float(rows[task, learner]["optimality %"])) for task in GAMES),
        )
        for learner in dict.fromkeys(learner for _, learner in rows)
    ]
    numbers = [f"[{number}](#tasks)" for number in range(1, len(GAMES) + 1)]
    numbered = [(str(number), *task) for number, task in enumerate(tasks, 1)]
    ranked_header = ("learner", "knows", "interquartile mean %", "95 % interval", "mean %",
                     "boards solved")  # fmt: skip
    task_header = ("", "task", "game", "arguments", "starts", "games")
    text = filled(
        "results",
        version=VERSION,
        runs=len(GAMES) * len(SEEDS),
        seeds=len(SEEDS),
        seed_numbers=", ".join(map(str, SEEDS)),
        ranking=table(ranked_header, ranked),
        boards=table(("learner", *numbers), boards),
        tasks=table(task_header, numbered),
        starter=STARTER.read_text(encoding="utf-8"),
    )
    write("results/index.md", text)


def filled_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table without columns that have nothing in any row; a dash fills other gaps.

    The first column names groups of rows, and is left as it is.
    """
    cells = [[row[0], *("–" if cell in ("", "-") else cell for cell in row[1:])] for row in rows]
    used = [column for column in range(len(header)) if any(row[column] != "–" for row in cells)]
    return table(
        [header[column] for column in used], [[row[column] for column in used] for row in cells]
    )


def _as_published(system: System, row: Row) -> list[tuple[str, ...]]:
    """Return the rows of the published learner, and of the one that is measured in its place."""
    score = f"**{row['score']}**"
    measured = (row["measured as published"], row["attainable"])
    if system.stand_in is None:
        return [(score, "as published", system.knows, row["published"], *measured)]
    return [
        (score, "as published", system.knows, row["published"], "", ""),
        ("", system.stand_in.name, system.stand_in.knows, "", *measured),
    ]


def published_page() -> None:
    """Write the page of published systems."""
    rows = read_csv(RESULTS / "published.csv")
    parts = [
        "# Published systems\n\nPublished learners of these games, run with their own settings, "
        "and learners of this project with as many games. `python -m benchmarks.published` prints "
        "these figures and writes [published.csv](published.csv). They are means over three seeds, "
        "with the lowest and highest where they differ. Scores in percent are exact: percentages "
        "of N-positions, or probabilities of winning by backward induction, not games played."
        "\n\n- *knows*: information that the learner uses besides its rewards.\n"
        "- *published*: as printed by the authors. *measured*: our run.\n"
        "- *attainable*: the score of perfect play, in tables where it is not always 100."
    ]
    for name in dict.fromkeys(row["system"] for row in rows):
        system = SYSTEMS[name]
        shown: list[tuple[str, ...]] = []
        for row in rows:
            if row["system"] == name:
                if row["published"] or row["measured as published"]:
                    shown += _as_published(system, row)
                shown.append(("", row["ours"], row["knows"], "", row["same games"], ""))
        header = ("score", "learner", "knows", "published", "measured", "attainable")
        parts.append(
            f"## {system.title}\n\n{system.settings[0].upper()}{system.settings[1:]}.\n\n"
            f"*What is wrong with it*: {system.defect}\n\n{filled_columns(header, shown)}"
            f"\n\n*Source*: {system.source}. On the command line: `{name}`."
        )
    write("results/published.md", "\n\n".join(parts) + "\n")


def pages() -> list[str]:
    """Write the pages of results; return the lines of the navigation."""
    leaderboard_page()
    published_page()
    return [
        "* [Results](results/index.md)",
        "    * [Published systems](results/published.md)",
        *(f"    * [{heading(path)}](results/{path.name})" for path in sorted(RESULTS.glob("*.md"))),
    ]
