"""Learners in files: one ``.npz`` of arrays and a JSON header, without pickle.

A file runs no code as it is read, and nothing is imported by a name out of it. A learner is written
as the result of its method ``saved``: arrays, plain values and generators by name.
"""

import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import Trainable
from agents.games import digest_of_moves
from agents.learners.q_learning import Replay
from agents.registry import GENERALISING, LEARNERS, learner_class
from agents.schedules import Decay, harmonic
from nim_envs import Game, make_game
from nim_envs.errors import StorageError
from nim_envs.files import replacing
from nim_envs.registry import GAMES
from nim_envs.typing import Array
from nim_envs.validation import largest_bytes

FORMAT, VERSION = "nim_envs agent", 5

SETTINGS: dict[str, Callable[..., Any]] = {"decay": Decay, "replay": Replay, "harmonic": harmonic}
"""Arguments of learners that are no plain values, by their names in a file."""


def classes() -> dict[str, Any]:
    """Return the classes that can be saved, by their names in a file."""
    return {cls.__name__: cls for cls in map(learner_class, [*LEARNERS, *GENERALISING])}


def save(learner: Trainable, path: str | Path) -> None:
    """Save a learner, with everything needed to continue its training.

    A registered game is saved by its name and arguments, of any other a digest. The file appears
    whole or not at all, in place of an existing one.

    Raises:
        StorageError: the learner cannot be saved, or one of its arguments, such as a schedule of
            one's own; or its tables have numbers that are not finite.
        OSError: the file cannot be written.
    """
    save_content({"learner": learner}, path)


def load(path: str | Path, game: Game | None = None) -> Any:
    """Return the learner saved at ``path``.

    Args:
        path: the file.
        game: game of the learner, needed if it is not registered here.

    Raises:
        StorageError: the file is damaged, holds no saved learner, or holds more than a GiB, or than
            ``NIM_ENVS_LARGEST_BYTES`` says; or the learner's game is neither in the file nor given,
            or is another than the given one.
        FileNotFoundError: there is no such file.
    """
    content = load_content(path, game)
    if [*content] != ["learner"] or type(content["learner"]) not in classes().values():
        raise StorageError(f"{path} holds {sorted(map(str, content))}, not a saved learner")
    return content["learner"]


def save_content(content: dict[str, Any], path: str | Path) -> None:
    """Save a dictionary of learners, arrays, generators and plain values; see :func:`save`."""
    arrays: dict[str, Array] = {}
    header = {"format": FORMAT, "version": VERSION, "content": encoded(content, arrays)}
    text = json.dumps(header).encode()
    with replacing(path) as file:
        named: Any = {"header": np.frombuffer(text, np.uint8), **arrays}
        np.savez_compressed(file, **named)


def load_content(path: str | Path, game: Game | None = None) -> dict[str, Any]:
    """Return the dictionary saved by :func:`save_content`."""
    whole = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(whole) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > largest_bytes():
            raise StorageError(f"it holds {size} bytes; at most {largest_bytes()} are allowed")
        with np.load(whole, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            if header["format"] != FORMAT or header["version"] != VERSION:
                raise StorageError(f"it is no file of format {VERSION} of this package")
            return dict(decoded(header["content"], file, game))
    except Exception as error:  # whatever damage makes of it
        raise StorageError(f"{path} cannot be loaded: {error}") from error


def encoded(value: Any, arrays: dict[str, Array]) -> Any:
    """Return a value as JSON, which refers by name to arrays that it adds to ``arrays``."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return checked_finite(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        name = f"array{len(arrays)}"
        arrays[name] = checked_finite(value)
        return {"array": name}
    if isinstance(value, list):
        return [encoded(entry, arrays) for entry in value]
    if isinstance(value, tuple):
        return {"tuple": encoded([*value], arrays)}
    if isinstance(value, dict):
        return {"dict": encoded([list(item) for item in value.items()], arrays)}
    if isinstance(value, np.random.Generator):
        return {"generator": value.bit_generator.state}
    for name, setting in SETTINGS.items():
        if value is setting or type(value) is setting:
            return {name: None if value is setting else list(astuple(value))}
    if isinstance(value, Game):
        code = {"game": None, "summary": value.summary, "digest": digest_of_moves(value)}
        if value.registered is not None:
            with suppress(StorageError):  # such as of a start of the caller's own
                arguments = encoded(value.registered.arguments, arrays)
                code |= {"game": value.registered.name, "arguments": arguments}
        return code
    name = type(value).__name__
    if classes().get(name) is type(value):
        return {"learner": name, "saved": encoded(value.saved(), arrays)}
    raise StorageError(f"{value!r} of type {name} cannot be saved")


def checked_finite(value: Any) -> Any:
    """Return a plain value or an array, all of whose numbers must be finite."""
    if isinstance(value, (float, np.ndarray)) and not np.isfinite(value).all():
        raise StorageError("there are numbers that are not finite: the learner has diverged")
    return value


def decoded(code: Any, arrays: Any, game: Game | None) -> Any:
    """Return the value of the JSON of :func:`encoded`; damage raises any error."""
    if isinstance(code, list):
        return [decoded(entry, arrays, game) for entry in code]
    if not isinstance(code, dict):
        return checked_finite(code)
    kind, body = next(iter(code.items()))
    if kind == "array":
        return checked_finite(arrays[body])
    if kind in ("tuple", "dict"):
        return {"tuple": tuple, "dict": dict}[kind](decoded(body, arrays, game))
    if kind == "generator":
        generator = np.random.default_rng(0)
        generator.bit_generator.state = body
        return generator
    if kind in SETTINGS:
        return SETTINGS[kind] if body is None else SETTINGS[kind](*body)
    if kind == "learner":
        return classes()[body].from_saved(decoded(code["saved"], arrays, game))
    if kind != "game":
        raise StorageError(f"it has an unknown entry {kind!r}")
    if body in GAMES and (game is None or digest_of_moves(game) == code["digest"]):
        game = make_game(body, **decoded(code["arguments"], arrays, None))
    if game is None:
        raise StorageError(
            f"its game is {code['summary']}, which is not registered here: load it with game=…, or "
            "on the command line name it with --game"
        )
    if digest_of_moves(game) != code["digest"]:
        raise StorageError(f"it has learned {code['summary']}, not {game.summary}")
    return game
