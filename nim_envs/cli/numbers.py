"""The commands about Grundy values of heaps, their periods, misère quotients, and nimbers."""

from typing import Any

import click
from tabulate import tabulate

from nim_envs.cli.options import game_argument, print_facts
from nim_envs.errors import NotProvenError, SearchTooLargeError
from nim_envs.games.octal_codes import HeapGame
from nim_envs.nimbers import nim_sum

MOST_EXCEPTIONS = 100
"""Most exceptions of a period that are listed."""

OPERATIONS = ("add", "multiply", "divide", "invert", "power", "root")
"""Operations on nimbers: of two numbers, but for ``invert`` and ``root``, which take one."""

ELEMENTS = ("element", "smallest position found", "outcome", "single heaps")
HEAPS = ("heap", "element", "Grundy value", "misère Grundy value", "genus")


@click.command()
@game_argument
@click.argument("size", type=click.IntRange(min=1), default=64)
@click.option("--first", type=click.IntRange(min=0), default=0, help="The first heap to print.")
def sequence(game: HeapGame, size: int, first: int) -> None:
    """Print the Grundy values of heaps of 0 to SIZE - 1 objects.

    GAME is an octal code such as 0.77, 4.0, 0.(3) or 0.3..., or a name that the command games
    lists.
    """
    from nim_envs.cgt.sequences import grundy_sequence

    if first >= size:
        raise click.UsageError(
            f"--first {first} is not one of the heaps of 0 to {size - 1} objects"
        )
    values = grundy_sequence(game, size, progress=True)
    width, heap_width = len(str(values.max())), len(str(size))
    for row in range(first, size, 20):
        line = " ".join(f"{value:{width}}" for value in values[row : row + 20].tolist())
        click.echo(f"{row:{heap_width}}  {line}")


@click.command()
@game_argument
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Largest number of values to compute; by default 65536, or fewer for long codes.",
)
def period(game: HeapGame, limit: int | None) -> None:
    """Find the period of an octal GAME, and prove it.

    The exit code is 1 where no period is proven within the limit.
    """
    from nim_envs.cgt.sequences import octal_period

    try:
        result = octal_period(game, limit, progress=True)
    except NotProvenError as unproven:
        click.echo(str(unproven))
        raise click.exceptions.Exit(1) from None
    exceptions = result.exceptions()
    listed = f"{len(exceptions)}\n{' '.join(map(str, exceptions[:MOST_EXCEPTIONS].tolist()))}"
    if len(exceptions) > MOST_EXCEPTIONS:
        listed += " …"
    print_facts(
        game=game.name,
        period=result.length,
        from_heap=result.start,
        last_exception="none" if result.last_exception is None else result.last_exception,
        exceptions=listed,
        proof=f"{result.needed} values = 2 × {result.start} + 2 × {result.length} + "
        f"{game.places} places{'' if result.start else ' + 1'} (Guy and Smith)",
    )


@click.command()
@game_argument
@click.argument("largest", type=click.IntRange(min=0), required=False)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Largest number of elements; by default that of nim_envs.cgt.misere_quotients.",
)
def quotient(game: HeapGame, largest: int | None, limit: int | None) -> None:
    """Find the misère quotient of GAME with heaps of up to LARGEST objects, and prove it.

    Without LARGEST, find that of heaps of all sizes. Ctrl-C shows what has been proved so far.
    """
    from nim_envs.cgt.misere_quotients.heaps import HeapQuotients
    from nim_envs.cgt.misere_quotients.search import LARGEST_ORDER

    limit = limit or LARGEST_ORDER
    search = HeapQuotients([game], limit)
    try:
        search.extend(largest, progress=True)
    except KeyboardInterrupt:
        if search.largest > 0:
            show_quotient(search.quotient(game), limit)
        raise
    except SearchTooLargeError as error:
        raise click.ClickException(str(error)) from error
    show_quotient(search.quotient(game), limit)


def show_quotient(result: Any, limit: int) -> None:
    """Print a quotient: its properties, elements and heaps."""
    from nim_envs.cgt.misere_quotients.genus import heap_genera
    from nim_envs.cgt.misere_quotients.structure import idempotents, is_tame, kernel

    largest, period = result.largest, result.period
    heaps = f"0 to {largest}"
    if period is not None:
        heaps = (
            f"all; period {period.length} from heap {period.start}, proven by heaps up to "
            f"{period.needed(result.game.places or 0)} (Plambeck and Siegel)"
        )
        largest = min(largest, period.start + period.length - 1)
    tame = "tame" if is_tame(result.products, result.lost) else "wild"
    print_facts(
        game=f"{result.game.name}, {tame} in misère play",
        heaps=heaps,
        order=f"{result.order}; {len(result.lost)} elements are P-positions",
        idempotents=" ".join(map(str, idempotents(result.products))),
        kernel=f"{len(kernel(result.products))} elements",
    )
    element_rows = []
    for element, position in enumerate(result.representatives):
        single = [str(heap) for heap in range(largest + 1) if result.elements[heap] == element]
        smallest = " ".join(map(str, position)) or "no heap"
        outcome = "P" if element in result.lost else "N"
        element_rows.append([element, smallest, outcome, " ".join(single)])
    click.echo("\n" + tabulate(element_rows, ELEMENTS, disable_numparse=True))
    heap_rows = []
    for heap, genus in enumerate(heap_genera(result.game, largest, limit=limit)):
        known: tuple[Any, ...] = ("-",) * 3
        if genus is not None:
            known = genus.normal, genus.misere[0], f"{genus}{'' if genus.is_tame else ' wild'}"
        heap_rows.append([heap, result.elements[heap], *known])
    click.echo("\n" + tabulate(heap_rows, HEAPS, disable_numparse=True))


def number(text: str) -> int:
    """Return the integer that ``text`` is, in decimal or as ``0x…``; for click."""
    try:
        return int(text, 0)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not an integer such as 10 or 0xa") from None


# A negative number must be refused as such, not as an unknown option.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("operation", type=click.Choice(OPERATIONS), metavar="OPERATION")
@click.argument("numbers", type=number, nargs=-1, required=True)
def nimber(operation: str, numbers: tuple[int, ...]) -> None:
    """Calculate with nimbers, integers of any size.

    add X Y and multiply X Y print the nim-sum and the nim-product, divide X Y the nimber whose
    nim-product with Y is X, invert X the one whose nim-product with X is 1, power X N the
    nim-product of N factors X, and root X the nimber whose nim-square is X.
    """
    from nim_envs.cgt import nimber_field

    needed = 1 if operation in ("invert", "root") else 2
    if len(numbers) != needed:
        raise click.UsageError(
            f"{operation} takes {needed} number{'s' * (needed > 1)}, not {len(numbers)}"
        )
    functions: dict[str, Any] = {
        "add": lambda *both: nim_sum(both),
        "multiply": nimber_field.nim_product,
        "divide": nimber_field.nim_quotient,
        "invert": nimber_field.nim_inverse,
        "power": nimber_field.nim_power,
        "root": nimber_field.nim_square_root,
    }
    try:
        click.echo(functions[operation](*numbers))
    except (ArithmeticError, ValueError) as error:  # a negative number; 0 has no inverse
        raise click.UsageError(str(error)) from error
