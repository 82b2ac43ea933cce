"""Ends of a program without a traceback: Ctrl-C, SIGTERM, and a missing package, even in imports.

This module imports nothing that takes time.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import TracebackType

PROGRAMS = ("agents", "benchmarks", "nim_envs")
"""The packages that are run as ``python -m``."""

PACKAGES_OF_ALL = (
    "click", "joblib", "matplotlib", "numba", "pygame", "rich", "scipy", "tabulate", "tqdm",
)  # fmt: skip
"""Optional packages that the extra ``all`` has."""

STOPPED = 130
"""The exit code after Ctrl-C, as usual in a shell, and after SIGTERM."""

MISTAKEN = 2
"""The exit code after a mistake of the user's, such as a package that is not installed."""


def stop_without_traceback() -> None:
    """Let Ctrl-C and missing packages end the process with one line, in a program of this project.

    SIGTERM is Ctrl-C there: what keeps results after the one keeps them after the other. Other
    programs that import the packages keep what they do then.
    """
    if _program() is not None:
        sys.excepthook = _excepthook
        # Not where the caller has it ignored, nor in a thread, which must not set it.
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            with suppress(ValueError):
                signal.signal(signal.SIGTERM, signal.default_int_handler)


def _program() -> str | None:
    """Return the module of this project that runs as ``python -m``, if one does."""
    words = iter(sys.orig_argv)
    # The word after -m is the module that is run.
    name = next(words, "") if "-m" in words else ""
    return name if name.split(".")[0] in PROGRAMS else None


def _excepthook(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("stopped", file=sys.stderr)
        raise SystemExit(STOPPED)
    message = _about_missing_package(error)
    if message is not None:
        print(f"error: {message}", file=sys.stderr)
        raise SystemExit(MISTAKEN)
    sys.__excepthook__(kind, error, traceback)


def _about_missing_package(error: BaseException) -> str | None:
    """Return what to install, if that is what ``error`` is about."""
    if not isinstance(error, ImportError):
        return None
    from nim_envs.errors import MissingPackageError
    from nim_envs.optional import install_command

    if isinstance(error, MissingPackageError):
        return str(error)
    package = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package in ("", *PROGRAMS):
        return None
    extra = "all" if package in PACKAGES_OF_ALL else None
    return f"python -m {_program()} needs {package}: {install_command(package, extra)}"
