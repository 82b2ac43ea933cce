"""Zip archives of a JSON header and arrays; no more of one is unpacked than its header promises.

Files of learners and of Grundy sequences are such archives. They may come from strangers: reading
one runs nothing out of it, and takes no more memory than limits say.
"""

from __future__ import annotations

import io
import json
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from nim_envs.errors import StorageError
from nim_envs.typing import Array

LARGEST_HEADER = 1 << 22
"""Maximum size of a header, in bytes."""

LARGEST_NPY_HEADER = 1 << 12
"""Maximum size of the ``.npy`` header of an array, in bytes."""

LARGEST_CONTENT = 1 << 30
"""Default maximum of the total size of a file's arrays, in bytes."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods of compression that are read: others unpack more than is asked for."""

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

    Raises:
        StorageError: the header is too large.
    """
    text = json.dumps(header).encode()
    if len(text) > LARGEST_HEADER:
        raise StorageError(
            f"what is to be saved takes {len(text)} bytes besides its arrays; the most is "
            f"{LARGEST_HEADER}"
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.json", text)
        for index, array in enumerate(arrays):
            with archive.open(f"{index}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
    return buffer.getvalue()


class Archive:
    """An open file: its header, and its arrays, read on request.

    Args:
        file: the open archive.
        largest: maximum total size of its arrays, in bytes.

    Attributes:
        header: the header, decoded from JSON.

    Raises:
        StorageError: the header is missing, too large or not JSON.
    """

    def __init__(self, file: zipfile.ZipFile, largest: int = LARGEST_CONTENT) -> None:
        self._file = file
        self._arrays: dict[int, Array] = {}
        self._largest = self._left = largest
        if "header.json" not in file.namelist():
            raise StorageError("it has no header, so it was not written by this package")
        size = file.getinfo("header.json").file_size
        with self._opened("header.json", "its header") as member:
            # The size is what the file says of itself.
            text = member.read(LARGEST_HEADER + 1) if size <= LARGEST_HEADER else b""
            if max(size, len(text)) > LARGEST_HEADER:
                raise StorageError(f"its header is too large: at most {LARGEST_HEADER} bytes")
            self.header = json.loads(text)

    def array(self, index: int, dtype: str, shape: list[int]) -> Array:
        """Return an array of the file.

        Args:
            index: index of the array.
            dtype: its dtype according to the header.
            shape: its shape according to the header.

        Raises:
            StorageError: its dtype or shape differs, or the dtype is not one of :data:`DTYPES`; or
                the arrays are too large together.
        """
        if dtype not in DTYPES or any(length < 0 for length in shape):
            raise StorageError(f"there are no arrays of dtype {dtype!r} and shape {shape}")
        array = self._arrays.get(index)
        if array is None:
            most = math.prod(shape) * np.dtype(dtype).itemsize
            if most > self._left:
                raise StorageError(
                    "its header promises arrays that are too large together: the limit is "
                    f"{self._largest} bytes, or what NIM_ENVS_LARGEST_BYTES says"
                )
            array = self.member(f"{index}.npy", most, f"array {index}")
            self._left -= array.nbytes
        if (array.dtype.name, list(array.shape)) != (dtype, shape):
            raise StorageError(
                f"array {index} is {array.dtype} {list(array.shape)}, in the header {dtype} {shape}"
            )
        self._arrays[index] = np.asarray(array, dtype=dtype, order="C")
        return self._arrays[index]

    def member(self, name: str, most: int, what: str) -> Array:
        """Return the array in a member of the file.

        Args:
            name: name of the member.
            most: bytes of the array, upper bound.
            what: the array, for messages.

        Raises:
            StorageError: there is no such member, or it is larger, or no array.
        """
        if name not in self._file.namelist():
            raise StorageError(f"the file does not hold {what}, which it names")
        if self._file.getinfo(name).file_size > most + LARGEST_NPY_HEADER:
            raise StorageError(f"{what} is larger than the {most} bytes it may have")
        with self._opened(name, what) as member:
            promised = _npy_bytes(member)
        # NumPy takes the memory before it reads.
        if promised > most:
            raise StorageError(f"{what} is larger than the {most} bytes it may have")
        with self._opened(name, what) as member:
            array: Array = np.lib.format.read_array(member, allow_pickle=False)
            if member.read(1):
                raise StorageError(f"{what} is followed by something else")
        return array

    @contextmanager
    def _opened(self, name: str, what: str) -> Iterator[IO[bytes]]:
        """Open a member of the file for reading.

        Raises:
            StorageError: it is compressed by another method, or an error in the body.
        """
        if self._file.getinfo(name).compress_type not in METHODS:
            raise StorageError(f"{what} is compressed by another method")
        with unreadable_refused(), self._file.open(name) as member:
            yield member


def _npy_bytes(member: IO[bytes]) -> int:
    """Return the bytes of the array that a member begins to describe."""
    # Arrays of plain numbers are of the first version of the format.
    if np.lib.format.read_magic(member) != (1, 0):
        raise StorageError("an array is of another version of the format of NumPy")
    shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    return math.prod(shape) * dtype.itemsize


@contextmanager
def opened(path: Path, largest: int = LARGEST_CONTENT) -> Iterator[Archive]:
    """Open a file for reading.

    Args:
        path: the file.
        largest: maximum total size of its arrays, in bytes.

    Raises:
        StorageError: it is not an archive with a header.
        FileNotFoundError: there is no such file.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise StorageError("it is a device or a pipe, not a file")
    with path.open("rb") as data:
        with unreadable_refused():
            file = zipfile.ZipFile(data)
        with file:
            yield Archive(file, largest)


@contextmanager
def unreadable_refused() -> Iterator[None]:
    """Turn what zipfile, json and NumPy raise on unreadable bytes into a StorageError."""
    try:
        with warnings.catch_warnings():
            # NumPy and zipfile warn of headers that this package does not write.
            warnings.simplefilter("ignore")
            yield
    except StorageError:
        raise
    except (
        zipfile.BadZipFile, zlib.error, EOFError, LookupError, MemoryError, NotImplementedError,
        OSError, OverflowError, RuntimeError, SyntaxError, TypeError, ValueError, struct.error,
        tokenize.TokenError,
    ) as error:  # fmt: skip
        raise StorageError("it is damaged, or was not written by this package") from error
