"""The registered games: one table, their ids in PettingZoo and Gymnasium, and games by name.

What makes games is imported by functions, so that importing this module imports no game.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from difflib import get_close_matches
from functools import cached_property
from inspect import Parameter, signature
from pathlib import PurePath
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

import gymnasium
import pettingzoo

from nim_envs.errors import InvalidGameError, UnknownArgumentError

if TYPE_CHECKING:
    from nim_envs.envs.batched import VectorGameEnv
    from nim_envs.envs.turn_based import GameEnv
    from nim_envs.envs.versus import VersusEnv
    from nim_envs.game import Game

Env = TypeVar("Env")

NAME = re.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*")

OF_GAMES = ("misere", "start")
"""Arguments of :func:`make_game`, for every game."""

OF_MAKE = (
    "autoreset_mode", "copy", "disable_env_checker", "env_type", "game", "id", "max_episode_steps",
    "module", "num_envs", "vector_kwargs", "vectorization_mode", "wrappers",
)  # fmt: skip
"""Arguments of ids and of the libraries' ``make``."""


@dataclass(frozen=True)
class NamedGame:
    """A game by its name: a constructor, and its default arguments.

    Args:
        name: the name in :data:`GAMES`; of one that is not registered, ``module:function``.
        entry_point: the constructor, a function that returns a game, or its name
            ``module:function``, of a game of this package; or a user's own game.
        defaults: default keyword arguments of the constructor; they are the environment's, too.
        misere: whether by default the player who makes the last move loses; ``None``: as the
            constructor says.
        module: module that registers a user's own game, where other processes can import it.
    """

    name: str
    entry_point: Any
    defaults: Mapping[str, Any]
    misere: bool | None = False
    module: str | None = None

    @cached_property
    def constructor(self) -> Callable[..., Game]:
        """The constructor, imported on first access."""
        entry: Any = self.entry_point
        if isinstance(entry, str):
            entry = resolve_name(entry)
        return entry if callable(entry) else lambda: entry

    @property
    def aec_id(self) -> str:
        """Its id in PettingZoo."""
        return f"nim_envs/{self.name}-v0"

    @property
    def gymnasium_id(self) -> str:
        """Its id in Gymnasium, in camel case."""
        return f"nim_envs/{''.join(map(str.capitalize, self.name.split('_')))}-v0"

    def check(self, arguments: Iterable[str], *others: str) -> None:
        """Raise ``UnknownArgumentError`` if neither the constructor nor ``others`` have one."""
        own = [each for each in signature(self.constructor).parameters if each not in OF_GAMES]
        for name in arguments:
            if name not in (*own, *others):
                # Python's own wording, by which Gymnasium and TorchRL recognise what they added.
                raise UnknownArgumentError(
                    f"{self.name} got an unexpected keyword argument {name!r}; it takes "
                    f"{', '.join([*own, *others])}"
                )

    def game(self, arguments: Mapping[str, Any], misere: bool | None = None) -> Game:
        """Return the game at the one position where its rules begin; errors as of `make_game`."""
        from nim_envs.game import Game
        from nim_envs.starts import FixedStart

        chosen = self.misere if misere is None else misere
        given = {**self.defaults, **arguments}
        if chosen is not None and "misere" in signature(self.constructor).parameters:
            given["misere"] = chosen
        game: Any = self.constructor(**given)
        if not isinstance(game, Game) or not isinstance(game.starts, FixedStart):
            raise InvalidGameError(
                f"the constructor of {self.name} must return a Game that begins at one position, "
                f"without starts=, not {game!r}"
            )
        start = game.start if game.starts.position is None else game.starts.position
        # A constructor that takes it may have made an outcome of it.
        last_loses = game.misere if chosen is None or "misere" in given else chosen
        return replaced(game, start=start, starts=FixedStart(), misere=last_loses)


def _of_package(name: str, misere: bool = False, /, **defaults: Any) -> NamedGame:
    entry_points = {"misere_nim": "nim_envs.games:nim", "sum": "nim_envs.registry:sum_of_games"}
    return NamedGame(name, entry_points.get(name, f"nim_envs.games:{name}"), defaults, misere)


