"""The commands of ``python -m nim_envs``. Importing this module imports click and tabulate."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
from tabulate import tabulate

from nim_envs.cli.arguments import arguments_of
from nim_envs.errors import NimEnvsError, SearchTooLargeError
from nim_envs.registration import GAMES, aec_id, make_game
from nim_envs.render.plots import plot_sequence
from nim_envs.rules import Convention, HeapGame, heap_game
from nim_envs.rules.octal_codes import NAMES
from nim_envs.sequences.grundy_sequences import METHODS, GrundySequence, octal_period
from nim_envs.sequences.nimber_field import (
    nim_inverse,
    nim_power,
    nim_product,
    nim_quotient,
    nim_square_root,
)
from nim_envs.sequences.periods import find_period
from nim_envs.sequences.sequence_file import checksum
from nim_envs.theory.heap_search import HeapSearch, checked_heaps
from nim_envs.theory.misere_quotients import misere_quotient
from nim_envs.theory.nimbers import nim_sum

LARGEST_HEAP = 10**6
"""Objects in a heap up to which its moves are listed."""

MOST_EXCEPTIONS = 100
"""Exceptions of a period that are listed."""

OUTCOMES = {
    True: "N-position: the player to move wins",
    False: "P-position: the player to move loses",
}
LOSERS = {
    Convention.NORMAL: "normal: who cannot move loses",
    Convention.MISERE: "misère: who makes the last move loses",
}
HEAP_GAME = "an octal code such as 0.77, 4.0, 0.(3) or 0.3..., grundy, " + ", ".join(NAMES)

checkpoint_option = click.option(
    "--checkpoint", type=click.Path(dir_okay=False, path_type=Path),
    help="Save the values there as they are computed, or go on from those saved there.",
)  # fmt: skip


def as_game(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Return the heap game that ``value`` names; for click."""
    return None if value is None else heap_game(value)


