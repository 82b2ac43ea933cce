"""Pages of results, from the files committed in docs/results."""

import itertools
from typing import Any

import numpy as np

from agents.registry import LEARNERS
from benchmarks.leaderboard import RESULTS, complete, leaderboard, means, published
from benchmarks.published.systems import SYSTEMS
from benchmarks.report import bars, percent, read_csv
from benchmarks.tasks import GAMES, SEEDS, TASKS
from docs.generator.markdown import ROOT, filled, write

NETWORKS = {
    "ppo-from-scratch": ("PPO", "ppo_from_scratch", "what it observes"),
    "alphazero, mlp": ("AlphaZero, its network alone", "alphazero", "the rules"),
    "alphazero, mlp, with search": ("AlphaZero", "alphazero", "the rules"),
}
"""The networks on the leaderboard: name, tutorial and knowledge by the name in their study."""


def learner(name: str) -> str:
    """Return a learner's name, linked to its tutorial or its part of the page of learners."""
    if name in NETWORKS:
        words, tutorial, _ = NETWORKS[name]
        return f"[{words}](../tutorials/{tutorial}.md)"
    row = LEARNERS.get(name)
    if row is None:
        return name
    return f"[{name}](../learners/index.md#{row.learner.__name__.lower()})"


def on_three_boards() -> list[tuple[Any, ...]]:
    """Return name, knowledge, mean, means by task, games and seconds on version 3, best first."""
    runs = complete(published(3), 3)
    for row in read_csv(RESULTS / "alphazero_3.csv"):
        knows, seconds = NETWORKS[row["learner"]][2], row["CPU seconds"]
        row.update(game=row["board"], knows=knows, seconds=seconds)
        runs.setdefault(row["learner"], []).append(row)
    found = []
    for name, scores in means(itertools.chain(*runs.values()), list(TASKS[3])).items():
        games, seconds = (
            np.mean([float(row[key]) for row in runs[name]]) for key in ("games", "seconds")
        )
        found.append((name, runs[name][0]["knows"], float(np.mean(scores)), scores, games, seconds))
    return sorted(found, key=lambda each: -each[2])


def leaderboard_page() -> None:
    """Write the page of the leaderboard, the tasks and how to enter."""
    by_task: dict[str, dict[str, float]] = {}
    for row in read_csv(RESULTS / "optimality.csv"):
        by_task.setdefault(row["game"], {})[row["learner"]] = float(row["optimality %"])
    three, ranking = on_three_boards(), leaderboard(published(2), 2)
    shown = [(NETWORKS.get(name, (name,))[0], mean) for name, _, mean, *_ in three]
    text = filled(
        "results.md",
        learner=learner,
        tasks=TASKS,
        seeds=SEEDS,
        three=three,
        chart=bars(shown),
        means={name: mean for name, _, mean, *_ in three},
        best=next(
            name for name, *_ in three if name in LEARNERS and LEARNERS[name].knows != "the rules"
        ),
        ranking=ranking,
        full=sum(percent(each.interquartile_mean) == "100.0" for each in ranking),
        by_task=by_task,
        # The boards that most learners do not solve come first.
        order=sorted(GAMES, key=lambda task: -sum(each < 100 for each in by_task[task].values())),
        my_learner=(ROOT / "docs" / "tutorials" / "my_learner.py").read_text(encoding="utf-8"),
    )
    write("results/index.md", text)


def published_page() -> None:
    """Write the page of published systems: each beside a learner here, after as many games."""
    rows: dict[str, dict[str, str]] = {}
    for row in read_csv(RESULTS / "published.csv"):
        if row["score"].endswith("%"):
            rows.setdefault(row["system"], row)
    systems = [SYSTEMS[name] for name in rows]
    chart, gains = [], []
    for system, row in zip(systems, rows.values(), strict=True):
        theirs, ours = (
            float(row[key].split()[0]) for key in ("measured as published", "same games")
        )
        by = f"by {system.stand_in.name}" if system.stand_in else "as published"
        chart += [(f"{system.name}, {by}", theirs), (f"{row['ours']}, here", ours)]
        gains.append(ours - theirs)
    text = filled("published.md", systems=systems, chart=bars(chart), gains=gains)
    write("results/published.md", text)


def pages() -> None:
    """Write the pages of results."""
    leaderboard_page()
    published_page()
