"""The command that finds and proves a misère quotient."""

from __future__ import annotations

import click
from tabulate import tabulate

from nim_envs.cgt.misere_quotients.genus import heap_genera
from nim_envs.cgt.misere_quotients.heaps import HeapQuotients, MisereQuotient
from nim_envs.cgt.misere_quotients.search import LARGEST_LIMIT, LARGEST_ORDER
from nim_envs.cgt.misere_quotients.structure import idempotents, is_tame, kernel
from nim_envs.cli.layout import facts
from nim_envs.cli.options import game_argument, show_progress
from nim_envs.rules import HeapGame

ELEMENTS = ("element", "smallest position found", "outcome", "single heaps")
HEAPS = ("heap", "element", "Grundy value", "misère Grundy value", "genus")


@click.command()
@game_argument
@click.argument("largest", type=click.IntRange(min=0), required=False)
@click.option("--limit", type=click.IntRange(1, LARGEST_LIMIT), default=LARGEST_ORDER,
              show_default=True, help="Largest number of elements.")  # fmt: skip
def quotient(game: HeapGame, largest: int | None, limit: int) -> None:
    """Find the misère quotient of GAME with heaps of up to LARGEST objects, and prove it.

    Without LARGEST, find that of heaps of all sizes. Ctrl-C shows what has been proved so far.
    """
    search = HeapQuotients([game], limit)
    try:
        search.extend(largest, progress=show_progress())
    except KeyboardInterrupt:
        if search.largest > 0:
            show(search.quotient(game), limit)
        raise
    show(search.quotient(game), limit)


def show(result: MisereQuotient, limit: int) -> None:
    """Print a quotient: its properties, elements and heaps."""
    largest, period = result.largest, result.period
    heaps = f"0 to {largest}"
    if period is not None:
        heaps = (
            f"all; period {period.length} from heap {period.start}, proven by heaps up to "
            f"{period.needed(result.game.places or 0)} (Plambeck and Siegel)"
        )
        largest = min(largest, period.start + period.length - 1)
    tame = "tame" if is_tame(result.products, result.lost) else "wild"
    idempotent_elements = idempotents(result.products)
    rows = [
        ["game", f"{result.game.name}, {tame} in misère play"],
        ["heaps", heaps],
        ["order", f"{result.order}; {len(result.lost)} elements are P-positions"],
        ["idempotents", " ".join(map(str, idempotent_elements))],
        ["kernel", f"{len(kernel(result.products))} elements"],
    ]
    click.echo(facts(rows))
    element_rows = [
        [element, " ".join(map(str, position)) or "no heap", "P" if element in result.lost else "N",
         " ".join(str(heap) for heap in range(largest + 1) if result.elements[heap] == element)]
        for element, position in enumerate(result.representatives)
    ]  # fmt: skip
    click.echo("\n" + tabulate(element_rows, ELEMENTS, disable_numparse=True))
    genera = heap_genera(result.game, largest, limit=limit)
    heap_rows = [
        [heap, result.elements[heap], *(("-",) * 3 if genus is None else
         (genus.normal, genus.misere[0], f"{genus}{'' if genus.is_tame else ' wild'}"))]
        for heap, genus in enumerate(genera)
    ]  # fmt: skip
    click.echo("\n" + tabulate(heap_rows, HEAPS, disable_numparse=True))
