"""The chart of the open track: scores by number of games on the learned and the larger board."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.entries import UNTRAINED
from benchmarks.studies.open_track.standings import NUMBERS, OBSERVED, SCORES, Row, standings
from nim_envs.render.style import BLUE, GREEN, ORANGE, PAGE_WIDTH, VERMILLION, styled

TITLES = {"learned": "the board that was learned", "larger": "a larger board, unseen"}

STYLES: dict[str, dict[str, Any]] = {
    OBSERVED[0]: {"color": BLUE, "marker": "o"},
    "the order of heaps": {"color": ORANGE, "marker": "s"},
    "the rules": {"color": GREEN, "marker": "^"},
    "more": {"color": VERMILLION, "marker": "D"},
}
"""Lines by what a learner knows."""


@styled
def curves(rows: Sequence[Row], tasks: Sequence[str]) -> Figure | None:
    """Draw the mean score by number of games of each learner that has all tasks, if any."""
    trained = [each for each in standings(rows, tasks) if each.learner not in UNTRAINED]
    if not trained:
        return None
    games = [int(rows[0][column]) for column in NUMBERS]
    figure = Figure(figsize=(PAGE_WIDTH, 3.8), layout="constrained")
    panels = figure.subplots(1, len(TITLES), sharey=True)
    lines = {}
    for axes, (board, title) in zip(panels, TITLES.items(), strict=True):
        names: dict[int, list[str]] = {}
        here = [row for row in rows if row["board"] == board and row["task"] in tasks]
        for each in trained:
            scores = [
                [float(row[name]) for name in SCORES]
                for row in here
                if row["learner"] == each.learner
            ]
            mean = np.mean(scores, axis=0)
            kind = each.knows if each.knows in STYLES else "more"
            (lines[kind],) = axes.plot(games, mean, linewidth=1.0, alpha=0.8, **STYLES[kind])
            if board == "larger" and each.larger:
                names.setdefault(round(mean[-1]), []).append(each.learner)
        for height, together in names.items():
            axes.annotate(
                "\n".join(together), (games[-1], height), xytext=(0, -5), size=7, ha="right",
                va="top", textcoords="offset points", color=STYLES["more"]["color"],
            )  # fmt: skip
        by_task = {row["task"]: float(row["random %"]) for row in here}
        floor = float(np.mean(list(by_task.values())))
        axes.axhline(floor, color="0.5", linestyle=":", linewidth=1.0)
        axes.annotate(
            "random moves", (games[0], floor), xytext=(0, -9), textcoords="offset points",
            color="0.35", size=7,
        )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(games, [f"{number:,}" for number in games])
        axes.minorticks_off()
        axes.set_ylim(0, 102)
        axes.set_xlabel("games")
        axes.set_title(title)
        axes.grid(axis="y")
    panels[0].set_ylabel("N-positions played right, %")
    kinds = [kind for kind in STYLES if kind in lines]
    figure.legend(
        [lines[kind] for kind in kinds], kinds, title="what the learner knows",
        loc="outside lower center", ncols=len(kinds),
    )  # fmt: skip
    return figure
