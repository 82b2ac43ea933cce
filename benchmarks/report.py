"""Tables on the screen, as CSV and as Markdown; files appear whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from tabulate import simple_separated_format, tabulate

from nim_envs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TableRow = Sequence[Any]
Table = tuple[Sequence[str], Sequence[TableRow]]
Run = TypeVar("Run")


NARROW = simple_separated_format(" ")
"""A table style with one space between columns."""


def table(
    header: Sequence[str], rows: Sequence[TableRow], style: Any = "simple", aligned_right: int = 0
) -> str:
    """Return rows as an aligned table.

    `aligned_right` last columns are aligned right though they hold text.
    """
    # Text stays text, even if it looks like a number, such as the octal code 0.07.
    as_text = [
        column for column in range(len(header)) if any(isinstance(row[column], str) for row in rows)
    ]
    left = len(header) - aligned_right
    alignment = ["left"] * left + ["right"] * aligned_right if aligned_right and rows else None
    return str(
        tabulate(
            rows, header, tablefmt=style, floatfmt=".1f", missingval="-", disable_numparse=as_text,
            colalign=alignment,
        )
    )  # fmt: skip


def percent(number: float) -> str:
    """Return a score with one decimal; a score below 100 is not rounded up to it."""
    return f"{99.9 if 99.95 <= number < 100 else number:.1f}"


def bars(rows: Iterable[tuple[str, float]]) -> str:
    """Return a chart of percents as HTML: a bar and its number for each name."""
    lines = [
        f'<span>{name}</span><i style="width: {number:.1f}%"></i><b>{percent(number)}</b>'
        for name, number in rows
    ]
    return "\n".join(['<div class="bars">', *lines, "</div>"])


def folded(title: str, text: str) -> str:
    """Return Markdown of which a page shows the title alone, until a reader opens it."""
    return f'<details markdown="1">\n<summary>{title}</summary>\n\n{text}\n\n</details>'


def percents(values: Sequence[float]) -> str:
    """Return the mean of scores, with the lowest and the highest where they differ.

    A dash stands for none.
    """
    if not values:
        return "-"
    mean, low, high = (percent(float(f(values))) for f in (np.mean, np.min, np.max))
    return mean if low == high else f"{mean} ({low} to {high})"


def mean_of(scores: Sequence[Any], name: str) -> float:
    """Return the mean of an attribute of exact scores, weighted by their numbers of positions."""
    weights = [score.count for score in scores]
    return float(np.average([getattr(score, name) for score in scores], weights=weights))


def score_cells(runs: Sequence[Any]) -> list[Any]:
    """Return the cells of a learner's score over its seeds.

    Mean, lowest and highest percent; percent of random moves; blunders, mean over the seeds;
    and the number of positions.
    """
    percents = [run.percent for run in runs]
    return [
        float(np.mean(percents)),
        min(percents),
        max(percents),
        runs[0].random_percent,
        float(np.mean([run.blunders for run in runs])),
        runs[0].count,
    ]


def grouped(runs: Iterable[Run], *names: str) -> dict[Any, list[Run]]:
    """Return runs by the values of these attributes, a tuple where there are several."""
    key = attrgetter(*names)
    groups: dict[Any, list[Run]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups


def middle_and_range(values: Sequence[float] | npt.NDArray[np.float64]) -> list[int]:
    """Return the median of rates, the lowest and the highest, rounded."""
    return [round(float(f(values))) for f in (np.median, np.min, np.max)]


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, header: Sequence[str], rows: Sequence[TableRow]) -> None:
    """Write rows as CSV, atomically."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    write_atomically(path, text.getvalue().encode())


def write_report(
    directory: Path,
    name: str,
    text: str,
    tables: Mapping[str, Table],
    figures: Mapping[str, Figure | None] | None = None,
) -> None:
    """Write the results of a benchmark: tables as CSV, a page in Markdown, and figures as PNG.

    Files are named without suffix; a figure of ``None`` is left out.
    """
    for file, (header, rows) in tables.items():
        write_csv(directory / f"{file}.csv", header, rows)
    write_atomically(directory / f"{name}.md", text.encode())
    for file, figure in (figures or {}).items():
        if figure is not None:
            # Not every benchmark draws, and it takes a second to import.
            from nim_envs.render.style import save_figure

            save_figure(figure, directory / f"{file}.png")


def page(title: str, tables: Iterable[Table], notes: str) -> str:
    """Return a page in Markdown: the command of this process, tables, and notes on them."""
    shown = (table(header, rows, style="github") for header, rows in tables)
    return "\n\n".join(
        [f"# {title}", f"`{invocation()}`", *shown, f"{notes}- Machine: {machine()}.\n"]
    )


def invocation() -> str:
    """Return the command of this process, as it was typed."""
    return shlex.join(["python", *sys.orig_argv[1:]])


def machine() -> str:
    """Return a description of this machine and its software."""
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, "
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    )
