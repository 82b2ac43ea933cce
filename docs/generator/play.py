"""Boards that one plays on: their choice and the scripts of their data, with Q-learning's moves."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from agents import QLearning
from agents.training import train
from nim_envs import Game, GameEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.registry import GAMES, make_game
from nim_envs.render.board_data import (
    CONVENTIONS,
    Board,
    data_of_board,
    data_of_game,
    reachable_board,
    replies,
)

LEARNED_GAMES = (0, 100, 1_000, 20_000)
"""Numbers of games after which Q-learning is an opponent."""

MOST_POSITIONS = 600
"""Most positions of a board."""

RING = tuple((node, (node + 1) % 7) for node in range(7))
PATH = tuple((node, node + 1) for node in range(8))

BOARDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("addition", "add 1 to 3, up to 10", {}),
    ("addition", "add 1 to 3, up to 21", {"k": 3, "n": 21}),
    ("addition", "add 1 to 5, up to 30", {"k": 5, "n": 30}),
    ("nim", "heaps 3, 4, 5", {}),
    ("nim", "heaps 1, 2, 3", {"heaps": (1, 2, 3)}),
    ("nim", "heaps 2, 3, 4, 5", {"heaps": (2, 3, 4, 5)}),
    ("misere_nim", "heaps 1, 3, 5, 7", {}),
    ("misere_nim", "heaps 3, 4, 5", {"heaps": (3, 4, 5)}),
    ("misere_nim", "heaps 1, 1, 2", {"heaps": (1, 1, 2)}),
    ("subtraction", "17, take 1, 2 or 3", {}),
    ("subtraction", "9 and 7, take 1, 2 or 3", {"heaps": (9, 7), "subtraction_set": (1, 2, 3)}),
    ("subtraction", "20, take 1, 3 or 4", {"heaps": (20,), "subtraction_set": (1, 3, 4)}),
    ("kayles", "7 pins", {}),
    ("kayles", "5 pins", {"heaps": (5,)}),
    ("kayles", "9 pins", {"heaps": (9,)}),
    ("dawsons_kayles", "heap 10", {}),
    ("dawsons_kayles", "heap 7", {"heaps": (7,)}),
    ("dawsons_kayles", "heap 14", {"heaps": (14,)}),
    ("fibonacci_nim", "heap 20", {}),
    ("fibonacci_nim", "heap 13", {"heaps": (13,)}),
    ("fibonacci_nim", "heap 16", {"heaps": (16,)}),
    ("wythoff", "from (9, 7)", {}),
    ("wythoff", "from (5, 4)", {"queens": ((5, 4),)}),
    ("wythoff", "from (7, 4)", {"queens": ((7, 4),)}),
    ("chomp", "4 × 5", {}),
    ("chomp", "3 × 4", {"rows": 3, "columns": 4}),
    ("chomp", "2 × 7", {"rows": 2, "columns": 7}),
    ("cram", "3 × 4", {}),
    ("cram", "2 × 3", {"rows": 2, "columns": 3}),
    ("cram", "3 × 3", {"rows": 3, "columns": 3}),
    ("node_kayles", "Petersen's graph", {}),
    ("node_kayles", "a ring of 7", {"nodes": 7, "edges": RING}),
    ("node_kayles", "a path of 9", {"nodes": 9, "edges": PATH}),
    ("graph", "tokens 11, 10", {}),
    ("graph", "token 11", {"tokens": (11,)}),
    ("graph", "tokens 6, 5", {"tokens": (6, 5)}),
)
"""Game, name and arguments of boards; other games have their default board alone."""


@cache
def boards(name: str) -> dict[str, Board]:
    """Return the boards of a registered game that have few enough positions, by their names."""
    rows = [row for row in BOARDS if row[0] == name] or [(name, "default", {})]
    found = {}
    for _, called, arguments in rows:
        with suppress(SearchTooLargeError):
            found[called] = reachable_board(make_game(name, **arguments), MOST_POSITIONS)
    return found


def learned(board: Board, game: Game) -> list[str]:
    """Return the greedy moves of Q-learning after each number of games of self-play.

    Of the board, whose game is in normal or in misère play, every game begins at the start. For
    each number of games these are the best moves, as :func:`marked_moves` writes them.
    """
    env = GameEnv(game)
    agent = QLearning.for_env(env, seed=0)
    found = [replies(board, agent.greedy(), env)]
    for played, games in pairwise(LEARNED_GAMES):
        train(env, agent, games=games - played, seed=played, progress=False)
        found.append(replies(board, agent.greedy(), env))
    return found


def script(name: str, title: str) -> str:
    """Return the script that hands the boards of a registered game to ``play.js``.

    A page that is opened as a file may load a script, but not fetch data.
    """
    convention = "misere" if GAMES[name].misere else "normal"
    opponents = [f"Q-learning, {games:,} games" for games in LEARNED_GAMES]
    data = []
    for called, board in boards(name).items():
        games = {key: replace(board.game, misere=key == "misere") for key in CONVENTIONS}
        moves = {key: learned(board, game) for key, game in games.items()}
        data.append(data_of_board(board, called, games, moves))
    content = json.dumps(
        data_of_game(title, convention, opponents, data),
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return f"nimPlay({json.dumps(name)},{content});\n"
