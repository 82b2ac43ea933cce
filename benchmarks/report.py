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
from tabulate import tabulate

from nim_envs.files import write_atomically

TableRow = Sequence[Any]


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8, atomically."""
    write_atomically(path, text.encode())


def table(
    header: Sequence[str], rows: Sequence[TableRow], style: str = "simple", aligned_right: int = 0
) -> str:
    """Return rows as an aligned table.

    Args:
        header: the titles of the columns.
        rows: what stands below them.
        style: one of tabulate's, such as ``"github"``.
        aligned_right: number of last columns that are aligned right though they hold text.
    """
    # What is text stays so, even if it looks like a number, as the octal code 0.07 does.
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
    """Return a score with one decimal; what is short of 100 is not rounded up to it."""
    return f"{99.9 if 99.95 <= number < 100 else number:.1f}"


def percents(values: Sequence[float]) -> str:
    """Return the mean of scores, with the lowest and the highest where they differ."""
    mean, low, high = (percent(float(f(values))) for f in (np.mean, np.min, np.max))
    return mean if low == high else f"{mean} ({low} to {high})"


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
        began: when it did, by ``time.perf_counter``.
        output: the directory of the results.
        complete: whether it came to its end.

    Raises:
        KeyboardInterrupt: it did not, as it was stopped by Ctrl-C; what it had is written.
    """
    seconds = f"{time.perf_counter() - began:.0f} s"
    if not complete:
        print(f"\nstopped after {seconds}; what was finished is in {output}")
        raise KeyboardInterrupt
    print(f"\n{seconds} in all; written to {output}")


def machine() -> str:
    """Return in words what the figures were measured on."""
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, "
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    )
