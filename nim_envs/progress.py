"""Progress bars on a terminal or in a notebook; occasional lines in a file or pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sized
from typing import Any

from nim_envs.optional import installed, needed

SECONDS_ON_A_TERMINAL = 0.1
SECONDS_IN_A_FILE = 10.0
"""Seconds between two lines in a file or pipe, so that logs of long runs stay short."""

SECONDS_WITHOUT_PROGRESS = 2.0
"""Seconds before the bar of work that is seldom long appears."""

NARROW = 80
"""Columns of a terminal below which a line has no rate, so that the bar has room."""

SHORT = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"
"""Format of a line in a narrow terminal."""

MANY = 10_000
"""Number of items from which on they are counted in thousands and millions."""


def progress_bar(
    items: Iterable[Any] | None = None,
    *,
    desc: str,
    unit: str,
    total: int | None = None,
    initial: int = 0,
    shown: bool = True,
    delay: float = 0.0,
    bar_format: str | None = None,
) -> Any:
    """Return a tqdm progress bar on standard error, of the class that suits the output.

    Args:
        items: the iterable to wrap, if any.
        desc: title of the bar.
        unit: name of one item.
        total: number of items; ``None``: the length of ``items``, if it has one.
        initial: number of items done before.
        shown: whether to show it at all.
        delay: seconds before it appears.
        bar_format: tqdm's format of the line; ``None``: the default, or a shorter one in a narrow
            terminal.

    Raises:
        MissingPackageError: tqdm is not installed.
    """
    bars = needed("tqdm.auto", "a progress bar", "solver")
    if total is None and isinstance(items, Sized):
        total = len(items)
    if bar_format is None and total and shutil.get_terminal_size().columns < NARROW:
        bar_format = SHORT
    seconds = SECONDS_ON_A_TERMINAL if _looked_at(sys.stderr) else SECONDS_IN_A_FILE
    return bars.tqdm(
        items,
        desc=desc,
        unit=unit,
        total=total,
        initial=initial,
        disable=not shown,
        delay=delay,
        unit_scale=total is None or total >= MANY,
        bar_format=bar_format,
        mininterval=seconds,
        maxinterval=max(seconds, 10.0),
        file=sys.stderr,
    )


class _HiddenBar:
    """A progress bar that shows nothing, where tqdm is not installed."""

    n = 0
    total: int | None = None

    def __enter__(self) -> _HiddenBar:
        """Return the bar."""
        return self

    def __exit__(self, *_: object) -> None: ...
    def update(self, number: int = 1) -> None: ...
    def unpause(self) -> None: ...
    def set_postfix(self, facts: dict[str, str], refresh: bool) -> None: ...


def bar_if_installed(*, delay: float = SECONDS_WITHOUT_PROGRESS, **settings: Any) -> Any:
    """Return :func:`progress_bar` of these settings, or without tqdm one that shows nothing."""
    return progress_bar(delay=delay, **settings) if installed("tqdm") else _HiddenBar()


def end_early(bar: Any, text: str) -> None:
    """Make a bar, whose work has ended before its total, show a full bar and ``text``."""
    bar.total = bar.n
    bar.unit_scale = bar.n >= MANY
    bar.set_description_str(text)


def _looked_at(stream: Any) -> bool:
    """Return whether the stream is a terminal or a notebook."""
    return bool(stream.isatty()) or type(stream).__module__.partition(".")[0] == "ipykernel"
