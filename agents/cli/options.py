"""Games, learners, players and pictures, from the arguments of the command line."""

import inspect
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent, Trainable
from agents.registry import LEARNERS, learner_class, new_learner
from agents.storage import load
from nim_envs import Game, GameEnv, make_game
from nim_envs.cli.options import (
    DIRECTORY,
    GAME_HELP,
    Decorator,
    game_and_settings,
    game_with_settings,
    max_cycles_option,
    search_here,
    together,
)
from nim_envs.cli.values import arguments_of, position
from nim_envs.errors import InvalidPolicyError
from nim_envs.optional import needed
from nim_envs.player_answers import NO_LEGAL_MOVE, checked_answer
from nim_envs.players import AnyPlayer, PlayerAdapter, position_after
from nim_envs.registry import NamedGame, resolved
from nim_envs.starts import NAMED_STARTS

PLAYER_HELP = (
    "random, optimal, epsilon=NUMBER, a file that train has written, or MODULE:NAME of any player, "
    "such as a function of observations and action masks that returns actions, or of one position "
    "that returns the position after its move"
)


def start_of(text: str) -> str | tuple[int, ...]:
    """Return a start, a name or a position; for click."""
    if text in NAMED_STARTS:
        return text
    try:
        return position(text)
    except click.BadParameter:
        names = ", ".join(NAMED_STARTS)
        raise click.BadParameter(
            f"{text!r} is none of {names}, nor a position such as 3,4,5"
        ) from None


def options_of_game(game: str, start: str) -> Decorator:
    """Return a decorator that adds the options that name a game."""
    return together(
        game_and_settings(f"{GAME_HELP} {game}"),
        click.option(
            "--start",
            type=start_of,
            metavar="START",
            help=f"Where games begin: {', '.join(NAMED_STARTS)}, or a position; by default "
            f"{start}.",
        ),
        max_cycles_option,
    )


game_options = options_of_game(
    "Needed unless a player is a file, whose game is then the default.",
    "fixed, or as saved with a learner",
)


def make_env(
    *players: str, game: NamedGame | None, settings: tuple[str, ...], start: Any, **limit: Any
) -> GameEnv:
    """Return an environment of the game named by the options, or learned by one of the players."""
    if game is not None:
        made = game_with_settings(game, settings, start or "fixed")
        return GameEnv(made, name=game.name, **limit)
    if settings:
        raise click.UsageError("--set needs --game; a file has the game that was learned")
    files = (player for player in players if Path(player).is_file())
    learned = next((load(file).game for file in files), None)
    if learned is None or learned.registered is None:
        why = f": {' or '.join(players)} is no file that train has written" if players else ""
        raise click.UsageError(f"which game? Add --game nim{why}")
    name, arguments = learned.registered
    if start is not None:
        arguments = {**arguments, "start": start}
    return GameEnv(make_game(name, **arguments), name=name, **limit)


def make_learner(name: str, settings: tuple[str, ...], env: GameEnv) -> Trainable:
    """Return a new learner for ``env``."""
    parameters = inspect.signature(learner_class(name)).parameters.values()
    defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
    if name in LEARNERS:
        defaults |= LEARNERS[name].arguments
    arguments = arguments_of(name, settings, defaults)
    try:
        return new_learner(name, env, **arguments)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"{' '.join([name, *settings])}: {error}") from error


def make_player(text: str, env: GameEnv, *, hurry: bool, greedy: bool = True) -> AnyPlayer:
    """Return the player that ``text`` names; a learner as it was saved, or its greedy policy."""
    if text == "random":
        return RandomAgent()
    if text == "optimal":
        return OptimalAgent(env.game, hurry=hurry)
    if text.startswith("epsilon="):
        try:
            return EpsilonOptimalAgent(env.game, float(text.removeprefix("epsilon=")), hurry=hurry)
        except ValueError as error:
            raise click.UsageError(f"epsilon must be a number from 0 to 1, not {text!r}") from error
    if Path(text).is_file():
        player = load(text, env.game)  # which refuses another game
        if player.game is None:
            given = env.game.summary
            raise click.UsageError(f"{text} has learned another game; the game given is {given}")
    elif ":" in text:
        player = imported_player(text, env.game)
    else:
        raise click.UsageError(f"{text!r} is no file; a player is {PLAYER_HELP}")
    return player.greedy() if greedy and isinstance(player, Trainable) else player


def imported_player(text: str, game: Game) -> AnyPlayer:
    """Return the player that ``MODULE:NAME`` is; errors of a function name it."""
    search_here()
    player: Any = resolved(text)
    try:
        PlayerAdapter(player, game)
    except TypeError as error:
        raise click.UsageError(f"{text}: {error}; a player is {PLAYER_HELP}") from error
    return with_named_errors(player, text) if inspect.isroutine(player) else player


def with_named_errors(player: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that plays as ``player``, and whose errors name it and the position."""

    @wraps(player)
    def named(*turn: Any) -> Any:
        of_position = len(turn) == 1
        try:
            if of_position:
                return position_after(player, turn[0])
            return checked_answer(player(*turn), turn[1].shape)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            positions = [turn[0]] if of_position else [tuple(each) for each in turn[0].tolist()]
            where = str(positions[0]) if len(positions) == 1 else f"{len(positions)} positions"
            if isinstance(error, KeyboardInterrupt):
                raise click.ClickException(f"stopped while {name} was asked at {where}") from None
            kind = "" if isinstance(error, InvalidPolicyError) else f"{type(error).__name__}: "
            raise click.UsageError(f"{name} at {where}: {kind}{error}") from error

    return named


def losing_by_errors(player: AnyPlayer, failures: list[str]) -> AnyPlayer:
    """Return a player whose errors are illegal moves, so that each loses one game alone."""
    if not inspect.isfunction(player):
        return player

    @wraps(player)
    def losing(*turn: Any) -> Any:
        try:
            return player(*turn)
        except click.UsageError as error:
            failures.append(str(error))
            return turn[0] if len(turn) == 1 else np.full(len(turn[0]), NO_LEGAL_MOVE)

    return losing


def names_of(text: str) -> list[str]:
    """Return ``MODULE:NAME`` of each function of a module, or else the name of one player.

    Functions that the module does not define, or that are named ``_…``, are left out.
    """
    named = text in ("random", "optimal") or Path(text).is_file()
    if named or not text.isidentifier() or find_spec(text) is None:
        return [text]
    return [
        f"{text}:{name}"
        for name, member in resolved(f"{text}:__dict__").items()
        if inspect.isfunction(member) and member.__module__ == text and name[0] != "_"
    ]


def plots_option(pictures: str) -> Decorator:
    """Return a decorator that adds the folder for pictures, which the help calls ``pictures``."""
    return click.option("--plots", type=DIRECTORY, help=f"Write {pictures} there, as PNG.")


def drawing() -> Any:
    """Return :mod:`agents.plots`, imported now."""
    return needed("agents.plots", "a picture", "all")


def write_pictures(figures: dict[str, Any], directory: Path, prefix: str = "") -> None:
    """Write each figure to a file of its name, and print the path."""
    from nim_envs.render.style import save_figure

    for name, figure in figures.items():
        path = directory / f"{prefix}{name}.png"
        save_figure(figure, path)
        click.echo(f"wrote {path}")
