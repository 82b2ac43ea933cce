"""The command that lists the games."""

from __future__ import annotations

import json
from typing import Any

import click
from tabulate import tabulate

from nim_envs.cli.arguments import text_of
from nim_envs.cli.layout import WIDEST, line_width, wrapped
from nim_envs.registered_games import GAMES
from nim_envs.rules import Convention, heap_game
from nim_envs.rules.octal_codes import NAMES

LONGEST_ARGUMENT = 100
"""Most characters of an argument; a longer list is cut at an entry."""


@click.command()
def games() -> None:
    """List the games: the registered environments, and the games on heaps by name."""
    ids = [game.aec_id for game in GAMES.values()]
    id_width = max(map(len, [*ids, "environment"]))
    arguments_width = (line_width() or WIDEST) - id_width - len("normal") - 4
    rows = []
    for name, row in zip(ids, GAMES.values(), strict=True):
        arguments = " ".join(f"{key}={as_word(value)}" for key, value in row.defaults.items())
        play = "misère" if row.misere else "normal"
        rows.append([name, play, "\n".join(wrapped(arguments, arguments_width))])
    click.echo(tabulate(rows, ("environment", "play", "arguments of --set")))
    for convention in Convention:
        click.echo(f"\n{convention.play}: {convention.in_words}", nl=False)
    heap_games = [[name, heap_game(name).name] for name in ("grundy", *NAMES)]
    click.echo("\n\n" + tabulate(heap_games, ("heap game", "code"), disable_numparse=True))


def as_word(value: Any) -> str:
    """Return an argument's value as ``--set`` takes it; a long list is cut.

    Example:
        >>> as_word((3, 4, 5)), as_word(None), as_word((("nim", {"heaps": (4,)}),))
        ('3,4,5', 'none', '[["nim", {"heaps": [4]}]]')
    """
    text = text_of(value).removesuffix(",")
    if len(text) <= LONGEST_ARGUMENT or not text.startswith("["):
        return text
    entries = [json.dumps(entry) for entry in value]
    while len(", ".join(entries)) > LONGEST_ARGUMENT // 2:
        entries.pop()
    return f"[{', '.join(entries)}, …]"
