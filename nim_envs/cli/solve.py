"""The command that solves a position."""

from dataclasses import replace

import click

from nim_envs.cli.options import as_heap_game, game_and_settings, game_with_settings, print_facts
from nim_envs.cli.values import position as as_position
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import LAST_MOVE, Game
from nim_envs.games.heaps import heap_rules
from nim_envs.games.octal_codes import NAMES, HeapGame
from nim_envs.games.words import split
from nim_envs.graph import Graph
from nim_envs.nimbers import nim_sum
from nim_envs.registry import NamedGame
from nim_envs.solution import grundy_values
from nim_envs.typing import Position

MOST_SHOWN = 1_000
"""Most winning moves that are printed."""

OUTCOMES = {
    1: "N-position: the player to move wins",
    0: "drawn: neither player can force a win",
    -1: "P-position: the player to move loses",
}

HEAP_GAME = "an octal code such as 0.77, 4.0, 0.(3) or 0.3..., " + ", ".join(NAMES)


@click.command()
@game_and_settings()
@click.option(
    "--heaps",
    "rule",
    metavar="GAME",
    callback=as_heap_game,
    help=f"A game on heaps instead: {HEAP_GAME}. Heaps may be of any size where a period of its "
    "Grundy values, or of its misère quotient, is proved.",
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
    position: Position | None,
) -> None:
    """Solve a position: its value, who wins, all winning moves, and why."""
    if (game is None) == (rule is None):
        raise click.UsageError("name either a registered --game or a game on --heaps")
    if rule is None:
        assert game is not None
        if misere:
            raise click.UsageError("misère play of a registered game is --set misere=true")
        board = game_with_settings(game, settings)
    else:
        if settings:
            raise click.UsageError("--set is for registered games")
        if position is None:
            raise click.UsageError("a game on heaps needs a --position, such as 3,5,8")
        try:
            board = replace(heap_rules(rule, position, rule.name), misere=misere)
        except SearchTooLargeError:
            if rule.places is None or rule.unequal:
                raise
            (show_by_quotient if misere else show_by_period)(rule, position)
            return
        position = board.start
    show_solution(board, board.start if position is None else position)


def show_solution(game: Game, position: Position) -> None:
    """Print the solution of one position."""
    outcome = game.solution.value(position)
    position = game.board.position(game.checked_state(position))
    moves = [game.describe(each, position) for each in game.solution.keeping_actions(position)]
    grundy, distance = None, None
    if not game.has_outcome:
        parts = zip(game.parts, game.split(position), strict=True)
        values = [
            int(grundy_values(part)[part.index.find_one(here)])
            for part, here in parts
            if any(here) or part.second is None  # not of empty slots
        ] or [0]
        grundy = in_sum(values) + (", of normal play" if game.misere else "")
    if outcome and isinstance(game.board, Graph):
        distance = f"{game.solution.distance(position)} moves, if the winner hurries"
    print_facts(
        position=" ".join(map(str, position)),
        play=f"{game.kind_of_play}: {game.who_wins}",
        Grundy_value=grundy,
        outcome=OUTCOMES[outcome],
        distance=distance,
        winning_moves=in_lines(moves) if outcome else None,
        moves_that_keep_the_draw=None if outcome else in_lines(moves),
        why=game.solution.method,
    )


def show_by_period(rule: HeapGame, heaps: Position) -> None:
    """Print the solution of heaps of any size, in normal play, by the period of their game."""
    from nim_envs.cgt.sequences import octal_period, winning_moves

    period = octal_period(rule)
    values = [period.value(heap) for heap in heaps]
    found = winning_moves(rule, period, heaps)
    moves = [f"heap {heap}: {split((taken, part), (heaps[heap],))}" for heap, taken, part in found]
    if any(part >= max(period.start, 1) for *_, part in found):
        moves.append(
            f"and those with {period.length}, {2 * period.length}, … more in a smaller heap of "
            f"{period.start} or more, and fewer in the larger one"
        )
    print_facts(
        position=" ".join(map(str, heaps)),
        play=f"normal play: {LAST_MOVE[False]}",
        Grundy_value=in_sum(values),
        outcome=OUTCOMES[1 if nim_sum(values) else -1],
        winning_moves=in_lines(moves),
        why=f"Sprague-Grundy theorem; period {period.length} from heap {period.start} on",
    )


def show_by_quotient(rule: HeapGame, heaps: Position) -> None:
    """Print who wins heaps of any size, in misère play, by the period of their misère quotient.

    Raises:
        SearchTooLargeError: no period is proved.
    """
    from nim_envs.cgt.misere_quotients import misere_quotient

    quotient = misere_quotient(rule)
    period = quotient.period
    assert period is not None
    proof = f"misère quotient of {quotient.order} elements; period {period.length}"
    print_facts(
        position=" ".join(map(str, heaps)),
        play=f"misère play: {LAST_MOVE[True]}",
        outcome=OUTCOMES[1 if quotient.is_winning(heaps) else -1],
        why=f"{proof} from heap {period.start} on",
    )


def in_sum(values: list[int]) -> str:
    """Return Grundy values and their nim-sum in words."""
    return " xor ".join(map(str, values)) + (f" = {nim_sum(values)}" if len(values) > 1 else "")


def in_lines(moves: list[str]) -> str:
    """Return moves in words, one a line, at most :data:`MOST_SHOWN`."""
    more = ["and more"] if len(moves) > MOST_SHOWN else []
    return "\n".join(moves[:MOST_SHOWN] + more) or "none"
