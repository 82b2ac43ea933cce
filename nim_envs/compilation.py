"""Compiled functions, cached on disk and never stale."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
from numba.core.event import Event, Listener, install_listener
from numba.extending import register_jitable

from nim_envs.compiled_files import CompiledFiles, Folders, temporary_folder

Function = TypeVar("Function", bound=Callable[..., Any])


UNUSED_SECONDS = 7 * 24 * 3600.0
"""Seconds after which unused compiled functions of older sources are removed."""


@overload
def compiled(function: Function) -> Function: ...


@overload
def compiled(*, inner: bool = ..., inline: bool = ...) -> Callable[[Function], Function]: ...


def compiled(function: Function | None = None, *, inner: bool = False, inline: bool = False) -> Any:
    """Compile ``function`` with Numba at its first call; later processes load it from disk.

    Numba notices a change of a function's own file but not of a function that it calls in
    another file, and would go on with the old one. So the cache is kept in a directory named after
    the contents of all modules of the function's top-level package, of the packages of functions
    and classes that it closes over, and of ``nim_envs``. The directory is in the folder that
    ``NUMBA_CACHE_DIR`` names, or else beside the package, or in the user's own folder. Where none
    of these can be written to, it is in a folder for temporary files, or nowhere: then every
    process compiles. A damaged file is removed.

    Args:
        function: omitted where an option is given: ``@compiled(inner=True)``.
        inner: whether only compiled functions call it. Then the code that unpacks arguments from
            Python is left out, which saves much compilation where they hold many arrays. A call
            from Python runs the function as plain Python.
        inline: likewise, and its code, with that of the functions that it calls, becomes part of
            every caller. That saves time where arguments hold many arrays, which a call copies.
    """
    if function is None:
        return partial(compiled, inner=inner, inline=inline)
    # No C code calls these functions, so the wrapper for it is left out.
    options: Any = {"no_cfunc_wrapper": True}
    if inner or inline:
        if inline:
            options["forceinline"] = True
        return register_jitable(no_cpython_wrapper=True, **options)(function)
    dispatcher = numba.njit(**options)(function)
    if hasattr(dispatcher, "_cache"):  # not where NUMBA_DISABLE_JIT is set
        package = _top_level_package(Path(function.__code__.co_filename).parent)
        config: Any = numba.config
        folders = _folders(package, _closed_over(function), config.CACHE_DIR)
        dispatcher._cache = CompiledFiles(function, folders)
    return cast(Function, dispatcher)


@contextmanager
def announced_compilation(what: str) -> Iterator[None]:
    """Print on stderr that ``what`` is being compiled, if the block compiles anything.

    The message is printed once in a process, and not where the functions are loaded from disk.

    Args:
        what: name of the code, as in ``"the batched environment"``.

    Example:
        >>> with announced_compilation("nothing"):
        ...     pass
    """
    with install_listener("numba:compile", _Announcement(what)):
        yield


_announced: set[str] = set()
"""Messages that this process has printed."""


class _Announcement(Listener):
    """Prints the message when Numba begins to compile."""

    def __init__(self, what: str) -> None:
        self._what = what

    def on_start(self, event: Event) -> None:
        if self._what in _announced:
            return
        _announced.add(self._what)
        if event.data["dispatcher"]._cache.cache_path:
            rest = "it is kept on disk, so the next run will not wait"
        else:
            rest = "it can be kept nowhere, so the next run will wait too; see NUMBA_CACHE_DIR"
        print(f"nim_envs: compiling {self._what}; {rest}", file=sys.stderr, flush=True)

    def on_end(self, event: Event) -> None:
        """Print nothing."""


@lru_cache
def _top_level_package(folder: Path) -> Path:
    """Return the folder of the top-level package of the modules in ``folder``."""
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


def _closed_over(function: Callable[..., Any]) -> frozenset[Path]:
    """Return the top-level packages of the functions and classes that ``function`` closes over."""
    values = (cell.cell_contents for cell in function.__closure__ or ())
    modules = (sys.modules.get(getattr(value, "__module__", None) or "") for value in values)
    files = (getattr(module, "__file__", None) for module in modules)
    return frozenset(_top_level_package(Path(file).parent) for file in files if file)


@lru_cache
def _folders(package: Path, others: frozenset[Path], chosen: str) -> Folders:
    """Return where the compiled functions of ``package`` are kept.

    Args:
        package: folder of the package.
        others: folders of other packages whose functions are compiled with them.
        chosen: the folder that ``NUMBA_CACHE_DIR`` names; empty: beside the package, or, where
            nothing can be written there, in the user's own folder.
    """
    digest = hashlib.sha256()
    for part in sorted({package, *others, Path(__file__).parent}):
        digest.update(source_digest(part))
    folders = Folders(_candidates(package, chosen, f"numba-{digest.hexdigest()[:16]}"))
    if folders.writable is not None:
        with suppress(OSError):
            # Shows other processes that it is in use.
            os.utime(folders.writable)
            _remove_unused(folders.writable.parent)
    return folders


def _candidates(package: Path, chosen: str, name: str) -> Iterator[Path]:
    """Yield the folders of this name, the best first."""
    if chosen:
        yield Path(chosen, name)
    else:
        yield package / "__pycache__" / name
        with suppress(RuntimeError):  # the user has no folder
            yield Path.home() / ".cache" / "nim_envs" / name
    temporary = temporary_folder()
    if temporary is not None:
        yield temporary / name


@lru_cache
def source_digest(package: Path) -> bytes:
    """Return a digest of the modules of ``package``; of the folder itself where it is none."""
    digest = hashlib.sha256()
    is_package = (package / "__init__.py").exists()
    for module in sorted(package.rglob("*.py") if is_package else package.glob("*.py")):
        digest.update(module.read_bytes())
    return digest.digest()


def _remove_unused(parent: Path) -> None:
    """Remove the cache directories in ``parent`` that have not been used for long.

    Other processes may use ``parent`` and remove the same at the same time. A process whose
    directory was removed compiles again.
    """
    oldest = time.time() - UNUSED_SECONDS
    for directory in parent.glob("numba-" + "[0-9a-f]" * 16):
        with suppress(OSError):
            if not any(path.stat().st_mtime > oldest for path in _within(directory)):
                shutil.rmtree(directory, ignore_errors=True)


def _within(directory: Path) -> Iterator[Path]:
    """Yield ``directory`` and all that is in it."""
    yield directory
    yield from directory.rglob("*")
