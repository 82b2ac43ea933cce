"""The command that lists the games."""

from __future__ import annotations

import textwrap

import click
from tabulate import tabulate

from nim_envs.registration import GAMES, aec_id
from nim_envs.rules import Convention, heap_game
from nim_envs.rules.octal_codes import NAMES

WIDEST_ARGUMENTS = 60
"""Most characters in a line of arguments, so that the table fits 100."""


@click.command()
def games() -> None:
    """List the games: the registered environments, and the games on heaps by name."""
    rows = []
    for name, row in GAMES.items():
        arguments = ", ".join(f"{key}={value!r}" for key, value in row.defaults.items())
        lines = "\n".join(textwrap.wrap(arguments, WIDEST_ARGUMENTS))
        rows.append([aec_id(name), lines, "misère" if row.misere else "normal"])
    click.echo(tabulate(rows, ("environment", "arguments", "play")))
    for convention in Convention:
        click.echo(f"\n{convention.play}: {convention.in_words}", nl=False)
    named = [[name, heap_game(name).name] for name in ("grundy", *NAMES)]
    click.echo("\n\n" + tabulate(named, ("heap game", "code"), disable_numparse=True))
