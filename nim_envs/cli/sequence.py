"""The command that prints Grundy values of heaps."""

from __future__ import annotations

import click

from nim_envs.cgt.sequences import grundy_sequence
from nim_envs.cli.options import game_argument, show_progress
from nim_envs.rules import HeapGame


@click.command()
@game_argument
@click.argument("size", type=click.IntRange(min=1), default=64)
@click.option("--first", type=click.IntRange(min=0), default=0, help="The first heap to print.")
def sequence(game: HeapGame, size: int, first: int) -> None:
    """Print the Grundy values of heaps of 0 to SIZE - 1 objects.

    GAME is an octal code such as 0.77, 4.0, 0.(3) or 0.3..., or a name that the command games
    lists.
    """
    if first >= size:
        raise click.UsageError(
            f"--first {first} is not one of the heaps of 0 to {size - 1} objects"
        )
    values = grundy_sequence(game, size, progress=show_progress())
    width, heap_width = len(str(values.max())), len(str(size))
    for row in range(first, size, 20):
        line = " ".join(f"{value:{width}}" for value in values[row : row + 20].tolist())
        click.echo(f"{row:{heap_width}}  {line}")
