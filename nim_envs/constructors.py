"""Constructors of named games: calls of them, and checks of those that a user registers."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from inspect import Parameter, signature
from typing import Any

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.references import reference_to
from nim_envs.registered_games import NamedGame, Source
from nim_envs.starts import FixedStart
from nim_envs.validation import checked_boolean

NAME = re.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*")


def construct_game(named: NamedGame, arguments: Mapping[str, Any], misere: bool | None) -> Game:
    """Return a named game, with the start of its rules, and its theorem in its own convention.

    Args:
        named: the game by its name.
        arguments: arguments of the constructor; they replace the defaults.
        misere: whether the player who makes the last move loses; ``None``: as ``named`` says.

    Raises:
        InvalidGameError: the constructor returns neither rules nor a game that begins at one
            position.
    """
    chosen = named.misere if misere is None else misere
    result = _at_one_start(_call(named, arguments, chosen))
    return result if chosen in (None, result.misere) else replace(result, misere=chosen)


def construct_part(named: NamedGame, arguments: Mapping[str, Any]) -> Game:
    """Return a named game, as a part of a sum, whose start need not have a move.

    Args:
        named: the game by its name.
        arguments: arguments of the constructor; they replace the defaults.

    Raises:
        InvalidGameError: as :func:`construct_game` does.
    """
    return _at_one_start(_call(named, arguments, named.misere))


def _call(named: NamedGame, arguments: Mapping[str, Any], misere: bool | None) -> Game:
    """Return the result of the constructor, checked."""
    convention = {"misere": misere} if named.takes_misere else {}
    result = named.constructor(**{**named.defaults, **arguments, **convention})
    if not isinstance(result, Game):
        raise InvalidGameError(
            f"the constructor of {named.name} must return a Game, not {result!r}"
        )
    return result


def _at_one_start(game: Game) -> Game:
    """Return a game that begins at its initial position.

    Raises:
        InvalidGameError: it begins at more than one position.
    """
    if not isinstance(game.starts, FixedStart):
        raise InvalidGameError(
            f"a registered game begins at one position, not at {game.starts.summary}: drop starts= "
            f"where it is made; other starts are named later, by start= of make or --start"
        )
    if game.starts.position is None:
        return game
    return replace(game, start=game.starts.position, starts=FixedStart())


def checked_game_name(name: Any) -> str:
    """Return the name of a game.

    Raises:
        InvalidGameError: it is none.
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidGameError(
            "the name of a game must be words of lower-case letters and digits, joined by single "
            f"underscores, such as 'wythoff' or 'silver_dollar', not {name!r}"
        )
    return name


def named_game(
    name: str,
    game: Game | Callable[..., Game],
    misere: bool | None,
    defaults: Mapping[str, Any],
    reserved: Iterable[str],
) -> tuple[NamedGame, str]:
    """Return a user's own game as a row of the table.

    Args:
        name: name of the game, not checked.
        game: a game, or a function that returns one.
        misere: as in :class:`nim_envs.registered_games.NamedGame`.
        defaults: arguments of the function; those that it has a default for may be left out.
        reserved: names that an argument cannot have.

    Returns:
        The row, and why its game cannot be imported by another process; empty if it can be.

    Raises:
        InvalidGameError: none of these, or its arguments cannot be those of an environment.
    """
    misere = None if misere is None else checked_boolean("misere", misere)
    if not isinstance(defaults, Mapping):
        raise InvalidGameError(f"defaults must be a dictionary of arguments, not {defaults!r}")
    if isinstance(game, Game):
        if defaults:
            raise InvalidGameError(
                f"games take no arguments, and defaults has {', '.join(defaults)}: "
                "register a function"
            )
        _at_one_start(game)  # a game must begin at one position
        source = Source(game, misere, {})
        row = NamedGame(name, partial(_itself, game), {}, misere, source=source)
        return row, _why_no_pickle(game)
    if not callable(game):
        raise InvalidGameError(
            f"a game is registered as a Game, or a function that returns one, not {game!r}"
        )
    reference, why = reference_to(game)
    takes_misere = "misere" in signature(game).parameters
    if takes_misere and misere is not None:
        defaults = {**defaults, "misere": misere}
    all_defaults = _checked_defaults(game, defaults, reserved)
    if takes_misere:
        misere = checked_boolean("the default of misere", all_defaults.pop("misere"))
    source = Source(reference or game, misere, all_defaults)
    row = NamedGame(name, game, all_defaults, misere, source=source, takes_misere=takes_misere)
    return row, why


def _itself(game: Game) -> Game:
    return game


def _why_no_pickle(game: Game) -> str:
    """Return why a game cannot be copied to another process; empty if it can be."""
    try:
        pickle.dumps(game)
    except Exception as error:  # a component of the user's own may raise anything
        return f"it cannot be pickled ({error})"
    return ""


def _checked_defaults(
    constructor: Callable[..., Any], defaults: Mapping[str, Any], reserved: Iterable[str]
) -> dict[str, Any]:
    """Return the default of every argument of a constructor.

    Raises:
        InvalidGameError: an argument has none, or a name that is taken, or is not passed by name.
    """
    parameters = signature(constructor).parameters
    by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    for name in defaults:
        if name not in parameters:
            raise InvalidGameError(
                f"defaults has {name!r}, and the constructor takes "
                f"{', '.join(parameters) or 'no arguments'}"
            )
    value_of = {}
    for name, parameter in parameters.items():
        if parameter.kind not in by_name:
            raise InvalidGameError(
                f"every argument of a constructor has a name of its own, and {parameter} has none"
            )
        if name in reserved and name != "misere":
            raise InvalidGameError(
                f"an argument of a constructor cannot be called {name!r}: environments have an "
                "argument of that name"
            )
        value = defaults.get(name, parameter.default)
        if value is Parameter.empty:
            raise InvalidGameError(
                f"the argument {name!r} of the constructor has no default: name one, "
                f"defaults={{{name!r}: …}}"
            )
        value_of[name] = value
    return value_of
