"""Atomic writing of files: the new file replaces the old one only when it is complete.

Files alone are replaced: what is written to a device or to a pipe goes into it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of the errors of a full disk."""


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path``, and move it there once it is written.

    A new file gets the mode of the umask; a replacement keeps the mode of the old file. Temporary
    files that killed processes have left beside it are removed. If ``path`` is a pipe or a
    character device, such as ``/dev/stdout``, the content is written into it once it is complete.

    Args:
        path: the file, or a symbolic link to it; its directory is made if needed.

    Yields:
        A binary file. If the body fails nothing is left, and what was at ``path`` stays.

    Raises:
        OSError: the file cannot be written there, or ``path`` is a directory, a block device or a
            socket.
    """
    if _is_stream(path):
        content = io.BytesIO()
        yield content
        with Path(path).open("wb") as stream:
            stream.write(content.getbuffer())
        return
    target = _target(path)
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
    """Write a file of ``content``; on failure leave the file at ``path`` as it is."""
    with replacing(path) as file:
        file.write(content)


def write_somewhere(path: str | Path, content: bytes) -> Path:
    """Write a file of ``content`` that must not be lost, elsewhere if ``path`` cannot be written.

    Elsewhere is a new file in the current directory or, if that fails too, in the one for temporary
    files; a ``RuntimeWarning`` names it.

    Returns:
        The path of the file written.

    Raises:
        OSError: no file can be written anywhere.
    """
    try:
        write_atomically(path, content)
    except OSError as error:
        for folder in (os.getcwd, tempfile.gettempdir):
            with suppress(OSError):
                other = _write_new(Path(folder()), Path(path), content)
                warnings.warn(
                    f"{path} cannot be written ({error.strerror or error}): it is {other} instead",
                    RuntimeWarning,
                    stacklevel=3,
                )
                return other
        raise
    return Path(path)


def check_writable(path: str | Path) -> None:
    """Check that a file can be written, before the work that produces its content.

    Raises:
        OSError: it cannot, for another reason than a full disk, which may be emptied meanwhile.
    """
    if _is_stream(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return
    try:
        file, temporary = _temporary_file(_target(path), 0o600)
    except OSError as error:
        if error.errno in NO_SPACE:
            return
        raise
    file.close()
    temporary.unlink()


@contextmanager
def going_on_without(path: str | Path, work: str) -> Iterator[None]:
    """Turn an ``OSError`` in the body, which writes a file, into a ``RuntimeWarning``.

    Args:
        path: the file.
        work: name of the work, for the message.
    """
    try:
        yield
    except OSError as error:
        warnings.warn(
            f"{path} cannot be written ({error.strerror or error}): {work} goes on without",
            RuntimeWarning,
            stacklevel=4,
        )


def _is_stream(path: str | Path) -> bool:
    """Return whether content is written into what is at ``path``, instead of replacing it.

    Raises:
        OSError: nothing can be written there: it is a directory, a block device or a socket.
    """
    try:
        mode = Path(path).stat().st_mode
    except OSError:  # nothing is there, or writing fails for the same reason
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISREG(mode):
        return False
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise OSError(errno.EINVAL, "neither a file nor a pipe or a character device", str(path))
    return True


def _target(path: str | Path) -> Path:
    """Return the file that is to be replaced, in a directory that there is, tidied up."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # it leads to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target)
    return target


def _write_new(folder: Path, like: Path, content: bytes) -> Path:
    """Write a new file, of a name that begins and ends like another's, and return its path."""
    descriptor, name = tempfile.mkstemp(like.suffix[:16], f"{like.stem[:32]}-", folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink()
        raise
    return Path(name)


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
