"""Atomic writing of files: the new file replaces the old one only when it is complete."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path``, and move it there once it is written.

    A new file gets the mode of the umask; a replacement keeps the mode of the old file. Temporary
    files that killed processes have left beside it are removed.

    Args:
        path: the file, or a symbolic link to it; its directory is made if needed.

    Yields:
        A binary file. If the body fails nothing is left, and what was at ``path`` stays.

    Raises:
        OSError: the file cannot be written there.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # it leads to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    file, temporary = _temporary_file(target, 0o666 if mode is None else 0o600)
    try:
        with file:
            yield file
            file.flush()
            if mode is not None:
                temporary.chmod(mode)
            os.fsync(file.fileno())
            if fcntl is not None:  # while it is locked, so that nobody takes it for abandoned
                temporary.replace(target)
        if fcntl is None:  # an open file cannot be moved there
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write a file of ``content``, or leave what is at ``path`` as it is."""
    with replacing(path) as file:
        file.write(content)


def _temporary_file(target: Path, mode: int) -> tuple[BinaryIO, Path]:
    """Return a new file beside ``target``, locked for as long as its writer lives, and its path."""
    while True:
        path = target.with_name(f"{target.name}.{secrets.token_hex(8)}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(path, flags, mode), "wb")
        if fcntl is None:
            return file, path
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        # Another process may have removed it before it was locked.
        if path.exists():
            return file, path
        file.close()


def _remove_abandoned(target: Path) -> None:
    """Remove the temporary files of ``target`` that no process holds locked: their writers died."""
    if fcntl is None:
        return
    abandoned = re.compile(re.escape(target.name) + r"\.[0-9a-f]{16}\.tmp")
    with suppress(OSError):  # a directory that cannot be listed
        for path in target.parent.iterdir():
            if abandoned.fullmatch(path.name):
                with suppress(OSError), path.open("r+b") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
