"""Zip archives of a JSON header and arrays.

Files of learners and of Grundy sequences are such archives. They may come from strangers: reading
one runs nothing out of it.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nim_envs.errors import StorageError
from nim_envs.typing import Array

LARGEST_CONTENT = 1 << 30
"""Default maximum of the total size of a file's header and arrays, in bytes."""

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
)  # fmt: skip
"""Names of the dtypes that can be saved."""


def promise(array: Array) -> dict[str, Any]:
    """Return the entry of an array in a header: its dtype and shape.

    Raises:
        StorageError: its dtype is not one of :data:`DTYPES`.
    """
    if array.dtype.name not in DTYPES:
        raise StorageError(f"an array of dtype {array.dtype} cannot be saved")
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


def archive_bytes(header: dict[str, Any], arrays: list[Array]) -> bytes:
    """Return the content of a file.

    Args:
        header: value to write as JSON; it refers to each array by its index, with its
            :func:`promise`.
        arrays: arrays to write, each of a dtype in :data:`DTYPES`.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.json", json.dumps(header))
        for index, array in enumerate(arrays):
            with archive.open(f"{index}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
    return buffer.getvalue()


class Archive:
    """An open file: its header, and its arrays, read on request.

    Args:
        file: the open archive.

    Attributes:
        header: the header, decoded from JSON.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self.header = json.loads(file["header.json"])

    def array(self, index: int, dtype: str, shape: list[int]) -> Array:
        """Return an array of the file.

        Args:
            index: index of the array.
            dtype: its dtype according to the header.
            shape: its shape according to the header.

        Raises:
            StorageError: there is no such array, or its dtype or shape differs.
        """
        array = self.member(str(index))
        if (array.dtype.name, list(array.shape)) != (dtype, shape):
            raise StorageError(
                f"array {index} is {array.dtype} {list(array.shape)}, in the header {dtype} {shape}"
            )
        return np.asarray(array, dtype=dtype, order="C")

    def member(self, name: str) -> Array:
        """Return the array in the member ``name``, without its suffix.

        Raises:
            StorageError: there is no such member, or it is no array.
        """
        with _unreadable_refused():
            return np.asarray(self._file[name])


@contextmanager
def opened(path: Path, largest: int = LARGEST_CONTENT) -> Iterator[Archive]:
    """Open a file for reading.

    Args:
        path: the file.
        largest: maximum total size of its header and arrays, in bytes.

    Raises:
        StorageError: it is not an archive with a header, or is too large.
        FileNotFoundError: there is no such file.
    """
    with path.open("rb") as data:
        with _unreadable_refused():
            file = np.load(data, allow_pickle=False)
            size = sum(member.file_size for member in file.zip.infolist())
            if size > largest:
                raise StorageError(
                    f"it holds {size} bytes, more than the limit of {largest} bytes, or of what "
                    "NIM_ENVS_LARGEST_BYTES says"
                )
            archive = Archive(file)
        yield archive


@contextmanager
def _unreadable_refused() -> Iterator[None]:
    """Turn whatever NumPy, zipfile and json raise on bytes that they cannot read into one error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except StorageError:
        raise
    except Exception as error:
        raise StorageError("it is damaged, or was not written by this package") from error
