"""Options, errors and output shared by several commands."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import click
from tabulate import tabulate

from nim_envs import __version__
from nim_envs.cli.values import arguments_of
from nim_envs.errors import NimEnvsError
from nim_envs.game import Game
from nim_envs.games.octal_codes import heap_game
from nim_envs.registry import NamedGame, make_game, resolve_game_name

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

FILE = click.Path(dir_okay=False, path_type=Path)
DIRECTORY = click.Path(file_okay=False, path_type=Path)
"""Names of files and of directories."""

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Context settings of the command lines."""

LONGEST_WORD = 100
"""Most characters of an argument's value that are shown."""

STOPPED = 130
"""The exit code after Ctrl-C, as usual in a shell."""

version_option = click.version_option(__version__, message="nim_envs %(version)s")


@contextmanager
def errors_as_lines() -> Iterator[None]:
    """Turn errors of this package, of files named by the user, and Ctrl-C into lines of click's."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
        raise click.exceptions.Exit(STOPPED) from None
    except NimEnvsError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        if error.filename is None:
            raise
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error


def together(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options or arguments, in this order."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def seed_option(seeded: str | None = None, default: int | None = 0) -> Decorator:
    """Return the option that seeds a command; without a ``default`` the seed is random."""
    return click.option(
        "--seed", type=click.IntRange(min=0), default=default, show_default=True, help=seeded
    )


hurry_option = click.option(
    "--hurry",
    is_flag=True,
    help="Whether optimal players win as soon as they can, and where lost resist longest.",
)


max_cycles_option = click.option(
    "--max-cycles",
    type=click.IntRange(min=1),
    help="Moves of each player after which a game is truncated; needed where play may never end.",
)


def as_heap_game(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Return the game on heaps that ``value`` names; for click."""
    return None if value is None else heap_game(value)


game_argument = click.argument("game", callback=as_heap_game)


def as_game(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> NamedGame | None:
    """Return a registered game, or one in a module that can be imported from here; for click."""
    search_here()
    return None if value is None else resolve_game_name(value)


def search_here() -> None:
    """Let modules be imported from the current directory too."""
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


GAME_HELP = "A game that `python -m nim_envs games` lists, or one of your own as module:function."


def game_and_settings(help_text: str = GAME_HELP) -> Decorator:
    """Return the options ``--game`` and ``--set``."""
    return together(
        click.option("--game", metavar="GAME", callback=as_game, help=help_text),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="NAME=VALUE",
            help="Argument of the registered game, such as heaps=3,4,5 or misere=true; repeatable.",
        ),
    )


def game_with_settings(named: NamedGame, settings: Sequence[str], start: Any = "fixed") -> Game:
    """Return a game with the arguments that ``settings``, of the form ``NAME=VALUE``, name."""
    arguments = arguments_of(named.name, settings, {**named.defaults, "misere": False})
    return make_game(named, start=start, **arguments)


def as_word(value: Any) -> str:
    """Return an argument's value as ``--set`` takes it; a long one is cut.

    Example:
        >>> as_word((3, 4, 5)), as_word(None), as_word((("nim", {"heaps": (4,)}),))
        ('3,4,5', 'none', '[["nim", {"heaps": [4]}]]')
    """
    if value is None or isinstance(value, str):
        return value or "none"
    text = json.dumps(value)
    if value and isinstance(value, tuple) and not any(isinstance(x, (str, tuple)) for x in value):
        text = text[1:-1].replace(" ", "")
    return text if len(text) <= LONGEST_WORD else f"{text[: LONGEST_WORD // 2]} …"


def print_facts(**facts: Any) -> None:
    """Print facts with their names, whose underscores are spaces, but for those that are None."""
    rows = [(name.replace("_", " "), fact) for name, fact in facts.items() if fact is not None]
    click.echo(tabulate(rows, tablefmt="plain", disable_numparse=True))
