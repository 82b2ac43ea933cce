"""Ctrl-C while the packages are being imported; this module imports nothing that takes time."""

from __future__ import annotations

import sys
from types import TracebackType

PROGRAMS = ("agents", "benchmarks", "nim_envs")
"""The packages that are run as ``python -m``."""

STOPPED = 130
"""The exit code after Ctrl-C, as usual in a shell."""


def stop_without_traceback() -> None:
    """Let Ctrl-C end the process with one line, if it runs a program of this project.

    Other programs that import the packages keep what they do at Ctrl-C.
    """
    words = iter(sys.orig_argv)
    # The word after -m is the module that is run.
    if "-m" in words and next(words, "").split(".")[0] in PROGRAMS:
        sys.excepthook = _excepthook


def _excepthook(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("stopped", file=sys.stderr)
        raise SystemExit(STOPPED)
    sys.__excepthook__(kind, error, traceback)
