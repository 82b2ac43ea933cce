"""Pictures of column automata (matplotlib)."""

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from agents.research.column_automata.automaton import SYMBOLS, ColumnAutomaton
from nim_envs.render.style import BLACK, BLUE, Figure, styled

RADIUS, APART = 0.3, 1.3
"""Radius of a state, and distance of the next one, in inches."""

LARGEST = 6
"""States above which the arrows could not be told apart."""

LETTERS = 11
"""Font size, in points."""


@styled
def automaton_diagram(automaton: ColumnAutomaton) -> Figure:
    """Draw an automaton of few states, circles in a row, and its transitions as lettered arrows.

    Arrows to the right are above the row, arrows to the left below it. The start has an arrow from
    nowhere. States in which the position is claimed to be lost have two circles and a ``P``.
    """
    if automaton.states > LARGEST:
        raise ValueError(
            f"automata of at most {LARGEST} states can be drawn, not one of {automaton.states}"
        )
    letters: dict[tuple[int, int], list[str]] = defaultdict(list)
    for state, row in enumerate(automaton.transitions.tolist()):
        for letter, after in enumerate(row):
            letters[state, after].append(SYMBOLS[letter])
    farthest = {way: max([0, *(way * (b - a) for a, b in letters)]) for way in (1, -1)}
    up, down = (max(1.0, 0.45 + _rise(farthest[way])) for way in (1, -1))
    width = APART * (automaton.states - 1) + 3 * RADIUS + 1
    figure = Figure(figsize=(width, up + down))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-RADIUS - 0.8, width - RADIUS - 0.8), ylim=(-down, up))
    axes.set_axis_off()
    _arrow(axes, (-RADIUS - 0.6, 0), (-RADIUS, 0))
    for state, lost in enumerate(automaton.lost.tolist()):
        for radius in (RADIUS, RADIUS - 0.05)[: 1 + lost]:
            centre = APART * state, 0
            axes.add_patch(Circle(centre, radius, facecolor="white", edgecolor=BLACK))
        _write(axes, APART * state, 0, f"{state} P" if lost else f"{state}", BLACK)
    for (state, after), read in letters.items():
        _transition(axes, state, after, ", ".join(read))
    return figure


def _rise(states: int) -> float:
    """Height above the row, in inches, of an arrow that leads so far."""
    return 0.1 + (0.17 if states == 1 else 0.45 * states)


def _transition(axes: Axes, state: int, after: int, letters: str) -> None:
    x, u = APART * state, APART * after
    if state == after:
        _arrow(axes, (x - 0.14, 0.9 * RADIUS), (x + 0.14, 0.9 * RADIUS), bend=-1.6)
        _write(axes, x, 0.9 * RADIUS + 0.48, letters, BLUE)
        return
    way = 1 if after > state else -1
    rise = _rise(abs(after - state))
    # The middle of an arrow is half its bend times its length above the line between its ends.
    bend = -2 * (rise - 0.1) / (abs(u - x) - 2 * RADIUS)
    _arrow(axes, (x + way * RADIUS, 0.1 * way), (u - way * RADIUS, 0.1 * way), bend=bend)
    _write(axes, (x + u) / 2, way * (rise + 0.17), letters, BLUE)


def _write(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, color=colour, fontsize=LETTERS, ha="center", va="center")


def _arrow(
    axes: Axes, tail: tuple[float, float], head: tuple[float, float], bend: float = 0.0
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            tail, head, arrowstyle="-|>", mutation_scale=LETTERS, shrinkA=0, shrinkB=0,
            connectionstyle=f"arc3,rad={bend}", color=BLACK,
        )
    )  # fmt: skip
