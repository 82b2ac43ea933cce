"""A figure of optimality against the size of the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from agents.plotting.curves import COLOURS, DASHES, MARKERS
from benchmarks.generalisation.experiments import EXPERIMENTS, LEARNED
from nim_envs.render.style import GREY, PAGE_WIDTH, styled


@styled
def curves(runs: Sequence[Any]) -> Figure:
    """Draw the mean score over the seeds on each board, with bands from lowest to highest.

    Args:
        runs: runs of any experiments.
    """
    names = [name for name in EXPERIMENTS if any(run.experiment == name for run in runs)]
    everyone = dict.fromkeys(who for name in names for who in EXPERIMENTS[name].contenders)
    drawn = [who for who in everyone if any(run.contender == who and run.scores for run in runs)]
    styles: dict[str, dict[str, Any]] = {
        who: {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": DASHES[number // len(COLOURS)],
        }
        for number, who in enumerate(who for who in drawn if who != "random")
    }
    styles["random"] = {"color": GREY, "marker": "x", "linestyle": ":"}
    columns = min(2, len(names))
    lines = -(-len(names) // columns)
    legend = -(-len(drawn) // 2)
    figure = Figure(figsize=(PAGE_WIDTH, 2.2 * lines + 0.18 * legend + 0.3), layout="constrained")
    for place, name in enumerate(names):
        axes = figure.add_subplot(lines, columns, place + 1)
        for who in drawn:
            group = [
                run for run in runs if (run.experiment, run.contender) == (name, who) and run.scores
            ]
            if not group:
                continue
            boards = sorted(group[0].scores, key=lambda board: group[0].scores[board].positions)
            sizes = [group[0].scores[board].positions for board in boards]
            values = np.array([[run.scores[board].percent for board in boards] for run in group])
            axes.plot(sizes, values.mean(axis=0), **styles[who])
            axes.vlines(
                sizes, values.min(axis=0), values.max(axis=0), color=styles[who]["color"], lw=0.8
            )
        scored = [run.scores for run in runs if run.experiment == name and run.scores]
        for size in {scores[LEARNED].positions for scores in scored}:
            axes.axvline(size, color=GREY, linestyle="--", linewidth=0.8)
            axes.annotate(
                "learned", (size, 50), rotation=90, ha="right", va="center", color=GREY, fontsize=8
            )
        axes.set_ylim(-3, 103)
        axes.set_title(name)
        if place % columns == 0:
            axes.set_ylabel("optimality %")
        if place >= len(names) - columns:
            axes.set_xlabel("positions of the board, powers of ten")
        axes.grid(axis="y")
    handles = [Line2D([], [], label=who, **styles[who]) for who in drawn]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
