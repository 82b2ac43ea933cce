"""Tables on the screen, as CSV and as Markdown; files appear whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tabulate import tabulate

from nim_envs.files import write_atomically

Row = Sequence[Any]


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8, atomically."""
    write_atomically(path, text.encode())


def table(header: Sequence[str], rows: Sequence[Row], style: str = "simple") -> str:
    """Return rows as an aligned table; ``style`` is one of tabulate's, such as ``"github"``."""
    # What is text stays so, even if it looks like a number, as the octal code 0.07 does.
    as_text = [
        column for column in range(len(header)) if any(isinstance(row[column], str) for row in rows)
    ]
    return str(
        tabulate(
            rows, header, tablefmt=style, floatfmt=".1f", missingval="-", disable_numparse=as_text
        )
    )


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Row]) -> None:
    """Write rows as CSV, atomically."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue())


def machine() -> str:
    """Return in words what the figures were measured on."""
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, "
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    )
