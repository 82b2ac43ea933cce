"""Boards that one plays on: their choice and the scripts of their data, with Q-learning's moves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from agents import QLearning
from agents.training import train
from docs.generator.markdown import write
from nim_envs import Convention, Game
from nim_envs.errors import SearchTooLargeError
from nim_envs.registration import GAMES, make_aec, make_game
from nim_envs.render.board_data import (
    SCRIPT,
    STYLE,
    Board,
    data_of_board,
    data_of_game,
    marked_moves,
    reachable_board,
)

LEARNED_GAMES = (0, 100, 1_000, 20_000)
"""Numbers of games after which Q-learning is an opponent."""

MOST_POSITIONS = 600
"""Most positions of a board."""

OTHER_BOARDS: dict[str, tuple[dict[str, Any], ...]] = {
    "addition": ({"k": 3, "n": 21}, {"k": 5, "n": 30}),
    "nim": ({"heaps": (1, 2, 3)}, {"heaps": (2, 3, 4, 5)}),
    "misere_nim": ({"heaps": (3, 4, 5)}, {"heaps": (1, 1, 2)}),
    "subtraction": (
        {"heaps": (9, 7), "subtraction_set": (1, 2, 3)},
        {"heaps": (20,), "subtraction_set": (1, 3, 4)},
    ),
    "kayles": ({"heaps": (5,)}, {"heaps": (9,)}),
    "dawsons_kayles": ({"heaps": (7,)}, {"heaps": (14,)}),
    "fibonacci_nim": ({"heaps": (13,)}, {"heaps": (16,)}),
    "wythoff": ({"queens": ((5, 4),)}, {"queens": ((7, 4),)}),
    "chomp": ({"rows": 3, "columns": 4}, {"rows": 2, "columns": 7}),
    "cram": ({"rows": 2, "columns": 3}, {"rows": 3, "columns": 3}),
    "node_kayles": (
        {"nodes": 7, "edges": tuple((node, (node + 1) % 7) for node in range(7))},
        {"nodes": 9, "edges": tuple((node, node + 1) for node in range(8))},
    ),
    "graph": ({"tokens": (11,)}, {"tokens": (6, 5)}),
}
"""Arguments of boards besides the default one."""

BOARD_NAMES = {
    "addition": ("add 1 to 3, up to 10", "add 1 to 3, up to 21", "add 1 to 5, up to 30"),
    "subtraction": (
        "17, take 1, 2 or 3",
        "9 and 7, take 1, 2 or 3",
        "20, take 1, 3 or 4",
    ),
    "wythoff": ("from (9, 7)", "from (5, 4)", "from (7, 4)"),
    "euclid": ("36 and 13",),
    "node_kayles": ("Petersen's graph", "a ring of 7", "a path of 9"),
}
"""Names of boards whose arguments say less, or are too long to be shown."""


class NamedBoard(NamedTuple):
    """A board of a registered game.

    Attributes:
        of: name of its game.
        name: its name for a reader.
        arguments: arguments of the game's constructor.
        board: the board.
    """

    of: str
    name: str
    arguments: dict[str, Any]
    board: Board

    @property
    def games(self) -> dict[str, Game]:
        """Its game in normal and in misère play."""
        return {each.value: Game(self.board.game.rules, each) for each in Convention}


def boards(name: str) -> list[NamedBoard]:
    """Return the boards of a registered game that have few enough positions."""
    found = []
    for number, others in enumerate(({}, *OTHER_BOARDS.get(name, ()))):
        with suppress(SearchTooLargeError):
            board = reachable_board(make_game(name, **others), MOST_POSITIONS)
            given = {**GAMES[name].defaults, **others}
            called = BOARD_NAMES[name][number] if name in BOARD_NAMES else _called(name, given)
            found.append(NamedBoard(name, called, others, board))
    return found


def _called(name: str, arguments: dict[str, Any]) -> str:
    """Return the name of a board: the arguments in which the boards of its game may differ."""
    if {"rows", "columns"} <= arguments.keys():
        return f"{arguments['rows']} × {arguments['columns']}"
    words = []
    for key, value in arguments.items():
        if value is None or key in ("successors", "code", "edges"):
            continue
        if isinstance(value, tuple) and len(value) == 1:
            (value,) = value
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        words.append(f"{key.replace('_', ' ')} {shown}")
    return "; ".join(words)


def learned(named: NamedBoard, game: Game) -> list[str]:
    """Return the greedy moves of Q-learning after each number of games of self-play.

    Args:
        named: board on which every game begins at the start.
        game: its game in the convention that is played.

    Returns:
        For each number of games the best moves, as :func:`chosen` writes them.
    """
    misere = game.convention is Convention.MISERE
    env = make_aec(named.of, **named.arguments, misere=misere)
    agent = QLearning.for_env(env, seed=0)
    states = named.board.states
    masks = game.rules.action_mask(states)
    observations = env.encoding.encode(states)
    played, found = 0, []
    for games in LEARNED_GAMES:
        if games > played:
            train(env, agent, games=games - played, seed=played, progress=False)
            played = games
        shares = agent.greedy().action_probabilities(observations, masks)
        found.append(marked_moves(named.board, [np.flatnonzero(share) for share in shares]))
    return found


def data(named: NamedBoard) -> dict[str, Any]:
    """Return all that a page needs of a board."""
    replies = {key: learned(named, game) for key, game in named.games.items()}
    return data_of_board(named.board, named.name, named.games, replies)


def script(name: str, boards: Sequence[NamedBoard], title: str) -> str:
    """Return the script that hands the boards of a registered game to ``play.js``.

    A page that is opened as a file may load a script, but not fetch data.

    Args:
        name: name of the game.
        boards: its boards.
        title: its name for a reader.
    """
    convention = Convention.from_misere(GAMES[name].misere).value
    opponents = [f"Q-learning, {games:,} games" for games in LEARNED_GAMES]
    content = json.dumps(
        data_of_game(title, convention, opponents, [data(each) for each in boards]),
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return f"nimPlay({json.dumps(name)},{content});\n"


def board_on_page(name: str, path: str) -> str:
    """Return the HTML of a board that one plays on.

    Args:
        name: name of a registered game.
        path: path from the page to the folder of the scripts of games.
    """
    return (
        f'<div class="nim-play" data-game="{name}" data-source="{path}{name}.js">'
        "<noscript>Turn on JavaScript to play the game here, against an optimal opponent or "
        "against Q-learning.</noscript></div>"
    )


def write_scripts() -> None:
    """Add the script and the style sheet of all boards to the manual."""
    for path in (SCRIPT, STYLE):
        write(path.name, path.read_bytes())


def write_script(name: str, content: str) -> None:
    """Add the script of a registered game to the manual."""
    write(f"games/play/{name}.js", content)
