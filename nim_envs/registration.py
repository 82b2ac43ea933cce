"""The table of registered games, and their ids in PettingZoo and Gymnasium."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar

import gymnasium
import pettingzoo

from nim_envs.envs.aec import GameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidGameError, UnknownArgumentError
from nim_envs.game import Game, Registered
from nim_envs.names import unknown
from nim_envs.references import imported, resolved, split
from nim_envs.registered_games import RegisteredGame, Source, checked_name, own_game
from nim_envs.rules import (
    Rules,
    addition,
    chomp,
    cram,
    dawsons_chess,
    dawsons_kayles,
    euclid,
    fibonacci_nim,
    graph,
    grundy,
    kayles,
    laskers_nim,
    moores_nim,
    nim,
    node_kayles,
    octal,
    officers,
    splitting,
    subtraction,
    sum_of,
    wythoff,
)
from nim_envs.rules.validation import checked_boolean
from nim_envs.starts import as_start

if TYPE_CHECKING:
    from nim_envs.envs.vector import VectorGameEnv

NAMESPACE = "nim_envs"
Environment = TypeVar("Environment")


def sum_of_games(games: Sequence[tuple[str, Mapping[str, Any]]]) -> Rules:
    """Rules of a sum of games: make a move in any one of several registered games.

    The sum ends when no game has a move left.

    Args:
        games: for each game its name in :data:`GAMES`, or a pair of name and rules arguments;
            omitted arguments have their registered defaults.

    Raises:
        InvalidGameError: an unknown name, or arguments that describe no game, or that its rules
            do not take.

    Example:
        >>> sum_of_games((("kayles", {"heaps": (3,)}), ("nim", {"heaps": (4,)}))).initial
        (3, 0, 4)
    """
    if isinstance(games, (str, bytes)) or not isinstance(games, Sequence) or not games:
        raise InvalidGameError(
            f"games must be a list of pairs of a name and arguments, not {games!r}"
        )
    parts = []
    for entry in games:
        name, arguments = (entry, {}) if isinstance(entry, str) else _pair(entry)
        _check_names(name, arguments)
        parts.append(_registered(name).part(name, arguments))
    return sum_of(parts)


def _check_names(game: str, arguments: Mapping[str, Any], *others: str) -> None:
    """Check that the rules of a registered game take all ``arguments``, or ``others`` name them.

    Raises:
        InvalidGameError: an unknown game.
        UnknownArgumentError: an unknown argument; the message lists the known ones.
    """
    own = signature(_registered(game).rules).parameters
    allowed = dict.fromkeys([*(name for name in own if name != "misere"), *others])
    for name in arguments:
        if name not in allowed:
            # Python's own wording, by which Gymnasium and TorchRL recognise what they added.
            what = f"{game} got an unexpected keyword argument"
            raise UnknownArgumentError(unknown(what, name, allowed))


def _pair(entry: Any) -> tuple[str, Mapping[str, Any]]:
    """Return an entry of a sum as a name and arguments."""
    if (
        not isinstance(entry, Sequence)
        or len(entry) != 2
        or not isinstance(entry[0], str)
        or not isinstance(entry[1], Mapping)
    ):
        raise InvalidGameError(
            f"a game of a sum must be a name, or a pair of a name and arguments, not {entry!r}"
        )
    return entry[0], entry[1]


def _registered(name: str) -> RegisteredGame:
    """Return the registered game ``name``."""
    if not isinstance(name, str) or name not in GAMES:
        raise InvalidGameError(
            f"game must be one of {tuple(GAMES)}, not {name!r}; a game of your own is registered "
            "first, by nim_envs.register_game"
        )
    return GAMES[name]


GAMES: dict[str, RegisteredGame] = {
    "nim": RegisteredGame(nim, defaults={"heaps": (3, 4, 5), "max_take": None}),
    "misere_nim": RegisteredGame(
        nim, misere=True, defaults={"heaps": (1, 3, 5, 7), "max_take": None}
    ),
    # Whoever makes the total exceed n made the last move and loses: misère play.
    "addition": RegisteredGame(addition, misere=True, defaults={"k": 3, "n": 10}),
    "subtraction": RegisteredGame(
        subtraction, defaults={"heaps": (17,), "subtraction_set": (1, 2, 3)}
    ),
    "octal": RegisteredGame(octal, defaults={"code": "0.77", "heaps": (6,)}),
    "kayles": RegisteredGame(kayles, defaults={"heaps": (7,)}),
    "dawsons_kayles": RegisteredGame(dawsons_kayles, defaults={"heaps": (10,)}),
    "dawsons_chess": RegisteredGame(dawsons_chess, defaults={"heaps": (9,)}),
    "officers": RegisteredGame(officers, defaults={"heaps": (9,)}),
    "grundy": RegisteredGame(grundy, defaults={"heaps": (10,)}),
    "splitting": RegisteredGame(splitting, defaults={"heaps": (7,)}),
    "laskers_nim": RegisteredGame(laskers_nim, defaults={"heaps": (4, 2)}),
    "moores_nim": RegisteredGame(moores_nim, defaults={"heaps": (3, 4, 5), "k": 2}),
    "fibonacci_nim": RegisteredGame(fibonacci_nim, defaults={"heaps": (20,)}),
    "wythoff": RegisteredGame(wythoff, defaults={"queens": ((9, 7),)}),
    "euclid": RegisteredGame(euclid, defaults={"pairs": ((36, 13),)}),
    "chomp": RegisteredGame(chomp, defaults={"rows": 4, "columns": 5}),
    "cram": RegisteredGame(cram, defaults={"rows": 3, "columns": 4}),
    "node_kayles": RegisteredGame(
        node_kayles,
        # Petersen's graph: a pentagon, a pentagram in it, and five edges between them.
        defaults={
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
    "graph": RegisteredGame(
        graph,
        # Twelve nodes, with edges from each to the number before it, its half and its fifth.
        defaults={
            "successors": tuple(
                tuple(sorted({node - 1, node // 2, node // 5})) if node else ()
                for node in range(12)
            ),
            "tokens": (11, 10),
        },
    ),
    "sum": RegisteredGame(
        sum_of_games,
        defaults={
            "games": (
                ("kayles", {"heaps": (5,)}),
                ("nim", {"heaps": (4,)}),
                ("graph", {"tokens": (9,)}),
            )
        },
    ),
}
"""The registered games by name; adding a game is adding a row."""


def make_game(
    name: str, *, misere: bool | None = None, start: Any = "fixed", **rules_arguments: Any
) -> Game:
    """Return a registered game.

    Args:
        name: a key of :data:`GAMES`.
        misere: whether the player who makes the last move loses; ``None``: as registered.
        start: where games begin: ``"fixed"``, the position that the rules name; ``"uniform"``, any
            position with a move; ``"n_position"`` or ``"p_position"``, any that the player to move
            can win or cannot; ``"balanced"``, either of these by a fair coin; a position; or a
            :class:`nim_envs.starts.Start`.
        rules_arguments: arguments of the rules constructor; they replace the registered defaults.

    Raises:
        InvalidGameError: an unknown name, or arguments that describe no game.
        UnknownArgumentError: an argument that the rules constructor does not take.
        InvalidPositionError: an unknown or impossible start.

    Example:
        >>> make_game("addition", k=3, n=10).solution.winning_actions((0,)).tolist()
        [1]
    """
    _check_names(name, rules_arguments, *_keywords(make_game))
    told = None if misere is None else checked_boolean("misere", misere)
    game = _registered(name).made(name, rules_arguments, told)
    arguments = {"misere": misere, "start": start, **rules_arguments}
    return replaced(game, start=as_start(start), registered=Registered(name, arguments))


def _keywords(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that a function or class takes by keyword alone."""
    return [
        parameter.name
        for parameter in signature(function).parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
    ]


