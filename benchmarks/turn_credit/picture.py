"""Figures of the three parts: direction against cost, where it ends, and sampled moves."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
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

PLACES = dict(zip((name.partition(",")[0] for name in FULL), "ovs^D", strict=True))
"""A marker for each game of the second and third figure."""

CROWDED = 0.97
"""Names of cosines above this stand in a row above the plot, with lines to their marks."""

OFFSETS = {
    "kept_win": (-5, 0),
    "by turn: kept_win": (5, -6),
    "kept_win summed": (4, 8),
    "by turn: result summed": (5, -1),
    "kept_win − Φ": (5, -6),
}
"""Places of names beside their marks, in points, where others are near."""


def figures(
    directions: Sequence[Direction], limits: Sequence[Limit], moves: Sequence[MovesToLearn]
) -> dict[str, Figure]:
    """Draw a figure of each part that there is, by the name of its file.

    Args:
        directions: estimators at policies.
        limits: policies at which ascent along their expectations ends.
        moves: moves until they have learned.
    """
    figures = {}
    if directions:
        figures["turn_credit_direction"] = _direction(directions)
    if limits:
        figures["turn_credit_ends"] = _limits(limits)
    if moves:
        figures["turn_credit_moves"] = _moves(moves)
    return figures


def _style(name: str) -> dict[str, Any]:
    family = ESTIMATORS[name].family
    return {"color": COLOURS[family], "marker": MARKERS[family]}


@styled
def _direction(directions: Sequence[Direction]) -> Figure:
    """Median cosine with ∇J against relative variance; hollow marks are half-trained."""
    figure = Figure(figsize=(PAGE_WIDTH, 5.0), layout="constrained")
    axes = figure.add_subplot()
    costs = relative_costs(directions)
    places = {
        name: [
            (costs[kind, name], typical_cosine(directions, kind, name))
            for kind in POLICIES
            if (kind, name) in costs
        ]
        for name in SHOWN
    }
    places = {name: ends for name, ends in places.items() if ends}
    axes.set_xscale("log")
    for name, ends in places.items():
        style = _style(name)
        axes.plot(*zip(*ends, strict=True), color=style["color"], linewidth=0.4)
        for place, fill in zip(ends, (style["color"], "white"), strict=False):
            axes.plot(*place, linestyle="", markerfacecolor=fill, **style)
    crowd = sorted(
        (name for name, ends in places.items() if ends[0][1] > CROWDED),
        key=lambda name: places[name][0][0],
    )
    for name, ends in places.items():
        colour = _style(name)["color"]
        if name in crowd:
            share = (crowd.index(name) + 0.5) / len(crowd)
            axes.annotate(
                SHOWN[name], ends[0], (share, 1.06), textcoords="axes fraction", rotation=55,
                ha="left", va="bottom", fontsize=8, color=colour, annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.4, "relpos": (0, 0)},
            )  # fmt: skip
        else:
            offset = OFFSETS.get(name, (5, 0))
            axes.annotate(
                SHOWN[name], ends[0], offset, textcoords="offset points", va="center",
                ha="left" if offset[0] > 0 else "right", fontsize=8, color=colour,
            )  # fmt: skip
    label_decades(axes.xaxis, PAGE_WIDTH - 1.5, along_text=True)
    axes.margins(x=0.12)
    axes.set_xlabel(
        "relative variance ρ, as a multiple of that of Q − V; filled: random policies, hollow: "
        "half-trained"
    )
    axes.set_ylabel("cosine of E ĝ with ∇J")
    return figure


def _games(figure: Figure, names: Iterable[str]) -> None:
    """Write which mark stands for which game, above the plot."""
    keys = [
        Line2D([], [], linestyle="", color=GREY, marker=PLACES[name], label=name) for name in names
    ]
    figure.legend(handles=keys, loc="outside upper center", ncols=len(keys), handlelength=1.0)


def _rows(names: Container[str]) -> tuple[Figure, Axes, list[str]]:
    """Return a figure with a row for each of those names that are drawn, in order."""
    estimators = [name for name in SHOWN if name in names]
    figure = Figure(figsize=(PAGE_WIDTH, 1.0 + 0.19 * len(estimators)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(range(len(estimators)), [SHOWN[name] for name in estimators])
    axes.set_ylim(len(estimators) - 0.4, -0.6)
    axes.grid(axis="y")
    for label, name in zip(axes.get_yticklabels(), estimators, strict=True):
        label.set_color(_style(name)["color"])
    return figure, axes, estimators


@styled
def _limits(limits: Sequence[Limit]) -> Figure:
    """J / J* at the end of the ascent, one mark a game."""
    figure, axes, estimators = _rows({each.estimator for each in limits})
    for row, name in enumerate(estimators):
        for each in limits:
            if each.estimator == name:
                marker = PLACES[each.setting]
                axes.plot(each.share, row, color=_style(name)["color"], marker=marker, alpha=0.8)
    axes.set_xlabel("J / J*, from the full board, where ascent along the expected direction ends")
    settings = {each.setting for each in limits}
    _games(figure, [name for name in PLACES if name in settings])
    return figure


@styled
def _moves(moves: Sequence[MovesToLearn]) -> Figure:
    """Median of sampled moves with the range over seeds; past the cap is "never"."""
    never = 1.6 * CAP
    figure, axes, estimators = _rows({each.estimator for each in moves})
    for row, name in enumerate(estimators):
        for index, setting in enumerate(ANYWHERE):
            for each in moves:
                if (each.setting, each.estimator) != (setting, name):
                    continue
                reached = [never if run.moves is None else run.moves for run in each.runs]
                at, colour = row + 0.25 * (index - 1), _style(name)["color"]
                marker = PLACES[setting.partition(",")[0]]
                axes.plot([min(reached), max(reached)], [at, at], color=colour, linewidth=0.8)
                axes.plot(float(np.median(reached)), at, color=colour, marker=marker, markersize=3)
    axes.set_xscale("log")
    label_decades(axes.xaxis, PAGE_WIDTH - 2, along_text=True)
    axes.axvline(CAP, color=GREY, linestyle=":", linewidth=0.8)
    axes.annotate(
        "never", (never, 1.0), (0, 3), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="center", fontsize=8, color=GREY,
    )  # fmt: skip
    axes.set_xlabel(
        "sampled moves to 95 % of all positions right, from any start; median and range"
    )
    names = {each.setting.partition(",")[0] for each in moves}
    _games(figure, [name for name in PLACES if name in names])
    return figure
