"""The commands of ``python -m agents`` together."""

from __future__ import annotations

from agents.cli.diagnose import diagnose
from agents.cli.evaluate import evaluate
from agents.cli.play import play
from agents.cli.show import show
from agents.cli.tournament import tournament
from agents.cli.train import train
from nim_envs.cli.layout import SETTINGS, Group, version_option
from nim_envs.cli.running import run as run_command

main = version_option(
    Group(
        commands=[train, evaluate, show, play, tournament, diagnose],
        help="Train, score and play.",
        context_settings=SETTINGS,
    )
)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code. Errors are one line on standard error."""
    return run_command(main, arguments, "python -m agents")
