"""One figure of three panels: direction against cost, where it ends, and sampled moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from agents.turn_credit.estimators import ESTIMATORS, FAMILIES
from benchmarks.turn_credit.direction import Direction
from benchmarks.turn_credit.limits import Limit
from benchmarks.turn_credit.moves import CAP, Moves
from benchmarks.turn_credit.report import relative_costs, typical_cosine
from benchmarks.turn_credit.settings import ANYWHERE, FULL, POLICIES
from nim_envs.render.style import (
    BLUE,
    GREEN,
    GREY,
    PAGE_WIDTH,
    PURPLE,
    VERMILLION,
    styled,
)

COLOURS = dict(zip(FAMILIES, (BLUE, VERMILLION, PURPLE, GREEN, GREY), strict=True))
MARKERS = dict(zip(FAMILIES, "osDP^", strict=True))

SHOWN = {
    "REINFORCE": "REINFORCE",
    "RLOO": "RLOO, Dr. GRPO",
    "GRPO": "GRPO",
    "kept_win": "kept_win",
    "kept_win − Φ": "kept_win − Φ",
    "kept_win summed": "kept_win summed",
    "R − Φ": "R − Φ",
    "by turn: kept_win": "by turn: kept_win",
    "by turn: kept_win summed": "by turn: kept_win summed",
    "by turn: result summed": "by turn: result summed",
    "by turn: return": "by turn: return",
    "MT-GRPO": "MT-GRPO",
    "by the others: return": "by the others: return",
    "padded: result summed": "padded: result summed",
    "Q − V": "Q − V",
    "GAE 0": "GAE 0",
    "GAE 1": "GAE 1",
}
"""What is drawn, and how it is named; the tables have all estimators."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"

PLACES = "ovs^D"
"""A marker for each game of the second and third panels."""


@styled
def figure(
    directions: Sequence[Direction], limits: Sequence[Limit], moves: Sequence[Moves]
) -> Figure:
    """Draw what there is of the three parts.

    Args:
        directions: estimators at policies.
        limits: where their expectations lead.
        moves: how soon they learn.
    """
    drawn = Figure(figsize=(PAGE_WIDTH, 6.6), layout="constrained")
    grid = drawn.add_gridspec(2, 2, height_ratios=[1.05, 1])
    _direction(drawn.add_subplot(grid[0, :]), directions)
    second = drawn.add_subplot(grid[1, 0])
    _limits(second, limits)
    _moves(drawn.add_subplot(grid[1, 1], sharey=second), moves)
    return drawn


def _style(name: str) -> dict[str, Any]:
    family = ESTIMATORS[name].family
    return {"color": COLOURS[family], "marker": MARKERS[family]}


def _direction(axes: Axes, directions: Sequence[Direction]) -> None:
    """The median angle from ∇J against relative variance; hollow marks are half-trained."""
    costs = relative_costs(directions)
    for letter, name in zip(LETTERS, SHOWN, strict=False):
        ends = []
        for kind in POLICIES:
            if (kind, name) not in costs:
                continue
            place = (costs[kind, name], typical_cosine(directions, kind, name))
            hollow = {"markerfacecolor": "white"} if kind != POLICIES[0] else {}
            axes.plot(*place, linestyle="", markersize=5, **_style(name), **hollow)
            ends.append(place)
        if ends:
            axes.plot(*zip(*ends, strict=True), color=_style(name)["color"], linewidth=0.4)
            side = -1 if ESTIMATORS[name].unbiased and letter in LETTERS[::2] else 1
            axes.annotate(
                letter, ends[0], (0, 5 * side), textcoords="offset points", ha="center",
                va="bottom" if side > 0 else "top", fontsize=7, color=_style(name)["color"],
            )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("relative variance ρ, as a multiple of that of Q − V")
    axes.set_ylabel("cosine of E ĝ with ∇J")
    axes.set_title("Direction against cost (filled: random policies, hollow: half-trained)")
    keys = [
        Line2D([], [], linestyle="", markersize=4, label=f"{letter}  {shown}", **_style(name))
        for letter, (name, shown) in zip(LETTERS, SHOWN.items(), strict=False)
    ]
    axes.legend(handles=keys, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.0)


def _rows(axes: Axes) -> None:
    axes.set_yticks(range(len(SHOWN)), list(SHOWN.values()))
    axes.set_ylim(len(SHOWN) - 0.4, -0.6)
    axes.grid(axis="y")


def _games(axes: Axes, names: Sequence[str]) -> None:
    keys = [
        Line2D([], [], linestyle="", color=GREY, marker=marker, markersize=4, label=name)
        for marker, name in zip(PLACES, names, strict=False)
    ]
    axes.legend(
        handles=keys, loc="upper center", bbox_to_anchor=(0.35, -0.22), ncols=2,
        handlelength=1.0, columnspacing=1.0,
    )  # fmt: skip


def _limits(axes: Axes, limits: Sequence[Limit]) -> None:
    """J / J* at the end of the ascent, one mark a game."""
    for row, name in enumerate(SHOWN):
        for place, setting in zip(PLACES, FULL, strict=False):
            shares = [e.share for e in limits if (e.setting, e.estimator) == (setting, name)]
            for share in shares:
                axes.plot(share, row, color=_style(name)["color"], marker=place, alpha=0.8)
    _rows(axes)
    axes.set_xlabel("J / J* from the full board")
    axes.set_title("Where the expected direction ends")
    _games(axes, FULL)


def _moves(axes: Axes, moves: Sequence[Moves]) -> None:
    """Median of sampled moves with the range over seeds; past the cap is "never"."""
    never = 1.6 * CAP
    for row, name in enumerate(SHOWN):
        for number, (place, setting) in enumerate(zip(PLACES, ANYWHERE, strict=False)):
            for each in moves:
                if (each.setting, each.estimator) != (setting, name):
                    continue
                reached = [never if run.moves is None else run.moves for run in each.runs]
                at = row + 0.22 * (number - 1)
                colour = _style(name)["color"]
                axes.plot([min(reached), max(reached)], [at, at], color=colour, linewidth=0.8)
                axes.plot(float(np.median(reached)), at, color=colour, marker=place, markersize=3.5)
    axes.set_xscale("log")
    _rows(axes)
    axes.tick_params(labelleft=False)
    axes.axvline(CAP, color=GREY, linestyle=":", linewidth=0.8)
    axes.set_xlabel(f"moves to 95 % of positions; right of the line: not by {CAP:,}")
    axes.set_title("Sampled moves, any start")
    _games(axes, ANYWHERE)
