"""The leaderboard: learners ranked over all tasks of a version, by interquartile means.

It reads the files of runs that ``python -m benchmarks.optimality`` writes, with one row for each
learner, task and seed. Only learners with all tasks and seeds are ranked. A row that no run can
have written is refused, as is an entry that has rows of a learner of this project or of another
entry.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.entries import is_own
from benchmarks.report import read_csv
from benchmarks.tasks import SEEDS, TASKS
from nim_envs.errors import NimEnvsError
from nim_envs.scoring import CONFIDENCE
from nim_envs.typing import FloatArray

RUN_HEADER = (
    "tasks", "game", "learner", "knows", "seed", "games", "seconds", "optimality %", "random %",
    "blunders", "of",
)  # fmt: skip
"""The columns of ``runs.csv``; ``tasks`` is the version of the tasks."""

HEADER = ("learner", "knows", "interquartile mean %", "low", "high", "mean %", "tasks solved")
"""The columns of ``leaderboard.csv``."""

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"

REPETITIONS = 2_000
"""Bootstrap samples, drawn with a fixed seed."""


class InvalidRunsError(NimEnvsError, ValueError):
    """Rows of runs that cannot be ranked; the message names the row and what is wrong."""


class Standing(NamedTuple):
    """A learner's place on the leaderboard: the cells under :data:`HEADER`.

    The interval is of the interquartile mean, a bootstrap of 95 %; a task is solved where every
    seed reached 100 %.
    """

    learner: str
    knows: str
    interquartile_mean: float
    low: float
    high: float
    mean: float
    solved: int


def interquartile_mean(scores: FloatArray, axis: int = -1) -> FloatArray:
    """Return the mean of the middle half of the scores along an axis.

    References:
        R. Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice",
        *NeurIPS* (2021), section 4.3.

    Example:
        >>> interquartile_mean(np.array([0.0, 10.0, 20.0, 90.0])).item()
        15.0
    """
    from scipy import stats  # loading it takes as long as all of this project

    return np.asarray(stats.trim_mean(scores, 0.25, axis))


def bootstrap_interval(scores: FloatArray) -> tuple[float, float]:
    """Return the 95 % percentile interval of the interquartile mean, by stratified bootstrap.

    Each of :data:`REPETITIONS` resamples the seeds of every task with replacement.

    References:
        As :func:`interquartile_mean`, section 4.1; B. Efron, "Bootstrap methods: another look at
        the jackknife", *Annals of Statistics* 7 (1979), 1-26.
    """
    from scipy import stats

    low, high = stats.bootstrap(
        tuple(scores), lambda *tasks, axis: interquartile_mean(np.concatenate(tasks, axis), axis),
        n_resamples=REPETITIONS, confidence_level=CONFIDENCE, method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return float(low), float(high)


def stem(name: str, version: int) -> str:
    """Return a file's name without its suffix; those of version 2 alone do not end in it."""
    return name if version == 2 else f"{name}_{version}"


def published(version: int) -> list[dict[str, str]]:
    """Return the rows of the committed results and of all entries, of a version of the tasks.

    Raises:
        InvalidRunsError: a file has a row that no run can have written; or as :func:`entry_rows`.
    """
    return [
        *read_runs(RESULTS / f"{stem('runs', version)}.csv", version),
        *entry_rows(RESULTS / "entries", lambda path: read_runs(path, version)),
    ]


def entry_rows(
    folder: Path, read: Callable[[Path], list[dict[str, str]]]
) -> Iterator[dict[str, str]]:
    """Yield the rows of all entries.

    Raises:
        InvalidRunsError: an entry has rows of a learner of this project, of another entry, or not
            of the form ``"module:Name"``.
    """
    owners: dict[str, Path] = {}
    for path in sorted(folder.glob("*.csv")):
        rows = read(path)
        for name in dict.fromkeys(row["learner"] for row in rows):
            if not is_own(name) or ":" not in name:
                raise InvalidRunsError(
                    f"{path}: a learner of your own is named package.module:Name, not {name!r}"
                )
            if name in owners:
                raise InvalidRunsError(f"{path}: {name} is entered by {owners[name]} already")
            owners[name] = path
        yield from rows


