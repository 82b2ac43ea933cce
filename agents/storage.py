"""Save and load learners: arrays and JSON in one file, no pickle.

A file is a zip archive of ``header.json`` and ``0.npy``, ``1.npy``, …; loading one never runs
code out of it. Each learner says what a file holds of it: ``saved``, ``restore`` and
``from_saved`` of :class:`agents.tabular.learner.TabularLearner`.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import Trainable
from agents.registry import GENERALISING, LEARNERS
from agents.storage_version_1 import decode_version_1, generator
from agents.tabular.heap_symmetry import HeapSymmetry
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay, harmonic
from agents.tabular.shaping import NimSumShaping
from nim_envs import Game, make_game
from nim_envs.errors import NimEnvsError
from nim_envs.files import write_atomically

FORMAT = "nim_envs agent"
VERSION = 2

CLASSES: dict[str, Any] = {
    **{row.learner.__name__: row.learner for row in LEARNERS.values()},
    **{learner.__name__: learner for learner in GENERALISING.values()},
    "HeapSymmetry": HeapSymmetry,
    "NimSumShaping": NimSumShaping,
}
"""The classes that can be saved, by their names in a file: registered learners, and wrappers."""


class StorageError(NimEnvsError, ValueError):
    """A file that holds no saved learner, or something that cannot be saved."""


def save(learner: Trainable, path: str | Path) -> None:
    """Save ``learner`` with all that it has learned and needs to go on learning.

    A registered game that the learner knows is saved with it, convention and start included. The
    file appears whole or not at all.

    Args:
        learner: a learner of ``agents``.
        path: where to.

    Raises:
        StorageError: not such a learner, or an argument that no file can hold, such as a
            schedule of the caller's own.
    """
    save_content({"learner": learner}, path)


def load(path: str | Path, game: Game | None = None) -> Any:
    """Return the learner saved at ``path``, as it was.

    Args:
        path: the file.
        game: of a learner whose game is not in :data:`nim_envs.registration.GAMES`, so that the
            file does not name it; ignored where the file does.

    Raises:
        StorageError: the file is damaged, holds no saved learner, or is of a newer format; or the
            learner needs a game that neither the file nor the caller names.
        FileNotFoundError: there is no such file.
    """
    content = load_content(path, game)
    if set(content) != {"learner"}:
        raise StorageError(f"{path} holds {sorted(content)}, not a saved learner")
    return content["learner"]


def save_content(content: dict[str, Any], path: str | Path) -> None:
    """Save a dict of learners, arrays, generators and plain values; see :func:`save`."""
    arrays: list[np.ndarray[Any, Any]] = []
    header = {"format": FORMAT, "version": VERSION, "content": _encode(content, arrays)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.json", json.dumps(header))
        for number, array in enumerate(arrays):
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            archive.writestr(f"{number}.npy", member.getvalue())
    write_atomically(Path(path), buffer.getvalue())


def load_content(path: str | Path, game: Game | None = None) -> dict[str, Any]:
    """Return what :func:`save_content` saved.

    Raises:
        StorageError: as :func:`load` does.
    """
    header, arrays = _read(Path(path))
    if header["version"] > VERSION:
        raise StorageError(
            f"{path} is of format {header['version']}; this version of the package reads "
            f"formats up to {VERSION}"
        )
    try:
        if header["version"] == 1:
            content: dict[str, Any] = decode_version_1(header["content"], arrays)
        else:
            content = _decode(header["content"], arrays, game)
    except KeyError as error:
        raise StorageError(f"{path} is damaged: it has no {error}") from error
    except IndexError as error:
        raise StorageError(f"{path} is damaged: it names arrays that it does not hold") from error
    except ValueError as error:
        raise StorageError(f"{path} cannot be loaded: {error}") from error
    return content


def _read(path: Path) -> tuple[dict[str, Any], list[np.ndarray[Any, Any]]]:
    """The header and the arrays of a file."""
    data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            header = json.loads(archive.read("header.json"))
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise StorageError(f"{path} was not written by this package")
            if not isinstance(header.get("version"), int) or "content" not in header:
                raise StorageError(f"{path} is damaged: its header has no version or no content")
            arrays = [
                np.lib.format.read_array(
                    io.BytesIO(archive.read(f"{number}.npy")), allow_pickle=False
                )
                for number in range(len(archive.namelist()) - 1)
            ]
    except StorageError:
        raise
    # What zipfile, json and NumPy raise on bytes that they cannot read.
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        NotImplementedError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        raise StorageError(f"{path} is damaged, or was not written by this package") from error
    return header, arrays


def restore(learner: Any, saved: Any) -> None:
    """Give ``learner`` what ``saved`` has learned, a learner of the same class, in place.

    Raises:
        StorageError: they are not of one class and made with the same arguments.
    """
    if type(learner) is not type(saved):
        raise StorageError(
            f"the saved learner is a {type(saved).__name__}, this one a {type(learner).__name__}"
        )
    try:
        learner.restore(saved.saved())
    except ValueError as error:
        raise StorageError(str(error)) from error


def _encode(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return ``value`` as JSON; arrays go to ``arrays`` and are named by their number."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return _encode(value.item(), arrays)
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list):
        return [_encode(entry, arrays) for entry in value]
    if isinstance(value, tuple):
        return {"tuple": [_encode(entry, arrays) for entry in value]}
    if isinstance(value, dict):
        return {"dict": [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]}
    if isinstance(value, np.random.Generator):
        return {"generator": value.bit_generator.state}
    if value is harmonic:
        return {"schedule": "harmonic"}
    if isinstance(value, Decay):
        return {"decay": [value.start, value.factor, value.every, value.floor]}
    if isinstance(value, Replay):
        return {"replay": [value.capacity, value.batch, value.interval]}
    if isinstance(value, Game):
        return _encode_game(value, arrays)
    name = type(value).__name__
    if CLASSES.get(name) is type(value):
        return {"learner": name, "saved": _encode(value.saved(), arrays)}
    raise StorageError(f"{value!r} of type {name} cannot be saved")


def _encode_game(game: Game, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """A registered game by its name and arguments; nothing where a file cannot hold these."""
    if game.registered is None:
        return None
    name, arguments = game.registered
    try:
        return {"game": name, "arguments": _encode(arguments, arrays)}
    except StorageError:  # such as a start of the caller's own
        return None


def _decode(code: Any, arrays: list[np.ndarray[Any, Any]], game: Game | None) -> Any:
    """Return what :func:`_encode` encoded, with ``game`` for learners whose file names none."""
    if isinstance(code, list):
        return [_decode(entry, arrays, game) for entry in code]
    if not isinstance(code, dict):
        return code
    kind, body = next(iter(code.items()))
    if kind == "array":
        return arrays[body]
    if kind == "tuple":
        return tuple(_decode(entry, arrays, game) for entry in body)
    if kind == "dict":
        return {_decode(k, arrays, game): _decode(v, arrays, game) for k, v in body}
    if kind == "generator":
        return generator(body)
    if kind == "schedule":
        return {"harmonic": harmonic}[body]
    if kind == "decay":
        return Decay(*body)
    if kind == "replay":
        return Replay(*body)
    if kind == "game":
        return make_game(body, **_decode(code["arguments"], arrays, game))
    if kind == "learner":
        if body not in CLASSES:
            raise StorageError(f"there is no learner {body!r}, but {', '.join(CLASSES)}")
        saved = _decode(code["saved"], arrays, game)
        if saved.get("game", game) is None:
            saved["game"] = game
        return CLASSES[body].from_saved(saved)
    raise StorageError(f"unknown entry {kind!r}")
