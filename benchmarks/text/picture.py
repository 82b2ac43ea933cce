"""One figure: percent of positions played right against sampled moves, a panel for each board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from agents.plotting.curves import COLOURS, DASHES
from benchmarks.text.report import mean_curve
from benchmarks.text.settings import BOARDS, ROWS
from nim_envs.render.style import GREY, PAGE_WIDTH, styled

if TYPE_CHECKING:
    from benchmarks.text.runs import PlayResult, SpeechResult

TITLES = {
    "nim-3-4-5": "Nim 3-4-5, scored where it learns",
    "nim-3-4-5-held-out": "Held-out third",
    "misere-nim-3-4-5": "Misère Nim 3-4-5",
}

STYLES: dict[str, dict[str, Any]] = {
    row: {"color": colour, "linestyle": dashes}
    for row, colour, dashes in zip(ROWS, COLOURS, DASHES * 2, strict=False)
}


@styled
def figure(spoken: Sequence[SpeechResult], learned: Sequence[PlayResult]) -> Figure:
    """Draw all curves, the seeds as thin lines and their mean as a thick one.

    Args:
        spoken: models that speak, for the score of random moves.
        learned: runs.
    """
    boards = [board for board in BOARDS if any(each.board == board for each in learned)]
    figure = Figure(figsize=(PAGE_WIDTH, 3.6), layout="constrained")
    panels = figure.subplots(
        1, len(boards), sharey=True, squeeze=False, width_ratios=[2.0, 1.0, 1.0][: len(boards)]
    )[0]
    for axes, board in zip(panels, boards, strict=True):
        for row, style in STYLES.items():
            here = [each for each in learned if (each.board, each.row) == (board, row)]
            if not here:
                continue
            for each in here:
                moves, percent = zip(*each.curve, strict=True)
                axes.plot([n / 1000 for n in moves], percent, alpha=0.4, linewidth=0.5, **style)
            means, percents = mean_curve(here)
            axes.plot([n / 1000 for n in means], percents, **style)
        random = [each.random for each in spoken if each.board == board]
        if random:
            level = sum(random) / len(random)
            axes.axhline(level, color=GREY, linestyle=":", linewidth=0.8)
        axes.set_title(TITLES[board])
        axes.set_xlabel("thousand moves")
        axes.set_ylim(0, 102)
        axes.set_xlim(left=0)
    panels[0].set_ylabel("percent of N-positions, greedy reply")
    rows = [row for row in ROWS if any(each.row == row for each in learned)]
    keys = [Line2D([], [], label=row, **STYLES[row]) for row in rows]
    keys.append(Line2D([], [], color=GREY, linestyle=":", linewidth=0.8, label="random moves"))
    figure.legend(handles=keys, loc="outside lower center", ncols=4)
    return figure