def how_to_enter(command: str, whole: bool, results: Path, entry: str) -> str:
    """Return how to enter a table with results, or the command for the runs that lack."""
    if not whole:
        return f"\nThe table takes all tasks, seeds and games:\n  python -m benchmarks.{command}"
    return (
        "\nTo enter the table, open a pull request with this file and the learner's code:\n"
        f"  cp {results} docs/results/{entry}"
    )


def means(rows: Iterable[dict[str, str]], boards: Sequence[str]) -> dict[str, list[float]]:
    """Return the mean score of each learner on each of ``boards``, of those that have them all."""
    scores_by_learner: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        on_board = scores_by_learner.setdefault(row["learner"], {}).setdefault(row["game"], [])
        on_board.append(float(row["optimality %"]))
    return {
        learner: [float(np.mean(scores[board])) for board in boards]
        for learner, scores in scores_by_learner.items()
        if scores.keys() >= set(boards)
    }


def read_runs(path: Path, version: int) -> list[dict[str, str]]:
    """Return the rows of a file of runs that are of a version of the tasks.

    A player that does not learn plays no games, has seed 0, and does not learn on any task.

    Raises:
        InvalidRunsError: no run can have written a row; or two rows are of the same learner, task,
            number of games and seed.
    """
    rows = [row for row in read_csv(path) if row.get("tasks") == str(version)]
    seen_runs = set()
    learns: dict[str, bool] = {}
    for row in rows:
        learner, task = row["learner"], row["game"]
        where = f"{path}: {learner} on {task}"
        try:
            seed, games, percent = int(row["seed"]), int(row["games"]), float(row["optimality %"])
        except (TypeError, ValueError) as error:
            raise InvalidRunsError(f"{where}: {error}") from error
        wrong = ""
        if task not in TASKS[version]:
            wrong = f"there is no such task, but {', '.join(TASKS[version])}"
        elif seed < 0 or games < 0:
            wrong = f"seed and games are at least 0, not {seed}, {games}"
        elif not 0 <= percent <= 100:  # not a number is neither
            wrong = f"a score is from 0 to 100 %, not {percent}"
        elif learns.setdefault(learner, games > 0) != (games > 0) or (not games and seed):
            wrong = "a player that does not learn has 0 games and seed 0 on every task"
        elif (learner, task, games, seed) in seen_runs:
            wrong = f"{games} games have two rows"
        if wrong:
            raise InvalidRunsError(f"{where} with seed {seed}: {wrong}")
        seen_runs.add((learner, task, games, seed))
    return rows


def complete(rows: Iterable[dict[str, str]], version: int) -> dict[str, list[dict[str, str]]]:
    """Return the runs that count, by learner, of the learners that have them all.

    They are of all tasks with all seeds and the tasks' number of games. A player that does not
    learn plays no games, and has a single seed.
    """
    tasks = TASKS[version]
    found: dict[str, dict[tuple[str, int], dict[str, str]]] = {}
    for row in rows:
        if int(row["games"]) in (0, tasks[row["game"]].games) and int(row["seed"]) in SEEDS:
            found.setdefault(row["learner"], {})[row["game"], int(row["seed"])] = row
    counting = {}
    for learner, runs in found.items():
        learns = any(int(row["games"]) for row in runs.values())
        if all((task, seed) in runs for task in tasks for seed in (SEEDS if learns else (0,))):
            counting[learner] = list(runs.values())
    return counting


def leaderboard(rows: Iterable[dict[str, str]], version: int) -> list[Standing]:
    """Rank the learners that have all runs of a version of the tasks."""
    standings = []
    for learner, runs in complete(rows, version).items():
        scores: dict[str, list[float]] = {task: [] for task in TASKS[version]}
        for row in runs:
            scores[row["game"]].append(float(row["optimality %"]))
        # The single seed of a player that does not learn counts for all.
        table = np.array([each * (len(SEEDS) // len(each)) for each in scores.values()])
        standings.append(
            Standing(
                learner,
                runs[0]["knows"],
                float(interquartile_mean(table.ravel())),
                *bootstrap_interval(table),
                float(table.mean()),
                int((table >= 100.0).all(axis=1).sum()),
            )
        )
    return sorted(standings, key=lambda each: (-each.interquartile_mean, -each.mean, each.learner))
