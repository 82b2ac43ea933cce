"""The table of registered games, and their ids in PettingZoo and Gymnasium.

Constructors and entry points are named by strings, so that importing this module imports no game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, partial
from pkgutil import resolve_name
from typing import Any, NamedTuple

import gymnasium
import pettingzoo

from nim_envs.errors import InvalidGameError
from nim_envs.references import resolved

NAMESPACE = "nim_envs"


class Source(NamedTuple):
    """Data with which another process registers a game as this one did.

    Attributes:
        game: name ``module:function`` of the constructor; or the rules, the game or the constructor
            itself, which is copied there.
        misere: as in :class:`NamedGame`.
        defaults: likewise.
    """

    game: Any
    misere: bool | None
    defaults: Mapping[str, Any]

    def in_spec(self) -> Source | HeldSource:
        """Return the source as an argument of an id, which JSON can hold."""
        try:
            json.dumps(self)
        except (TypeError, ValueError):
            return HeldSource(self)
        return self


class HeldSource(str):
    """A source in the arguments of an id: pickles and copies hold it, JSON the name of its game.

    Args:
        source: a source that JSON cannot hold.

    Attributes:
        source: as given.
    """

    source: Source

    def __new__(cls, source: Source) -> HeldSource:
        """Return the source by the name of its game."""
        game = source.game
        name = game if isinstance(game, str) else getattr(game, "__qualname__", repr(game))
        key = super().__new__(cls, name)
        key.source = source
        return key

    def __reduce__(self) -> Any:
        """Return what pickles and copies make it of."""
        return HeldSource, (self.source,)


def source_from_spec(name: str, entry: Any) -> Source:
    """Return the source of a game from an argument of an id, with its game in place of a name.

    The module of the game is imported if need be.

    Args:
        name: name of the game, for the message.
        entry: result of :meth:`Source.in_spec`, perhaps after a journey through JSON.

    Raises:
        InvalidGameError: the game is known in another process alone.
    """
    source = entry.source if isinstance(entry, HeldSource) else entry
    if not isinstance(source, str):
        source = Source(*source)
        if not isinstance(source.game, str):
            return source
        try:
            return source._replace(game=resolved(source.game))
        except InvalidGameError:
            source = source.game
    raise InvalidGameError(
        f"{name} is not registered in this process, and {source} cannot be imported: register it "
        "first, by nim_envs.register_game"
    )


@dataclass(frozen=True)
class NamedGame:
    """A game by its name: a constructor, and its default arguments.

    Args:
        name: the name in :data:`GAMES`; of one that is not registered, ``module:function``.
        entry_point: the constructor, a function that returns a game, or in the table below
            its name ``module:function``; its keyword arguments are the environment's.
        defaults: default keyword arguments of the constructor.
        misere: whether by default the player who makes the last move loses; ``None``: as the
            :class:`nim_envs.Game` says that the constructor returns, else normal play.
        version: version of its ids; raised where a change of this game could change results.
        source: reference by which other processes find a user's own game; ``None``: a game of this
            package.
        takes_misere: whether the constructor has an argument ``misere``.
    """

    name: str
    entry_point: Callable[..., Any] | str
    defaults: Mapping[str, Any]
    misere: bool | None = False
    version: int = 0
    source: Source | None = None
    takes_misere: bool = False

    @cached_property
    def constructor(self) -> Callable[..., Any]:
        """The constructor, imported on first access."""
        constructor: Callable[..., Any]
        entry = self.entry_point
        constructor = resolve_name(entry) if isinstance(entry, str) else entry
        return constructor

    @property
    def aec_id(self) -> str:
        """Its id in PettingZoo."""
        return f"{NAMESPACE}/{self.name}-v{self.version}"

    @property
    def gymnasium_id(self) -> str:
        """Its id in Gymnasium, in camel case."""
        camel = "".join(word.capitalize() for word in self.name.split("_"))
        return f"{NAMESPACE}/{camel}-v{self.version}"

    def is_same_game(self, other: NamedGame) -> bool:
        """Return whether both have the same constructor, or were registered as the same rules.

        A function is the same if it is defined again, as when its module is reloaded.
        """
        one, two = self.constructor, other.constructor
        if isinstance(one, partial) or isinstance(two, partial):  # registered as rules or a game
            return (
                self.source is not None
                and other.source is not None
                and bool(self.source.game == other.source.game)
            )
        names = [(each.__module__, each.__qualname__) for each in (one, two)]
        return one is two or (names[0] == names[1] and "<" not in names[0][1])


def _by_name(*games: NamedGame) -> dict[str, NamedGame]:
    return {game.name: game for game in games}


GAMES: dict[str, NamedGame] = _by_name(
    NamedGame("nim", "nim_envs.games:nim", {"heaps": (3, 4, 5), "max_take": None}),
    NamedGame(
        "misere_nim", "nim_envs.games:nim", {"heaps": (1, 3, 5, 7), "max_take": None}, misere=True
    ),
    # Whoever makes the total exceed n made the last move and loses: misère play.
    NamedGame("addition", "nim_envs.games:addition", {"k": 3, "n": 10}, misere=True),
    NamedGame(
        "subtraction",
        "nim_envs.games:subtraction",
        {"heaps": (17,), "subtraction_set": (1, 2, 3)},
    ),
    NamedGame("octal", "nim_envs.games:octal", {"code": "0.77", "heaps": (6,)}),
    NamedGame("kayles", "nim_envs.games:kayles", {"heaps": (7,)}),
    NamedGame("dawsons_kayles", "nim_envs.games:dawsons_kayles", {"heaps": (10,)}),
    NamedGame("dawsons_chess", "nim_envs.games:dawsons_chess", {"heaps": (9,)}),
    NamedGame("officers", "nim_envs.games:officers", {"heaps": (9,)}),
    NamedGame("grundy", "nim_envs.games:grundy", {"heaps": (10,)}),
    NamedGame("splitting", "nim_envs.games:splitting", {"heaps": (7,)}),
    NamedGame("laskers_nim", "nim_envs.games:laskers_nim", {"heaps": (4, 2)}),
    NamedGame("moores_nim", "nim_envs.games:moores_nim", {"heaps": (3, 4, 5), "k": 2}),
    NamedGame("fibonacci_nim", "nim_envs.games:fibonacci_nim", {"heaps": (20,)}),
    NamedGame("wythoff", "nim_envs.games:wythoff", {"queens": ((9, 7),)}),
    NamedGame("euclid", "nim_envs.games:euclid", {"pairs": ((36, 13),)}),
    NamedGame("chomp", "nim_envs.games:chomp", {"rows": 4, "columns": 5}),
    NamedGame("cram", "nim_envs.games:cram", {"rows": 3, "columns": 4}),
    NamedGame(
        "node_kayles",
        "nim_envs.games:node_kayles",
        # Petersen's graph: a pentagon, a pentagram in it, and five edges between them.
        {
            "nodes": 10,
            "edges": tuple(
                edge
                for node in range(5)
                for edge in (
                    (node, (node + 1) % 5),
                    (node, node + 5),
                    (node + 5, (node + 2) % 5 + 5),
                )
            ),
        },
    ),
    NamedGame(
        "graph",
        "nim_envs.games:graph",
        # Twelve nodes, with edges from each to the one before it, its half and its fifth.
        {
            "successors": tuple(
                tuple(sorted({node - 1, node // 2, node // 5})) if node else ()
                for node in range(12)
            ),
            "tokens": (11, 10),
        },
    ),
    NamedGame(
        "sum",
        "nim_envs.registration:sum_of_games",
        {
            "games": (
                ("kayles", {"heaps": (5,)}),
                ("nim", {"heaps": (4,)}),
                ("graph", {"tokens": (9,)}),
            )
        },
    ),
)
"""The registered games by name; adding a game is adding a row."""


def registered(name: str) -> NamedGame:
    """Return the registered game ``name``.

    Raises:
        InvalidGameError: an unknown name.
    """
    if not isinstance(name, str) or name not in GAMES:
        meant = get_close_matches(str(name), GAMES, n=1)
        guess = f" (did you mean {meant[0]!r}?)" if meant else ""
        raise InvalidGameError(
            f"there is no {name!r}{guess}; the games are {', '.join(GAMES)}; a game of your own is "
            "registered first, by nim_envs.register_game"
        )
    return GAMES[name]


def aec_id(name: str) -> str:
    """Return the PettingZoo id of the registered game ``name``.

    Raises:
        InvalidGameError: an unknown name.
    """
    return registered(name).aec_id


def gymnasium_id(name: str) -> str:
    """Return the Gymnasium id of the registered game ``name``, in camel case.

    Raises:
        InvalidGameError: an unknown name.
    """
    return registered(name).gymnasium_id


def register_ids(games: Iterable[NamedGame]) -> None:
    """Register the ids of games with both libraries, where they do not know them yet."""
    for game in games:
        arguments = {"game": game.name, "misere": game.misere, **game.defaults}
        if game.source is not None:
            arguments["sources"] = {game.name: game.source.in_spec()}
        if game.aec_id not in pettingzoo.aec_registry:
            pettingzoo.register(
                "aec",
                id=game.aec_id,
                entry_point="nim_envs.registration:make_aec",
                kwargs=arguments,
            )
        if game.gymnasium_id not in gymnasium.registry:
            gymnasium.register(
                id=game.gymnasium_id,
                entry_point="nim_envs.registration:make_versus",
                vector_entry_point="nim_envs.registration:make_vector",
                kwargs=arguments,
            )


def add(game: NamedGame) -> None:
    """Add a game of a user's own to the table, with its ids, in place of one with its name."""
    remove(game.name)
    GAMES[game.name] = game
    register_ids([game])
    _refresh_sums()


def remove(name: str) -> None:
    """Remove a game of a user's own, if there is one, with its ids."""
    if name in GAMES:
        pettingzoo.aec_registry.pop(aec_id(name), None)
        gymnasium.registry.pop(gymnasium_id(name), None)
        del GAMES[name]
        _refresh_sums()


def _refresh_sums() -> None:
    """Write the sources of the games of a user's own into the ids of sums."""
    sources = {name: game.source.in_spec() for name, game in GAMES.items() if game.source}
    for spec in (pettingzoo.aec_registry[aec_id("sum")], gymnasium.registry[gymnasium_id("sum")]):
        spec.kwargs.pop("sources", None)
        if sources:
            spec.kwargs["sources"] = sources
