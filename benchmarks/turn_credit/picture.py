"""One figure of three panels: direction against cost, where it ends, and sampled moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from agents.turn_credit.estimators import ESTIMATORS, FAMILIES
from benchmarks.turn_credit.direction import Direction
from benchmarks.turn_credit.limits import Limit
from benchmarks.turn_credit.moves import CAP, MovesToLearn
from benchmarks.turn_credit.report import relative_costs, typical_cosine
from benchmarks.turn_credit.settings import ANYWHERE, FULL, POLICIES
from nim_envs.render.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAGE_WIDTH,
    PURPLE,
    SKY,
    VERMILLION,
    label_decades,
    styled,
)

COLOURS = dict(
    zip(FAMILIES, (BLUE, VERMILLION, PURPLE, GREEN, GREY, ORANGE, SKY, BLACK), strict=True)
)
MARKERS = dict(zip(FAMILIES, "osDP^v<*", strict=True))

DRAWN = (
    "REINFORCE", "RLOO", "GRPO", "kept_win", "kept_win − Φ", "kept_win summed", "R − Φ",
    "by turn: kept_win", "by turn: kept_win summed", "by turn: result summed", "by turn: return",
    "MT-GRPO variant", "MT-GRPO", "by the others: return", "padded: result summed", "by state",
    "GiGPO", "Q − V", "GAE 0", "GAE 1", "GAE 0, V of 16 games",
)  # fmt: skip
SHOWN = {name: name for name in DRAWN} | {"RLOO": "RLOO, Dr. GRPO"}
"""The estimators that are drawn, with their labels; the tables have all."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"

PLACES = dict(zip((name.partition(",")[0] for name in FULL), "ovs^D", strict=True))
"""A marker for each game of the second and third panels."""

CROWDED = 0.97
"""Letters of cosines above this are set in turns at several heights."""


@styled
def figure(
    directions: Sequence[Direction], limits: Sequence[Limit], moves: Sequence[MovesToLearn]
) -> Figure:
    """Draw what there is of the three parts.

    Args:
        directions: estimators at policies.
        limits: policies at which ascent along their expectations ends.
        moves: moves until they have learned.
    """
    drawn = Figure(figsize=(PAGE_WIDTH, 8.8), layout="constrained")
    parts: Any = drawn.subfigures(3, 1, height_ratios=[1.0, 1.1, 0.1])
    top, bottom, key = parts
    first, names = top.subplots(1, 2, width_ratios=[2.4, 1])
    _direction(first, directions)
    _names(names)
    second, third = bottom.subplots(1, 2, sharey=True)
    _limits(second, limits)
    _moves(third, moves)
    _games(key)
    return drawn


def _style(name: str) -> dict[str, Any]:
    family = ESTIMATORS[name].family
    return {"color": COLOURS[family], "marker": MARKERS[family]}


def _direction(axes: Axes, directions: Sequence[Direction]) -> None:
    """Median cosine with ∇J against relative variance; hollow marks are half-trained."""
    costs = relative_costs(directions)
    crowd = sorted(
        cost
        for (kind, name), cost in costs.items()
        if kind == POLICIES[0] and name in SHOWN
        if typical_cosine(directions, kind, name) > CROWDED
    )
    for letter, name in zip(LETTERS, SHOWN, strict=False):
        ends = [
            (costs[kind, name], typical_cosine(directions, kind, name))
            for kind in POLICIES
            if (kind, name) in costs
        ]
        if not ends:
            continue
        axes.plot(*zip(*ends, strict=True), color=_style(name)["color"], linewidth=0.4)
        for place, fill in zip(ends, (_style(name)["color"], "white"), strict=False):
            axes.plot(*place, linestyle="", markerfacecolor=fill, **_style(name))
        (cost, cosine) = ends[0]
        height = 5 + 9 * (crowd.index(cost) % 3) if cosine > CROWDED else 5
        # Verdicts and means by turn of them lie close to one another.
        below = cosine <= CROWDED and ESTIMATORS[name].family == "verdict"
        axes.annotate(
            letter, (cost, cosine), (0, -height if below else height), ha="center",
            textcoords="offset points", va="top" if below else "bottom", fontsize=8,
            color=_style(name)["color"],
        )  # fmt: skip
    axes.set_xscale("log")
    label_decades(axes.xaxis, 3.5, along_text=True)
    axes.set_xlabel("relative variance ρ, as a multiple of that of Q − V")
    axes.set_ylabel("cosine of E ĝ with ∇J")
    axes.set_title("Direction against cost\nfilled: random policies, hollow: half-trained", pad=30)


def _names(axes: Axes) -> None:
    axes.axis("off")
    keys = [
        Line2D([], [], linestyle="", label=f"{letter}  {shown}", **_style(name))
        for letter, (name, shown) in zip(LETTERS, SHOWN.items(), strict=False)
    ]
    axes.legend(handles=keys, loc="center left", handlelength=1.0, borderpad=0)


def _games(figure: SubFigure) -> None:
    keys = [
        Line2D([], [], linestyle="", color=GREY, marker=marker, label=name)
        for name, marker in PLACES.items()
    ]
    figure.legend(handles=keys, loc="center", ncols=len(keys), handlelength=1.0)


def _rows(axes: Axes) -> None:
    axes.set_yticks(range(len(SHOWN)), list(SHOWN.values()))
    axes.set_ylim(len(SHOWN) - 0.4, -0.6)
    axes.grid(axis="y")


def _limits(axes: Axes, limits: Sequence[Limit]) -> None:
    """J / J* at the end of the ascent, one mark a game."""
    for row, name in enumerate(SHOWN):
        for each in limits:
            if each.estimator == name:
                marker = PLACES[each.setting]
                axes.plot(each.share, row, color=_style(name)["color"], marker=marker, alpha=0.8)
    _rows(axes)
    axes.set_xlabel("J / J*, from the full board")
    axes.set_title("Where the expected direction ends")


def _moves(axes: Axes, moves: Sequence[MovesToLearn]) -> None:
    """Median of sampled moves with the range over seeds; past the cap is "never"."""
    never = 1.6 * CAP
    for row, name in enumerate(SHOWN):
        for number, setting in enumerate(ANYWHERE):
            for each in moves:
                if (each.setting, each.estimator) != (setting, name):
                    continue
                reached = [never if run.moves is None else run.moves for run in each.runs]
                at, colour = row + 0.25 * (number - 1), _style(name)["color"]
                marker = PLACES[setting.partition(",")[0]]
                axes.plot([min(reached), max(reached)], [at, at], color=colour, linewidth=0.8)
                axes.plot(float(np.median(reached)), at, color=colour, marker=marker, markersize=3)
    axes.set_xscale("log")
    label_decades(axes.xaxis, 2.3, along_text=True)
    _rows(axes)
    axes.tick_params(labelleft=False)
    axes.axvline(CAP, color=GREY, linestyle=":", linewidth=0.8)
    axes.set_xlabel("moves to 95 %; beyond the line: never")
    axes.set_title("Sampled moves, any start")
