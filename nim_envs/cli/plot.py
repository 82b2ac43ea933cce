"""The command that draws Grundy values of heaps."""

from __future__ import annotations

from pathlib import Path

import click

from nim_envs.cgt.sequences.grundy_sequences import GrundySequence
from nim_envs.cgt.sequences.periods import proven_period
from nim_envs.cli.options import FILE, checkpoint_option, game_argument, show_progress
from nim_envs.cli.running import make_directory, using, writing
from nim_envs.files import check_writable
from nim_envs.optional import needed
from nim_envs.rules import HeapGame


@click.command()
@game_argument
@click.argument("size", type=click.IntRange(min=1))
@click.option("--output", required=True, type=FILE, help="Picture to write: .png, .svg or .pdf.")
@checkpoint_option
def plot(game: HeapGame, size: int, output: Path, checkpoint: Path | None) -> None:
    """Draw the Grundy values of heaps of 0 to SIZE - 1 objects."""
    plot_sequence = needed("nim_envs.render.plots", "a plot", "solver").plot_sequence
    try:
        needed("nim_envs.render.style", "a plot", "solver").picture_suffix(output)
    except ValueError as error:
        raise click.UsageError(f"--output: {error}") from None
    make_directory(output.parent)
    with using(output):
        check_writable(output)
    with writing(checkpoint):
        computed = GrundySequence(game, checkpoint=checkpoint)
        computed.extend(size, progress=show_progress())
    values = computed.values[:size]
    caution = computed.caution(size)
    period = None if caution else computed.period or proven_period(game, values)
    note = f"; {caution}" if caution else ""
    with using(output):
        plot_sequence(
            values, output, f"Grundy values of {game.name}{note}", period.start if period else None
        )
    click.echo(f"written to {output}{note}")
