"""The command that names the fault of an agent."""

from __future__ import annotations

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
from nim_envs.diagnosis import diagnose as diagnosis_of
from nim_envs.players import required_arguments
from nim_envs.references import resolved
from nim_envs.registered_games import NamedGame

LEARNER_METHODS = ("act", "update", "greedy")
"""Methods of a learner."""


diagnosis_options = together(
    game_and_settings(
        f"Game of a policy; leave it out for what is to be trained. {GAME_HELP}"
    ),
    click.option(
        "--discount", type=click.FloatRange(0, 1),
        help="Discount for each move that its values were learned with; left out: any.",
    ),
    seed_option(),
    click.option("--verbose", is_flag=True, help="Print the evidence, too."),
)  # fmt: skip
"""Decorator that adds the options of a diagnosis."""


@click.command()
@click.argument("agent", metavar="MODULE:POLICY")
@diagnosis_options
def diagnose(agent: str, settings: tuple[str, ...], game: NamedGame | None, **options: Any) -> None:
    """Name the fault of a policy, or of a training function.

    MODULE:POLICY names a function or object in a module that Python can import, or in the current
    directory: a policy, which needs its --game, or a training function, which takes an environment
    and returns a policy. A training function is tried on tiny games. Learners of the leaderboard
    are diagnosed by python -m agents diagnose.
    """
    search_here()
    subject = resolved(agent)
    is_learner = inspect.isclass(subject) and all(
        hasattr(subject, name) for name in LEARNER_METHODS
    )
    if is_learner or (inspect.isfunction(subject) and required_arguments(subject) == 3):
        raise click.UsageError(
            f"{agent} is to be trained: python -m agents diagnose {agent} does that"
        )
    print_diagnosis(subject, agent, settings, game, **options)


def print_diagnosis(
    subject: Any,
    name: str,
    settings: tuple[str, ...],
    game: NamedGame | None,
    discount: float | None,
    seed: int,
    verbose: bool,
) -> None:
    """Diagnose a policy or a training function, and print the report.

    Args:
        subject: the policy, or the training function.
        name: its name, for messages.
        settings: arguments of the game, of the form ``NAME=VALUE``.
        game: game of the policy; ``None``: it is a training function.
        discount: as for :func:`nim_envs.diagnose`, as are the others.
        seed: seed of choices among equally probable moves.
        verbose: whether the evidence is printed.

    Raises:
        click.UsageError: neither a policy with its game, nor a training function.
    """
    if settings and game is None:
        raise click.UsageError("--set is for a --game")
    if inspect.isclass(subject):
        raise click.UsageError(f"{name} is a class: name an instance, or a function")
    if game is None and inspect.isfunction(subject) and (count := required_arguments(subject)) == 2:
        raise click.UsageError(
            f"{name} takes {count} arguments, so it is a policy: add --game nim (a training "
            "function takes one argument, the environment)"
        )
    board = None if game is None else game_with_settings(game, settings)
    try:
        report = diagnosis_of(subject, board, discount=discount, seed=seed, verbose=verbose)
    except TypeError as error:
        if board is not None and not str(error).startswith("a policy must"):
            raise
        raise click.UsageError(f"{name}: {error}") from error
    click.echo(str(report))
