"""Standings of the open track, and the knowledge of its learners."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.leaderboard import RESULTS, InvalidRunsError, entry_rows
from benchmarks.report import read_csv
from benchmarks.studies.open_track.runs import BOARDS, PLAYS, REFUSED
from benchmarks.studies.open_track.tasks import TASKS, VERSION

Row = dict[str, str]
"""A row of ``open_track.csv``, as text."""

NUMBERS = ("first games", "second games", "last games")
SCORES = ("first %", "second %", "last %")

HEADER = (
    "tasks", "task", "board", "learner", "knows", "seeds", *NUMBERS, *SCORES, "area", "lowest",
    "highest", "random %", "positions", "plays",
)  # fmt: skip
"""The columns of ``open_track.csv``; ``tasks`` is the version of the tasks."""

OBSERVED = ("what it observes", "nothing")
"""Knowledge of learners that are given nothing more, and of random moves."""


def published() -> list[Row]:
    """Return the committed rows of this version of the tasks, and those of all entries.

    Raises:
        InvalidRunsError: an entry has a row that no run can have written, or of a learner of this
            project or of another entry.
    """
    path = RESULTS / "open_track.csv"
    own = read_rows(path) if path.exists() else []
    return [*own, *entry_rows(RESULTS / "open_entries", read_rows)]


def read_rows(path: Path) -> list[Row]:
    """Return the rows of an ``open_track.csv`` that are of this version of the tasks.

    Raises:
        InvalidRunsError: no run can have written a row.
    """
    rows = [row for row in read_csv(path) if row.get("tasks") == VERSION]
    for row in rows:
        where = f"{path}: {row['learner']} on {row['task']}, {row['board']}"
        if row["task"] not in TASKS or row["board"] not in BOARDS:
            raise InvalidRunsError(f"{where}: there is no such board")
        for column in (*SCORES, "area", "lowest", "highest"):
            try:
                inside = 0 <= float(row[column]) <= 100
            except ValueError:
                inside = False
            if not inside:
                raise InvalidRunsError(f"{where}: {column} is from 0 to 100, not {row[column]!r}")
    return rows


class OpenStanding(NamedTuple):
    """A learner's place on the open track.

    Areas and scores are means in percent; the last numbers count the tasks that it learns, and
    those whose larger board it plays.
    """

    learner: str
    knows: str
    score: float
    learned_area: float
    learned_last: float
    larger_area: float
    larger_last: float
    learned: list[str]
    larger: list[str]


def standings(rows: Iterable[Row], tasks: Sequence[str]) -> list[OpenStanding]:
    """Return the standing of each learner that has all of ``tasks``, the best first."""
    by_learner: dict[str, dict[tuple[str, str], Row]] = {}
    for row in rows:
        by_learner.setdefault(row["learner"], {})[row["task"], row["board"]] = row
    places = []
    for learner, own in by_learner.items():
        if not all((task, board) in own for task in tasks for board in BOARDS):
            continue
        learned_area, learned_last, larger_area, larger_last = (
            float(np.mean([float(own[task, board][column]) for task in tasks]))
            for board in BOARDS
            for column in ("area", "last %")
        )
        places.append(
            OpenStanding(
                learner,
                own[tasks[0], BOARDS[0]]["knows"],
                (learned_area + larger_area) / 2,
                learned_area,
                learned_last,
                larger_area,
                larger_last,
                [task for task in tasks if own[task, "learned"]["plays"] != REFUSED],
                [task for task in tasks if own[task, "larger"]["plays"] == PLAYS],
            )
        )
    return sorted(places, key=lambda each: (-each.score, each.learner))


def best_by_task(rows: Iterable[Row]) -> dict[str, list[float]]:
    """Return the highest areas by task, without those of the solution.

    Four areas by task: on the learned and on the larger board, of the learners that know
    nothing but what they observe; then on both boards, of all learners.
    """
    areas: dict[str, list[float]] = {task: [0.0] * 4 for task in TASKS}
    for row in rows:
        if row["learner"] != "optimal":
            board = BOARDS.index(row["board"])
            best = areas[row["task"]]
            for first in (0, 2) if row["knows"] in OBSERVED else (2,):
                best[first + board] = max(best[first + board], float(row["area"]))
    return areas
