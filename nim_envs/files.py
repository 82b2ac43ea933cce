"""Atomic writing of files: the new file replaces the old one only when it is complete."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path``, and move it there once it is written.

    Its directory is made if needed. If the body fails nothing is left, and what was there stays.
    """
    temporary = _beside(Path(path))
    try:
        with temporary.open("wb") as file:
            yield file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write a file of ``content``; on failure leave the file at ``path`` as it is."""
    with replacing(path) as file:
        file.write(content)


def check_writable(path: str | Path) -> None:
    """Raise ``OSError`` unless a file can be written, before the work that makes its content."""
    temporary = _beside(Path(path))
    temporary.touch()
    temporary.unlink()


def _beside(path: Path) -> Path:
    """Return the path of a temporary file in the directory of ``path``, which is made if needed."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is a directory or a device, not a file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f"{path.name}.{os.getpid()}.tmp")
