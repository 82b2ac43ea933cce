"""The command that solves a position."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import click

from nim_envs import solver
from nim_envs.cli.options import as_heap_game, facts, game_and_settings, game_with_settings
from nim_envs.cli.values import position as as_position
from nim_envs.errors import SearchTooLargeError
from nim_envs.games.octal_codes import LEAVE_ONE, NAMES, WHOLE
from nim_envs.registry import NamedGame
from nim_envs.rules import Convention, HeapGame, Rules, nim, subtraction
from nim_envs.rules.convention import AnyConvention
from nim_envs.rules.heaps import SplittingHeap, heap_rules
from nim_envs.theory.heap_search import checked_heaps
from nim_envs.theory.nimbers import nim_sum
from nim_envs.theory.outcome_search import OutcomeSolution
from nim_envs.theory.solution import Solution
from nim_envs.theory.theorem_solution import TheoremSolution

LARGEST_HEAP = 10**6
"""Most objects in a heap whose moves are listed."""

MOST_SHOWN = 1_000
"""Most winning moves that are printed."""

OUTCOMES = {
    1: "N-position: the player to move wins",
    0: "drawn: neither player can force a win",
    -1: "P-position: the player to move loses",
}
HEAP_GAME = "an octal code such as 0.77, 4.0, 0.(3) or 0.3..., grundy, " + ", ".join(NAMES)


class Question(NamedTuple):
    """A game to solve, whose initial position may be terminal."""

    rules: Rules
    convention: Convention


@click.command()
@game_and_settings()
@click.option(
    "--heaps",
    "rule",
    metavar="GAME",
    callback=as_heap_game,
    help=f"A game on heaps instead: {HEAP_GAME}.",
)
@click.option("--misere", is_flag=True, help="Misère play of the game on heaps.")
@click.option(
    "--position",
    type=as_position,
    metavar="NUMBERS",
    help="Numbers separated by commas; by default the initial position of a registered game.",
)
def solve(
    game: NamedGame | None,
    settings: tuple[str, ...],
    rule: HeapGame | None,
    misere: bool,
    position: tuple[int, ...] | None,
) -> None:
    """Solve a position: its value, who wins, all winning moves, and why."""
    if (game is None) == (rule is None):
        raise click.UsageError("name either a registered --game or a game on --heaps")
    if game is not None:
        if misere:
            raise click.UsageError("misère play of a registered game is --set misere=true")
        board = game_with_settings(game, settings)
        show_solution(board.old_solution, board.rules.initial if position is None else position)
        return
    if settings:
        raise click.UsageError("--set is for registered games")
    if position is None:
        raise click.UsageError("a game on heaps needs a --position, such as 3,5,8")
    assert rule is not None
    solve_heaps(rule, position, Convention.from_misere(misere))


def show_solution(solution: Solution, numbers: tuple[int, ...]) -> None:
    """Print the solution of one position."""
    outcome = solution.value(numbers)
    position = solution.rules.checked_positions(numbers)
    right = solution.iter_winning_actions(position)
    if outcome == 0:
        right = iter(solution.keeping_actions(position).tolist())
    actions = islice(right, MOST_SHOWN + 1)
    moves = [solution.rules.describe_action(action, position) for action in actions]
    if len(moves) > MOST_SHOWN:
        moves[MOST_SHOWN:] = ["and more"]
    values = None
    # A theorem needs no table, and has no Grundy values; nor has an outcome of its own.
    if not isinstance(solution, (OutcomeSolution, TheoremSolution)):
        values = [
            int(component.normal(entry))
            for component, entry in zip(solution.component_values, position, strict=True)
        ]
    show(
        solution.rules.coordinate_tuple(position),
        solution.convention,
        values,
        outcome,
        moves,
        solution.method,
    )


def solve_heaps(rule: HeapGame, heaps: tuple[int, ...], convention: Convention) -> None:
    """Print the solution of a position of a game on heaps."""
    largest = max(checked_heaps(heaps), default=0)
    rules = subtraction_rules(rule, heaps)
    if rules is not None:
        show_solution(solver.solve(Question(rules, convention)), heaps)
        return
    if largest > LARGEST_HEAP:
        raise SearchTooLargeError(
            f"the moves in a heap are listed up to {LARGEST_HEAP} objects, which is the limit; "
            f"{largest} are more"
        )
    from nim_envs.cgt.sequences import grundy_sequence

    sequence = grundy_sequence(rule, largest + 1).tolist()
    values = [sequence[heap] for heap in heaps]
    if convention is Convention.NORMAL:
        why = "Sprague-Grundy theorem"
        value = nim_sum(values)
        winning = value != 0
        winning_moves = [
            (index, option)
            for index, heap in enumerate(heaps)
            for option in rule.options(heap)
            if nim_sum([sequence[size] for size in option]) == value ^ values[index]
        ]
    else:
        winning, winning_moves, why = solve_misere_heaps(rule, heaps)
    moves = [
        f"heap {index}: {heaps[index]} to {' and '.join(map(str, option)) or 'nothing'}"
        for index, option in winning_moves
    ]
    show(heaps, convention, values, 1 if winning else -1, moves, why)


def subtraction_rules(rule: HeapGame, heaps: tuple[int, ...]) -> Rules | None:
    """Return the rules of a game on heaps as a subtraction game, if it is one.

    The theorems on these need no list of moves: heaps may be of any size.
    """
    takes = WHOLE | LEAVE_ONE
    if not heaps or any(digit not in (0, takes) for digit in rule.digits):
        return None
    amounts = [amount for amount, digit in enumerate(rule.digits) if digit]
    if not rule.repeating:
        return subtraction(heaps, amounts)
    # The last digit holds for every larger number too.
    return nim(heaps) if amounts == list(range(1, len(rule.digits))) else None


def solve_misere_heaps(
    rule: HeapGame, heaps: tuple[int, ...]
) -> tuple[bool, list[tuple[int, tuple[int, ...]]], str]:
    """Return who wins misère play, the winning moves and why.

    Solved like the registered game; heaps too large for tables need a periodic misère quotient.
    """
    try:
        rules = heap_rules(rule, heaps, rule.name)
    except SearchTooLargeError:
        from nim_envs.cgt.misere_quotients.heaps import misere_quotient
        from nim_envs.cgt.misere_quotients.quotient_solution import PERIODIC, PROVEN

        quotient = misere_quotient(rule, max(heaps), progress=True)
        why = PROVEN if max(heaps) <= quotient.largest else PERIODIC
        return quotient.is_winning(heaps), quotient.winning_moves(heaps), why
    solution = solver.solve(Question(rules, Convention.MISERE))
    winning = solution.is_winning(rules.initial)
    moves = []
    for action in solution.winning_actions(rules.initial).tolist():
        index, option = divmod(action, rules.num_options)
        heap = rules.components[index]
        assert isinstance(heap, SplittingHeap)
        taken, smaller = heap.moves[option]
        parts = heaps[index] - taken - smaller, smaller
        moves.append((index, tuple(filter(None, parts))))
    return winning, moves, solution.method


def show(
    position: Any,
    convention: AnyConvention,
    values: list[int] | None,
    outcome: int,
    moves: list[str],
    why: str,
) -> None:
    """Print the solution of a position whose components have Grundy values ``values``, if known."""
    known: list[list[Any]] = []
    if values is not None:
        value = nim_sum(values)
        total = f"{' xor '.join(map(str, values))} = {value}" if len(values) > 1 else value
        known = [["Grundy value", total]]
    rows: list[list[Any]] = [
        ["position", " ".join(str(state) for state in position)],
        ["play", f"{convention.play}: {convention.in_words}"],
        *known,
        ["outcome", OUTCOMES[outcome]],
        [
            "moves that keep the draw" if outcome == 0 else "winning moves",
            "\n".join(moves) or "none",
        ],
        ["why", why],
    ]
    click.echo(facts(rows))
