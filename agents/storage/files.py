"""Saving and loading of learners, and of the state of a run as a dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.base import Trainable
from agents.restoring.schema import check_names, check_value
from agents.storage.values import Decoder, Encoder, classes
from nim_envs import Game
from nim_envs.archive import archive_bytes, opened
from nim_envs.errors import StorageError
from nim_envs.files import write_atomically
from nim_envs.validation import largest_bytes

FORMAT = "nim_envs agent"
VERSION = 4


def save(learner: Trainable, path: str | Path) -> None:
    """Save ``learner``, with everything needed to continue its training.

    A registered game that the learner knows is saved with it, by its name and arguments, convention
    and start included. Of any other game nothing is saved: pass the game to :func:`load`. The
    file appears whole or not at all.

    Args:
        learner: a learner of ``agents``.
        path: file to write; an existing file is replaced.

    Raises:
        StorageError: the learner cannot be saved, or one of its arguments, such as a custom
            schedule; or its tables have numbers that are not finite.
        OSError: the file cannot be written.
    """
    save_content({"learner": learner}, path)


def load(path: str | Path, game: Game | None = None) -> Any:
    """Return the learner saved at ``path``.

    Args:
        path: the file.
        game: game of the learner, if the file does not name it, or names one that is not
            registered here; ignored where it is. Nothing is imported by a name out of a file: a
            game of your own is registered first, by :func:`nim_envs.register_game`.

    Raises:
        StorageError: the file is damaged, holds no saved learner, is of a format that is not read,
            or holds more than a GiB, or than ``NIM_ENVS_LARGEST_BYTES`` says; or the
            learner's game is neither in the file nor given; or it has learned another game than
            the given one.
        FileNotFoundError: there is no such file.
    """
    content = load_content(path, game)
    if set(content) != {"learner"} or type(content["learner"]) not in classes().values():
        raise StorageError(f"{path} holds {sorted(content)}, not a saved learner")
    return content["learner"]


def save_content(content: dict[str, Any], path: str | Path) -> None:
    """Save a dict of learners, arrays, generators and plain values; see :func:`save`."""
    write_atomically(path, _bytes_of(content))


def load_content(path: str | Path, game: Game | None = None) -> dict[str, Any]:
    """Return the dict saved by :func:`save_content`.

    Raises:
        StorageError: as :func:`load` does.
    """
    try:
        with opened(Path(path), largest_bytes()) as archive:
            _check_header(archive.header)
            content: dict[str, Any] = Decoder(archive, game).decode(archive.header["content"])
            check_value("its content", content, dict[str, Any])
    except StorageError as error:
        raise StorageError(f"{path} cannot be loaded: {error}") from error
    except RecursionError as error:
        raise StorageError(f"{path} is damaged: its header is nested too deeply") from error
    return content


def check_savable(content: dict[str, Any]) -> None:
    """Check that a dict can be saved by :func:`save_content`, before the work of filling it.

    Raises:
        StorageError: it cannot.
    """
    Encoder().encode(content)


def is_savable(value: Any) -> bool:
    """Return whether a file can hold a value: a game by its name, a learner, plain values."""
    try:
        return Encoder().encode(value) is not None
    except StorageError:
        return False


def restore(learner: Any, saved: Any) -> None:
    """Copy into ``learner`` what ``saved``, a learner of the same class, has learned.

    Raises:
        StorageError: their classes differ, or the arguments of their constructors.
    """
    if type(learner) is not type(saved):
        raise StorageError(
            f"the saved learner is a {type(saved).__name__}, this one a {type(learner).__name__}"
        )
    try:
        learner.restore(saved.saved())
    except ValueError as error:
        raise StorageError(str(error)) from error


def _bytes_of(content: dict[str, Any]) -> bytes:
    encoder = Encoder()
    header = {"format": FORMAT, "version": VERSION, "content": encoder.encode(content)}
    return archive_bytes(header, encoder.arrays)


def _check_header(header: Any) -> None:
    """Check that a header is of a file of this package, in the present format."""
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StorageError("it was not written by this package")
    check_names("its header", header, {"format", "version", "content"})
    check_value("its version", header["version"], int)
    if header["version"] != VERSION:
        raise StorageError(
            f"it is of format {header['version']}; this version of the package reads format "
            f"{VERSION}"
        )
