"""The command that lists the games."""

from __future__ import annotations

import click
from tabulate import tabulate

from nim_envs.cli.options import LOSERS
from nim_envs.registration import GAMES, aec_id
from nim_envs.rules import Convention, heap_game
from nim_envs.rules.octal_codes import NAMES


@click.command()
def games() -> None:
    """List the games: the registered environments, and the games on heaps by name."""
    rows = [
        [aec_id(name), ", ".join(f"{key}={value!r}" for key, value in row.defaults.items()),
         LOSERS[Convention.from_misere(row.misere)]]
        for name, row in GAMES.items()
    ]  # fmt: skip
    click.echo(tabulate(rows, ("environment", "arguments", "play")))
    named = [[name, heap_game(name).name] for name in ("grundy", *NAMES)]
    click.echo("\n" + tabulate(named, ("heap game", "code"), disable_numparse=True))
