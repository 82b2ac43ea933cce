"""Pictures of training and of policies: curves and heatmaps (matplotlib)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from agents.base import Agent, Policy, Trainable
from agents.games import scored_in_words
from agents.learners.win_loss_ratio import WinLossRatio
from agents.metrics import TrainingMeasurements
from agents.tables import PreferenceLearner
from nim_envs import Game
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.graph import Part
from nim_envs.render.style import (
    BLACK,
    BLUE,
    DIGIT,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PAGE_WIDTH,
    PURPLE,
    SKY,
    VERMILLION,
    Figure,
    add_title_and_legend,
    styled,
)
from nim_envs.sums import Sum
from nim_envs.typing import BoolArray, FloatArray, IntArray

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


LARGEST_SIDE = 400
"""Rows or columns above which a heatmap is refused: it would be larger than a poster."""

LARGEST_SLICES = 64
"""Panels above which the heatmap of a game with three or more parts is refused."""

LARGEST_LIST = 1 << 20
"""Most positions of a heatmap."""

WIDEST, HIGHEST = 12.0, 10.0
"""Largest width of a row of panels, and height of all rows where cells can be that small, in
inches."""

SMALLEST_CELL = 0.1

COLOUR_MAP = "cividis"
HATCHED: dict[str, Any] = {
    "hatch": "//////", "facecolor": "white", "edgecolor": "0.6", "linewidth": 0
}  # fmt: skip
BLANK: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.7", "linewidth": 0.5}

NUMBER = 0.38
"""Inches that a number in a cell needs, at the font sizes of the style."""


def heatmaps(agent: Agent, game: Game, title: str = "") -> dict[str, Figure]:
    """Return all heatmaps of an agent, by name.

    For a game with one part: ``"policy"``, see :func:`policy_heatmap`. For one with more:
    ``"greedy"``, and for learners ``"values"`` and ``"probabilities"``; see
    :func:`value_heatmap` and :func:`winning_heatmap`.

    Args:
        agent: a learner, or an agent with ``action_probabilities``.
        game: game to draw; observations are its positions.
        title: title of the pictures.

    Raises:
        TypeError: the agent's probabilities are not known.
        SearchTooLargeError: the game has too many positions for a picture.
    """
    if len(game.parts) == 1:
        return {"policy": policy_heatmap(agent, game, title)}
    behaviour, greedy = _policies(agent)
    start = f"{title}: " if title else ""
    pictures = {}
    if hasattr(greedy, "action_values"):
        pictures["values"] = value_heatmap(greedy, game, title, _name_of_values(agent))
    if behaviour is not None:
        pictures["probabilities"] = winning_heatmap(behaviour, game, f"{start}policy as it plays")
    greedy_name = "greedy policy" if isinstance(agent, Trainable) else "policy"
    pictures["greedy"] = winning_heatmap(greedy, game, start + greedy_name)
    return pictures


def _policies(agent: Agent) -> tuple[Policy | None, Policy]:
    """A learner's behaviour policy, if known, and its greedy policy; for others, their policy."""
    if isinstance(agent, Trainable):
        return agent if isinstance(agent, Policy) else None, agent.greedy()
    if isinstance(agent, Policy):
        return None, agent
    raise TypeError(f"a heatmap needs an agent with action_probabilities, which {agent!r} lacks")


def _name_of_values(agent: Agent) -> str:
    """Name of the values by which a learner's greedy policy ranks actions."""
    if isinstance(agent, PreferenceLearner):
        return "preference"
    return "wins over losses" if isinstance(agent, WinLossRatio) else "value"


