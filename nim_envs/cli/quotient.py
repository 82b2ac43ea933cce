"""The command that finds and proves a misère quotient."""

from __future__ import annotations

import click
from tabulate import tabulate

from nim_envs.cli.options import game_argument
from nim_envs.rules import HeapGame
from nim_envs.theory.quotients.heaps import misere_quotient


@click.command()
@game_argument
@click.argument("largest", type=click.IntRange(min=0))
@click.option("--limit", type=click.IntRange(min=1), default=512, show_default=True,
              help="Most elements.")  # fmt: skip
def quotient(game: HeapGame, largest: int, limit: int) -> None:
    """Find the misère quotient of GAME with heaps of up to LARGEST objects, and prove it."""
    found = misere_quotient(game, largest, limit=limit)
    click.echo(f"order {found.order}; {len(found.lost)} elements are P-positions")
    rows = [
        [element, " ".join(map(str, heaps)) or "no heap", "P" if element in found.lost else "N",
         " ".join(str(heap) for heap in range(largest + 1) if found.elements[heap] == element)]
        for element, heaps in enumerate(found.representatives)
    ]  # fmt: skip
    header = ("element", "smallest position found", "outcome", "single heaps")
    click.echo(tabulate(rows, header, disable_numparse=True))
