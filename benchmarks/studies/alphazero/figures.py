"""AlphaZero's learning curves, as a picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.studies.alphazero.settings import ALPHAZERO, ALPHAZERO_PUBLISHED, BOARDS
from nim_envs.render.style import BLUE, GREEN, GREY, PAGE_WIDTH, PURPLE, VERMILLION, styled

LINES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": VERMILLION, "linestyle": (0, (5, 1.5)), "marker": "s"},
    {"color": GREEN, "linestyle": (0, (1, 1)), "marker": "^"},
    {"color": PURPLE, "linestyle": (0, (5, 1, 1, 1)), "marker": "D"},
)
PUBLISHED: dict[str, Any] = {"color": GREY, "linestyle": "--", "linewidth": 0.8}


def _title(board: str, seeds: int) -> str:
    """Return a board of Nim by its heaps, where its games start, and whether it is one seed."""
    setting = BOARDS[board]
    heaps = "-".join(map(str, setting.arguments.get("heaps", ())))
    name = f"Nim {heaps}" if setting.name == "nim" else board
    start = "full board" if setting.starts == "fixed" else f"{setting.starts} starts"
    return f"{name}, {start}" + (" (one seed)" if seeds == 1 else "")


@styled
def alphazero_curves(runs: Sequence[Any]) -> Figure:
    """Draw AlphaZero's scores without search by games: mean, lowest and highest of the seeds."""
    runs = [run for run in runs if run.learner in ALPHAZERO and run.curve]
    learners = {run.learner for run in runs}
    boards = list(dict.fromkeys(run.board for run in runs))
    styles = {who: line for who, line in zip(ALPHAZERO, LINES, strict=True) if who in learners}
    columns = min(2, len(boards))
    lines = -(-len(boards) // columns)
    figure = Figure(figsize=(PAGE_WIDTH, 2.2 * lines + 0.5), layout="constrained")
    for place, board in enumerate(boards):
        axes = figure.add_subplot(lines, columns, place + 1)
        for who, style in styles.items():
            curves = [run.curve for run in runs if (run.board, run.learner) == (board, who)]
            if not curves:
                continue
            games = [point[0] for point in curves[0]]
            percents = np.array([[point[1] for point in curve] for curve in curves])
            axes.plot(games, percents.mean(axis=0), **style)
            axes.vlines(
                games, percents.min(axis=0), percents.max(axis=0), color=style["color"], lw=0.8
            )
        if board in ALPHAZERO_PUBLISHED:
            axes.axhline(ALPHAZERO_PUBLISHED[board][0], **PUBLISHED)
        axes.set_ylim(-3, 103)
        axes.set_title(_title(board, len({run.seed for run in runs if run.board == board})))
        if place % columns == 0:
            axes.set_ylabel("optimality %")
        if place >= len(boards) - columns:
            axes.set_xlabel("games")
        axes.grid(axis="y")
    handles = [Line2D([], [], label=who, **style) for who, style in styles.items()]
    handles.append(Line2D([], [], label="published, at the end", **PUBLISHED))
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
