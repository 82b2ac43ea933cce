"""Grundy sequences in files: an array and a header with a checksum."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.cgt.sequences.check import count_right
from nim_envs.errors import InvalidGameError, SequenceFileError
from nim_envs.files import replacing
from nim_envs.rules.octal_codes import heap_game

FORMAT = "nim_envs Grundy sequence"
VERSION = 1

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
        with archive.open("values.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(member, np.ascontiguousarray(values), allow_pickle=False)


def load_sequence(path: str | Path, game: str) -> npt.NDArray[Any]:
    """Return the values saved at ``path``.

    Values that earlier versions took from a false period are left out; see
    :func:`nim_envs.cgt.sequences.check.count_right`.

    Args:
        path: a file written by :func:`save_sequence`.
        game: name of the game whose values the file must hold.

    Raises:
        SequenceFileError: the file is truncated, damaged, of another kind, of a newer format, or
            of another game.
        FileNotFoundError: there is no such file.
    """
    data = Path(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            header = json.loads(archive.read("header.json"))
            if header["format"] != FORMAT:
                raise SequenceFileError(
                    f"{path} is not a file of Grundy values that nim_envs has written"
                )
            if header["version"] > VERSION:
                raise SequenceFileError(
                    f"{path} is of format {header['version']}; this version of the package reads "
                    f"formats up to {VERSION}"
                )
            values: npt.NDArray[Any] = np.lib.format.read_array(
                io.BytesIO(archive.read("values.npy")), allow_pickle=False
            )
    except SequenceFileError:
        raise
    except Exception as error:
        # A damaged archive can raise nearly any exception in the libraries that read it.
        raise SequenceFileError(
            f"{path} is damaged, or holds no Grundy sequence that this package has written"
        ) from error
    if header.get("game") != game:
        raise SequenceFileError(f"{path} holds values of {header.get('game')}, not of {game}")
    if values.ndim != 1 or values.dtype.kind != "u" or checksum(values) != header.get("sha256"):
        raise SequenceFileError(f"the values in {path} do not have the checksum in its header")
    try:
        rules = heap_game(game)
    except InvalidGameError:  # no octal game, so that no value comes from a period
        return values
    return values[: count_right(rules, values)]
