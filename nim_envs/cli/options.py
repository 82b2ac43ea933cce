"""Options shared by several commands, and the conversion of their values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from nim_envs.cli.arguments import arguments_of
from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.game import Game
from nim_envs.names import not_among
from nim_envs.optional import installed
from nim_envs.registered_games import GAMES, NamedGame
from nim_envs.registration import game_from_name, resolve_game_name
from nim_envs.rules import heap_game

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

FILE = click.Path(dir_okay=False, path_type=Path)
DIRECTORY = click.Path(file_okay=False, path_type=Path)
"""Names of files and of directories."""


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


checkpoint_option = click.option(
    "--checkpoint", type=FILE,
    help="Save the values there as they are computed, or go on from those saved there.",
)  # fmt: skip


class GameName(click.Choice[Any]):
    """A registered game, or one of the person's own as ``module:function``."""

    def __init__(self) -> None:
        super().__init__(list(GAMES))

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> NamedGame:
        """Return the game by its name; a module is looked for in the current directory too."""
        if isinstance(value, NamedGame):
            return value
        if not isinstance(value, str) or (":" not in value and value not in GAMES):
            self.fail(not_among(value, GAMES), param, ctx)
        search_here()
        try:
            return resolve_game_name(value)
        except InvalidGameError as error:
            self.fail(str(error), param, ctx)


def search_here() -> None:
    """Let modules be imported from the current directory too."""
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


GAME_HELP = "A registered game, or one of your own as module:function."


def game_and_settings(help_text: str = GAME_HELP) -> Decorator:
    """Return the options ``--game`` and ``--set``."""
    return together(
        click.option("--game", type=GameName(), help=help_text),
        click.option(
            "--set", "settings", multiple=True, metavar="NAME=VALUE",
            help="Argument of the registered game, such as heaps=3,4,5 or misere=true; repeatable.",
        ),
    )  # fmt: skip


def as_game(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Return the heap game that ``value`` names; for click."""
    return None if value is None else heap_game(value)


game_argument = click.argument("game", callback=as_game)


def game_with_settings(named: NamedGame, settings: tuple[str, ...], start: Any = "fixed") -> Game:
    """Return a game with the arguments that ``settings`` name.

    Args:
        named: the game by its name.
        settings: words of the form ``NAME=VALUE``.
        start: as :func:`nim_envs.make_game` takes it.

    Raises:
        click.UsageError: a setting that the game does not have, or of another form.
        NimEnvsError: values that describe no game.
    """
    arguments = arguments_of(named.name, settings, {**named.defaults, "misere": False})
    try:
        return game_from_name(named, start=start, **arguments)
    except InvalidPositionError as error:
        raise click.UsageError(f"{error}{larger_board(named, settings, start)}") from error


def larger_board(named: NamedGame, settings: tuple[str, ...], position: Any) -> str:
    """Return how to name the board that has a position, for the end of a message.

    Args:
        named: the game by its name.
        settings: words of the form ``NAME=VALUE`` that made the board.
        position: a position that the board lacks, or the name of a start.

    Returns:
        Text that begins with a semicolon; empty where larger heaps would not help.
    """
    arguments = arguments_of(named.name, settings, {**named.defaults, "misere": False})
    heaps = {**named.defaults, **arguments}.get("heaps")
    if heaps is None or isinstance(position, str) or len(position) != len(heaps):
        return ""
    larger = [max(pair) for pair in zip(position, heaps, strict=True)]
    if min(position) < 0 or larger == list(heaps):
        return ""
    board, enough = (",".join(map(str, each)) for each in (heaps, larger))
    return f"; the board is {board}: for a larger one --set heaps={enough}"


def show_progress() -> bool:
    """Return whether a progress bar can be shown."""
    return installed("tqdm")
