"""The command group of ``python -m nim_envs``."""

import click
from tabulate import tabulate

from nim_envs.cli.diagnose import diagnose
from nim_envs.cli.numbers import nimber, period, quotient, sequence
from nim_envs.cli.options import SETTINGS, as_word, errors_as_lines, version_option
from nim_envs.cli.solve import solve
from nim_envs.game import LAST_MOVE
from nim_envs.games.octal_codes import NAMES, heap_game
from nim_envs.registry import GAMES

ARGUMENTS_WIDTH = 60
"""Characters in a line of the arguments of a game."""


class Commands(click.Group):
    """The commands; that of texts is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*super().list_commands(ctx), "text"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name; ``None`` if there is none."""
        if cmd_name == "text":
            from nim_envs.text.cli import text

            return text
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings=SETTINGS)
@version_option
@click.pass_context
def main(context: click.Context) -> None:
    """Ask for the exact truth about games."""
    context.with_resource(errors_as_lines())


@main.command()
def games() -> None:
    """List the games: the registered environments, and the games on heaps by name."""
    rows = []
    for row in GAMES.values():
        arguments = " ".join(f"{key}={as_word(value)}" for key, value in row.defaults.items())
        rows.append([row.aec_id, "misère" if row.misere else "normal", arguments])
    headers = ("environment", "play", "arguments of --set")
    click.echo(tabulate(rows, headers, maxcolwidths=[None, None, ARGUMENTS_WIDTH]))
    for play, who_wins in zip(("normal", "misère"), LAST_MOVE, strict=True):
        click.echo(f"\n{play} play: {who_wins}", nl=False)
    heap_games = [[name, heap_game(name).name] for name in NAMES]
    click.echo("\n\n" + tabulate(heap_games, ("heap game", "code"), disable_numparse=True))


for command in (solve, sequence, period, quotient, nimber, diagnose):
    main.add_command(command)
