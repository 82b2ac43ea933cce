"""Compiled functions, cached on disk and never stale."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


SILENT_SECONDS = 1.0
"""Compilation that takes longer than this says so."""


@overload
def compiled(function: Function) -> Function: ...


@overload
def compiled(*, nogil: bool) -> Callable[[Function], Function]: ...


def compiled(function: Function | None = None, *, nogil: bool = False) -> Any:
    """Compile ``function`` with Numba when first called; later processes load it from disk.

    Numba notices a change of a function's own file but not of a function that it calls in
    another file, and would go on with the old one. So the cache is kept in a directory
    named after the contents of all modules of the packages.

    Args:
        function: the function; left out where an option is given: ``@compiled(nogil=True)``.
        nogil: whether it lets other threads run meanwhile; for long calls.
    """
    if function is None:
        return partial(compiled, nogil=nogil)
    source = Path(function.__code__.co_filename)
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_cache_directory(source.parent))
    try:
        return cast(Function, _with_own_files(numba.njit(cache=True, nogil=nogil)(function)))
    finally:
        config.CACHE_DIR = before


@contextmanager
def announced_compilation(what: str) -> Iterator[None]:
    """Say on stderr that ``what`` is being compiled if the block takes more than a second.

    The block should call the compiled functions on next to nothing, so that its time is
    that of compiling them or of loading them from disk.

    Args:
        what: what is compiled, as in ``"the batched environment"``.

    Example:
        >>> with announced_compilation("nothing"):
        ...     pass
    """
    message = f"nim_envs: compiling {what}; it is kept on disk, so the next run will not wait"
    timer = threading.Timer(SILENT_SECONDS, print, (message,), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _with_own_files(function: Any) -> Any:
    """Return a compiled function that never writes to a file of another process.

    Numba numbers the files of a function, one for the types of each call. Two processes that
    compile it at the same time for different types may take the same number, and one of them
    would later load the code of the other. What is lost now is an entry of the index at most.
    """
    if hasattr(function, "_cache"):  # not where NUMBA_DISABLE_JIT is set
        files = function._cache._cache_file
        numbered = files._data_name
        files._data_name = lambda number: f"{uuid.uuid4().hex[:16]}.{numbered(number)}"
    return function


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
