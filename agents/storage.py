"""Save and load learners: arrays and JSON in one file, no pickle.

A file is a zip archive of ``header.json`` and ``0.npy``, ``1.npy``, …; loading one never runs
code out of it.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
from gymnasium import spaces

from agents.base import Learner, Transition
from agents.storable import STORABLE
from agents.tabular.replay import Replay, ReplayBuffer
from agents.tabular.schedules import Decay, Exploration, harmonic
from nim_envs import Convention, Game, Rules
from nim_envs.files import write_atomically
from nim_envs.rules import (
    AdditionTotal,
    HeapGame,
    SplittingHeap,
    SubtractionHeap,
    TableComponent,
    Token,
)
from nim_envs.starts import BalancedStart, FixedStart, OutcomeStart, UniformStart

FORMAT = "nim_envs agent"
VERSION = 1

VALUES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        AdditionTotal,
        BalancedStart,
        Decay,
        FixedStart,
        Game,
        HeapGame,
        OutcomeStart,
        Replay,
        ReplayBuffer,
        Rules,
        SplittingHeap,
        SubtractionHeap,
        TableComponent,
        Token,
        UniformStart,
    )
}
"""Dataclasses that arguments of learners may hold."""

PARTS = {cls.__name__: cls for cls in (Exploration,)}
"""Objects inside a learner that change as it learns."""

REMADE = {
    "constructor_arguments", "index", "game", "symmetry", "_schedule", "_scratch", "_unfilled",
}  # fmt: skip
"""Attributes that the constructor makes again, so that no file holds them."""


class StorageError(ValueError):
    """A file that is no saved learner, or something that cannot be saved."""


def save(learner: Learner, path: str | Path) -> None:
    """Save ``learner`` with everything that it has learned and needs to go on learning.

    The file appears whole or not at all.

    Args:
        learner: one of this package's learners.
        path: where to.

    Raises:
        StorageError: not such a learner, or an argument (a schedule of one's own, say) that no
            file can hold.
    """
    save_content({"learner": learner}, path)


def load(path: str | Path) -> Any:
    """Return the learner saved at ``path``, as it was.

    Raises:
        StorageError: the file is truncated, not a saved learner, or of a newer format.
        FileNotFoundError: there is no such file.
    """
    content = load_content(path)
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


def load_content(path: str | Path) -> dict[str, Any]:
    """Return what :func:`save_content` saved.

    Raises:
        StorageError: the file is truncated, foreign, or of a newer format.
    """
    data = Path(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            header = json.loads(archive.read("header.json"))
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise StorageError(f"{path} is no file of this package")
            if header["version"] > VERSION:
                raise StorageError(
                    f"{path} is of format {header['version']}; this version of the package reads "
                    f"formats up to {VERSION}"
                )
            arrays = [
                np.lib.format.read_array(
                    io.BytesIO(archive.read(f"{number}.npy")), allow_pickle=False
                )
                for number in range(len(archive.namelist()) - 1)
            ]
        return cast("dict[str, Any]", _decode(header["content"], arrays))
    except StorageError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        RuntimeError,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:
        raise StorageError(
            f"{path} is truncated or no file of this package ({type(error).__name__}: {error})"
        ) from error


def restore(learner: Any, saved: Any) -> None:
    """Give ``learner`` the state of ``saved``, a learner of the same class, in place.

    Raises:
        StorageError: they are not of one class and made with the same arguments.
    """
    if type(learner) is not type(saved):
        raise StorageError(
            f"the saved learner is a {type(saved).__name__}, this one a {type(learner).__name__}"
        )
    arrays: list[np.ndarray[Any, Any]] = []
    ours, theirs = (
        json.dumps(_encode(agent.constructor_arguments, arrays)) for agent in (learner, saved)
    )
    if _without_numbers(ours) != _without_numbers(theirs):
        raise StorageError("the saved learner was made with other arguments than this one")
    vars(learner).update(vars(saved))


def _without_numbers(text: str) -> Any:
    """Encoded arguments with nested learners' states left out: only how they were made counts."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: strip(entry) for key, entry in value.items() if key != "state"}
        return [strip(entry) for entry in value] if isinstance(value, list) else value

    return strip(json.loads(text))


def _encode(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return ``value`` as JSON; arrays go to ``arrays`` and are named by their number."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return _encode(value.item(), arrays)
    kind: Any = type(value)
    name = kind.__name__
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if name in VALUES and kind is VALUES[name]:
        names = getattr(kind, "_fields", None) or tuple(kind.__dataclass_fields__)
        values = {key: getattr(value, key) for key in names}
        return {"value": name, "fields": _encode(values, arrays)}
    if isinstance(value, list) and value and isinstance(value[0], Transition):
        columns = [np.stack([np.asarray(turn[i]) for turn in value]) for i in range(len(value[0]))]
        return {"turns": [_encode(column, arrays) for column in columns]}
    if isinstance(value, (list, tuple)):
        tag = "turn" if isinstance(value, Transition) else "tuple"
        items = [_encode(entry, arrays) for entry in value]
        return items if isinstance(value, list) else {tag: items}
    if isinstance(value, range):
        return {"range": [value.start, value.stop, value.step]}
    if isinstance(value, dict):
        return {"dict": [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]}
    if isinstance(value, Convention):
        return {"convention": value.value}
    if isinstance(value, spaces.Dict):
        return _encode(value["observation"], arrays)  # tables look at nothing else
    if isinstance(value, spaces.Box):
        return {"box": [value.low.tolist(), value.high.tolist(), str(value.dtype)]}
    if isinstance(value, spaces.Discrete):
        return {"discrete": int(value.n)}
    if value is harmonic:
        return {"schedule": "harmonic"}
    if isinstance(value, np.random.Generator):
        return {"generator": [value.bit_generator.state]}
    if kind is STORABLE.get(name):
        return {
            "learner": name,
            "arguments": _encode(value.constructor_arguments, arrays),
            "state": _encode(_state(value), arrays),
        }
    if kind is PARTS.get(name):
        return {"part": name, "state": _encode(_state(value), arrays)}
    raise StorageError(f"{value!r} of type {name} cannot be saved")


def _state(owner: Any) -> dict[str, Any]:
    return {key: value for key, value in vars(owner).items() if key not in REMADE}


def _decode(code: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return what :func:`_encode` encoded; a part comes back as a dict of its attributes."""
    if isinstance(code, list):
        return [_decode(entry, arrays) for entry in code]
    if not isinstance(code, dict):
        return code
    kind, body = next(iter(code.items()))
    if kind == "array":
        return arrays[body]
    if kind == "turns":
        columns = [_decode(column, arrays) for column in body]
        return [_turn(fields) for fields in zip(*columns, strict=True)]
    if kind == "turn":
        return _turn(_decode(body, arrays))
    if kind == "tuple":
        return tuple(_decode(entry, arrays) for entry in body)
    if kind == "range":
        return range(*body)
    if kind == "dict":
        return {_decode(k, arrays): _decode(v, arrays) for k, v in body}
    if kind == "convention":
        return Convention(body)
    if kind == "box":
        low, high, dtype = body
        bounds: Any = np.array(low, dtype=dtype), np.array(high, dtype=dtype)
        return spaces.Box(low=bounds[0], high=bounds[1], dtype=np.dtype(dtype).type)
    if kind == "discrete":
        return spaces.Discrete(body)
    if kind == "schedule":
        return {"harmonic": harmonic}[body]
    if kind == "generator":
        return _generator(body[0])
    if kind == "value":
        return VALUES[body](**_decode(code["fields"], arrays))
    if kind == "part":
        return _decode(code["state"], arrays)
    if kind == "learner":
        learner = STORABLE[body](**_decode(code["arguments"], arrays))
        for key, value in _decode(code["state"], arrays).items():
            part = getattr(learner, key, None)
            if type(part).__name__ in PARTS:
                vars(part).update(value)
            else:
                setattr(learner, key, value)
        return learner
    raise StorageError(f"unknown entry {kind!r}")


def _turn(fields: Any) -> Transition:
    """A transition with plain numbers where a learner keeps plain numbers."""
    return Transition(
        *(
            field.item()
            if isinstance(field, (np.generic, np.ndarray)) and field.ndim == 0
            else field
            for field in fields
        )
    )


def _generator(state: dict[str, Any]) -> np.random.Generator:
    """A generator that goes on where the saved one was."""
    bits = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM}[state["bit_generator"]]()
    bits.state = cast(Any, state)
    return np.random.Generator(bits)