@styled
def policy_heatmap(agent: Agent, game: Game, title: str = "") -> Figure:
    """Draw an agent's policy at every position of a game with one part, move by move.

    A learner has three panels, positions down and moves across: the preferences or values by
    which its greedy policy ranks moves, the probabilities of its behaviour policy, and the greedy
    policy. Another agent has one panel, its policy. In the panel of the policy a dot marks each
    winning move, or one that keeps a draw; triangles mark the P-positions; illegal moves are
    hatched. Positions without a legal move are left out.

    Args:
        agent: a learner, or an agent with ``action_probabilities``.
        game: game with one part; observations are its positions.
        title: title of the picture.

    Returns:
        A figure whose axes are labelled ``"values"``, ``"probabilities"`` and ``"policy"``.

    Raises:
        ValueError: the game has more parts.
        TypeError: the agent's probabilities are not known.
        SearchTooLargeError: the game has more positions or moves than ``LARGEST_SIDE``.
    """
    if len(game.parts) != 1:
        raise ValueError(f"this picture is of one part, not of {len(game.parts)}")
    part = game.parts[0]
    _check_sides(part.num_positions, part.num_actions)
    behaviour, greedy = _policies(agent)
    total = Sum(game.parts)
    states = np.flatnonzero(~part.ends)[:, np.newaxis]
    observations, masks = total.positions(states), total.mask(states)
    winning = game.solution.keeping_mask(observations)
    lost = np.flatnonzero(~winning.any(axis=1))  # a draw is kept by some move
    right, counted = scored_in_words(game)
    rows, columns = masks.shape

    panels: list[tuple[str, str, FloatArray, str]] = []
    if hasattr(greedy, "action_values"):
        values = greedy.action_values(observations, masks)
        panels.append(("values", _name_of_values(agent), values, COLOUR_MAP))
    if behaviour is not None:
        probabilities = behaviour.action_probabilities(observations, masks)
        panels.append(("probabilities", "probability of playing it", probabilities, COLOUR_MAP))
    policy = greedy.action_probabilities(observations, masks)
    name = "greedy policy" if isinstance(agent, Trainable) else "policy"
    panels.append(("policy", name, policy, "Greys"))

    height = _cell_size(rows, 7.6, smallest=0.075, largest=0.28)
    width = _cell_size(columns, PAGE_WIDTH / 3 - 0.5, smallest=0.12, largest=0.5)
    figure = Figure(
        figsize=(len(panels) * max(PAGE_WIDTH / 3, width * columns + 0.5), rows * height + 2),
        layout="constrained",
    )
    for axes, (label, panel_title, array, colours) in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels, strict=True
    ):
        axes.set_label(label)
        axes.set_title(panel_title)
        legal = np.where(masks == 1, array, np.nan)
        norm = _norm_of_values(legal) if label == "values" else Normalize(0, 1)
        mesh = _cells(axes, legal, norm, colours, masks == 0)
        figure.colorbar(mesh, ax=axes, location="bottom", pad=0.02, fraction=0.05)
        if label == "policy":
            _mark(axes, winning, "o", min(height, width), right)
        elif width >= NUMBER and height >= LINE:
            _write_numbers(axes, mesh, legal)
        name_of_moves, moves = _names_of_moves(part)
        axes.set_xlabel(name_of_moves)
        _label_cells(axes.xaxis, moves, width, along_text=True)
        _label_cells(axes.yaxis, _names_of_states(part, states[:, 0]), height)
        if len(lost):
            axes.plot(
                np.full(len(lost), 1.01), lost, marker=4, markersize=min(6, 60 * height),
                color=BLACK, linestyle="", clip_on=False, transform=axes.get_yaxis_transform(),
                label="P-position: every move loses",
            )  # fmt: skip
        axes.tick_params(labelleft=axes is figure.axes[0])
    figure.axes[0].set_ylabel(_state_name(game, 0))
    share = 100 * (policy * winning).sum() / max(1, rows - len(lost))
    score = f"{name}: {share:.1f} % of all {rows - len(lost)} {counted} played optimally"
    _title_and_key(figure, title, score, {} if masks.all() else {"illegal move": HATCHED})
    return figure


def value_heatmap(greedy: Any, game: Game, title: str = "", name: str = "value") -> Figure:
    """Draw the value of the best move at every position of a game with two or more parts.

    Positions are cells of a grid over the two largest parts; every combination of states of
    the others that occurs has its own panel. Diamonds mark the P-positions; positions without a
    legal move are hatched.

    Args:
        greedy: a policy with ``action_values``, as ``learner.greedy()`` is.
        game: game to draw; observations are its positions.
        title: title of the picture.
        name: name of the values.

    Raises:
        ValueError: the game has one part.
        SearchTooLargeError: the game has too many positions for a picture.
    """
    grid = _Grid(game)
    values = greedy.action_values(grid.positions, grid.masks).max(axis=1)
    return _draw_grid(
        grid, values, _norm_of_values(values), title, score="", label=f"{name} of the best move"
    )


