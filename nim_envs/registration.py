"""The table of registered games, and their ids in PettingZoo and Gymnasium."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from nim_envs.envs.aec import GameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidGameError, UnknownArgumentError
from nim_envs.game import Game, Registered
from nim_envs.names import unknown
from nim_envs.rules import (
    Convention,
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


@dataclass(frozen=True)
class RegisteredGame:
    """A registered game.

    Args:
        rules: the rules constructor; its keyword arguments are the environment's.
        misere: whether by default the player who makes the last move loses.
        defaults: default keyword arguments of the rules constructor.
        version: version of its ids; raised where a change of this game could change results.
    """

    rules: Callable[..., Rules]
    misere: bool
    defaults: Mapping[str, Any]
    version: int = 0


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
        row = _registered(name)
        parts.append(row.rules(**{**row.defaults, **arguments}))
    return sum_of(parts)


def _check_names(game: str, arguments: Mapping[str, Any], *others: str) -> None:
    """Check that the rules of a registered game take all ``arguments``, or ``others`` name them.

    Raises:
        InvalidGameError: an unknown game.
        UnknownArgumentError: an unknown argument; the message lists the known ones.
    """
    allowed = [*signature(_registered(game).rules).parameters, *others]
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
    if name not in GAMES:
        raise InvalidGameError(f"game must be one of {tuple(GAMES)}, not {name!r}")
    return GAMES[name]


GAMES: dict[str, RegisteredGame] = {
    "nim": RegisteredGame(nim, misere=False, defaults={"heaps": (3, 4, 5), "max_take": None}),
    "misere_nim": RegisteredGame(
        nim, misere=True, defaults={"heaps": (1, 3, 5, 7), "max_take": None}
    ),
    # Whoever makes the total exceed n made the last move and loses: misère play.
    "addition": RegisteredGame(addition, misere=True, defaults={"k": 3, "n": 10}),
    "subtraction": RegisteredGame(
        subtraction, misere=False, defaults={"heaps": (17,), "subtraction_set": (1, 2, 3)}
    ),
    "octal": RegisteredGame(octal, misere=False, defaults={"code": "0.77", "heaps": (6,)}),
    "kayles": RegisteredGame(kayles, misere=False, defaults={"heaps": (7,)}),
    "dawsons_kayles": RegisteredGame(dawsons_kayles, misere=False, defaults={"heaps": (10,)}),
    "dawsons_chess": RegisteredGame(dawsons_chess, misere=False, defaults={"heaps": (9,)}),
    "officers": RegisteredGame(officers, misere=False, defaults={"heaps": (9,)}),
    "grundy": RegisteredGame(grundy, misere=False, defaults={"heaps": (10,)}),
    "splitting": RegisteredGame(splitting, misere=False, defaults={"heaps": (7,)}),
    "laskers_nim": RegisteredGame(laskers_nim, misere=False, defaults={"heaps": (4, 2)}),
    "moores_nim": RegisteredGame(moores_nim, misere=False, defaults={"heaps": (3, 4, 5), "k": 2}),
    "fibonacci_nim": RegisteredGame(fibonacci_nim, misere=False, defaults={"heaps": (20,)}),
    "wythoff": RegisteredGame(wythoff, misere=False, defaults={"queens": ((9, 7),)}),
    "euclid": RegisteredGame(euclid, misere=False, defaults={"pairs": ((36, 13),)}),
    "chomp": RegisteredGame(chomp, misere=False, defaults={"rows": 4, "columns": 5}),
    "cram": RegisteredGame(cram, misere=False, defaults={"rows": 3, "columns": 4}),
    "node_kayles": RegisteredGame(
        node_kayles,
        misere=False,
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
        misere=False,
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
        misere=False,
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
    row = _registered(name)
    convention = Convention.from_misere(
        row.misere if misere is None else checked_boolean("misere", misere)
    )
    rules = row.rules(**{**row.defaults, **rules_arguments})
    arguments = {"misere": misere, "start": start, **rules_arguments}
    return Game(rules, convention, as_start(start), Registered(name, arguments))


def _keywords(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that a function or class takes by keyword alone."""
    return [
        parameter.name
        for parameter in signature(function).parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
    ]


def _made(environment: Callable[..., Any], name: str, arguments: dict[str, Any], *size: int) -> Any:
    """Return an environment of a registered game.

    Args:
        environment: its class; takes its own keyword arguments out of ``arguments``.
        name: a key of :data:`GAMES`.
        arguments: those of the class, of :func:`make_game` and of the rules.
        size: the number of games of a batch.
    """
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
    env: GameEnv = _made(GameEnv, game, arguments)
    return env


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
    env: VersusEnv = _made(VersusEnv, game, arguments)
    return env


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

    env: VectorGameEnv = _made(VectorGameEnv, game, arguments, num_envs)
    return env


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
    camel_case = "".join(word.capitalize() for word in name.split("_"))
    return f"{NAMESPACE}/{camel_case}-v{_registered(name).version}"


def register_all() -> None:
    """Register every game with both libraries; done once, when ``nim_envs`` is imported."""
    for name, row in GAMES.items():
        arguments = {"game": name, "misere": row.misere, **row.defaults}
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
