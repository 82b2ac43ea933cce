"""A figure of the scores on boards that were not seen."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.report import grouped
from benchmarks.studies.generalisation.experiments import EXPERIMENTS, LEARNED
from nim_envs.render.style import PAGE_WIDTH, styled

PANELS = {
    "nim-5": "Nim, heaps 1, 3, 5, 7, 9",
    "misere-nim": "Misère Nim, four heaps of 15",
    "take-7": "Nim, at most 7 taken, heaps of 15",
    "misere-kayles": "Misère Kayles, a row of 12",
}
"""The experiments that are drawn, with their titles; the tables have all."""

COLUMNS = 2
ROW = 0.21
"""Height of a learner's row, in inches."""
TITLE = 0.9
"""Height of a panel's title and of the names of its boards, in inches."""
BAR = 0.7
"""Height of the colour bar, in inches."""


@styled
def matrices(runs: Sequence[Any]) -> Figure:
    """Draw a matrix for each of four games: the mean score of every learner on every board.

    Boards stand from the one that was learned, on the left, to the largest; a cell is empty where a
    learner cannot read the board.

    Args:
        runs: runs of any experiments; the first four are drawn if none is in :data:`PANELS`.
    """
    scored = [run for run in runs if run.scores]
    there = [name for name in EXPERIMENTS if any(run.experiment == name for run in scored)]
    names = [name for name in PANELS if name in there] or there[: len(PANELS)]
    panels = [_panel(name, scored) for name in names]
    rows = [panels[first : first + COLUMNS] for first in range(0, len(panels), COLUMNS)]
    heights = [TITLE + ROW * max(len(learners) for _, learners, _ in row) for row in rows]
    figure = Figure(figsize=(PAGE_WIDTH, sum(heights) + BAR), layout="constrained")
    grid = figure.add_gridspec(len(rows), COLUMNS, height_ratios=heights)
    places = []
    for place, (name, (boards, learners, percents)) in enumerate(zip(names, panels, strict=True)):
        axes = figure.add_subplot(grid[divmod(place, COLUMNS)])
        image = axes.imshow(percents, cmap="cividis", vmin=0, vmax=100, aspect="auto")
        axes.set_xticks(
            range(len(boards)), [fill(board.replace("< ", "<\xa0"), 7) for board in boards]
        )
        axes.set_yticks(range(len(learners)), learners)
        axes.tick_params(labelsize=6, length=0)
        axes.set_title(PANELS.get(name, name))
        axes.spines[:].set_visible(False)
        for (row, column), percent in np.ndenumerate(percents):
            if not np.isnan(percent):
                # Letters that can be read on the dark end of the colours and on the light one.
                colour = "white" if percent < 50 else "black"
                axes.text(
                    column, row, f"{percent:.0f}", ha="center", va="center", color=colour, size=6
                )
        places.append(axes)
    if places:
        figure.colorbar(
            image, ax=places, location="bottom", shrink=0.5, aspect=40,
            label="N-positions played right, in percent; 100: every one",
        )  # fmt: skip
    return figure


def _panel(name: str, runs: Sequence[Any]) -> tuple[list[str], list[str], np.ndarray[Any, Any]]:
    """Return the boards and learners of an experiment, and mean percents, learners by boards."""
    groups = grouped([run for run in runs if run.experiment == name], "contender")
    scored = {board for group in groups.values() for run in group for board in run.scores}
    boards = [board for board in (LEARNED, *EXPERIMENTS[name].held_out) if board in scored]
    learners = [who for who in EXPERIMENTS[name].contenders if who in groups]

    def mean(learner: str, board: str) -> float:
        runs = groups[learner]
        percents = [run.scores[board].percent if board in run.scores else np.nan for run in runs]
        return float(np.mean(percents))

    means = [[mean(learner, board) for board in boards] for learner in learners]
    return boards, learners, np.array(means)
