"""Grundy sequences in files: an array and a header with a checksum."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.archive import opened
from nim_envs.cgt.sequences.check import wrong_value, wrong_value_error
from nim_envs.errors import InvalidGameError, SequenceFileError, StorageError
from nim_envs.files import replacing
from nim_envs.rules.octal_codes import heap_game

FORMAT = "nim_envs Grundy sequence"
VERSION = 1

MEMBER = "values.npy"

LARGEST_VALUE = 8
"""Bytes of a value, upper bound."""

PIECE = 1 << 20
"""Values hashed at a time."""


def checksum(values: npt.NDArray[np.integer]) -> str:
    """Return the SHA-256 of values, as little-endian 32-bit words, in hexadecimal digits.

    Args:
        values: integers from 0 to ``2**32 - 1``, of any dtype.

    Example:
        >>> checksum(np.array([0, 1, 2])) == checksum(np.array([0, 1, 2], dtype=np.uint16))
        True
    """
    digest = hashlib.sha256()
    for first in range(0, len(values), PIECE):
        digest.update(values[first : first + PIECE].astype("<u4").tobytes())
    return digest.hexdigest()


def save_sequence(path: str | Path, game: str, values: npt.NDArray[np.integer]) -> None:
    """Save values with the name of their game, atomically.

    Args:
        path: file to write.
        game: name of the game.
        values: the values of heaps 0, 1, 2, …
    """
    header = {
        "format": FORMAT,
        "version": VERSION,
        "game": game,
        "values": len(values),
        "sha256": checksum(values),
    }
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        with archive.open(MEMBER, "w", force_zip64=True) as member:
            np.lib.format.write_array(member, np.ascontiguousarray(values), allow_pickle=False)


def load_sequence(path: str | Path, game: str) -> npt.NDArray[Any]:
    """Return the values saved at ``path``.

    The values are those of the file: their first ones and some at random are checked, so they prove
    nothing. :class:`nim_envs.cgt.sequences.GrundySequence` computes them anew where it claims a
    period.

    Args:
        path: a file written by :func:`save_sequence`.
        game: name of the game whose values the file must hold.

    Raises:
        SequenceFileError: the file is truncated, damaged, of another kind, of a format that is not
            read, or of another game, or a value in it is wrong; no more of it is unpacked than its
            header promises.
        FileNotFoundError: there is no such file.
    """
    try:
        with opened(Path(path)) as archive:
            header = _checked_header(archive.header)
            # Values are not compressed, so that they are no larger than the file.
            most = min(header["values"] * LARGEST_VALUE, Path(path).stat().st_size)
            values = archive.member(MEMBER, most, "the array of its values")
    except StorageError as error:
        raise SequenceFileError(f"{path} cannot be loaded: {error}") from error
    if header["game"] != game:
        raise SequenceFileError(f"{path} holds values of {header['game']}, not of {game}")
    if (
        values.shape != (header["values"],)
        or values.dtype.kind != "u"
        or checksum(values) != header["sha256"]
    ):
        raise SequenceFileError(f"the values in {path} do not have the checksum in its header")
    try:
        wrong = wrong_value(heap_game(game), values)
    except InvalidGameError:  # a name that is no code: two heaps must be unequal
        return values
    if wrong is not None:
        raise wrong_value_error(path, game, wrong[0], wrong[1], int(values[wrong[0]]))
    return values


def _checked_header(header: Any) -> dict[str, Any]:
    """Return a header with all that is read of it.

    Raises:
        StorageError: it is of another kind of file, of another version, or lacks something.
    """
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StorageError("it holds no Grundy sequence that this package has written")
    version, count = header.get("version"), header.get("values")
    if type(version) is not int or version != VERSION:
        raise StorageError(
            f"it is of format {version!r}; this version of the package reads format {VERSION}"
        )
    if type(count) is not int or count < 0 or not {"game", "sha256"} <= set(header):
        raise StorageError(
            "it is damaged: its header must say the game, the number of values and their checksum"
        )
    return header
