"""Pictures of training and of policies: curves and heatmaps (matplotlib)."""

from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from agents.base import Agent, Policy, Trainable
from agents.games import scored_positions
from agents.learners.win_loss_ratio import WinLossRatio
from agents.metrics import TrainingMeasurements
from agents.tables import PreferenceLearner
from nim_envs import Game
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.render.style import (
    BLACK,
    BLUE,
    DIGIT,
    LINE,
    PAGE_WIDTH,
    VERMILLION,
    Figure,
    add_title_and_legend,
    styled,
)
from nim_envs.sums import Sum
from nim_envs.typing import BoolArray, FloatArray

UNIFORM = tuple(f"log of the number of legal moves, {name}" for name in PLAYERS)
LINES: dict[str, tuple[str, Any]] = {
    "all": (BLACK, "-"),
    PLAYERS[0]: (BLUE, "-"),
    PLAYERS[1]: (VERMILLION, (0, (4, 1.5))),
    UNIFORM[0]: (BLUE, (0, (1, 1.5))),
    UNIFORM[1]: (VERMILLION, (0, (1, 4))),
}
"""Colour and style of lines by their names, of which "all" stands in no legend."""

PERCENT = (-4, 104)
"""Limits of an axis in percent."""


@styled
def training_curves(measured: TrainingMeasurements, title: str = "") -> Figure:
    """Draw a training run: one panel for each measured quantity.

    The quantities are the win rate of each seat, mean game length and first-seat advantage; and,
    where measured, the entropy of each seat's policy beside the logarithm of the number of legal
    moves, and the optimality of the greedy policy.

    Raises:
        ValueError: nothing was measured.
    """
    if not len(measured.games):
        raise ValueError("there are no games to draw")
    won = dict(zip(PLAYERS, 100 * measured.win_rates, strict=True))
    longest = (0, 1.08 * measured.lengths.max())
    gained, difference = "First-seat advantage, difference of win rates", (-1.08, 1.08)
    # By label: title, limits and lines.
    panels: dict[str, tuple[str, Any, dict[str, FloatArray]]] = {
        "win rate": ("Games won by each player, %", PERCENT, won),
        "game length": ("Mean length of a game, moves", longest, {"all": measured.lengths}),
        "first-seat advantage": (gained, difference, {"all": measured.first_seat_advantage}),
    }
    if not np.isnan(measured.entropies).all():
        uniform = measured.uniform_entropies
        lines = dict(zip(PLAYERS + UNIFORM, [*measured.entropies, *uniform], strict=True))
        limits = 0, 1.08 * max(np.nanmax(uniform), 1e-3)
        panels["entropy"] = "Mean entropy of each player's policy, nats", limits, lines
    if measured.optimality:
        facing = "" if "all" in measured.optimality else " where the player is to move"
        scored = f"Optimality of the greedy policy{facing}, %"
        panels["optimality"] = scored, PERCENT, measured.optimality
    rows = -(-len(panels) // 2)
    figure = Figure(figsize=(PAGE_WIDTH, 1.0 + 1.8 * rows), layout="constrained")
    marker = "o" if len(measured.games) <= 20 else ""  # one point alone has no line
    for place, (label, (panel_title, limits, lines_here)) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(rows, 2, place, label=label, title=panel_title)
        for name, values in lines_here.items():
            color, style = LINES[name]
            (line,) = axes.plot(measured.games, values, color=color, linestyle=style, marker=marker)
            # Matplotlib leaves names that begin with an underscore out of legends.
            line.set(clip_on=False, zorder=3, label="_all" if name == "all" else name)
        axes.set(xlim=(0, measured.games[-1]), ylim=limits, xlabel="games")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.grid(True)
    add_title_and_legend(figure, title, columns=2)
    return figure


LARGEST_SIDE, LARGEST_SLICES, LARGEST_LIST = 400, 64, 1 << 20
"""Most rows or columns of a panel, most panels, and most positions: more are too large to read."""

WIDEST = 12.0
"""Largest width of a row of panels, where one panel is no wider, in inches."""

SMALLEST_CELL, LARGEST_CELL = 0.1, 0.35
"""Sides of a cell, in inches."""

HATCHED: dict[str, Any] = {"hatch": "//////", "facecolor": "white", "edgecolor": "0.6"}


def heatmaps(agent: Agent, game: Game, title: str = "") -> dict[str, Figure]:
    """Return an agent's pictures by :func:`value_heatmap` and :func:`policy_heatmap`, by name.

    They are ``"greedy"``, the policy without exploration, and for learners ``"values"`` and
    ``"probabilities"``, the policy with exploration.

    Raises:
        TypeError: the agent's probabilities are not known.
        SearchTooLargeError: the game has too many positions for a picture.
    """
    start = f"{title}: " if title else ""
    if not isinstance(agent, Trainable):
        if not isinstance(agent, Policy):
            raise TypeError(
                f"a heatmap needs an agent with action_probabilities, which {agent!r} lacks"
            )
        return {"greedy": policy_heatmap(agent, game, f"{start}policy")}
    pictures, greedy = {}, agent.greedy()
    if hasattr(greedy, "action_values"):
        name = "preference" if isinstance(agent, PreferenceLearner) else "value"
        name = "wins over losses" if isinstance(agent, WinLossRatio) else name
        pictures["values"] = value_heatmap(greedy, game, title, name)
    if isinstance(agent, Policy):
        pictures["probabilities"] = policy_heatmap(agent, game, f"{start}policy as it plays")
    pictures["greedy"] = policy_heatmap(greedy, game, f"{start}greedy policy")
    return pictures


def value_heatmap(greedy: Any, game: Game, title: str = "", name: str = "value") -> Figure:
    """Draw the values, of this name, by which a policy with ``action_values`` ranks moves.

    For a game with one part, positions are rows and moves are columns. For one with more, positions
    are cells of a grid over the two largest parts, with the value of the best move; every
    combination of states of the others that occurs has its own panel. Cells that are no legal move
    or no position with a move are hatched. Dots mark the winning moves, or those that keep a draw;
    diamonds mark the P-positions.

    Raises:
        SearchTooLargeError: the game has too many positions for a picture.
    """
    grid = _Grid(game)
    values = greedy.action_values(grid.positions, grid.masks)
    if grid.by_move:
        numbers = values[grid.masks == 1]
    else:
        numbers, name = values.max(axis=1), f"{name} of the best move"
    low, high = float(numbers.min()), float(numbers.max())
    norm = Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)
    if low > 0 and high / low > 100:  # ratios
        norm = LogNorm(low, high)
    return _draw(grid, numbers, norm, title, name)