def _made(
    environment: Callable[..., Environment], name: str, arguments: dict[str, Any], *size: int
) -> Environment:
    """Return an environment of a registered game.

    Args:
        environment: its class; takes its own keyword arguments out of ``arguments``.
        name: a key of :data:`GAMES`.
        arguments: those of the class, of :func:`make_game` and of the rules; and, in ids of games
            of a user's own, ``sources``, by which another process finds them.
        size: the number of games of a batch.
    """
    sources = arguments.pop("sources", {})
    for used in _names_used(name, arguments):
        if used in sources and used not in GAMES:
            _register_again(used, Source(*sources[used]))
    own = [keyword for keyword in _keywords(environment) if keyword != "name"]
    _check_names(name, arguments, *_keywords(make_game), *own)
    of_class = {keyword: arguments.pop(keyword) for keyword in own if keyword in arguments}
    game = make_game(name, **arguments)
    return environment(game, *size, name=f"{name}_v{_registered(name).version}", **of_class)


def make_aec(game: str, **arguments: Any) -> GameEnv:
    """Return the turn-based environment of a registered game; the entry point of every id.

    Args:
        game: a key of :data:`GAMES`.
        arguments: of :class:`nim_envs.envs.aec.GameEnv`, :func:`make_game` and the rules.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an argument that none of them takes.
        InvalidPositionError: an unknown or impossible start.
    """
    return _made(GameEnv, game, arguments)


