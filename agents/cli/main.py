"""The command group of ``python -m agents``."""

import click

from agents.cli.diagnose import diagnose
from agents.cli.play import play
from agents.cli.scores import evaluate, match, show, tournament
from agents.cli.train import train
from nim_envs.cli.options import SETTINGS, errors_as_lines, version_option


@click.group(context_settings=SETTINGS)
@version_option
@click.pass_context
def main(context: click.Context) -> None:
    """Train, score and play."""
    context.with_resource(errors_as_lines())


for command in (train, evaluate, show, play, match, tournament, diagnose):
    main.add_command(command)