def policy_heatmap(policy: Policy, game: Game, title: str = "") -> Figure:
    """Draw the probabilities of a policy.

    The picture is that of :func:`value_heatmap`: for a game with one part, the probability of each
    move; for one with more, the probability of a winning move at each N-position. There crosses
    mark the blunders: N-positions where a most probable move does not win.

    Raises:
        SearchTooLargeError: the game has too many positions for a picture.
    """
    grid = _Grid(game)
    probabilities = policy.action_probabilities(grid.positions, grid.masks)
    won = (probabilities * grid.winning).sum(axis=1)
    winnable = grid.winning.any(axis=1)
    score = 100 * won.sum() / max(1, winnable.sum())
    named = f"{score:.1f} % of all {winnable.sum()} {scored_positions(game)} played optimally"
    title = "\n".join(filter(None, (title, named)))
    if grid.by_move:
        numbers, label = probabilities[grid.masks == 1], "probability of the move"
        return _draw(grid, numbers, Normalize(0, 1), title, label)
    likeliest = probabilities == probabilities.max(axis=1, keepdims=True)
    blunders = (likeliest & ~grid.winning).any(axis=1) & winnable
    numbers, label = np.where(winnable, won, np.nan), "probability of a winning move"
    return _draw(grid, numbers, Normalize(0, 1), title, label, {"blunder": ("X", blunders)})


