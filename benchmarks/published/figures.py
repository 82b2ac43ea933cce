"""Figures of the comparison with published systems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.published.contenders import Contender, TrainingResult
from benchmarks.published.systems import AGAINST, IMPROVED, SYSTEMS
from benchmarks.report import grouped
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

PUBLISHED: dict[str, Any] = {"marker": "x", "color": BLACK, "markersize": 6, "label": "published"}
MEASURED: dict[str, Any] = {
    "marker": "+", "color": GREY, "markersize": 8, "markeredgewidth": 1.8,
    "label": "measured as published",
}  # fmt: skip
HOLLOW: dict[str, Any] = {
    "marker": "o", "color": BLACK, "markerfacecolor": "white", "linestyle": "none",
    "label": "hollow: knows that the order of heaps does not matter",
}  # fmt: skip
SYMMETRY_KNOWN = "does not matter"
"""Last words of ``Contender.knows`` for contenders with heap symmetry."""

LEARNER_MARKS = tuple(
    zip("osD^vP*", (VERMILLION, ORANGE, GREEN, PURPLE, BLUE, SKY, BLACK), strict=True)
)
"""Markers and colours of the learners here."""


def kind(contender: Contender) -> str:
    """Return the name of a contender's learner, without its settings."""
    return re.split(r", | \(", contender.name)[0].removeprefix("negamax ")


def learner_marks() -> dict[str, dict[str, Any]]:
    """Return the marker style of each learner that is compared with published systems."""
    kinds = dict.fromkeys(kind(each) for system in SYSTEMS.values() for each in system.ours)
    return {
        name: {"marker": marker, "color": color, "label": f"{name}, same games"}
        for name, (marker, color) in zip(kinds, LEARNER_MARKS, strict=False)
    }


def numbers(figure: str) -> list[float]:
    """Return the numbers in a published figure, such as ``"41.5 (best 47.4)"``."""
    return [float(number) for number in re.findall(r"\d+\.?\d*", figure)]


def _mean(results: Iterable[TrainingResult], score: str) -> float:
    return float(np.mean([result.scores[score] for result in results]))


@styled
def comparison(runs: list[Any]) -> Figure | None:
    """Draw every score in percent: published, measured as published, ours with the same games.

    Learners of one kind share a marker, whatever their settings; the table lists each by name.

    Args:
        runs: runs of any systems and seeds.

    Returns:
        The picture; ``None`` if there is no such score.
    """
    rows = [
        (name, score, group)
        for name, group in grouped(runs, "system").items()
        for score in group[0].published.scores
        if score.endswith("%")
    ]
    if not rows:
        return None
    figure = Figure(figsize=(PAGE_WIDTH, 1.3 + 0.28 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    marks = learner_marks()
    for place, (name, score, group) in enumerate(rows):
        # Kinds are drawn on separate lines, so that no marker hides another kind's.
        above, below = place - 0.26, place + 0.26
        published = numbers(SYSTEMS[name].figures.get(score, ""))
        axes.plot(published, [above] * len(published), linestyle="none", **PUBLISHED)
        axes.plot(
            _mean((run.published for run in group), score), place, linestyle="none", **MEASURED
        )
        for contender in SYSTEMS[name].ours:
            symmetric = contender.knows.endswith(SYMMETRY_KNOWN)
            axes.plot(
                _mean((run.same_games[contender.name] for run in group), score),
                below,
                linestyle="none",
                markerfacecolor="white" if symmetric else None,
                **marks[kind(contender)],
            )
    axes.set_yticks(range(len(rows)), [f"{name}: {score[:-2]}" for name, score, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(-2, 102)
    axes.set_xlabel("percent, mean over seeds\n(a mark for each setting of a learner)")
    axes.grid(axis="both", linestyle=":")
    used = {handle.get_label(): handle for handle in axes.get_lines()}
    legend_marks = [
        mark for mark in (PUBLISHED, MEASURED, *marks.values()) if mark["label"] in used
    ]
    if any(handle.get_markerfacecolor() == "white" for handle in axes.get_lines()):
        legend_marks.append(HOLLOW)
    handles = [Line2D([], [], **{**mark, "linestyle": "none"}) for mark in legend_marks]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


@styled
def q_learners(runs: list[Any]) -> Figure | None:
    """Draw the improved Q-learner's chances against games: published, measured, and ours.

    Args:
        runs: runs of any systems and seeds.

    Returns:
        The picture; ``None`` if the improved Q-learner was not run.
    """
    improved = [run for run in runs if run.system.startswith("q-improved-")]
    if not improved:
        return None
    figure = Figure(figsize=(PAGE_WIDTH, 2.9), layout="constrained")
    # The games played, which in a quick check are fewer than the published number.
    by_games = grouped(improved, "published.games")
    system = SYSTEMS[improved[0].system]
    attainable = system.limit() if system.limit else {}
    for panel, (score, published) in enumerate(zip(AGAINST, zip(*IMPROVED.values(), strict=True),
                                                   strict=True)):  # fmt: skip
        axes = figure.add_subplot(1, 2, panel + 1)
        axes.axhline(attainable[score], color=GREEN, linestyle=(0, (1, 1)), label="attainable")
        axes.plot(
            list(IMPROVED), [float(rate) for rate in published],
            linestyle="--", **PUBLISHED,
        )  # fmt: skip
        axes.plot(
            list(by_games),
            [_mean((run.published for run in group), score) for group in by_games.values()],
            linestyle=":", **MEASURED,
        )  # fmt: skip
        learner = system.ours[0].name
        for comparison_kind, color, marker, label in (
            ("same_games", BLUE, "s", "same games"),
            ("same_seconds", VERMILLION, "^", "same seconds"),
        ):
            points = [
                (games, _mean((getattr(run, comparison_kind)[learner] for run in group), score))
                for games, group in by_games.items()
                if all(getattr(run, comparison_kind) is not None for run in group)
            ]
            axes.plot(
                [games for games, _ in points], [mean for _, mean in points],
                color=color, marker=marker, label=f"{learner}, {label}",
            )  # fmt: skip
        axes.set_xscale("log")
        label_decades(axes.xaxis, PAGE_WIDTH / 2 - 0.6, along_text=True)
        axes.set_ylim(-3, 103)
        axes.set_xlabel("games of the published learner")
        axes.set_title(score.replace(" %", ", %"))
        axes.grid(axis="y")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
