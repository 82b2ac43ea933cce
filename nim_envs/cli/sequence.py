"""The command that prints Grundy values of heaps."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from nim_envs.cgt.sequences.grundy_sequences import METHODS, GrundySequence
from nim_envs.cgt.sequences.sequence_file import checksum
from nim_envs.cli.layout import Choice, facts
from nim_envs.cli.options import checkpoint_option, game_argument, show_progress
from nim_envs.cli.running import writing
from nim_envs.rules import HeapGame


@click.command()
@game_argument
@click.argument("size", type=click.IntRange(min=1), default=64)
@click.option("--first", type=click.IntRange(min=0), default=0, help="The first heap to print.")
@click.option(
    "--method",
    type=Choice(METHODS),
    default="auto",
    show_default=True,
    help="Method of computing; auto takes the fastest that suits the game.",
)
@click.option("--summary", is_flag=True, help="Print a summary with a checksum instead.")
@checkpoint_option
def sequence(
    game: HeapGame, size: int, first: int, method: Any, summary: bool, checkpoint: Path | None
) -> None:
    """Print the Grundy values of heaps of 0 to SIZE - 1 objects.

    GAME is an octal code such as 0.77, 4.0, 0.(3) or 0.3..., or a name that the command games
    lists.
    """
    if first >= size:
        raise click.UsageError(
            f"--first {first} is not one of the heaps of 0 to {size - 1} objects"
        )
    began = time.perf_counter()
    with writing(checkpoint):
        computed = GrundySequence(game, method=method, checkpoint=checkpoint)
        before = len(computed.values)
        computed.extend(size, progress=show_progress())
    seconds = time.perf_counter() - began
    values, caution = computed.values[:size], computed.caution(size)
    if summary:
        rows: list[list[Any]] = [
            ["game", game.name],
            ["values", size],
            ["largest", values.max()],
            ["first at heap", values.argmax()],
            ["computed per second", f"{max(size - before, 0) / seconds:,.0f}"],
            ["SHA-256", checksum(values)],
            *([["not proved", caution]] if caution else []),
        ]
        click.echo(facts(rows))
        return
    width, heap_width = len(str(values.max())), len(str(size))
    for row in range(first, size, 20):
        line = " ".join(f"{value:{width}}" for value in values[row : row + 20].tolist())
        click.echo(f"{row:{heap_width}}  {line}")
    if caution:
        click.echo(caution, err=True)