def make_versus(game: str, **arguments: Any) -> VersusEnv:
    """Return the Gymnasium environment of a registered game; the entry point of every id.

    Args:
        game: a key of :data:`GAMES`.
        arguments: of :class:`nim_envs.envs.versus.VersusEnv`, :func:`make_game` and the rules.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an argument that none of them takes.
        InvalidPositionError: an unknown or impossible start.
        SearchTooLargeError: the game is too large.
    """
    return _made(VersusEnv, game, arguments)


def make_vector(game: str, num_envs: int = 1, **arguments: Any) -> VectorGameEnv:
    """Return the batched environment of a registered game; the vector entry point of every id.

    Args:
        game: a key of :data:`GAMES`.
        num_envs: number of games.
        arguments: of :class:`nim_envs.envs.vector.VectorGameEnv`, :func:`make_game` and the rules.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an argument that none of them takes.
        InvalidPositionError: an unknown or impossible start.
        SearchTooLargeError: the game is too large for tables.
    """
    # It imports Numba, which takes seconds; importing the package should be fast.
    from nim_envs.envs.vector import VectorGameEnv

    return _made(VectorGameEnv, game, arguments, num_envs)


def aec_id(name: str) -> str:
    """Return the PettingZoo id of the registered game ``name``.

    Raises:
        InvalidGameError: an unknown name.
    """
    return f"{NAMESPACE}/{name}-v{_registered(name).version}"


def gymnasium_id(name: str) -> str:
    """Return the Gymnasium id of the registered game ``name``, in camel case.

    Raises:
        InvalidGameError: an unknown name.
    """
    return f"{NAMESPACE}/{_camel(name)}-v{_registered(name).version}"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def register_all() -> None:
    """Register every game with both libraries; done once, when ``nim_envs`` is imported."""
    for name in GAMES:
        _register_ids(name)


def _register_ids(name: str) -> None:
    """Register a game with both libraries, where they do not know it yet."""
    row = GAMES[name]
    arguments = {"game": name, "misere": row.misere, **row.defaults}
    if row.source is not None:
        arguments["sources"] = {name: row.source.in_spec()}
    if aec_id(name) not in pettingzoo.aec_registry:
        pettingzoo.register(
            "aec",
            id=aec_id(name),
            entry_point="nim_envs.registration:make_aec",
            kwargs=arguments,
        )
    if gymnasium_id(name) not in gymnasium.registry:
        gymnasium.register(
            id=gymnasium_id(name),
            entry_point="nim_envs.registration:make_versus",
            vector_entry_point="nim_envs.registration:make_vector",
            kwargs=arguments,
        )


RESERVED = frozenset(
    {
        "autoreset_mode", "copy", "disable_env_checker", "env_type", "game", "id",
        "max_episode_steps", "name", "num_envs", "sources", "vector_kwargs", "vectorization_mode",
        "wrappers", *_keywords(make_game), *_keywords(GameEnv), *_keywords(VersusEnv),
    }
)  # fmt: skip
"""Arguments of environments and of ``make``, whose names no rules constructor can use."""


