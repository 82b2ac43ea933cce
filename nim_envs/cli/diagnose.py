"""The command that names the fault of an agent."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from typing import Any

import click

from nim_envs.cli.options import registered_game
from nim_envs.registration import GAMES
from nim_envs.testing.diagnosis import diagnose as diagnosis_of


@click.command()
@click.argument("agent", metavar="MODULE:POLICY")
@click.option("--game", type=click.Choice(list(GAMES)),
              help="The policy's registered game; none for a training function.")  # fmt: skip
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE",
    help="Argument of the game, such as heaps=3,4,5 or misere=true; repeatable.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def diagnose(agent: str, game: str | None, settings: tuple[str, ...], seed: int) -> None:
    """Name the fault of a policy, or of a training function.

    MODULE:POLICY names a function or object in a module that Python can import, or in the current
    directory. A policy needs its --game; a function of one argument, an environment, that returns a
    policy is trained on tiny games.
    """
    if settings and game is None:
        raise click.UsageError("--set is for a --game")
    found = _named(agent)
    board = None if game is None else registered_game(game, settings)
    if inspect.isclass(found):
        raise click.UsageError(f"{agent} is a class: name an instance, or a function")
    try:
        report = diagnosis_of(found, board, seed=seed)
    except TypeError as error:
        if board is not None and not str(error).startswith("a policy must"):
            raise
        raise click.UsageError(f"{agent}: {error}") from error
    click.echo(str(report))


def _named(agent: str) -> Any:
    """Return the object that ``module:name`` names.

    Raises:
        click.UsageError: there is none.
    """
    module_name, colon, name = agent.partition(":")
    if not colon or not module_name or not name:
        raise click.UsageError(f"expected MODULE:POLICY, such as my_agent:policy, not {agent!r}")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise click.UsageError(f"there is no module {module_name!r}") from None
    for part in name.split("."):
        if not hasattr(found, part):
            raise click.UsageError(f"{module_name} has no {name!r}")
        found = getattr(found, part)
    return found