def winning_heatmap(policy: Policy, game: Game, title: str = "") -> Figure:
    """Draw the probability that a policy plays a winning move, at every N-position.

    The game has two or more parts: positions are cells of a grid over the two largest, and
    every combination of states of the others that occurs has its own panel. Diamonds mark the
    P-positions, crosses the blunders: N-positions where a most probable move does not win.
    Positions without a legal move are hatched.

    Args:
        policy: an agent with ``action_probabilities``.
        game: game to draw; observations are its positions.
        title: title of the picture.

    Raises:
        ValueError: the game has one part.
        SearchTooLargeError: the game has too many positions for a picture.
    """
    grid = _Grid(game)
    winning = game.solution.keeping_mask(grid.positions)
    probabilities = policy.action_probabilities(grid.positions, grid.masks)
    winnable = winning.any(axis=1)
    won = np.where(winnable, (probabilities * winning).sum(axis=1), np.nan)
    likeliest = probabilities == probabilities.max(axis=1, keepdims=True)
    grid.blunders = (likeliest & ~winning).any(axis=1) & winnable
    score = (
        f"{100 * np.nanmean(won):.1f} % of all {winnable.sum()} N-positions played optimally, "
        f"{grid.blunders.sum()} blunders"
    )
    return _draw_grid(
        grid, won, Normalize(0, 1), title, score, label="probability of a winning move"
    )


def _check_sides(*sides: int) -> None:
    if max(sides) > LARGEST_SIDE:
        raise SearchTooLargeError(
            f"a heatmap of {' by '.join(map(str, sides))} cells is too large to read; the limit "
            f"is {LARGEST_SIDE} a side"
        )


class _Grid:
    """Positions of two or more parts as grids of cells.

    Args:
        game: game with two or more parts.

    Attributes:
        positions: positions with a legal move, ``(n, fields)``.
        masks: their legal actions.
        slices: the states of the parts other than the two largest that occur, one combination
            for each panel.
        blunders: whether each position gets a cross, boolean ``(n,)``; at first none.
        ended: states of the parts at positions without a legal move.

    Raises:
        ValueError: the game has one part.
        SearchTooLargeError: it is too large for a picture.
    """

    def __init__(self, game: Game) -> None:
        total = Sum(game.parts)
        self.shape = [part.num_positions for part in game.parts]
        if len(self.shape) < 2:
            raise ValueError("this picture is of two or more parts, not of one")
        *others, rows, columns = sorted(self.shape)
        _check_sides(rows, columns)
        self.game = game
        # Of equal parts the later ones.
        self.down, self.across = sorted(np.argsort(self.shape, kind="stable")[-2:].tolist())
        self.others = [i for i in range(len(self.shape)) if i not in (self.down, self.across)]
        panels = math.prod(others)
        # Where heaps split, most combinations occur in no position, and have no panel.
        if panels <= LARGEST_SLICES or total.groups:
            states = total.states(LARGEST_LIST)
            over = total.is_over(states)
            self.ended, self._states = states[over], states[~over]
            self.slices = sorted(set(map(tuple, self._states[:, self.others].tolist())))
            panels = len(self.slices)
        if panels > LARGEST_SLICES:
            raise SearchTooLargeError(
                f"a game with parts of {self.shape} states would need {panels} panels, one for "
                f"every combination of the smaller parts; the limit is {LARGEST_SLICES}"
            )
        self.positions, self.masks = total.positions(self._states), total.mask(self._states)
        self.blunders = np.zeros(len(self.positions), dtype=np.bool_)
        self.lost = np.asarray(game.solution.is_losing(self.positions))

    def cells(
        self, array: Any, others: tuple[int, ...], empty: Any, states: IntArray | None = None
    ) -> Any:
        """Return the entries of ``array`` for the positions in one slice, ``(rows, columns)``."""
        states = self._states if states is None else states
        cells = np.full((self.shape[self.down], self.shape[self.across]), empty)
        here = (states[:, self.others] == np.array(others, dtype=np.int64)).all(axis=1)
        cells[states[here, self.down], states[here, self.across]] = array[here]
        return cells

    def name(self, others: tuple[int, ...]) -> str:
        """Title of a slice: a position, with stars for the two parts of the grid."""
        parts = self.game.parts
        fixed = {
            index: _names_of_states(parts[index], np.array([state]))[0]
            for index, state in zip(self.others, others, strict=True)
        }
        if len(fixed) == 1:
            ((index, state),) = fixed.items()
            return f"{parts[index].words.kind} {index}: {state}"
        return ", ".join(fixed.get(index, "*") for index in range(len(parts))) if others else ""


