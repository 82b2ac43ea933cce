"""The command that finds and proves a period."""

from __future__ import annotations

from typing import Any

import click
from click.exceptions import Exit

from nim_envs.cgt.sequences import octal_period
from nim_envs.cli.layout import facts, say
from nim_envs.cli.options import game_argument, show_progress
from nim_envs.cli.running import NO_ANSWER
from nim_envs.errors import NotProvenError
from nim_envs.rules import HeapGame

MOST_EXCEPTIONS = 100
"""Most exceptions of a period that are listed."""


@click.command()
@game_argument
@click.option(
    "--limit", type=click.IntRange(min=1), default=1 << 16, show_default=True,
    help="Largest number of values to compute.",
)  # fmt: skip
def period(game: HeapGame, limit: int) -> None:
    """Find the period of an octal GAME, and prove it.

    The exit code is 1 where no period is proven within the limit.
    """
    try:
        result = octal_period(game, limit, progress=show_progress())
    except NotProvenError as unproven:
        say(str(unproven))
        raise Exit(NO_ANSWER) from None
    exceptions = result.exceptions()
    listed = " ".join(map(str, exceptions[:MOST_EXCEPTIONS].tolist()))
    rows: list[list[Any]] = [
        ["game", game.name],
        ["period", result.length],
        ["from heap", result.start],
        ["last exception", "none" if result.last_exception is None else result.last_exception],
        ["exceptions", len(exceptions)],
        *([["", listed + (" …" if len(exceptions) > MOST_EXCEPTIONS else "")]] if listed else []),
        ["proof", f"{result.needed} values = 2 × {result.start} + 2 × {result.length} + "
                  f"{game.places} places{'' if result.start else ' + 1'} (Guy and Smith)"],
    ]  # fmt: skip
    click.echo(facts(rows))
