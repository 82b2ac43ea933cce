"""Curves of training, and comparisons of learners (matplotlib).

Every function returns a new :class:`matplotlib.figure.Figure`; no window or display is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from agents.evaluation.learning_curves import LearningCurve
from agents.training.metrics import TrainingMeasurements
from nim_envs.game import PLAYERS
from nim_envs.render.style import (
    BLACK,
    BLUE,
    DIGIT,
    GREEN,
    GREY,
    ORANGE,
    PAGE_WIDTH,
    PURPLE,
    SKY,
    VERMILLION,
    Figure,
    add_title_and_legend,
    label_decades,
    styled,
)
from nim_envs.typing import FloatArray

SEAT_LINES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "label": PLAYERS[0]},
    {"color": VERMILLION, "linestyle": (0, (4, 1.5)), "label": PLAYERS[1]},
)
POSITION_SET_LINES: dict[str, dict[str, Any]] = {
    "all": {"color": BLACK, "linestyle": "-"},
    "player_0": SEAT_LINES[0],
    "player_1": SEAT_LINES[1],
}

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, BLACK, ORANGE, SKY)
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1, 1, 1)),
    (0, (8, 1, 1, 1, 1, 1)),
)
MARKERS = "os^DvPX"
"""Lines differ in colour, marker and dashes: 35 of them are distinct, even in grey."""


@styled
def training_curves(measured: TrainingMeasurements, title: str = "") -> Figure:
    """Draw a training run: one panel for each measured quantity.

    The quantities are the win rate of each seat, mean game length and first-seat advantage; and,
    where measured, the entropy of each seat's policy beside the logarithm of the number of legal
    moves, and the optimality of the greedy policy.

    Args:
        measured: measurements of the run.
        title: title of the picture.

    Raises:
        ValueError: nothing was measured.

    Returns:
        A figure whose axes have the labels ``"win rate"``, ``"game length"``,
        ``"first-seat advantage"``, ``"entropy"`` and ``"optimality"``.
    """
    if not len(measured.games):
        raise ValueError("there are no games to draw")
    panels = [_draw_win_rates, _draw_lengths, _draw_advantage]
    if not np.isnan(measured.entropies).all():
        panels.append(_draw_entropies)
    if measured.optimality:
        panels.append(_draw_optimality)
    rows = -(-len(panels) // 2)
    figure = Figure(figsize=(PAGE_WIDTH, 1.0 + 1.8 * rows), layout="constrained")
    grid = figure.add_gridspec(rows, 2)
    for index, draw in enumerate(panels):
        row, column = divmod(index, 2)
        # With an odd number of panels the last one fills its row.
        alone = index == len(panels) - 1 and column == 0
        axes = figure.add_subplot(grid[row, :] if alone else grid[row, column])
        _games_axis(axes, measured.games)
        draw(axes, measured)
        if row == rows - 1:
            axes.set_xlabel("games")
    add_title_and_legend(figure, title, columns=2)
    return figure


def _games_axis(axes: Axes, games: Any) -> None:
    axes.grid(True)
    axes.set_xlim(0, games[-1])
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _line(axes: Axes, x: Any, y: FloatArray, **style: Any) -> None:
    """Draw a line, with markers if it has few points: one point alone has no line."""
    axes.plot(x, y, marker="o" if len(x) <= 20 else "", clip_on=False, zorder=3, **style)


def _percent_axis(axes: Axes) -> None:
    axes.set_ylim(-4, 104)
    axes.set_yticks([0, 25, 50, 75, 100])


def _draw_win_rates(axes: Axes, measured: TrainingMeasurements) -> None:
    axes.set_label("win rate")
    axes.set_title("Games won by each player, %")
    _percent_axis(axes)
    for rates, style in zip(measured.win_rates, SEAT_LINES, strict=True):
        _line(axes, measured.games, 100 * rates, **style)


def _draw_lengths(axes: Axes, measured: TrainingMeasurements) -> None:
    axes.set_label("game length")
    axes.set_title("Mean length of a game, moves")
    _line(axes, measured.games, measured.lengths, color=BLACK)
    axes.set_ylim(0, 1.08 * measured.lengths.max())


def _draw_advantage(axes: Axes, measured: TrainingMeasurements) -> None:
    axes.set_label("first-seat advantage")
    axes.set_title("First-seat advantage, difference of win rates")
    axes.axhline(0, color=GREY, linewidth=0.8)
    _line(axes, measured.games, measured.first_seat_advantage, color=BLACK)
    axes.set_ylim(-1.08, 1.08)
    axes.set_yticks([-1, -0.5, 0, 0.5, 1])


def _draw_entropies(axes: Axes, measured: TrainingMeasurements) -> None:
    axes.set_label("entropy")
    axes.set_title("Mean entropy of each player's policy, nats")
    for entropy, style in zip(measured.entropies, SEAT_LINES, strict=True):
        _line(axes, measured.games, entropy, **style)
    label = "log of the number of legal moves"
    uniform = measured.uniform_entropies
    dots: dict[str, Any] = {"linestyle": (0, (1, 1.5)), "linewidth": 1.2}
    if np.allclose(uniform[0], uniform[1], equal_nan=True):
        axes.plot(measured.games, uniform[0], color=BLACK, label=label, **dots)
    else:
        for entropy, style, gap in zip(uniform, SEAT_LINES, (1.5, 4), strict=True):
            dots.update(color=style["color"], linestyle=(0, (1, gap)))
            axes.plot(measured.games, entropy, label=f"{label}, {style['label']}", **dots)
    axes.set_ylim(0, 1.08 * max(np.nanmax(uniform), 1e-3))


def _draw_optimality(axes: Axes, measured: TrainingMeasurements) -> None:
    axes.set_label("optimality")
    alone = list(measured.optimality) == ["all"]
    positions = "all N-positions" if alone else "N-positions that the player can face"
    axes.set_title(f"Optimality of the greedy policy, % of {positions}")
    _percent_axis(axes)
    for name, percent in measured.optimality.items():
        _line(axes, measured.games, percent, **POSITION_SET_LINES[name])


def _legend_columns(names: Iterable[str]) -> int:
    """Number of columns of a legend that fit side by side, at most three."""
    width = 0.6 + 0.9 * DIGIT * max(map(len, names))
    return max(1, min(3, int(PAGE_WIDTH / width)))


@styled
def learning_curves(
    curves: Mapping[str, Sequence[LearningCurve]],
    title: str = "",
    *,
    random_percent: float | None = None,
    logarithmic: bool = False,
) -> Figure:
    """Draw the optimality of several learners against games and against seconds of training.

    Lines are means over a learner's curves, one per seed; bands go from the lowest to the
    highest. Against seconds, each point is at the mean time over the seeds.

    Args:
        curves: curves of each learner, by its name, scored at the same numbers of games.
        title: title of the picture.
        random_percent: score of the random policy, drawn as a line of its own.
        logarithmic: whether the axes of games and seconds are logarithmic.

    Raises:
        ValueError: no curves, or curves of one learner scored at different numbers of games.
    """
    if not curves or not all(curves.values()):
        raise ValueError(f"every learner needs at least one curve, not {dict(curves)!r}")
    for name, group in curves.items():
        if any(not np.array_equal(curve.games, group[0].games) for curve in group):
            raise ValueError(f"the curves of {name} are scored at different numbers of games")
    legend_columns = _legend_columns(curves)
    height = 2.8 + 0.2 * -(-len(curves) // legend_columns)
    figure = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
    by_games, by_seconds = figure.subplots(1, 2, sharey=True)
    for index, (name, group) in enumerate(curves.items()):
        colour, dashes, marker = (looks[index % len(looks)] for looks in (COLOURS, DASHES, MARKERS))
        percents = np.stack([curve.percent for curve in group])
        for axes, across in (
            (by_games, group[0].games),
            (by_seconds, np.mean([curve.seconds for curve in group], axis=0)),
        ):
            axes.fill_between(
                across, percents.min(axis=0), percents.max(axis=0),
                color=colour, alpha=0.18, linewidth=0,
            )  # fmt: skip
            # Few markers, those of two learners at different places.
            spacing = max(1, len(across) // 5)
            axes.plot(
                across, percents.mean(axis=0), color=colour, linestyle=dashes, marker=marker,
                markevery=(index * spacing // len(curves), spacing), label=name,
            )  # fmt: skip
    for axes, label in ((by_games, "games"), (by_seconds, "seconds of training")):
        axes.grid(True)
        axes.set_xlabel(label)
        if random_percent is not None:
            axes.axhline(random_percent, color=GREY, linestyle=(0, (1, 1.5)), label="random policy")
        if logarithmic:
            axes.set_xscale("log")
            label_decades(axes.xaxis, 0.4 * PAGE_WIDTH, along_text=True)
        else:
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    _percent_axis(by_games)
    by_games.set_ylabel("optimality of the greedy policy, %")
    add_title_and_legend(figure, title, legend_columns)
    return figure
