"""The command that names the fault of an agent."""

import inspect
from typing import Any

import click

from nim_envs.cli.options import (
    GAME_HELP,
    game_and_settings,
    game_with_settings,
    search_here,
    seed_option,
    together,
)
from nim_envs.players import required_arguments
from nim_envs.registry import NamedGame, resolved

diagnosis_options = together(
    game_and_settings(f"Game of a policy, or the one to train on in place of probes. {GAME_HELP}"),
    click.option(
        "--max-cycles",
        type=click.IntRange(min=1),
        help="Moves of each player after which games are truncated, in one more probe.",
    ),
    click.option("--boards", is_flag=True, help="Train and score on five boards, too."),
    seed_option(),
    click.option("--verbose", is_flag=True, help="Print positions and moves, too."),
)
"""Decorator that adds the options of a diagnosis."""


@click.command()
@click.argument("agent", metavar="MODULE:POLICY")
@diagnosis_options
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="Games on each probe, for a training function that takes games=.",
)
def diagnose(agent: str, **options: Any) -> None:
    """Name the fault of a training function, or score a policy exactly.

    MODULE:POLICY names a function or object in a module that Python can import, or in the current
    directory: a training function, which takes an environment and returns a policy, and is tried on
    probe games, or trained and scored on a --game; or a policy, which needs its --game. Learners of
    the leaderboard are diagnosed by python -m agents diagnose.
    """
    search_here()
    subject = resolved(agent)
    if inspect.isclass(subject):
        raise click.UsageError(
            f"{agent} is a class: name an instance, or a function; python -m agents diagnose "
            f"{agent} trains a learner"
        )
    print_diagnosis(subject, agent, **options)


def print_diagnosis(
    subject: Any,
    name: str,
    settings: tuple[str, ...],
    game: NamedGame | None,
    boards: bool,
    **arguments: Any,
) -> None:
    """Print the diagnosis of a policy or a training function, which messages call ``name``."""
    from nim_envs.diagnosis import diagnose as diagnosis_of
    from nim_envs.diagnosis.diagnose import is_training

    trains = is_training(subject)
    if settings and game is None:
        raise click.UsageError("--set is for a --game")
    if game is None and not trains and required_arguments(subject) == 2:
        raise click.UsageError(f"{name} takes 2 arguments, so it is a policy: add --game nim")
    board = None if game is None else game_with_settings(game, settings)
    try:
        report = diagnosis_of(subject, board, boards=boards or None, **arguments)
    except TypeError as error:
        raise click.UsageError(f"{name}: {error}") from error
    except RuntimeError as error:
        if isinstance(error.__cause__, click.ClickException):
            raise error.__cause__ from None
        raise  # that of the user's own training, with its traceback
    click.echo(str(report))
