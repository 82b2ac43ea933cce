"""Which games of OpenSpiel are solved here: all with perfect information, with the reason if not.

python -m benchmarks.studies.openspiel_games prints the table, in some minutes; with names of games,
such as "hex(board_size=3)", it prints their rows.
"""

import re
import subprocess
import sys
from typing import Any

import click
import numpy as np
import pyspiel

from benchmarks.report import table
from nim_envs.adapters.openspiel import game_of
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game

SMALL = (
    "breakthrough(rows=4,columns=3)", "clobber(rows=4,columns=3)", "connect_four(rows=4,columns=4)",
    "dots_and_boxes(num_rows=1,num_cols=2)", "gomoku(size=3,connect=3)", "havannah(board_size=2)",
    "hex(num_rows=3,num_cols=3)", "mnk(m=3,n=3,k=3)", "y(board_size=4)",
    "checkers(rows=4,columns=4)", "go(board_size=2)",
    "oware(num_houses_per_player=2,num_seeds_per_house=1)", "quoridor(board_size=3)",
    "quoridor(board_size=3) cycles", "go(board_size=2) cycles",
    "misere(game=tic_tac_toe())",
)  # fmt: skip
"""Smaller boards, with ``cycles="draw"`` where that is said."""

BEHIND = r"\n|, here after|: positions after|, after the moves|\. A game|: /"
"""Begins the details of a reason."""

SECONDS = 300
"""Limit of one game."""


def differences(game: Game) -> int:
    """Return the number of OpenSpiel's states whose value is not that of the game.

    Their values are found by value iteration without this package. Sweeps over all states begin
    with 0, so that play without an end is drawn.
    """
    part: Any = game.parts[0]
    forced_pass = part.openspiel_game.num_distinct_actions()
    start, row = part.openspiel_game.new_initial_state(), part.state(part.start)
    if start.current_player() == 1:
        row = part.move(row, forced_pass)
    after: dict[tuple[int, str], list[tuple[int, str]]] = {}
    players, values = {}, {}  # to player 0
    waiting = [((row, str(start)), start.current_player(), start)]
    for key, player, state in waiting:  # grows meanwhile
        if key in after:
            continue
        after[key], players[key] = [], player
        values[key] = int(np.sign(state.returns()[0])) if state.is_terminal() else 0
        for action in state.legal_actions():
            child, row = state.child(action), part.move(key[0], action)
            its_player = 1 - player if child.is_terminal() else child.current_player()
            if its_player == player:
                row = part.move(row, forced_pass)
            after[key].append((row, str(child)))
            waiting.append((after[key][-1], its_player, child))
    order, changed = [key for key in reversed(after) if after[key]], True
    while changed:
        changed = False
        for key in order:
            best = (max, min)[players[key]](map(values.__getitem__, after[key]))
            changed |= best != values[key]
            values[key] = best
    solved = game.solution.table
    return sum(solved[key[0]] != (1, -1)[players[key]] * values[key] for key in values)


def row(name: str) -> str:
    """Return the result for a game in words, and columns before it, separated by tabs."""
    spec, _, cycles = name.partition(" ")
    try:
        game = game_of(spec, cycles="draw" if cycles else None)
    except (InvalidGameError, SearchTooLargeError) as error:
        text = re.split(BEHIND, str(error))[0].rpartition(" of OpenSpiel ")[2]
        return f"\t\trefused: {text.removeprefix('cannot be solved here: ')}"
    wrong = differences(game)
    result = f"{wrong} values differ" if wrong else "equal at every position"
    positions = game.parts[0].num_positions
    return f"{positions}\t{game.solution.value(game.start)}\timported, {result}"


def row_in_process(name: str) -> list[str]:
    """Return the row of a game, computed in a process of its own, which OpenSpiel may end."""
    program = f"from benchmarks.studies.openspiel_games import row; print(row({name!r}))"
    command = [sys.executable, "-c", program]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [name, "", "", f"undecided after {SECONDS} s"]
    if done.returncode:
        return [name, "", "", f"ended with code {done.returncode}"]
    return [name, *done.stdout.strip("\n").rpartition("\n")[2].split("\t")]


@click.command()
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Print which games of OpenSpiel with perfect information are solved here."""
    perfect = pyspiel.GameType.Information.PERFECT_INFORMATION
    every = [kind.short_name for kind in pyspiel.registered_games() if kind.information == perfect]
    chosen = names or sorted([*every, *SMALL])
    rows = [row_in_process(name) for name in chosen]
    click.echo(table(["game", "positions", "value", "result"], rows, "github"))


if __name__ == "__main__":
    main()
