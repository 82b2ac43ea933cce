"""Games, learners and players, from the arguments of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from agents import Agent, EpsilonOptimalAgent, OptimalAgent, RandomAgent, Trainable
from agents.games import same_game
from agents.registry import LEARNERS, learner_class, new_learner
from agents.restoring.errors import UnregisteredGameError
from agents.storage import load
from nim_envs import Game, GameEnv, make_game
from nim_envs.cli.arguments import arguments_of, integers, settings_of, value_of
from nim_envs.cli.options import GAME_HELP, game_and_settings, game_with_settings, together
from nim_envs.cli.running import using
from nim_envs.errors import StorageError
from nim_envs.registered_games import NamedGame
from nim_envs.registration import game_from_name, resolve_game_name
from nim_envs.starts import ALL_NAMED_STARTS

Read = TypeVar("Read")

NAMED_PLAYERS = ("random", "optimal")
PLAYER_HELP = "random, optimal, epsilon=NUMBER, or a file that train has written"


game_options = together(
    game_and_settings(
        f"{GAME_HELP} Needed unless a player is a file, whose game is then the default."
    ),
    click.option(
        "--start",
        help=f"Where games begin: {', '.join(ALL_NAMED_STARTS)}, or a position; by default "
        "fixed, or as saved with a learner.",
    ),
)  # fmt: skip
"""Decorator that adds the options that name a game."""


def make_env(
    game: NamedGame | None, settings: tuple[str, ...], start: str | None, *players: str
) -> GameEnv:
    """Return an environment of the game named by the options, or learned by one of the players.

    Args:
        game: the game by its name; ``None``: the game of the first player loaded from a file.
        settings: arguments of the game, of the form ``NAME=VALUE``.
        start: start of the games; ``None``: as saved in the file, or fixed.
        players: names or files of the players; see :func:`make_agent`.

    Raises:
        click.UsageError: neither an option nor a player names the game.
    """
    if game is not None:
        return GameEnv(game_with_settings(game, settings, start_of(start)), name=game.name)
    if settings:
        raise click.UsageError(f"--set {settings[0]} says something of a game: add --game")
    for learned in (saved_learner(text).game for text in players if Path(text).is_file()):
        if isinstance(learned, Game) and learned.registered is not None:
            name, arguments = learned.registered
            if start is not None:
                arguments = {**arguments, "start": start_of(start)}
            return GameEnv(make_game(name, **arguments), name=name)
    for text in players:
        if (
            text not in NAMED_PLAYERS
            and not text.startswith("epsilon=")
            and not Path(text).is_file()
        ):
            what = "is a directory" if Path(text).is_dir() else "does not exist"
            raise click.UsageError(f"{text!r} {what}; a player is {PLAYER_HELP}")
    other = "name a file that train wrote" if players else "another one"
    raise click.UsageError(f"which game? Add --game nim, or {other}")


def start_of(text: str | None) -> str | tuple[int, ...]:
    """Return the start given by ``text``, a name or a position; ``"fixed"`` for ``None``.

    Raises:
        click.UsageError: ``text`` is neither.
    """
    if text is None or text in ALL_NAMED_STARTS:
        return text or "fixed"
    try:
        return integers(text)
    except click.UsageError:
        raise click.UsageError(
            f"a start is one of {', '.join(ALL_NAMED_STARTS)}, or a position as integers separated "
            f"by commas, not {text!r}"
        ) from None


def learner_defaults(name: str) -> dict[str, Any]:
    """Return the arguments of a learner that can be set, with their defaults.

    Args:
        name: a key of :data:`agents.registry.LEARNERS` or :data:`agents.registry.GENERALISING`.
    """
    defaults = {
        argument.name: argument.default
        for argument in signature(learner_class(name)).parameters.values()
        if argument.default is not argument.empty
    }
    return {**defaults, **(LEARNERS[name].arguments if name in LEARNERS else {})}


def make_learner(name: str, settings: tuple[str, ...], env: GameEnv) -> Trainable:
    """Return a new learner for ``env``.

    Args:
        name: a key of :data:`agents.registry.LEARNERS` or :data:`agents.registry.GENERALISING`.
        settings: its arguments, of the form ``NAME=VALUE``.
        env: environment in which it will learn.

    Raises:
        click.UsageError: the learner does not take these arguments, or the game is too large.
    """
    arguments = arguments_of(name, settings, learner_defaults(name))
    # Without arguments only the game can be wrong, for example too large.
    refused = (TypeError, ValueError) if settings else ValueError
    try:
        return new_learner(name, env, **arguments)
    except refused as error:
        raise click.UsageError(f"{' '.join([name, *settings])}: {error}") from error


def make_player(text: str, env: GameEnv) -> Agent:
    """Return the player that ``text`` names, ready to play ``env``; a learner plays greedily."""
    agent = make_agent(text, env)
    return agent.greedy() if isinstance(agent, Trainable) else agent


def make_agent(text: str, env: GameEnv) -> Agent:
    """Return the player that ``text`` names; a learner is returned as it was saved."""
    if text == "random":
        return RandomAgent()
    if text == "optimal":
        return OptimalAgent(env.game)
    if text.startswith("epsilon="):
        epsilon = value_of(text.removeprefix("epsilon="))
        if not (isinstance(epsilon, (int, float)) and 0 <= epsilon <= 1):
            raise click.UsageError(f"epsilon must be a number from 0 to 1, not {epsilon!r}")
        return EpsilonOptimalAgent(env.game, epsilon)
    if not text or not Path(text).exists():
        raise click.UsageError(f"{text!r} does not exist; a player is {PLAYER_HELP}")
    learner = saved_learner(text, env.game)
    learned = learner.game
    if not (learner.fits(env.game) if learned is None else same_game(learned, env.game)):
        theirs = "another game" if learned is None else learned.summary
        raise click.UsageError(f"{text} has learned {theirs}; the game given is {env.game.summary}")
    return cast(Trainable, learner)


def saved_learner(text: str, game: Game | None = None) -> Any:
    """Return the learner in the file ``text``.

    Args:
        text: the file.
        game: game of a learner whose file names none, where it is needed.

    Raises:
        click.UsageError: its game is one of a person's own that is not registered here; the message
            names the option that does.
    """
    typed = None
    if game is not None and game.registered is not None:
        typed = resolve_game_name(game.registered.name)
    with using(Path(text)):
        try:
            return with_typed_game(typed, lambda known: load(text, known))
        except StorageError as error:
            unknown = error.__cause__
            if not isinstance(unknown, UnregisteredGameError):
                raise
            if unknown.name is None and game is not None:
                return load(text, game)
            raise click.UsageError(_wanted_game(text, unknown)) from error


def with_typed_game(typed: NamedGame | None, read: Callable[[Game | None], Read]) -> Read:
    """Return the contents of a file whose game may be the one that a person has typed.

    Args:
        typed: the game that was typed, if any; no name out of the file is resolved.
        read: reads the file, with its game if that is not registered.

    Raises:
        StorageError: as ``read`` does; or the file is of another game that is not registered.
    """
    try:
        return read(None)
    except StorageError as error:
        unknown = error.__cause__
        if not isinstance(unknown, UnregisteredGameError) or typed is None:
            raise
        if unknown.name != typed.name:
            raise
        return read(game_from_name(typed, **unknown.arguments))


def _wanted_game(text: str, unknown: UnregisteredGameError) -> str:
    """Return the message that asks for the game of a learner."""
    if unknown.name is None:
        return f"{text}: {unknown}; here that is --game MODULE:FUNCTION"
    named = unknown.name if ":" in unknown.name else f"MODULE:{unknown.name}"
    words = shlex.join(["--game", named, *settings_of({**unknown.arguments, "start": None})])
    module = "" if named == unknown.name else ", with the module that registers it"
    return f"{text} has learned {unknown.name}, a game of your own: add {words}{module}"
