"""Tables on the screen, as CSV and as Markdown; files appear whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tabulate import simple_separated_format, tabulate

from nim_envs.files import write_atomically

TableRow = Sequence[Any]


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8, atomically."""
    write_atomically(path, text.encode())


NARROW = simple_separated_format(" ")
"""A table style with one space between columns."""


def table(
    header: Sequence[str], rows: Sequence[TableRow], style: Any = "simple", aligned_right: int = 0
) -> str:
    """Return rows as an aligned table.

    Args:
        header: titles of the columns.
        rows: cells of each row.
        style: a table format of tabulate, such as ``"github"``, or :data:`NARROW`.
        aligned_right: number of last columns that are aligned right though they hold text.
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


def percents(values: Sequence[float]) -> str:
    """Return the mean of scores, with the lowest and the highest where they differ.

    A dash stands for none.
    """
    if not values:
        return "-"
    mean, low, high = (percent(float(f(values))) for f in (np.mean, np.min, np.max))
    return mean if low == high else f"{mean} ({low} to {high})"


def score_cells(runs: Sequence[Any]) -> list[Any]:
    """Return the cells of a learner's score over its seeds.

    Args:
        runs: runs of one learner on one board, with ``percent``, ``random_percent``, ``blunders``
            and ``count``.

    Returns:
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


def middle_and_range(values: Sequence[float] | npt.NDArray[np.float64]) -> list[int]:
    """Return the median of rates, the lowest and the highest, rounded."""
    return [round(float(f(values))) for f in (np.median, np.min, np.max)]


def write_csv(path: Path, header: Sequence[str], rows: Sequence[TableRow]) -> None:
    """Write rows as CSV, atomically."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())


def closing_line(began: float, output: Path, complete: bool = True) -> None:
    """Print how long a benchmark took and where it wrote its results.

    Args:
        began: start time by ``time.perf_counter``, in seconds.
        output: directory of the results.
        complete: whether it has finished.

    Raises:
        KeyboardInterrupt: it was stopped by Ctrl-C; the results so far are written.
    """
    seconds = f"{time.perf_counter() - began:.0f} s"
    if not complete:
        print(f"\nstopped after {seconds}; what was finished is in {output}")
        raise KeyboardInterrupt
    print(f"\n{seconds} in all; written to {output}")


def machine() -> str:
    """Return a description of this machine and its software."""
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, "
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    )