class _Grid:
    """The cells of a picture: the legal moves of one part, or the positions of more.

    Attributes:
        by_move: whether the cells are moves.
        positions: positions with a legal move, ``(n, fields)``.
        masks: their legal actions.
        winning: their actions that win or keep a draw, boolean ``(n, actions)``.
        axes: what stands along rows and columns, with the names of each.
        panels: titles of the panels.
    """

    def __init__(self, game: Game) -> None:
        total = Sum(game.parts)
        self.by_move = len(game.parts) == 1
        sizes = [part.num_positions for part in game.parts]
        if self.by_move:
            sizes.append(game.num_actions)
        # Of equal parts the later ones.
        down, across = sorted(np.argsort(sizes, kind="stable")[-2:].tolist())
        if max(sizes) > LARGEST_SIDE:
            raise SearchTooLargeError(
                f"a heatmap of {sizes[down]} by {sizes[across]} cells is too large to read; the "
                f"limit is {LARGEST_SIDE} a side"
            )
        others = [index for index in range(len(sizes)) if index not in (down, across)]
        states = total.states(LARGEST_LIST)
        states = states[~total.is_over(states)]
        # Where heaps split, most combinations occur in no position, and have no panel.
        slices = sorted(set(map(tuple, states[:, others].tolist())))
        if len(slices) > LARGEST_SLICES:
            raise SearchTooLargeError(
                f"a game with parts of {sizes} states would need {len(slices)} panels, one for "
                f"every combination of the smaller parts; the limit is {LARGEST_SLICES}"
            )
        self.positions, self.masks = total.positions(states), total.mask(states)
        self.winning = game.solution.keeping_mask(self.positions)
        cells = states
        if self.by_move:
            rows, actions = np.nonzero(self.masks)
            cells = np.column_stack([states[rows], actions])
        panel = np.array([slices.index(tuple(each)) for each in cells[:, others].tolist()])
        self.place = panel, cells[:, down], cells[:, across]
        self.shape = len(slices), sizes[down], sizes[across]
        sides = []
        for index, part in enumerate(game.parts):
            kind = part.words.kind
            label = f"{kind}{'' if self.by_move else f' {index}'}{', objects' * (kind == 'heap')}"
            sides.append((label, ["-".join(map(str, each)) for each in part.coordinates.tolist()]))
        if self.by_move:
            sides.append(("move", [*map(game.parts[0].describe, range(game.num_actions))]))
        self.axes = sides[down], sides[across]
        self.panels = []
        for each in slices:
            names = ["*"] * len(sides)
            for index, row in zip(others, each, strict=True):
                names[index] = sides[index][1][row]
            self.panels.append(", ".join(names) if others else "")

    def cells(self, entries: Any, empty: Any) -> Any:
        """Return the entries at their places, ``(panels, rows, columns)``."""
        cells = np.full(self.shape, empty)
        cells[self.place] = entries
        return cells


@styled
def _draw(
    grid: _Grid,
    numbers: FloatArray,
    norm: Normalize,
    title: str,
    label: str,
    more_marks: dict[str, tuple[str, BoolArray]] | None = None,
) -> Figure:
    """Draw a number in each cell, with a colour bar of this label, and marks by their names."""
    count, rows, columns = grid.shape
    (down, names_down), (across, names_across) = grid.axes
    room = 5.0 if count == 1 else 1.6
    size = min(LARGEST_CELL, max(SMALLEST_CELL, room / max(rows, columns)))
    size = max(size, DIGIT * max(map(len, grid.panels)) / columns)  # so that titles fit
    width, height = size * columns + 0.35, size * rows + 0.35
    lines = -(-count // min(count, max(1, int(WIDEST / width))))
    wide = -(-count // lines)
    inches = max(3.2, lines * height + 1.2)  # at least as long as the scale's label
    figure = Figure(figsize=(max(4.5, wide * width + 1.2), inches), layout="compressed")
    panels = list(figure.subplots(lines, wide, squeeze=False, sharex=True, sharey=True).flat)
    for axes in panels[count:]:
        axes.remove()
    marks = {"P-position": ("D", np.logical_not(grid.winning.any(axis=1)))}
    if grid.by_move:
        marks = {"winning move": ("o", grid.winning[grid.masks == 1])}
    marks |= more_marks or {}
    cells = grid.cells(numbers, np.nan)
    marked = {name: (marker, grid.cells(here, False)) for name, (marker, here) in marks.items()}
    dot = min(6.0, 72 * 0.55 * size)
    for number, axes in enumerate(panels[:count]):
        axes.set(label=grid.panels[number], title=grid.panels[number])
        axes.patch.set(**HATCHED)
        image = axes.imshow(cells[number], norm=norm, cmap="cividis", interpolation="nearest")
        for name, (marker, here) in marked.items():
            if here[number].any():
                y, x = np.nonzero(here[number])
                axes.plot(
                    x, y, marker=marker, markersize=dot, markerfacecolor="white", linestyle="",
                    markeredgecolor=BLACK, markeredgewidth=min(0.9, 0.18 * dot), label=name,
                )  # fmt: skip
        _label_cells(axes.xaxis, names_across, DIGIT * (max(map(len, names_across)) + 1) / size)
        _label_cells(axes.yaxis, names_down, LINE / size)
        if number % wide == 0:
            axes.set_ylabel(down)
        if number + wide >= count:
            axes.set_xlabel(across)
            axes.tick_params(labelbottom=True)
    figure.colorbar(
        image, ax=panels[:count], location="right", label=label, aspect=6 * inches, shrink=0.9
    )
    empty = "illegal move" if grid.by_move else "no number"
    add_title_and_legend(figure, title, columns=4, more={empty: Patch(**HATCHED)}, handlelength=1.5)
    return figure


def _label_cells(axis: Axis, names: list[str], needed: float) -> None:
    """Label every cell, or every second, fifth and so on, where a name needs more room."""
    steps = (base * 10**power for power in range(9) for base in (1, 2, 5))
    step = next(step for step in steps if step >= needed)
    axis.set_ticks(range(0, len(names), step), names[::step])
