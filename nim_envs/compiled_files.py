"""Files of compiled functions: Numba's cache in a folder that can be written, without damage."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _Cache,
    _CacheLocator,
)

PROBE = bytes(1 << 16)
"""A file of this size, that of a compiled function, shows whether there is room in a folder."""


def temporary_folder() -> Path | None:
    """Return this user's folder among the temporary files; ``None`` if there cannot be one.

    What is loaded from it runs, so it must be one that nobody else can write to.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    try:
        folder = Path(tempfile.gettempdir(), f"nim_envs-{user}")
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except OSError:
        return None
    # On Windows the folder of temporary files is the user's own.
    shared = os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o022)
    return folder if stat.S_ISDIR(status.st_mode) and not shared else None


class Folders:
    """Folders of compiled functions: all that are there are read, and the last is written to.

    Args:
        candidates: folders, best first; one is drawn when those before it cannot be written to.
    """

    def __init__(self, candidates: Iterable[Path]) -> None:
        self._candidates = iter(candidates)
        self.readable: list[Path] = []
        self.writable: Path | None = None
        self.go_on()

    def go_on(self) -> None:
        """Write to the next folder that can be written to, or to none."""
        self.writable = None
        for folder in self._candidates:
            if _has_room(folder):
                self.writable = folder
            if folder.is_dir():
                self.readable.append(folder)
            if self.writable:
                return


def _has_room(folder: Path) -> bool:
    """Return whether a file can be written in ``folder``, which is made if needed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(PROBE) == len(PROBE)
    except OSError:
        return False


class CompiledFiles(_Cache):  # type: ignore[misc]
    """Numba's cache of a function, in the folders of its package.

    Args:
        function: the function as it was before compilation.
        folders: folders to read, and to write to.
    """

    def __init__(self, function: Callable[..., Any], folders: Folders) -> None:
        self._function = function
        self._folders = folders
        self._caches: dict[Path, _FolderCache] = {}

    @property
    def cache_path(self) -> str | None:
        """Folder that new files are written to; ``None`` if nothing can be written."""
        folder = self._folders.writable
        return None if folder is None else str(self._cache(folder).cache_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function compiled for a signature; ``None`` if it is in no folder."""
        for folder in self._folders.readable:
            overload = self._cache(folder).load_overload(sig, target_context)
            if overload is not None:
                return overload
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the function compiled for a signature, unless nothing can be written."""
        while folder := self._folders.writable:
            with suppress(OSError):
                self._cache(folder).save_overload(sig, data)
                return
            self._folders.go_on()

    def enable(self) -> None:
        """Do nothing: it is always on."""

    def disable(self) -> None:
        """Do nothing: it is always on."""

    def flush(self) -> None:
        """Forget the files of this function."""
        for folder in self._folders.readable:
            self._cache(folder).flush()

    def _cache(self, folder: Path) -> _FolderCache:
        if folder not in self._caches:
            self._caches[folder] = _FolderCache(self._function, folder)
        return self._caches[folder]


class _Place(_CacheLocator):  # type: ignore[misc]
    """Numba's locator of a function's files, in a folder of which it need not look at the sources.

    Args:
        folder: folder that is named after the contents of all sources.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def from_function(self, py_func: Callable[..., Any], py_file: str) -> _Place:
        self._py_file = py_file
        self._line = py_func.__code__.co_firstlineno
        return self

    def get_cache_path(self) -> str:
        return str(self._folder / self.get_suitable_cache_subpath(self._py_file))

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._locator_classes = [_Place(folder)]
        super().__init__(function)


class _FolderCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function in one folder, which forgets what it cannot load."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class = partial(_Implementation, folder=folder)
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # of whatever was pickled with other versions of other packages
            self.flush()
            return None

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files of a function, each ending in a digest; damaged ones go.

    Numba numbers the data files, one for the types of each call. Two processes that compile a
    function at the same time for different types may take the same number, and one of them would
    later load the code of the other. So names begin with a random part, and at most an entry of
    the index is lost.
    """

    def _data_name(self, index: int) -> str:
        return f"{uuid.uuid4().hex[:16]}.{super()._data_name(index)}"

    def _load_index(self) -> Any:
        return super()._load_index() if _whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        return super()._load_data(name) if _whole(self._data_path(name)) else None

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        buffer = io.BytesIO()
        yield buffer
        content = buffer.getvalue()
        with super()._open_for_write(filepath) as file:
            # Unpickling ends before it.
            file.write(content + _digest(filepath, content))


def _digest(path: str, content: bytes) -> bytes:
    """Return a digest of a file and its place, so that no other function's file passes for it."""
    place = "/".join(Path(path).parts[-3:])
    return hashlib.sha256(place.encode() + content).digest()


def _whole(path: str) -> bool:
    """Return whether a file is as it was written; if it is not, remove it."""
    size = hashlib.sha256().digest_size
    file = Path(path)
    try:
        status = file.stat()
        if stat.S_ISREG(status.st_mode):
            content = file.read_bytes()
            if content[-size:] == _digest(path, content[:-size]):
                return True
    except FileNotFoundError:
        if not file.is_symlink():
            return False
    except OSError:
        pass
    with suppress(OSError):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink()
    return False
