"""The command group of ``python -m nim_envs``."""

from __future__ import annotations

from nim_envs.cli.diagnose import diagnose
from nim_envs.cli.games import games
from nim_envs.cli.layout import SETTINGS, Group, version_option
from nim_envs.cli.nimber import nimber
from nim_envs.cli.period import period
from nim_envs.cli.quotient import quotient
from nim_envs.cli.running import run as run_command
from nim_envs.cli.sequence import sequence
from nim_envs.cli.solve import solve
from nim_envs.text.cli import text

main = version_option(
    Group(
        commands=[games, solve, sequence, period, quotient, nimber, text, diagnose],
        help="Ask for the exact truth about games.",
        context_settings=SETTINGS,
    )
)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code. Errors are one line on standard error."""
    return run_command(main, arguments, "python -m nim_envs")
