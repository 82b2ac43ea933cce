"""Encoding of plain values, arrays, games and learners as JSON, and decoding."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import astuple
from typing import Any, Literal, cast

import numpy as np

from agents.games import digest_of_moves
from agents.registry import GENERALISING, LEARNERS, generalising_class
from agents.restoring.errors import UnregisteredGameError, as_storage_error
from agents.restoring.schema import (
    check_arguments,
    check_finite,
    check_value,
    parameter_type,
)
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay, Schedule, harmonic
from nim_envs import Game, make_game
from nim_envs.archive import Archive, promise
from nim_envs.errors import StorageError
from nim_envs.registry import GAMES
from nim_envs.typing import Array
from nim_envs.validation import LARGEST_STATE

BIT_GENERATORS = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM}
"""Bit generators that can be saved, by name."""


@functools.cache
def classes() -> dict[str, Any]:
    """Return the classes that can be saved, by their names in a file."""
    learners = [*(row.learner for row in LEARNERS.values()), *map(generalising_class, GENERALISING)]
    return {cls.__name__: cls for cls in learners}


class Encoder:
    """Encodes values as JSON.

    Attributes:
        arrays: arrays in the encoded values; the JSON refers to them by index.
    """

    def __init__(self) -> None:
        self.arrays: list[Array] = []

    def encode(self, value: Any) -> Any:
        """Return a value as JSON.

        Raises:
            StorageError: it cannot be saved.
        """
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, np.generic):
            return self.encode(value.item())
        if isinstance(value, np.ndarray):
            promised = promise(value)
            self.arrays.append(value)
            return {"array": len(self.arrays) - 1, **promised}
        if isinstance(value, list):
            return [self.encode(entry) for entry in value]
        if isinstance(value, tuple):
            return {"tuple": [self.encode(entry) for entry in value]}
        if isinstance(value, dict):
            return {"dict": [[self.encode(k), self.encode(v)] for k, v in value.items()]}
        if isinstance(value, np.random.Generator):
            if value.bit_generator.state["bit_generator"] not in BIT_GENERATORS:
                raise StorageError(f"{value!r} cannot be saved, only {', '.join(BIT_GENERATORS)}")
            return {"generator": value.bit_generator.state}
        if value is harmonic:
            return {"schedule": "harmonic"}
        if isinstance(value, Decay):
            return {"decay": self.encode(list(astuple(value)))}
        if isinstance(value, Replay):
            return {"replay": self.encode(list(astuple(value)))}
        if isinstance(value, Game):
            return self._game(value)
        name = type(value).__name__
        if classes().get(name) is type(value):
            saved = value.saved()
            code = {"learner": name, "saved": self.encode(saved)}
            game = saved.get("game")
            if isinstance(game, Game) and game.rules.has_coordinates and self._game(game) is None:
                # Only the game, which the file lacks, says what positions the coordinates are of.
                code["observes"] = game.summary
            if isinstance(game, Game) and game.has_outcome:
                code["digest"] = digest_of_moves(game)
            _check_saved(type(value), saved)  # what is saved can be loaded
            return code
        raise StorageError(f"{value!r} of type {name} cannot be saved")

    def _game(self, game: Game) -> Any:
        """A registered game by its name and arguments; ``None`` if these cannot be saved."""
        if game.registered is None:
            return None
        name, arguments = game.registered
        arrays = len(self.arrays)
        try:
            return {"game": name, "arguments": self.encode(arguments)}
        except StorageError:  # such as a start of the caller's own
            del self.arrays[arrays:]
            return None


class Decoder:
    """Decodes values from JSON.

    Each method decodes the entries of one kind, ``{kind: body, argument: …}``; they are checked
    against its annotations before it is called.

    Args:
        archive: open file that holds the arrays.
        game: game of learners that were saved without one.
    """

    def __init__(self, archive: Archive, game: Game | None) -> None:
        self._archive = archive
        self._game_of_caller = game

    def decode(self, code: Any) -> Any:
        """Return the value encoded as ``code``.

        Raises:
            StorageError: it was not made by :class:`Encoder`.
        """
        if isinstance(code, list):
            return [self.decode(entry) for entry in code]
        if not isinstance(code, dict):
            return code
        for kind, method in KINDS.items():
            if kind in code:
                arguments = {name: value for name, value in code.items() if name != kind}
                check_value(f"the entry {kind!r}", code[kind], parameter_type(method, "body"))
                check_arguments(method, arguments)
                return method(self, code[kind], **arguments)
        raise StorageError(f"unknown entry {', '.join(map(repr, code)) or 'without a kind'}")

    def _array(self, body: int, *, dtype: str, shape: list[int]) -> Array:
        return self._archive.array(body, dtype, shape)

    def _tuple(self, body: list[Any]) -> tuple[Any, ...]:
        return tuple(map(self.decode, body))

    def _dict(self, body: list[list[Any]]) -> dict[Any, Any]:
        entries = [self.decode(entry) for entry in body]
        with as_storage_error("a dict"):  # keys that cannot be hashed, entries that are no pairs
            return dict(entries)

    def _generator(self, body: dict[str, Any]) -> np.random.Generator:
        with as_storage_error("a generator"):
            bits = BIT_GENERATORS[body["bit_generator"]]()
            bits.state = cast(Any, body)  # which NumPy checks
            if bits.state != body:
                raise ValueError(f"there is no state {body}")
            return np.random.Generator(bits)

    def _schedule(self, body: Literal["harmonic"]) -> Schedule:
        return {"harmonic": harmonic}[body]

    def _decay(self, body: list[float]) -> Decay:
        with as_storage_error("a schedule"):
            return Decay(*body)  # type: ignore[arg-type]

    def _replay(self, body: list[int]) -> Replay:
        with as_storage_error("a replay buffer"):
            return Replay(*body)

    def _game(self, body: str, *, arguments: Any) -> Game:
        decoded = self.decode(arguments)
        check_value("the arguments of a game", decoded, dict[str, Any])
        _check_plain("the arguments of a game", decoded)
        if body not in GAMES:
            if self._game_of_caller is not None:
                return self._game_of_caller
            # A name such as module:function would run code: nothing is looked up by it.
            raise UnregisteredGameError(
                f"its game {body!r} is not registered here: register it first, "
                "nim_envs.register_game(…), or load it with game=…",
                body,
                decoded,
            )
        with as_storage_error(f"the game {body!r}"):
            return make_game(body, **decoded)

    def _learner(
        self, body: str, *, saved: Any, observes: str | None = None, digest: str | None = None
    ) -> Any:
        if body not in classes():
            raise StorageError(f"there is no learner {body!r}, but {', '.join(classes())}")
        learner, decoded = classes()[body], self.decode(saved)
        if isinstance(decoded, dict) and "game" in decoded and decoded["game"] is None:
            decoded["game"] = self._game_of_caller
            if observes is not None and self._game_of_caller is None:
                raise UnregisteredGameError(
                    f"it observes the coordinates of {observes}, which is not a registered game: "
                    "load it with game=…",
                    None,
                    {},
                )
        _check_saved(learner, decoded)
        game = decoded.get("game")
        if digest is not None and isinstance(game, Game) and digest_of_moves(game) != digest:
            raise StorageError(
                f"it has learned another game than {game.summary}, with other moves or outcomes"
            )
        with as_storage_error(f"a {body}"):
            return learner.from_saved(decoded)


KINDS: dict[str, Callable[..., Any]] = {
    "array": Decoder._array,
    "tuple": Decoder._tuple,
    "dict": Decoder._dict,
    "generator": Decoder._generator,
    "schedule": Decoder._schedule,
    "decay": Decoder._decay,
    "replay": Decoder._replay,
    "game": Decoder._game,
    "learner": Decoder._learner,
}
"""The decoder of each kind of entry."""


def _check_plain(name: str, value: Any) -> None:
    """Check that arguments of a game are plain values, and their integers within the limit.

    Raises:
        StorageError: they are not.
    """
    if isinstance(value, dict):
        _check_plain(name, [*value, *value.values()])
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _check_plain(name, entry)
    elif isinstance(value, int):
        if abs(value) > LARGEST_STATE:
            raise StorageError(f"integers in {name} are at most {LARGEST_STATE}")
    elif not isinstance(value, (float, str, np.ndarray, type(None))):
        raise StorageError(f"{name} hold no {type(value).__name__}")


def _check_saved(learner: Any, saved: Any) -> None:
    """Check the types of the saved content of a learner, and that its numbers are finite."""
    check_value("it", saved, parameter_type(learner.from_saved, "saved"))
    check_finite("it", saved)
    if "arguments" in saved:
        check_arguments(learner, saved["arguments"])
