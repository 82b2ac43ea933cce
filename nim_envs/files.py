"""Atomic writing of files: the new file replaces the old one only when it is complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path``, and move it there once it is written.

    Args:
        path: where the file is to be; its directory is made if needed.

    Yields:
        A binary file. If the body fails nothing is left, and what was at ``path`` stays.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write a file of ``content``, or leave what is at ``path`` as it is."""
    with replacing(path) as file:
        file.write(content)
