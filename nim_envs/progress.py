"""Progress bars: on a terminal, in a notebook, and seldom lines in a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from nim_envs.optional import needed

SECONDS_ON_A_TERMINAL = 0.1
SECONDS_IN_A_FILE = 10.0
"""Between two lines where nobody looks on: a log of a long run stays short."""


def progress_bar(
    items: Iterable[Any] | None = None,
    *,
    desc: str,
    unit: str,
    total: int | None = None,
    initial: int = 0,
    shown: bool = True,
    delay: float = 0.0,
    unit_scale: bool = False,
    bar_format: str | None = None,
) -> Any:
    """Return a bar of tqdm on the standard error, as its class for this kind of output.

    Args:
        items: what is gone through, if anything.
        desc: the title.
        unit: of what is counted.
        total: how many there are.
        initial: how many were done before.
        shown: whether to show it at all.
        delay: seconds before it appears.
        unit_scale: whether large numbers are shown as thousands and millions.
        bar_format: what the line shows, as tqdm takes it; ``None``: the usual.

    Raises:
        MissingPackageError: tqdm is not installed.
    """
    bars = needed("tqdm.auto", "a progress bar")
    seconds = SECONDS_ON_A_TERMINAL if _looked_at(sys.stderr) else SECONDS_IN_A_FILE
    return bars.tqdm(
        items,
        desc=desc,
        unit=unit,
        total=total,
        initial=initial,
        disable=not shown,
        delay=delay,
        unit_scale=unit_scale,
        bar_format=bar_format,
        mininterval=seconds,
        maxinterval=max(seconds, 10.0),
        file=sys.stderr,
    )


def _looked_at(stream: Any) -> bool:
    """Return whether somebody looks on: at a terminal, or in a notebook."""
    return bool(stream.isatty()) or type(stream).__module__.partition(".")[0] == "ipykernel"
