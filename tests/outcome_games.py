"""Games with wins, draws and losses for tests, and their truth by plain recursion.

The recursion reads the functions that a game was made from and shares no code with the package.
Every entry of :data:`GAMES` is a function that returns an :class:`Entry`; they are made once.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import nim_envs

Position = tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    """A game, and the functions that it was made from."""

    game: nim_envs.Game
    moves: Callable[[Position], list[tuple[Hashable, Position]]]
    outcome: Callable[[Position], int]

    def truth(self) -> dict[Position, int]:
        """Return the value of every reachable position to the player to move, by recursion."""
        values: dict[Position, int] = {}

        def value(position):
            if position not in values:
                after = [value(reached) for _, reached in self.moves(position)]
                values[position] = -min(after) if after else self.outcome(position)
            return values[position]

        value(self.game.start)
        return values


def _entry(name, start, moves, outcome, **arguments):
    game = nim_envs.game_from_moves(name, start, moves, outcome=outcome, **arguments)
    return Entry(game, moves, outcome)


def _lines(rows, columns, length):
    return [
        [(row + i * down) * columns + column + i * right for i in range(length)]
        for row in range(rows)
        for column in range(columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if 0 <= row + (length - 1) * down < rows and 0 <= column + (length - 1) * right < columns
    ]


def _has_line(cells, lines, piece):
    return any(all(cells[i] == piece for i in line) for line in lines)


def in_a_row(rows, columns, length, falls):
    """Return moves and outcome of putting pieces in a row; with ``falls`` they drop down."""
    lines = _lines(rows, columns, length)

    def mover(cells):  # 1 or 2
        return 1 + sum(cell > 0 for cell in cells) % 2

    def moves(cells):
        if _has_line(cells, lines, 3 - mover(cells)):
            return []
        found = []
        for cell in range(rows * columns):
            supported = not falls or cell + columns >= rows * columns or cells[cell + columns]
            if not cells[cell] and supported:
                after = (*cells[:cell], mover(cells), *cells[cell + 1 :])
                found.append((cell % columns if falls else cell, after))
        return found

    def outcome(cells):
        return -1 if _has_line(cells, lines, 3 - mover(cells)) else 0

    return moves, outcome


def _in_a_row(name, rows, columns, length, falls):
    start, rules = (0,) * (rows * columns), in_a_row(rows, columns, length, falls)
    return _entry(name, start, *rules, board=(rows, columns))


@cache
def tic_tac_toe() -> Entry:
    """Tic-tac-toe: cells 0 empty, 1 crosses, 2 noughts; 5,478 positions."""
    return _in_a_row("tic-tac-toe", 3, 3, 3, falls=False)


@cache
def connect_four(connect: int = 4) -> Entry:
    """Connect Four on 4 x 4: 161,029 positions with four in a row."""
    return _in_a_row(f"connect-{connect}", 4, 4, connect, falls=True)


@cache
def small_connect() -> Entry:
    """Three in a row on three columns of three, with falling discs."""
    return _in_a_row("connect-3-small", 3, 3, 3, falls=True)


@cache
def dominoes() -> Entry:
    """A game with forced passes: one player lays dominoes flat, the other upright, on 3 x 3.

    Who has no room passes; play ends when neither has, and more dominoes win. The last coordinate
    is the player to move.
    """
    pairs = (
        [(r * 3 + c, r * 3 + c + 1) for r in range(3) for c in range(2)],
        [(r * 3 + c, r * 3 + c + 3) for r in range(2) for c in range(3)],
    )

    def room(cells, player):
        return [pair for pair in pairs[player] if not any(cells[cell] for cell in pair)]

    def moves(position):
        *cells, player = position
        if not room(cells, 0) and not room(cells, 1):
            return []
        if not room(cells, player):
            return [("pass", (*cells, 1 - player))]
        return [
            (
                f"{pair[0]} and {pair[1]}",
                (*(player + 1 if i in pair else cell for i, cell in enumerate(cells)), 1 - player),
            )
            for pair in room(cells, player)
        ]

    def outcome(position):
        *cells, player = position
        own, other = cells.count(player + 1), cells.count(2 - player)
        return (own > other) - (own < other)

    return _entry("dominoes", (0,) * 10, moves, outcome)


@cache
def random_game(seed: int, most: int = 60) -> Entry:
    """A random acyclic game of up to ``most`` positions, one coordinate, with random outcomes.

    Moves lead to smaller numbers. Some numbers cannot be reached, so that there are gaps.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, most + 1))
    after = {(0,): [], (count - 1,): [(0, (int(rng.integers(count - 1)),))]}
    for number in range(1, count):
        wanted = int(rng.integers(0 if number < count - 1 else 1, 5))
        targets = sorted({int(each) for each in rng.integers(0, number, size=wanted)})
        labels = rng.permutation(6)[: len(targets)].tolist()
        after[number,] = [(label, (target,)) for label, target in zip(labels, targets, strict=True)]
    values = {position: int(rng.integers(-1, 2)) for position in after}
    return _entry(f"random-{seed}", (count - 1,), after.__getitem__, values.__getitem__)


@cache
def far_apart() -> Entry:
    """A game of 75 positions, one number each, with wide gaps: up to five million."""

    def moves(position):
        (number,) = position
        return [(0, (number // 7 * 2,)), (1, (number // 5,))] if number > 9 else []

    return _entry("far", (5_000_000,), moves, lambda position: position[0] % 3 - 1)


GAMES: dict[str, Callable[[], Entry]] = {
    "tic-tac-toe": tic_tac_toe,
    "connect-3-small": small_connect,
    "dominoes": dominoes,
    "random-1": lambda: random_game(1),
    "random-2": lambda: random_game(2, 2000),
}
"""Games that a test can list in little time."""


def small_random_games() -> list[Entry]:
    """Ten random games that take little time together, for a test of every run."""
    return [random_game(seed) for seed in range(3, 13)]


LARGER: dict[str, Callable[[], Entry]] = {
    "connect-4": connect_four,
    "connect-3": lambda: connect_four(3),
    **{f"random-{seed}": lambda seed=seed: random_game(seed, 2000) for seed in range(3, 203)},
}
"""Larger games, and two hundred random ones."""


def when_to_run(name: str) -> pytest.MarkDecorator:
    """Return the mark of a test on a larger game: one random game in five runs in CI."""
    kind, _, seed = name.partition("-")
    return pytest.mark.release if kind == "random" and int(seed) % 5 else pytest.mark.exhaustive


LARGER_NAMES = [pytest.param(name, marks=when_to_run(name)) for name in LARGER]
"""Their names, as parameters of a test."""