_ROWS = (
    _of_package("nim", heaps=(3, 4, 5), max_take=None),
    _of_package("misere_nim", True, heaps=(1, 3, 5, 7), max_take=None),
    # Whoever makes the total exceed n made the last move and loses: misère play.
    _of_package("addition", True, k=3, n=10),
    _of_package("subtraction", heaps=(17,), subtraction_set=(1, 2, 3)),
    _of_package("octal", code="0.77", heaps=(6,)),
    _of_package("kayles", heaps=(7,)),
    _of_package("dawsons_kayles", heaps=(10,)),
    _of_package("dawsons_chess", heaps=(9,)),
    _of_package("officers", heaps=(9,)),
    _of_package("grundy", heaps=(10,)),
    _of_package("splitting", heaps=(7,)),
    _of_package("laskers_nim", heaps=(4, 2)),
    _of_package("moores_nim", heaps=(3, 4, 5), k=2),
    _of_package("fibonacci_nim", heaps=(20,)),
    _of_package("wythoff", queens=((9, 7),)),
    _of_package("euclid", pairs=((36, 13),)),
    _of_package("chomp", rows=4, columns=5),
    _of_package("cram", rows=3, columns=4),
    # Petersen's graph: a pentagon, a pentagram in it, and five edges between them.
    _of_package(
        "node_kayles",
        nodes=10,
        edges=tuple(
            edge
            for i in range(5)
            for edge in ((i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5))
        ),
    ),
    # Twelve nodes, with edges from each to the one before it, its half and its fifth.
    _of_package(
        "graph",
        successors=((), *(tuple(sorted({i - 1, i // 2, i // 5})) for i in range(1, 12))),
        tokens=(11, 10),
    ),
    _of_package(
        "sum",
        games=(("kayles", {"heaps": (5,)}), ("nim", {"heaps": (4,)}), ("graph", {"tokens": (9,)})),
    ),
)

GAMES: dict[str, NamedGame] = {row.name: row for row in _ROWS}
"""The registered games by name; adding a game is adding a row."""


def registered(name: str | NamedGame) -> NamedGame:
    """Return the registered game ``name``; one that is a :class:`NamedGame` already, as it is."""
    if isinstance(name, NamedGame):
        return name
    if not isinstance(name, str) or name not in GAMES:
        meant = get_close_matches(str(name), GAMES, n=1)
        guess = f" (did you mean {meant[0]!r}?)" if meant else ""
        raise InvalidGameError(
            f"there is no {name!r}{guess}; the games are {', '.join(GAMES)}; a game of your own is "
            "registered first, by nim_envs.register_game, in a module that every process imports; "
            "a command takes its function as MODULE:FUNCTION, too"
        )
    return GAMES[name]


def register_ids(games: Iterable[NamedGame]) -> None:
    """Register the ids of games with both libraries."""
    for game in games:
        arguments = {"game": game.name, "misere": game.misere, **game.defaults}
        if game.module is not None:
            arguments["module"] = game.module
        here = "nim_envs.registry"
        pettingzoo.register("aec", game.aec_id, f"{here}:make_aec", kwargs=arguments)
        gymnasium.register(
            game.gymnasium_id,
            f"{here}:make_versus",
            vector_entry_point=f"{here}:make_vector",
            kwargs=arguments,
        )


def remove(name: str) -> None:
    """Remove a game of a user's own, if there is one, with its ids."""
    if game := GAMES.pop(name, None):
        pettingzoo.aec_registry.pop(game.aec_id, None)
        gymnasium.registry.pop(game.gymnasium_id, None)


def sum_of_games(games: Sequence[tuple[str, Mapping[str, Any]]]) -> Game:
    """Return a sum of games: make a move in any one of several registered games.

    The sum ends when no game has a move left.

    Args:
        games: for each game its name in :data:`GAMES`, or a pair of name and arguments; omitted
            arguments have their registered defaults.

    Raises:
        InvalidGameError: an unknown name, or arguments that describe no game.

    Example:
        >>> sum_of_games((("kayles", {"heaps": (3,)}), ("nim", {"heaps": (4,)}))).start
        (3, 0, 4)
    """
    from nim_envs.game import sum_of

    try:
        pairs = [(each, {}) if isinstance(each, str) else (each[0], {**each[1]}) for each in games]
    except (TypeError, LookupError):
        pairs = []
    if not pairs or isinstance(games, str):
        raise InvalidGameError(
            f"games must be a list of names, or of pairs of a name and arguments, not {games!r}"
        )
    for name, arguments in pairs:
        registered(name).check(arguments)
    return sum_of([registered(name).game(arguments) for name, arguments in pairs])


def make_game(
    name: str | NamedGame, *, misere: bool | None = None, start: Any = "fixed", **arguments: Any
) -> Game:
    """Return a registered game.

    Args:
        name: a key of :data:`GAMES`; or a game by its name that need not be registered.
        misere: whether the player who makes the last move loses; ``None``: as registered.
        start: start of games: ``"fixed"``, the position that the rules name; ``"uniform"``, any
            position with a move; ``"n_position"`` or ``"p_position"``, any that the player to move
            wins or loses; ``"draw_position"``, any drawn one, where the game has draws;
            ``"balanced"``, one of these with equal probability; a position; a list of positions,
            in which repeats are weights; or a :class:`nim_envs.starts.Start`.
        arguments: arguments of the game's constructor; they replace the registered defaults.

    Raises:
        InvalidGameError: an unknown name, or arguments that describe no game.
        UnknownArgumentError: an argument that the constructor does not take.
        InvalidPositionError: an unknown or impossible start.

    Example:
        >>> make_game("addition", k=3, n=10).solution.winning_actions((0,)).tolist()
        [1]
    """
    from nim_envs.game import Registration
    from nim_envs.starts import checked_start

    named = registered(name)
    named.check(arguments, *OF_GAMES)
    game = named.game(arguments, misere)
    registration = Registration(named.name, {"misere": misere, "start": start, **arguments})
    made = replaced(game, starts=checked_start(start, game), registered=registration)
    vars(made)["board"] = game.board  # of the same parts
    return made


def _keywords(environment: Callable[..., Any]) -> list[str]:
    """Return the arguments of an environment that it alone takes, by keyword."""
    parameters = signature(environment).parameters.values()
    names = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    return [name for name in names if name not in ("name", *OF_GAMES)]


def _make(environment: Callable[..., Env], game: str, arguments: dict[str, Any], *size: int) -> Env:
    """Return an environment, of the class ``environment``, of a registered game."""
    module = arguments.pop("module", None)
    if module is not None and module not in sys.modules:
        importlib.import_module(module)
    named, own = registered(game), _keywords(environment)
    named.check(arguments, *OF_GAMES, *own)
    of_class = {each: arguments.pop(each) for each in own if each in arguments}
    made = make_game(named, **arguments)
    return environment(made, *size, name=f"{named.name}_v0", **of_class)


def make_aec(game: str, **arguments: Any) -> GameEnv:
    """Return the turn-based environment of a registered game; the entry point of its id.

    Args:
        game: a key of :data:`GAMES`.
        arguments: those of :class:`nim_envs.envs.turn_based.GameEnv`, :func:`make_game` and the
            game; and ``module``, a module to import first, which registers a game of your own.
    """
    from nim_envs.envs.turn_based import GameEnv

    return _make(GameEnv, game, arguments)


def make_versus(game: str, **arguments: Any) -> VersusEnv:
    """Return the :class:`nim_envs.envs.versus.VersusEnv` of a game as :func:`make_aec` does."""
    from nim_envs.envs.versus import VersusEnv

    return _make(VersusEnv, game, arguments)


def make_vector(game: str, num_envs: int = 1, **arguments: Any) -> VectorGameEnv:
    """Return the :class:`nim_envs.envs.batched.VectorGameEnv` of a game, as :func:`make_aec`."""
    from nim_envs.envs.batched import VectorGameEnv

    return _make(VectorGameEnv, game, arguments, num_envs)


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
    as ``nim_envs/silver_dollar-v0`` and ``nim_envs/SilverDollar-v0``. Call it at the top level of a
    module: ids name this module, and the workers of ``gymnasium.make_vec`` import it, as
    ``gymnasium.make("my_module:nim_envs/SilverDollar-v0")`` does.

    Args:
        name: words of lower-case letters and digits, joined by underscores.
        game: a game that begins at one position; or a function that returns one, whose arguments
            are then those of the environment. An argument ``misere`` of the function receives
            whether the player who makes the last move loses.
        misere: whether by default the player who makes the last move loses; ``None``: as the game
            or the function's own default says.
        defaults: arguments of the function, in place of its own defaults.
        replace: whether a game that another module has registered is replaced; a module may
            register its own again.

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
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidGameError(
            "the name of a game must be words of lower-case letters and digits, joined by single "
            f"underscores, such as 'wythoff' or 'silver_dollar', not {name!r}"
        )
    module = sys._getframe(1).f_globals.get("__name__")
    if module not in sys.modules or module in ("__main__", "__mp_main__"):
        module = None  # in another process this name means another module
    own = _own_game(name, game, misere, defaults or {}, module)
    for other in GAMES.values():
        if other.gymnasium_id != own.gymnasium_id:
            continue
        of_package = isinstance(other.entry_point, str)
        may_go = other.name == name and not of_package
        if not (may_go and (replace or other.module == module)):
            by = "this package" if of_package else f"module {other.module}"
            raise InvalidGameError(
                f"the id {own.gymnasium_id} is that of {other.name}, a game of {by}: choose "
                f"another name{', or replace=True' if may_go else ''}"
            )
    remove(name)
    GAMES[name] = own
    register_ids([own])


def _own_game(
    name: str, game: Any, misere: bool | None, defaults: Mapping[str, Any], module: str | None
) -> NamedGame:
    """Return a user's own game as a row of the table; errors are :func:`register_game`'s."""
    from nim_envs.envs.turn_based import GameEnv
    from nim_envs.envs.versus import VersusEnv
    from nim_envs.game import Game
    from nim_envs.validation import checked_boolean

    row = NamedGame(name, game, {}, misere, module)
    if isinstance(game, Game):
        row.game({})  # it must begin at one position
    elif not callable(game):
        raise InvalidGameError(
            f"a game is registered as a Game, or a function that returns one, not {game!r}"
        )
    row.check(defaults)
    parameters = signature(row.constructor).parameters
    given = {key: defaults.get(key, each.default) for key, each in parameters.items()}
    default = given.pop("misere", None)
    misere = default if misere is None else misere
    taken = {"start", *OF_MAKE, "name", *_keywords(GameEnv), *_keywords(VersusEnv)}
    for key, value in {**given, "misere": misere}.items():
        if value is Parameter.empty:
            raise InvalidGameError(
                f"{name} must be a function that returns a game, and whose arguments have defaults "
                f"there or in defaults=; {key!r} has none"
            )
        if key in taken:
            raise InvalidGameError(
                f"the arguments of {name} must have names that environments do not have, not "
                f"{key!r}"
            )
    if misere is not None:
        checked_boolean("misere", misere)
    return replaced(row, defaults=given, misere=misere)


def resolved(reference: str) -> Any:
    """Return the object named ``module:function``; the module is imported, which runs its code.

    ``reference`` is typed or registered by a person, and **never** a word out of a file.
    """
    module, _, name = reference.partition(":")
    if not name:
        raise InvalidGameError(
            f"expected a name such as package.module:function, not {reference!r}"
        )
    if module.endswith(".py"):
        importable = ".".join(PurePath(module).with_suffix("").parts)
        raise InvalidGameError(
            f"a module is named without .py: {importable}:{name}, not {reference!r}"
        )
    try:
        return resolve_name(reference)
    except Exception as error:
        raise InvalidGameError(
            f"{reference!r} cannot be imported as package.module:function: "
            f"{type(error).__name__}: {error}"
        ) from error


def resolve_game_name(text: str) -> NamedGame:
    """Return the game that a person has typed; nothing is registered but by its module.

    ``text`` is a registered name; or ``module:function``, or ``module:name`` of a game that the
    module registers: it is imported, so that no word out of a file may be passed.
    """
    if text in GAMES or ":" not in text:
        return registered(text)
    module, _, name = text.partition(":")
    resolved(f"{module}:__name__")
    if name in GAMES and GAMES[name].module == module:
        return GAMES[name]
    entry = resolved(text)
    known = (game for game in GAMES.values() if game.entry_point is entry)
    return next(known, None) or _own_game(text, entry, None, {}, None)