def register_game(
    name: str,
    rules: Rules | Game | Callable[..., Rules | Game],
    *,
    misere: bool | None = None,
    defaults: Mapping[str, Any] | None = None,
    replace: bool = False,
) -> None:
    """Register a game of your own, so that it can be made by name like those of the package.

    ``name`` is one for :func:`make_game`, for a sum of games, the command line and
    :func:`nim_envs.adapters.pgx.make_pgx`; ids of PettingZoo and Gymnasium are made from it, such
    as ``nim_envs/silver_dollar-v0`` and ``nim_envs/SilverDollar-v0``. An id holds what the workers
    of ``gymnasium.make_vec`` need, however they are started: the name ``module:function`` of a
    constructor, or the rules themselves.

    Args:
        name: words of lower-case letters and digits, joined by underscores.
        rules: rules; or a game, whose start is one position; or a function that returns one of
            them, whose arguments are then those of the environment. An argument ``misere`` of the
            function is told whether the player who makes the last move loses.
        misere: whether by default the player who makes the last move loses; ``None``: as the game
            or the function's own default says, and normal play of rules.
        defaults: arguments of the function, in place of its own defaults.
        replace: whether another game of your own that has the name is replaced.

    Warns:
        UserWarning: other processes can neither import the function nor copy the game, and so some
            of them will not know it: the function is a lambda, say, or stands in ``__main__``.

    Raises:
        InvalidGameError: no name, or one that is taken; nothing that can be registered; or an
            argument without a default, or one that environments have too.

    Example:
        >>> import pettingzoo
        >>> from nim_envs.rules import TableComponent
        >>> path = TableComponent(rows=((-1, -1), (0, -1), (1, 0), (2, 1)))
        >>> register_game("two_paths", Rules("two paths", (path, path), initial=(3, 2)))
        >>> make_game("two_paths").solution.is_winning((3, 2))
        True
        >>> pettingzoo.make("aec", "nim_envs/two_paths-v0", misere=True).game.summary
        'two paths, components 3-2, misère play'
    """
    checked_name(name)
    row, why = own_game(rules, misere, defaults or {}, RESERVED)
    _check_free(name, row, replace=checked_boolean("replace", replace))
    _forget(name)
    GAMES[name] = row
    _register_ids(name)
    _tell_sums()
    if why:
        warnings.warn(
            f"{name}: {why}. Workers that are started by fork know the game, and so do those of "
            "Gymnasium's AsyncVectorEnv and of joblib, which copy functions by value; others do "
            "not. A function at the top level of a module, or a Game, has no such limit",
            stacklevel=2,
        )


def _check_free(name: str, row: RegisteredGame, *, replace: bool) -> None:
    """Check that no other game has a name, or an id that is made from it."""
    before = GAMES.get(name)
    if before is not None and before.source is None:
        raise InvalidGameError(f"{name} is a game of this package: choose another name")
    if before is not None and not replace and not row.is_again(before):
        raise InvalidGameError(
            f"{name} is registered already, as {before.rules!r}: choose another name, or "
            "replace=True"
        )
    twin = next((other for other in GAMES if other != name and _camel(other) == _camel(name)), None)
    if twin is not None:
        raise InvalidGameError(
            f"{name} and {twin}, which is registered already, have the same id in Gymnasium, "
            f"{gymnasium_id(twin)}: choose another name"
        )


def _forget(name: str) -> None:
    """Remove a game of a user's own, if there is one, with its ids."""
    if name in GAMES:
        pettingzoo.aec_registry.pop(aec_id(name), None)
        gymnasium.registry.pop(gymnasium_id(name), None)
        del GAMES[name]
        _tell_sums()


def _tell_sums() -> None:
    """Let the ids of sums hold how other processes find the games of the user's own."""
    sources = {name: row.source.in_spec() for name, row in GAMES.items() if row.source is not None}
    for spec in (
        pettingzoo.aec_registry[aec_id("sum")], gymnasium.registry[gymnasium_id("sum")],
    ):  # fmt: skip
        spec.kwargs.pop("sources", None)
        if sources:
            spec.kwargs["sources"] = sources


def _names_used(name: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the name of a game and, of a sum, the names in its list."""
    yield name
    listed = arguments.get("games") if name == "sum" else None
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        for entry in listed:
            first = entry if isinstance(entry, str) else next(iter(entry), None)
            if isinstance(first, str):
                yield first


def _register_again(name: str, source: Source) -> None:
    """Register a game of a user's own in a process that was started by another."""
    game = source.found(name)
    if name not in GAMES:  # its module may register it
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            register_game(name, game, misere=source.misere, defaults=source.defaults)


def typed_game(text: str) -> str:
    """Return the name of a registered game for what a person has typed.

    Args:
        text: the name, or ``module:function``, whose module is imported: it runs code, so that no
            word out of a file may be passed.

    Raises:
        InvalidGameError: there is no such game.
    """
    if not isinstance(text, str) or text in GAMES or ":" not in text:
        _registered(text)
        return text
    module, _, function = split(text)
    if not hasattr(imported(module), function.partition(".")[0]) and function in GAMES:
        return function  # the module registers it
    row, _ = own_game(resolved(text), None, {}, RESERVED)
    for name, other in GAMES.items():
        if other.source is not None and row.is_again(other):
            return name
    GAMES[text] = row
    return text
