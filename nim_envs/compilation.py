"""Compiled functions, cached on disk and never stale."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile ``function`` with Numba when first called; later processes load it from disk.

    Numba notices a change of a function's own file but not of a function that it calls in
    another file, and would go on with the old one. So the cache is kept in a directory
    named after the contents of all modules of the packages.
    """
    source = Path(function.__code__.co_filename)
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_cache_directory(source.parent))
    try:
        return cast(Function, numba.njit(cache=True)(function))
    finally:
        config.CACHE_DIR = before


@contextmanager
def announced(what: str, after: float = 1.0) -> Iterator[None]:
    """Say on the standard error that compilation goes on, if it takes longer than ``after``.

    Args:
        what: what is being done, such as ``"compiling self-play"``.
        after: seconds to wait before saying so.
    """

    def say() -> None:
        print(f"{what}; from now on it is loaded from disk …", file=sys.stderr, flush=True)

    timer = threading.Timer(after, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@lru_cache
def _cache_directory(folder: Path) -> Path:
    """Return where the compiled functions of ``folder`` are kept: beside it if that works."""
    name = f"numba-{_digest(folder)}"
    beside = folder / "__pycache__"
    try:
        beside.mkdir(exist_ok=True)
        if os.access(beside, os.W_OK):
            return beside / name
    except OSError:
        pass
    return Path.home() / ".cache" / "nim_envs" / name


def _digest(folder: Path) -> str:
    """Return a digest of the modules in ``folder`` and of this package."""
    digest = hashlib.sha256()
    for package in sorted({folder, Path(__file__).parent}):
        for module in sorted(package.rglob("*.py")):
            digest.update(module.read_bytes())
    return digest.hexdigest()[:16]
