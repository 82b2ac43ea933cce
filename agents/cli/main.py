"""The commands of ``python -m agents`` together."""

from __future__ import annotations

import click

from agents.cli.evaluate import evaluate
from agents.cli.play import play
from agents.cli.show import show
from agents.cli.tournament import tournament
from agents.cli.train import train
from agents.storage import StorageError
from nim_envs.cli.running import run as run_command

main = click.Group(
    commands=[train, evaluate, show, play, tournament],
    help="Train, score and play.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code. Errors are one line on standard error."""
    return run_command(main, arguments, "python -m agents", mistakes=(StorageError,))
