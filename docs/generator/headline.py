"""The chart of the first page: learners beside the published AlphaZero, on two boards."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.leaderboard import RESULTS
from benchmarks.report import read_csv
from benchmarks.studies.alphazero.settings import UNTRAINED

BOARDS = {"alphazero-5": "heaps 1, 3, …, 9", "alphazero-7": "heaps 1, 3, …, 13"}
"""The boards and their names for a reader."""

PLACE = "<!-- headline -->"
"""Where the chart stands in the first page."""

OF_DEEP = {
    "random": ("random moves", "nothing", "bound"),
    "alphazero, mlp": ("AlphaZero here, MLP", "rules, bits", "network"),
    UNTRAINED: ("signed products, random weights", "rules, bits, order", "bound"),
    "alphazero, signed products": (
        "AlphaZero here, signed products", "rules, bits, order", "network",
    ),
}  # fmt: skip
"""Learners of ``benchmarks.studies.alphazero``: name, prior knowledge, description."""

OF_PUBLISHED = {
    "Q-learning, heap symmetry": ("Q-learning, heaps sorted", "table"),
    "real-time dynamic programming": ("real-time dynamic programming", "table"),
    "column automaton": ("column automaton, proved", "automaton"),
}
"""Learners of ``benchmarks.published``: name, and what they are."""


class Figure(NamedTuple):
    """A percentage of N-positions: mean, lowest and highest seed."""

    mean: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        """The mean, and the range where seeds differ."""
        mean, lowest, highest = (f"{each:.1f}" for each in self)
        return mean if lowest == highest else f"{mean} <small>{lowest} to {highest}</small>"


class Row(NamedTuple):
    """A row of the chart.

    Attributes:
        learner: its name.
        told: what it is told beforehand, besides observations and rewards.
        kind: what it is, which colors its bars.
        figures: its figure on each of :data:`BOARDS`.
    """

    learner: str
    told: str
    kind: str
    figures: tuple[Figure, ...]


def figure(cell: str) -> Figure:
    """Return the figure of a cell such as ``"53.5 (52.6 to 54.2)"`` or ``"100.0"``."""
    mean, _, spread = cell.partition(" (")
    lowest, _, highest = spread.rstrip(")").partition(" to ")
    return Figure(float(mean), float(lowest or mean), float(highest or mean))


def told(knows: str) -> str:
    """Return the knowledge of a row of published.csv in a few words."""
    words = {"rules": "rules", "bits": "bits", "order": "order"}
    return ", ".join(short for word, short in words.items() if word in knows) or "nothing"


def rows() -> list[Row]:
    """Return the rows of the chart from docs/results, by their figures."""
    deep = {
        (row["board"], row["learner"]): Figure(
            *(float(row[key]) for key in ("optimality %", "lowest", "highest"))
        )
        for row in read_csv(RESULTS / "alphazero.csv")
    }
    published = {
        (row["system"], row["ours"]): row for row in read_csv(RESULTS / "published.csv")
    }  # fmt: skip
    found = [
        Row(*names, tuple(deep[board, learner] for board in BOARDS))
        for learner, names in OF_DEEP.items()
    ]
    for learner, (name, kind) in OF_PUBLISHED.items():
        here = [published[board, learner] for board in BOARDS]
        (knows,) = {told(row["knows"]) for row in here}
        found.append(Row(name, knows, kind, tuple(figure(row["same games"]) for row in here)))
    first = [next(row for (system, _), row in published.items() if system == board)
             for board in BOARDS]  # fmt: skip
    tables = tuple(figure(row["measured as published"]) for row in first)
    found.append(Row("Q-learning, a table", "nothing", "table", tables))
    # Such as "41.5 (best 47.4)".
    last, best = zip(*(row["published"].rstrip(")").split(" (best ") for row in first), strict=True)
    for name, cells in (("last network", last), ("best checkpoint", best)):
        figures = tuple(map(figure, cells))
        found.append(Row(f"AlphaZero as published, {name}", "rules", "published", figures))
    return sorted(found, key=lambda row: [each.mean for each in row.figures])


def chart() -> str:
    """Return the chart as a table in HTML, whose cells are bars."""
    head = "".join(f'<th scope="col">{name}</th>' for name in BOARDS.values())
    lines = [
        '<table class="bars">',
        "<caption>% of N-positions played right: mean, lowest to highest seed</caption>",
        f'<thead><tr><th scope="col">learner</th><th scope="col">told beforehand</th>{head}</tr>'
        "</thead><tbody>",
    ]
    for row in rows():
        cells = "".join(
            f'<td class="bar" style="--mean:{each.mean:.1f}%;--low:{each.lowest:.1f}%;'
            f'--high:{each.highest:.1f}%"><span>{each}</span></td>'
            for each in row.figures
        )
        lines.append(
            f'<tr class="{row.kind}"><th scope="row">{row.learner}</th><td>{row.told}</td>'
            f"{cells}</tr>"
        )
    return "\n".join([*lines, "</tbody></table>"])


def with_chart(text: str) -> str:
    """Return the text of the first page with the chart in its place.

    Raises:
        ValueError: the page has no place for it, or several.
    """
    if text.count(PLACE) != 1:
        raise ValueError(f"docs/index.md must have {PLACE} once, not {text.count(PLACE)} times")
    return text.replace(PLACE, chart())
