"""The figure of the first page: learners of five heaps beside the published AlphaZero."""

from __future__ import annotations

import io
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.leaderboard import RESULTS
from benchmarks.report import read_csv
from docs.generator.markdown import write
from nim_envs.render.style import BLUE, GREEN, GREY, ORANGE, STYLE

BOARD = "alphazero-5"
GROUNDS = {"light": "#222222", "dark": "#dddddd"}
"""Colour of letters on each ground."""


def _mean(cell: str) -> float:
    """Return the mean of a cell such as ``"53.5 (52.6 to 54.2)"``."""
    return float(cell.partition(" ")[0])


def bars() -> list[tuple[str, float, str]]:
    """Return a learner, its percent of N-positions and a colour for each bar, from docs/results."""
    networks = {
        row["learner"]: float(row["optimality %"])
        for row in read_csv(RESULTS / "alphazero.csv")
        if row["board"] == BOARD
    }
    published, *_ = rows = [
        row for row in read_csv(RESULTS / "published.csv") if row["system"] == BOARD
    ]
    tables = {row["ours"]: _mean(row["same games"]) for row in rows}
    found = [
        ("random moves", networks["random"], GREY),
        ("AlphaZero, as published", _mean(published["published"]), ORANGE),
        ("AlphaZero here, MLP", networks["alphazero, mlp"], BLUE),
        ("AlphaZero here, signed products", networks["alphazero, signed products"], BLUE),
        ("Q-learning, a table", _mean(published["measured as published"]), GREEN),
        ("Q-learning, order of heaps ignored", tables["Q-learning, heap symmetry"], GREEN),
        ("real-time dynamic programming", tables["real-time dynamic programming"], GREEN),
        ("column automaton, proved", tables["column automaton"], GREEN),
    ]
    return sorted(found, key=lambda bar: bar[1])


def draw(letters: str) -> str:
    """Return the figure as SVG on a transparent ground.

    Args:
        letters: colour of the letters.
    """
    names, percents, colours = zip(*bars(), strict=True)
    colouring: dict[str, Any] = dict.fromkeys(
        ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), letters
    )
    with rc_context({**STYLE, **colouring}):
        figure = Figure(figsize=(5.6, 2.9), layout="constrained")
        axes = figure.add_subplot()
        axes.bar_label(axes.barh(names, percents, color=colours), fmt="%.1f", padding=3)
        axes.set_xlim(0, 108)
        axes.set_xlabel("% of the 3,456 N-positions played right")
        picture = io.StringIO()
        figure.savefig(picture, format="svg", transparent=True, metadata={"Date": None})
    return picture.getvalue()


def write_figures() -> None:
    """Add the figure to the manual, once for each ground."""
    for ground, letters in GROUNDS.items():
        write(f"images/headline_{ground}.svg", draw(letters))
