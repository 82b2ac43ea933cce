"""The command that names the fault of an agent."""

from __future__ import annotations

import inspect

import click

from nim_envs.cli.options import (
    GAME_HELP,
    GameName,
    game_with_settings,
    search_here,
    settings_option,
)
from nim_envs.references import resolved
from nim_envs.registered_games import NamedGame
from nim_envs.testing.diagnosis import diagnose as diagnosis_of


@click.command()
@click.argument("agent", metavar="MODULE:POLICY")
@click.option(
    "--game", type=GameName(),
    help=f"Game of the policy; leave it out for a training function. {GAME_HELP}",
)  # fmt: skip
@settings_option
@click.option(
    "--discount", type=click.FloatRange(0, 1),
    help="Discount for each move that its values were learned with; left out: any.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--verbose", is_flag=True, help="Print the evidence, too.")
def diagnose(
    agent: str,
    game: NamedGame | None,
    settings: tuple[str, ...],
    discount: float | None,
    seed: int,
    verbose: bool,
) -> None:
    """Name the fault of a policy, or of a training function.

    MODULE:POLICY names a function or object in a module that Python can import, or in the current
    directory: a policy, which needs its --game, or a training function, which takes an environment
    and returns a policy. A training function is tried on tiny games.
    """
    if settings and game is None:
        raise click.UsageError("--set is for a --game")
    search_here()
    found = resolved(agent)
    board = None if game is None else game_with_settings(game, settings)
    if inspect.isclass(found):
        raise click.UsageError(f"{agent} is a class: name an instance, or a function")
    try:
        report = diagnosis_of(found, board, discount=discount, seed=seed, verbose=verbose)
    except TypeError as error:
        if board is not None and not str(error).startswith("a policy must"):
            raise
        raise click.UsageError(f"{agent}: {error}") from error
    click.echo(str(report))
