"""Making registered games and their environments by name, and registering a user's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar

from nim_envs.constructors import checked_game_name, construct_game, construct_part, named_game
from nim_envs.envs.turn_based import GameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidGameError, UnknownArgumentError
from nim_envs.game import Game, Registration, sum_of
from nim_envs.references import imported, resolved, split
from nim_envs.registered_games import GAMES as GAMES
from nim_envs.registered_games import NamedGame, add, registered, source_from_spec
from nim_envs.registered_games import aec_id as aec_id
from nim_envs.registered_games import gymnasium_id as gymnasium_id
from nim_envs.starts import checked_start
from nim_envs.validation import checked_boolean

if TYPE_CHECKING:
    from nim_envs.envs.vector import VectorGameEnv

Environment = TypeVar("Environment")


def sum_of_games(games: Sequence[tuple[str, Mapping[str, Any]]]) -> Game:
    """Return a sum of games: make a move in any one of several registered games.

    The sum ends when no game has a move left.

    Args:
        games: for each game its name in :data:`GAMES`, or a pair of name and rules arguments;
            omitted arguments have their registered defaults.

    Raises:
        InvalidGameError: an unknown name, or arguments that describe no game, or that its rules
            do not take.

    Example:
        >>> sum_of_games((("kayles", {"heaps": (3,)}), ("nim", {"heaps": (4,)}))).start
        (3, 0, 4)
    """
    if isinstance(games, (str, bytes)) or not isinstance(games, Sequence) or not games:
        raise InvalidGameError(
            f"games must be a list of pairs of a name and arguments, not {games!r}"
        )
    parts = []
    for entry in games:
        name, arguments = (entry, {}) if isinstance(entry, str) else _pair(entry)
        part = registered(name)
        _check_arguments(part, arguments)
        parts.append(construct_part(part, arguments))
    return sum_of(parts)


def _check_arguments(named: NamedGame, arguments: Mapping[str, Any], *others: str) -> None:
    """Check that the constructor of a game takes all ``arguments``, or ``others`` name them.

    Raises:
        UnknownArgumentError: an unknown argument; the message lists the known ones.
    """
    own = signature(named.constructor).parameters
    allowed = dict.fromkeys([*(name for name in own if name != "misere"), *others])
    for name in arguments:
        if name not in allowed:
            # Python's own wording, by which Gymnasium and TorchRL recognise what they added.
            raise UnknownArgumentError(
                f"{named.name} got an unexpected keyword argument {name!r}; it takes "
                f"{', '.join(allowed)}"
            )


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


def make_game(
    name: str, *, misere: bool | None = None, start: Any = "fixed", **rules_arguments: Any
) -> Game:
    """Return a registered game.

    Args:
        name: a key of :data:`GAMES`.
        misere: whether the player who makes the last move loses; ``None``: as registered.
        start: start of games: ``"fixed"``, the position that the rules name; ``"uniform"``, any
            position with a move; ``"n_position"`` or ``"p_position"``, any that the player to move
            wins or loses; ``"draw_position"``, any drawn one, where the game has draws;
            ``"balanced"``, one of these with equal probability; a position; a list of positions,
            in which repeats are weights; or a :class:`nim_envs.starts.Start`.
        rules_arguments: arguments of the rules constructor; they replace the registered defaults.

    Raises:
        InvalidGameError: an unknown name, or arguments that describe no game.
        UnknownArgumentError: an argument that the rules constructor does not take.
        InvalidPositionError: an unknown or impossible start.

    Example:
        >>> make_game("addition", k=3, n=10).solution.winning_actions((0,)).tolist()
        [1]
    """
    return game_from_name(registered(name), misere=misere, start=start, **rules_arguments)


def game_from_name(
    named: NamedGame, *, misere: bool | None = None, start: Any = "fixed", **rules_arguments: Any
) -> Game:
    """Return a game that need not be registered; arguments and errors are :func:`make_game`'s.

    Args:
        named: the game by its name, as :func:`resolve_game_name` returns it.
        misere: whether the player who makes the last move loses; ``None``: as ``named`` says.
        start: start of games.
        rules_arguments: arguments of the constructor; they replace the defaults.
    """
    _check_arguments(named, rules_arguments, *_keywords(make_game))
    checked = None if misere is None else checked_boolean("misere", misere)
    game = construct_game(named, rules_arguments, checked)
    arguments = {"misere": misere, "start": start, **rules_arguments}
    checked_start(start, game)
    return replaced(game, starts=start, registered=Registration(named.name, arguments))


def _keywords(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that a function or class takes by keyword alone."""
    return [
        parameter.name
        for parameter in signature(function).parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
    ]


def _environment(
    environment: Callable[..., Environment], name: str, arguments: dict[str, Any], *size: int
) -> Environment:
    """Return an environment of a registered game.

    Args:
        environment: its class; takes its own keyword arguments out of ``arguments``.
        name: a key of :data:`GAMES`.
        arguments: arguments of the class, of :func:`make_game` and of the rules; and, in ids of
            games of a user's own, ``sources``, by which another process finds them.
        size: the number of games of a batch.
    """
    sources = arguments.pop("sources", {})
    for used in _names_used(name, arguments):
        if used in sources and used not in GAMES:
            _register_again(used, sources[used])
    named = registered(name)
    own = [keyword for keyword in _keywords(environment) if keyword != "name"]
    _check_arguments(named, arguments, *_keywords(make_game), *own)
    of_class = {keyword: arguments.pop(keyword) for keyword in own if keyword in arguments}
    game = game_from_name(named, **arguments)
    return environment(game, *size, name=f"{name}_v{named.version}", **of_class)


