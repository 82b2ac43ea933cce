"""Games by name: a row of the table, and checks of a game that a user registers."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, signature
from typing import Any, NamedTuple

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.references import reference_to, resolved
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.rules.validation import checked_boolean
from nim_envs.starts import FixedStart

NAME = re.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*")


class HeldGame(str):
    """A registered object in the arguments of an id: pickles and copies hold it, JSON its name.

    Args:
        game: rules, a game, or a constructor that cannot be imported.

    Attributes:
        game: as given.
    """

    game: Any

    def __new__(cls, game: Any) -> HeldGame:
        """Return the object by its name."""
        held = super().__new__(cls, getattr(game, "__qualname__", repr(game)))
        held.game = game
        return held

    def __reduce__(self) -> Any:
        """Return what pickles and copies make it of."""
        return HeldGame, (self.game,)


class Source(NamedTuple):
    """Data with which another process registers a game as this one did.

    Attributes:
        game: name ``module:function`` of the constructor; or the rules, the game or the constructor
            itself, which is copied there.
        misere: as in :class:`RegisteredGame`.
        defaults: likewise.
    """

    game: Any
    misere: bool | None
    defaults: dict[str, Any]

    def in_spec(self) -> Source:
        """Return the source as an argument of an id, which JSON can hold."""
        return self if isinstance(self.game, str) else self._replace(game=HeldGame(self.game))

    def found(self, name: str) -> Any:
        """Return the rules, the game or the constructor; its module is imported if need be.

        Args:
            name: name of the game, for the message.

        Raises:
            InvalidGameError: it is known in another process alone.
        """
        if isinstance(self.game, HeldGame):
            return self.game.game
        try:
            return resolved(self.game)
        except InvalidGameError as error:
            raise InvalidGameError(
                f"{name} is not registered in this process, and {self.game} cannot be imported: "
                "register it first, by nim_envs.register_game"
            ) from error


@dataclass(frozen=True)
class RegisteredGame:
    """A registered game.

    Args:
        rules: the rules constructor; its keyword arguments are the environment's.
        defaults: default keyword arguments of the rules constructor.
        misere: whether by default the player who makes the last move loses; ``None``: as the
            :class:`nim_envs.Game` says that the constructor returns, else normal play.
        version: version of its ids; raised where a change of this game could change results.
        source: how other processes find a game of a user's own; ``None``: it is of this package.
        takes_misere: whether the constructor has an argument ``misere``, and so is told.
    """

    rules: Callable[..., Rules | Game]
    defaults: Mapping[str, Any]
    misere: bool | None = False
    version: int = 0
    source: Source | None = None
    takes_misere: bool = False

    def made(self, name: str, arguments: Mapping[str, Any], misere: bool | None) -> Game:
        """Return the game, with the start of its rules, and its theorem in its own convention.

        Args:
            name: its name, for messages.
            arguments: of the rules constructor; they replace the defaults.
            misere: whether the player who makes the last move loses; ``None``: as registered.

        Raises:
            InvalidGameError: the constructor returns neither rules nor a game that begins at one
                position.
        """
        wanted = self.misere if misere is None else misere
        built = self._built(name, arguments, wanted)
        if isinstance(built, Rules):
            return Game(built, Convention.from_misere(bool(wanted)))
        convention = built.convention if wanted is None else Convention.from_misere(wanted)
        # A theorem says who wins under one convention.
        theorem = built.theorem if convention is built.convention else None
        return Game(rules_of(built), convention, theorem=theorem)

    def part(self, name: str, arguments: Mapping[str, Any]) -> Rules:
        """Return the rules alone, as a part of a sum, whose start need not have a move.

        Args:
            name: its name, for messages.
            arguments: of the rules constructor; they replace the defaults.

        Raises:
            InvalidGameError: as :meth:`made` does.
        """
        built = self._built(name, arguments, self.misere)
        return built if isinstance(built, Rules) else rules_of(built)

    def _built(self, name: str, arguments: Mapping[str, Any], misere: bool | None) -> Rules | Game:
        """Return the result of the constructor, checked."""
        told = {"misere": misere} if self.takes_misere else {}
        built = self.rules(**{**self.defaults, **arguments, **told})
        if not isinstance(built, (Rules, Game)):
            raise InvalidGameError(
                f"the constructor of {name} must return Rules or a Game, not {built!r}"
            )
        return built

    def is_again(self, other: RegisteredGame) -> bool:
        """Return whether this is another's function, perhaps defined again, or its rules."""
        if isinstance(self.rules, partial) or isinstance(other.rules, partial):
            return (
                self.source is not None
                and other.source is not None
                and bool(self.source.game == other.source.game)
            )
        names = [(rules.__module__, rules.__qualname__) for rules in (self.rules, other.rules)]
        return self.rules is other.rules or (names[0] == names[1] and "<" not in names[0][1])


def rules_of(game: Game) -> Rules:
    """Return the rules of a game, with its start as the initial position.

    Raises:
        InvalidGameError: it begins at more than one position.
    """
    if not isinstance(game.start, FixedStart):
        raise InvalidGameError(
            f"a registered game begins at one position, not at {game.start.summary}: other starts "
            "are an argument of make"
        )
    first = game.start.sampler(game).support()[0][0].tolist()
    return replace(game.rules, initial=tuple(first))


def checked_name(name: Any) -> str:
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


def own_game(
    game: Rules | Game | Callable[..., Rules | Game],
    misere: bool | None,
    defaults: Mapping[str, Any],
    reserved: Iterable[str],
) -> tuple[RegisteredGame, str]:
    """Return the row of a user's own game.

    Args:
        game: rules, a game, or a function that returns one of them.
        misere: as in :class:`RegisteredGame`.
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
    if isinstance(game, (Rules, Game)):
        if defaults:
            raise InvalidGameError(
                f"rules and games take no arguments, and defaults has {', '.join(defaults)}: "
                "register a function"
            )
        if isinstance(game, Game):
            rules_of(game)
        constructor: Callable[..., Rules | Game] = partial(_itself, game)
        source = Source(game, misere, {})
        return RegisteredGame(constructor, {}, misere, source=source), _why_no_pickle(game)
    if not callable(game):
        raise InvalidGameError(
            f"a game is registered as Rules, a Game, or a function that returns one, not {game!r}"
        )
    reference, why = reference_to(game)
    takes_misere = "misere" in signature(game).parameters
    if takes_misere and misere is not None:
        defaults = {**defaults, "misere": misere}
    all_defaults = _checked_defaults(game, defaults, reserved)
    if takes_misere:
        misere = checked_boolean("the default of misere", all_defaults.pop("misere"))
    source = Source(reference or game, misere, all_defaults)
    row = RegisteredGame(game, all_defaults, misere, source=source, takes_misere=takes_misere)
    return row, why


def _itself(game: Rules | Game) -> Rules | Game:
    return game


def _why_no_pickle(game: Rules | Game) -> str:
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
    found = {}
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
        found[name] = value
    return found
