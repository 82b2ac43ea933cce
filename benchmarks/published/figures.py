"""The comparison as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.plotting.curves import COLOURS, MARKERS
from agents.plotting.style import BLACK, BLUE, GREEN, GREY, PAGE_WIDTH, VERMILLION, styled
from benchmarks.published.contenders import Trained
from benchmarks.published.systems import AGAINST, IMPROVED, SYSTEMS

PUBLISHED: dict[str, Any] = {"marker": "x", "color": BLACK, "markersize": 7, "label": "published"}
MEASURED: dict[str, Any] = {
    "marker": "o", "color": GREY, "markerfacecolor": "none", "markersize": 7,
    "label": "measured as published",
}  # fmt: skip


def numbers(figure: str) -> list[float]:
    """Return the numbers in a published figure, such as ``"41.5 (best 47.4)"``."""
    return [float(number) for number in re.findall(r"\d+\.?\d*", figure)]


def _mean(results: Iterable[Trained], score: str) -> float:
    return float(np.mean([result.scores[score] for result in results]))


@styled
def comparison(runs: list[Any]) -> Figure | None:
    """Draw every score in percent: published, measured as published, ours with the same games.

    Args:
        runs: of any systems and seeds.

    Returns:
        The picture; ``None`` if there is no such score.
    """
    rows = [
        (name, score, [run for run in runs if run.system == name])
        for name, system in SYSTEMS.items()
        if any(run.system == name for run in runs)
        for score in next(run for run in runs if run.system == name).published.scores
        if score.endswith("%")
    ]
    if not rows:
        return None
    figure = Figure(figsize=(PAGE_WIDTH, 1.3 + 0.28 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, score, group) in enumerate(rows):
        published = numbers(SYSTEMS[name].figures.get(score, ""))
        axes.plot(published, [place] * len(published), linestyle="none", **PUBLISHED)
        axes.plot(
            _mean((run.published for run in group), score), place, linestyle="none", **MEASURED
        )
        for number, contender in enumerate(SYSTEMS[name].ours):
            axes.plot(
                _mean((run.same_games[contender.name] for run in group), score),
                place,
                marker=MARKERS[(1 + number) % len(MARKERS)],
                color=COLOURS[number % len(COLOURS)],
                linestyle="none",
                label=f"ours, learner {number + 1} of the table, same games",
            )
    axes.set_yticks(range(len(rows)), [f"{name}: {score[:-2]}" for name, score, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(-2, 102)
    axes.set_xlabel("percent, mean over seeds")
    axes.grid(axis="both", linestyle=":")
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=2)
    return figure


@styled
def q_learners(runs: list[Any]) -> Figure | None:
    """Draw the improved Q-learner's chances against games: published, measured, and ours.

    Args:
        runs: of any systems and seeds.

    Returns:
        The picture; ``None`` if the improved Q-learner was not run.
    """
    names = {
        f"q-improved-{games}": games
        for games in IMPROVED
        if any(run.system == f"q-improved-{games}" for run in runs)
    }
    if not names:
        return None
    figure = Figure(figsize=(PAGE_WIDTH, 2.9), layout="constrained")
    limits = SYSTEMS[next(iter(names))].limit
    attainable = limits() if limits else {}
    for panel, (score, published) in enumerate(zip(AGAINST, zip(*IMPROVED.values(), strict=True),
                                                   strict=True)):  # fmt: skip
        axes = figure.add_subplot(1, 2, panel + 1)
        axes.axhline(attainable[score], color=GREEN, linestyle=(0, (1, 1)), label="attainable")
        axes.plot(
            list(IMPROVED), [float(rate) for rate in published],
            linestyle="--", **PUBLISHED,
        )  # fmt: skip
        games = list(names.values())
        groups = [[run for run in runs if run.system == name] for name in names]
        axes.plot(
            games, [_mean((run.published for run in group), score) for group in groups],
            linestyle=":", **MEASURED,
        )  # fmt: skip
        learner = SYSTEMS[next(iter(names))].ours[0].name
        for kind, color, marker, label in (
            ("same_games", BLUE, "s", "same games"),
            ("same_seconds", VERMILLION, "^", "same seconds"),
        ):
            axes.plot(
                games,
                [_mean((getattr(run, kind)[learner] for run in group), score) for group in groups],
                color=color, marker=marker, label=f"{learner}, {label}",
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_ylim(-3, 103)
        axes.set_xlabel("games of the published learner")
        axes.set_title(score.replace(" %", ", %"))
        axes.grid(axis="y")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