def make_aec(game: str, **arguments: Any) -> GameEnv:
    """Return the turn-based environment of a registered game; the entry point of every id.

    Args:
        game: a key of :data:`GAMES`.
        arguments: arguments of :class:`nim_envs.envs.turn_based.GameEnv`, :func:`make_game` and the rules.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an argument that none of them takes.
        InvalidPositionError: an unknown or impossible start.
    """
    return _environment(GameEnv, game, arguments)


def make_versus(game: str, **arguments: Any) -> VersusEnv:
    """Return the Gymnasium environment of a registered game; the entry point of every id.

    Args:
        game: a key of :data:`GAMES`.
        arguments: arguments of :class:`nim_envs.envs.versus.VersusEnv`, :func:`make_game` and the
            rules.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an argument that none of them takes.
        InvalidPositionError: an unknown or impossible start.
        SearchTooLargeError: the game is too large.
    """
    return _environment(VersusEnv, game, arguments)


def make_vector(game: str, num_envs: int = 1, **arguments: Any) -> VectorGameEnv:
    """Return the batched environment of a registered game; the vector entry point of every id.

    Args:
        game: a key of :data:`GAMES`.
        num_envs: number of games.
        arguments: arguments of :class:`nim_envs.envs.vector.VectorGameEnv`, :func:`make_game` and
            the rules.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an argument that none of them takes.
        InvalidPositionError: an unknown or impossible start.
        SearchTooLargeError: the game is too large for tables.
    """
    # It imports Numba, which takes seconds; importing the package should be fast.
    from nim_envs.envs.vector import VectorGameEnv

    return _environment(VectorGameEnv, game, arguments, num_envs)


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
    game: Game | Callable[..., Game],
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
    constructor, or the game itself.

    Args:
        name: words of lower-case letters and digits, joined by underscores.
        game: a game that begins at one position; or a function that returns one, whose arguments
            are then those of the environment. An argument ``misere`` of the function receives
            whether the player who makes the last move loses.
        misere: whether by default the player who makes the last move loses; ``None``: as the game
            or the function's own default says.
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
        >>> from nim_envs import game_from_moves
        >>> def steps(position):
        ...     (left,) = position
        ...     return [(taken, (left - taken,)) for taken in (1, 3) if taken <= left]
        >>> register_game("stairs", game_from_moves("stairs", (4,), steps))
        >>> make_game("stairs").solution.is_winning((4,))
        False
        >>> pettingzoo.make("aec", "nim_envs/stairs-v0", misere=True).game.summary
        'stairs, stairs 4, misère play'
    """
    checked_game_name(name)
    row, why = named_game(name, game, misere, defaults or {}, RESERVED)
    _check_free(row, replace=checked_boolean("replace", replace))
    add(row)
    if why:
        warnings.warn(
            f"{name}: {why}. Workers that are started by fork know the game, and so do those of "
            "Gymnasium's AsyncVectorEnv and of joblib, which copy functions by value; others do "
            "not. A function at the top level of a module, or a Game, has no such limit",
            stacklevel=2,
        )


def _check_free(game: NamedGame, *, replace: bool) -> None:
    """Check that no other game has the name of a game, or an id that is made from it."""
    name = game.name
    before = GAMES.get(name)
    if before is not None and before.source is None:
        raise InvalidGameError(f"{name} is a game of this package: choose another name")
    if before is not None and not replace and not game.is_same_game(before):
        raise InvalidGameError(
            f"{name} is registered already, as {before.constructor!r}: choose another name, or "
            "replace=True"
        )
    for other in GAMES.values():
        if other.name != name and other.gymnasium_id == game.gymnasium_id:
            raise InvalidGameError(
                f"{name} and {other.name}, which is registered already, have the same id in "
                f"Gymnasium, {game.gymnasium_id}: choose another name"
            )


def _names_used(name: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the name of a game and, of a sum, the names in its list."""
    yield name
    listed = arguments.get("games") if name == "sum" else None
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        for entry in listed:
            first = entry if isinstance(entry, str) else next(iter(entry), None)
            if isinstance(first, str):
                yield first


def _register_again(name: str, entry: Any) -> None:
    """Register a game of a user's own in a process that was started by another.

    Args:
        name: name of the game.
        entry: its source, out of the arguments of an id.
    """
    source = source_from_spec(name, entry)
    if name not in GAMES:  # its module may register it
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            register_game(name, source.game, misere=source.misere, defaults=source.defaults)


def resolve_game_name(text: str) -> NamedGame:
    """Return the game that a person has typed; nothing is registered.

    Args:
        text: a registered name; or ``module:function``, whose module is imported: it runs code, so
            that no word out of a file may be passed.

    Returns:
        The registered game, if this is one; else a game whose name is ``text``.

    Raises:
        InvalidGameError: there is no such game.
    """
    if not isinstance(text, str) or text in GAMES or ":" not in text:
        return registered(text)
    module, _, function = split(text)
    if not hasattr(imported(module), function.partition(".")[0]) and function in GAMES:
        return GAMES[function]  # the module registers it
    typed, _ = named_game(text, resolved(text), None, {}, RESERVED)
    own = (game for game in GAMES.values() if game.source is not None)
    return next((game for game in own if typed.is_same_game(game)), typed)