@styled
def _draw_grid(
    grid: _Grid, array: FloatArray, norm: Normalize, title: str, score: str, label: str
) -> Figure:
    """Draw ``array``, one number for each position, ``(n,)``."""
    game = grid.game
    shape = grid.shape
    rows, columns = shape[grid.down], shape[grid.across]
    slices = grid.slices
    title_width = DIGIT * max(len(grid.name(states)) for states in slices)
    room = 5.0 if len(slices) == 1 else 1.6
    smallest = max(SMALLEST_CELL, title_width / columns)
    size = max(smallest, _cell_size(max(rows, columns), room, smallest=SMALLEST_CELL, largest=0.3))
    while True:
        width, height = size * columns + 0.35, size * rows + 0.35
        wide = _panels_in_a_row(grid, width, height)
        high = -(-len(slices) // wide)
        if high * height <= HIGHEST or size == smallest:
            break
        size = max(smallest, 0.9 * size)
    inches = max(3.2, high * height + 1.2)  # at least as long as the scale's label
    figure = Figure(figsize=(max(4.5, wide * width + 1.2), inches), layout="constrained")
    panels = list(figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True).flat)
    for axes in panels[len(slices) :]:
        axes.remove()
    panels = panels[: len(slices)]
    names = {
        index: _names_of_states(game.parts[index], np.arange(shape[index]))
        for index in (grid.down, grid.across)
    }
    for number, (axes, states) in enumerate(zip(panels, slices, strict=True)):
        axes.set_label(", ".join(map(str, states)))
        axes.set_title(grid.name(states))
        axes.set_aspect("equal")
        ended = grid.cells(np.ones(len(grid.ended), dtype=np.bool_), states, False, grid.ended)
        mesh = _cells(axes, grid.cells(array, states, np.nan), norm, COLOUR_MAP, ended)
        _mark(axes, grid.cells(grid.lost, states, False), "D", size, "P-position")
        _mark(axes, grid.cells(grid.blunders, states, False), "X", size, "blunder")
        _label_cells(axes.xaxis, names[grid.across], size, along_text=True)
        _label_cells(axes.yaxis, names[grid.down], size)
        if number % wide == 0:
            axes.set_ylabel(_state_name(game, grid.down))
        if number + wide >= len(slices):
            axes.set_xlabel(_state_name(game, grid.across))
            axes.tick_params(labelbottom=True)
    figure.colorbar(mesh, ax=panels, location="right", label=label, aspect=6 * inches, shrink=0.9)
    key = {"no legal move": HATCHED} if len(grid.ended) else {}
    if len(array) + len(grid.ended) < math.prod(shape):
        key["no position"] = BLANK
    _title_and_key(figure, title, score, key)
    return figure


def _names_of_states(part: Part, states: IntArray) -> list[str]:
    """Names of states, ``(n,)``: their coordinates."""
    return ["-".join(map(str, each)) for each in part.positions(states).tolist()]


def _names_of_moves(part: Part) -> tuple[str, list[str]]:
    """The verb of all moves, and the rest of each; or ``"move"``, and each with its own verb."""
    moves = [part.describe(option) for option in range(part.num_actions)]
    if len(part.fields) > 1:
        return "move", moves
    return moves[0].partition(" ")[0], [move.partition(" ")[2] for move in moves]