def as_number(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """Return the integer, in decimal or as ``0x…``, that ``value`` is; for click."""
    try:
        return int(value, 0)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not an integer") from None


game_argument = click.argument("game", callback=as_game)


def integers(text: str) -> tuple[int, ...]:
    """Return the integers that ``text`` lists, separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(
            f"a position is integers separated by commas, not {text!r}"
        ) from None


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Ask for the exact truth about games."""


@main.command()
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


@main.command()
@click.option("--game", type=click.Choice(list(GAMES)), help="A registered game.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE",
    help="Argument of the registered game, such as heaps=3,4,5 or misere=true; repeatable.",
)  # fmt: skip
@click.option(
    "--heaps",
    "rule",
    metavar="GAME",
    callback=as_game,
    help=f"A game on heaps instead: {HEAP_GAME}.",
)
@click.option("--misere", is_flag=True, help="Misère play of the game on heaps.")
@click.option(
    "--position", metavar="NUMBERS",
    help="Separated by commas; the initial position of a registered game if not given.",
)  # fmt: skip
def solve(
    game: str | None,
    settings: tuple[str, ...],
    rule: HeapGame | None,
    misere: bool,
    position: str | None,
) -> None:
    """Solve a position: its value, who wins, all winning moves, and why."""
    if (game is None) == (rule is None):
        raise click.UsageError("name either a registered --game or a game on --heaps")
    if game is not None:
        if misere:
            raise click.UsageError("misère play of a registered game is --set misere=true")
        solve_registered(game, settings, position)
        return
    if settings:
        raise click.UsageError("--set is for registered games")
    if position is None:
        raise click.UsageError("a game on heaps needs a --position, such as 3,5,8")
    assert rule is not None
    solve_heaps(rule, integers(position), Convention.from_misere(misere))


def solve_registered(name: str, settings: tuple[str, ...], position: str | None) -> None:
    """Print the solution of a position of a registered game."""
    game = make_game(name, **arguments_of(settings, GAMES[name].defaults))
    state = game.rules.initial if position is None else integers(position)
    solution = game.solution
    winning = solution.is_winning(state)
    moves = [
        game.rules.describe_action(action, state) for action in solution.winning_actions(state)
    ]
    values = [
        int(component.normal(np.array(entry)))
        for component, entry in zip(solution.component_values, state, strict=True)
    ]
    show(state, game.convention, values, winning, moves, solution.method)


def solve_heaps(rule: HeapGame, heaps: tuple[int, ...], convention: Convention) -> None:
    """Print the solution of a position of a game on heaps."""
    largest = max(checked_heaps(heaps), default=0)
    if largest > LARGEST_HEAP:
        raise SearchTooLargeError(
            f"the moves in a heap are listed up to {LARGEST_HEAP} objects, which is the limit; "
            f"{largest} are more"
        )
    sequence = GrundySequence(rule)
    sequence.extend(largest + 1)
    values = [int(sequence.values[heap]) for heap in heaps]
    if convention is Convention.NORMAL:
        why = "Sprague-Grundy theorem"
        value = nim_sum(values)
        winning = value != 0
        found = [
            (place, option)
            for place, heap in enumerate(heaps)
            for option in rule.options(heap)
            if nim_sum([sequence.values[left] for left in option]) == value ^ values[place]
        ]
    else:
        search = HeapSearch(rule, convention)
        why = "exhaustive search"
        winning = search.is_winning(heaps)
        found = search.winning_moves(heaps)
    moves = [
        f"heap {place}: {heaps[place]} to {' and '.join(map(str, option)) or 'nothing'}"
        for place, option in found
    ]
    show(heaps, convention, values, winning, moves, why)


def show(
    position: Any,
    convention: Convention,
    values: list[int],
    winning: bool,
    moves: list[str],
    why: str,
) -> None:
    """Print the solution of a position whose components have Grundy values ``values``."""
    value = nim_sum(values)
    total = f"{' xor '.join(map(str, values))} = {value}" if len(values) > 1 else value
    rows: list[list[Any]] = [
        ["position", " ".join(str(state) for state in position)],
        ["play", LOSERS[convention]],
        ["Grundy value", total],
        ["outcome", OUTCOMES[winning]],
        ["winning moves", "\n".join(moves) or "none"],
        ["why", why],
    ]
    click.echo(tabulate(rows, tablefmt="plain", disable_numparse=True))


@main.command()
@game_argument
@click.argument("size", type=click.IntRange(min=1), default=64)
@click.option("--first", type=click.IntRange(min=0), default=0, help="The first heap to print.")
@click.option("--method", type=click.Choice(METHODS), default="auto", show_default=True)
@click.option("--summary", is_flag=True, help="Print a summary with a checksum instead.")
@checkpoint_option
def sequence(
    game: HeapGame, size: int, first: int, method: Any, summary: bool, checkpoint: Path | None
) -> None:
    """Print the Grundy values of heaps of 0 to SIZE - 1 objects.

    GAME is an octal code such as 0.77, 4.0, 0.(3) or 0.3..., or a name that the command games
    lists.
    """
    began = time.perf_counter()
    computed = GrundySequence(game, method=method, checkpoint=checkpoint)
    before = len(computed.values)
    computed.extend(size, progress=with_progress())
    seconds = time.perf_counter() - began
    values = computed.values[:size]
    if summary:
        rows: list[list[Any]] = [
            ["game", game.name],
            ["values", size],
            ["largest", values.max()],
            ["first at heap", values.argmax()],
            ["computed per second", f"{max(size - before, 0) / seconds:,.0f}"],
            ["SHA-256", checksum(values)],
        ]
        click.echo(tabulate(rows, tablefmt="plain", disable_numparse=True))
        return
    width, number = len(str(values.max())), len(str(size))
    for row in range(first, size, 20):
        line = " ".join(f"{value:{width}}" for value in values[row : row + 20].tolist())
        click.echo(f"{row:{number}}  {line}")


@main.command()
@game_argument
@click.option(
    "--limit", type=click.IntRange(min=1), default=1 << 22, show_default=True,
    help="Most values to compute.",
)  # fmt: skip
@checkpoint_option
def period(game: HeapGame, limit: int, checkpoint: Path | None) -> None:
    """Find the period of an octal GAME, and prove it."""
    found = octal_period(game, limit, checkpoint=checkpoint, progress=with_progress())
    exceptions = found.exceptions()
    listed = " ".join(map(str, exceptions[:MOST_EXCEPTIONS].tolist()))
    rows: list[list[Any]] = [
        ["game", game.name],
        ["period", found.length],
        ["from heap", found.start],
        ["last exception", "none" if found.last_exception is None else found.last_exception],
        ["exceptions", len(exceptions)],
        ["", listed + (" …" if len(exceptions) > MOST_EXCEPTIONS else "")],
        ["proof", f"{found.needed} values = 2 × {found.start} + 2 × {found.length} + "
                  f"{game.places} places (Guy and Smith)"],
    ]  # fmt: skip
    rows = [row for row in rows if row[1] != ""]
    click.echo(tabulate(rows, tablefmt="plain", disable_numparse=True))


@main.command()
@game_argument
@click.argument("size", type=click.IntRange(min=1))
@click.option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path))
@checkpoint_option
def plot(game: HeapGame, size: int, output: Path, checkpoint: Path | None) -> None:
    """Draw the Grundy values of heaps of 0 to SIZE - 1 objects as a PNG picture."""
    computed = GrundySequence(game, checkpoint=checkpoint)
    computed.extend(size, progress=with_progress())
    values = computed.values[:size]
    found = None
    if game.places is not None and not game.unequal:
        found = computed.period or find_period(values, game.places)
    start = found.start if found and found.proven else None
    plot_sequence(values, output, f"Grundy values of {game.name}", start)
    click.echo(f"written to {output}")


@main.command()
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


@main.group()
def nimber() -> None:
    """Calculate with nimbers, integers of any size."""


def operation(name: str, function: Any, operands: tuple[str, ...], text: str) -> None:
    """Add the command that prints what ``function`` makes of its operands."""

    def command(**values: int) -> None:
        click.echo(function(*(values[operand] for operand in operands)))

    command.__doc__ = text
    for operand in reversed(operands):
        command = click.argument(operand, callback=as_number)(command)
    # A negative number is to be refused as such, not as an unknown option.
    settings = {"ignore_unknown_options": True}
    nimber.command(name, context_settings=settings)(command)


operation("add", lambda x, y: nim_sum((x, y)), ("x", "y"), "Print the nim-sum of X and Y.")
operation("multiply", nim_product, ("x", "y"), "Print the nim-product of X and Y.")
operation("divide", nim_quotient, ("x", "y"), "Print the nimber whose nim-product with Y is X.")
operation("invert", nim_inverse, ("x",), "Print the nimber whose nim-product with X is 1.")
operation("power", nim_power, ("x", "exponent"), "Print the nim-product of EXPONENT factors X.")
operation("root", nim_square_root, ("x",), "Print the nimber whose nim-square is X.")


def with_progress() -> bool:
    """Whether a progress bar can be shown."""
    return importlib.util.find_spec("tqdm") is not None


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code. Errors are one line on standard error."""
    try:
        main.main(arguments, prog_name="python -m nim_envs", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message())
        return 2
    except click.ClickException as error:
        click.echo(f"error: {' '.join(error.format_message().split())}", err=True)
        return 2
    except (NimEnvsError, ArithmeticError, ValueError, TypeError, MemoryError, OSError) as error:
        click.echo(f"error: {' '.join(str(error).split())}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        return 130
    return 0