def _panels_in_a_row(grid: _Grid, width: float, height: float) -> int:
    """Number of panels of this size that fit side by side."""
    # A row of panels for each state of the first parts, if that fits.
    shape, wide = grid.shape, 1
    if len(grid.slices) == np.prod([shape[index] for index in grid.others]):
        for index in reversed(grid.others):
            if wide * shape[index] * width > WIDEST:
                break
            wide *= shape[index]
    if wide > 1:
        return wide
    for across in (PAGE_WIDTH, WIDEST):
        wide = min(len(grid.slices), max(1, int(across / width)))
        if -(-len(grid.slices) // wide) * height <= HIGHEST:
            break
    return wide


def _cell_size(count: int, inches: float, *, smallest: float, largest: float) -> float:
    """Size of ``count`` cells that fill ``inches``, within readable limits."""
    return min(largest, max(smallest, inches / count))


def _norm_of_values(values: FloatArray) -> Normalize:
    """A scale for values; logarithmic for ratios that span more than two powers of ten."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    if low > 0 and high / low > 100:
        return LogNorm(low, high)
    return Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)


def _cells(
    axes: Axes, array: FloatArray, norm: Normalize, colours: str, hatched: BoolArray
) -> QuadMesh:
    """Draw cells with edges, row 0 on top; those that are not finite stay blank or hatched."""
    cells = np.ma.masked_invalid(array)
    rows, columns = cells.shape
    mesh = axes.pcolormesh(
        np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, cells, norm=norm,
        cmap=colormaps[colours], edgecolors="0.7", linewidth=0.3,
    )  # fmt: skip
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    squares = np.argwhere(hatched)[:, np.newaxis, ::-1] + corners
    axes.add_collection(PolyCollection(squares, **HATCHED))
    axes.set_ylim(rows - 0.5, -0.5)
    axes.tick_params(length=2, pad=2)
    for spine in axes.spines.values():
        spine.set(visible=True, linewidth=0.5)
    return mesh


def _mark(axes: Axes, cells: BoolArray, marker: str, inches: float, label: str) -> None:
    """Put a mark on the given cells; white with a dark edge, it shows on every colour."""
    down, across = np.nonzero(cells)
    if not len(down):
        return
    size = min(6.0, 72 * 0.55 * inches)
    axes.plot(
        across, down, marker=marker, markersize=size, markerfacecolor="white",
        markeredgecolor=BLACK, markeredgewidth=min(0.9, 0.18 * size), linestyle="", label=label,
    )  # fmt: skip


def _write_numbers(axes: Axes, mesh: QuadMesh, array: FloatArray) -> None:
    """Write its number on every cell, light on dark and dark on light."""
    for row, column in np.argwhere(np.isfinite(array)).tolist():
        red, green, blue, _ = mesh.cmap(mesh.norm(array[row, column]))
        light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5
        number = array[row, column]
        small = f"{number:.2g}" if isinstance(mesh.norm, LogNorm) else f"{number:.2f}"
        text = small if abs(number) < 10 else f"{number:.0f}"
        axes.text(
            column, row, text.replace("-", "−"),
            color="black" if light else "white", ha="center", va="center", fontsize=7,
        )  # fmt: skip


def _label_cells(axis: Axis, labels: list[str], inches: float, *, along_text: bool = False) -> None:
    """Label cells by their states; where space is short, only those at round numbers.

    Args:
        axis: axis to label.
        labels: labels of all cells.
        inches: size of a cell.
        along_text: whether the labels stand side by side, not one above the other.
    """
    needed = DIGIT * (max(map(len, labels)) + 1) if along_text else LINE
    steps = (base * 10**power for power in range(9) for base in (1, 2, 5))
    step = next(step for step in steps if step * inches >= needed)
    numbers = [int(label) if label.isdecimal() else place for place, label in enumerate(labels)]
    ticks = [place for place, number in enumerate(numbers) if number % step == 0]
    axis.set_ticks(ticks, [labels[place] for place in ticks])


def _state_name(game: Game, index: int) -> str:
    """Axis label of a part's states."""
    kind = game.parts[index].words.kind
    name = kind if len(game.parts) == 1 else f"{kind} {index}"
    return f"{name}, objects" if kind == "heap" else name


def _title_and_key(
    figure: Figure, title: str, score: str, cells: dict[str, dict[str, Any]]
) -> None:
    """Add a title, and below the panels a legend of the marks and of cells without a value."""
    text = "\n".join(part for part in (title, score) if part)
    patches = {name: Patch(**look) for name, look in cells.items()}
    add_title_and_legend(figure, text, columns=4, more=patches, handlelength=1.5)
