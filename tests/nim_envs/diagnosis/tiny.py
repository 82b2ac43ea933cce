"""Tiny games as dictionaries of moves, by which tables of the diagnosis are computed again.

Nothing here uses the package but to make the games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from nim_envs import Game, game_from_moves, make_game
from nim_envs.diagnosis.board import Board
from nim_envs.diagnosis.moves import Case, answers_of
from nim_envs.rules import Convention

Position = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tiny:
    """A game of a few positions.

    Attributes:
        game: for the package.
        moves: position after each legal action, by position, by its coordinates.
        ends: value of each position without moves to the player to move.
    """

    game: Game
    moves: dict[Position, dict[int, Position]]
    ends: dict[Position, int]

    def board(self) -> Board:
        """The board of the game, computed once."""
        return _board(self)

    def row(self, position: Position) -> int:
        """Row of a position on the board."""
        return self.rows[position]

    @property
    def rows(self) -> dict[Position, int]:
        """Rows of all positions."""
        return _rows(self)

    def value(self, position: Position, ends: dict[Position, int] | None = None) -> int:
        """Value of a position to the player to move, where play ends with certain values."""
        ends = self.ends if ends is None else ends
        after = [-self.value(each, ends) for each in self.moves[position].values()]
        return max(after) if after else ends[position]

    def keeping(self, position: Position, ends: dict[Position, int] | None = None) -> set[int]:
        """Actions that win, or keep a draw where none wins."""
        value = self.value(position, ends)
        return {
            action
            for action, after in self.moves[position].items()
            if value >= 0 and -self.value(after, ends) == value
        }

    def reward(self, position: Position, action: int) -> int:
        """Reward of the mover: 0 where the game goes on."""
        return -self.ends.get(self.moves[position][action], 0)

    def over(self, position: Position) -> bool:
        """Whether there is no move."""
        return not self.moves[position]

    def actions(self, best: Callable[[Position], dict[int, float]]) -> list[set[int]]:
        """The actions of the largest number in each row of the board, by a function."""
        found = [set()] * len(self.moves)
        for position, row in self.rows.items():
            numbers = best(position)
            if numbers:
                largest = max(numbers.values())
                found[row] = {a for a, number in numbers.items() if number > largest - 1e-9}
        return found


@cache
def _board(tiny: Tiny) -> Board:
    return Board(tiny.game)


@cache
def _rows(tiny: Tiny) -> dict[Position, int]:
    board = tiny.board()
    return {tuple(each): row for row, each in enumerate(board.coordinates.tolist())}


def sets(table: np.ndarray) -> list[set[int]]:
    """The actions in each row of a table ``(n, actions)``."""
    return [set(np.flatnonzero(row).tolist()) for row in table]


@cache
def heap(misere: bool = False, size: int = 6) -> Tiny:
    """One heap; action ``a`` takes ``a + 1``, up to 3."""
    moves = {
        (left,): {take - 1: (left - take,) for take in (1, 2, 3) if take <= left}
        for left in range(size + 1)
    }
    game = make_game(
        "subtraction", heaps=(size,), subtraction_set=(1, 2, 3), misere=misere, start="uniform"
    )
    return Tiny(game, moves, {(0,): 1 if misere else -1})


@cache
def heaps(misere: bool = False, sizes: Position = (2, 3), start: str = "uniform") -> Tiny:
    """Two heaps; action ``a`` takes from the heap ``a // largest`` ``a % largest + 1``."""
    largest = max(sizes)

    def after(position: Position) -> dict[int, Position]:
        return {
            heap * largest + take - 1: (*position[:heap], left - take, *position[heap + 1 :])
            for heap, left in enumerate(position)
            for take in range(1, left + 1)
        }

    moves = {(a, b): after((a, b)) for a in range(sizes[0] + 1) for b in range(sizes[1] + 1)}
    game = make_game("nim", heaps=sizes, misere=misere, start=start)
    return Tiny(game, moves, {(0, 0): 1 if misere else -1})


GRAPH: dict[int, dict[int, int]] = {
    0: {}, 1: {}, 2: {},
    3: {0: 0, 1: 1, 2: 2},
    4: {1: 1, 2: 2},
    5: {2: 2},
    6: {0: 4, 1: 3},
    7: {0: 4, 2: 5},
    8: {0: 6, 1: 7},
    9: {1: 8, 2: 1},
    10: {0: 9, 1: 6, 2: 8},
    11: {0: 10, 2: 7},
}  # fmt: skip
"""Moves between numbers, by label."""

GRAPH_ENDS = {0: -1, 1: 0, 2: 1}


@cache
def graph(start: str = "uniform") -> Tiny:
    """A game on a graph, which may be drawn: who moves to 0 wins, to 1 draws, to 2 loses."""
    moves = {(n,): {a: (each,) for a, each in after.items()} for n, after in GRAPH.items()}
    game = game_from_moves(
        "drawn", (11,), lambda p: list(moves[p].items()), outcome=lambda p: GRAPH_ENDS[p[0]],
        actions=range(3), starts=start,
    )  # fmt: skip
    return Tiny(game, moves, {(n,): value for n, value in GRAPH_ENDS.items()})


@cache
def strip(start: str = "fixed") -> Tiny:
    """Four cells in a row: who puts two of their own side by side wins; else it is a draw."""

    def won(cells: Position) -> bool:
        return any(a and a == b for a, b in pairwise(cells))

    def after(cells: Position) -> dict[int, Position]:
        player = 1 + sum(cell > 0 for cell in cells) % 2
        return {
            place: (*cells[:place], player, *cells[place + 1 :])
            for place, cell in enumerate(cells)
            if not cell and not won(cells)
        }

    moves: dict[Position, dict[int, Position]] = {}
    waiting = [(0, 0, 0, 0)]
    while waiting:
        cells = waiting.pop()
        if cells not in moves:
            moves[cells] = after(cells)
            waiting += moves[cells].values()
    ends = {cells: -1 if won(cells) else 0 for cells, found in moves.items() if not found}
    game = game_from_moves(
        "strip", (0, 0, 0, 0), lambda p: list(moves[p].items()), outcome=ends.__getitem__,
        actions=range(4), board=(1, 4), starts=start,
    )  # fmt: skip
    return Tiny(game, moves, ends)


ALL = {
    "heap": heap,
    "misère heap": lambda: heap(misere=True),
    "heaps": heaps,
    "misère heaps": lambda: heaps(misere=True),
    "graph": graph,
    "strip": strip,
}
"""Functions that return the games."""


def playing(tiny: Tiny, choose: Callable[[Position], dict[int, float]]) -> Any:
    """A policy that plays actions with the probabilities that a function of positions returns."""
    rules = tiny.game.rules

    def policy(observations: Any, masks: Any) -> Any:
        found = np.zeros(masks.shape)
        seen = rules.coordinates(rules.positions_at(observations.astype(np.int64)))
        for row, position in enumerate(map(tuple, seen.tolist())):
            for action, probability in choose(position).items():
                found[row, action] = probability
        return found

    return policy


def first_legal(tiny: Tiny) -> Any:
    """A policy that plays the first legal action."""
    return playing(tiny, lambda position: {min(tiny.moves[position]): 1.0})


def case_of(tiny: Tiny, policy: Any = None, values: Any = None) -> Case:
    """The moves of a policy, by default the first legal ones.

    Args:
        tiny: the game.
        policy: see :func:`playing`.
        values: of each row of the board, with or without a move, ``(n,)`` or ``(n, actions)``.
    """
    board = tiny.board()
    answers = answers_of(first_legal(tiny) if policy is None else policy, tiny.game, board, 0)
    return Case(board, answers, None if values is None else values[answers.rows])


def table_of(tiny: Tiny, numbers: dict[Position, dict[int, float]]) -> Any:
    """A table of action values, ``(n, actions)``, by row of the board; not a number elsewhere."""
    table = np.full(tiny.board().legal.shape, np.nan)
    for position, found in numbers.items():
        for action, number in found.items():
            table[tiny.row(position), action] = number
    return table


def solved(
    tiny: Tiny,
    *,
    reward: float = 1.0,
    shift: float = 0.0,
    next: float = 0.0,  # noqa: A002
    reply: float = 0.0,
    own: float = 0.0,
    convention: Convention | None = None,
    loss: float = 1.0,
    draw: float = 0.0,
    drawn_reply: float = 0.0,
) -> dict[Position, dict[int, float]]:
    """Action values that solve an equation, by recursion; for the terms see :class:`Equation`."""
    ends = tiny.ends
    if convention is not None and not tiny.game.has_outcome:
        ends = dict.fromkeys(ends, -1 if convention is Convention.NORMAL else 1)

    def counted(result: float, of_draw: float) -> float:
        return of_draw if result == 0 else result if result > 0 else loss * result

    @cache
    def values(position: Position) -> dict[int, float]:
        return {action: value(after) for action, after in tiny.moves[position].items()}

    @cache
    def value(after: Position) -> float:
        if tiny.over(after):
            return counted(-reward * ends[after], draw) + shift
        answers = values(after)
        best = [a for a, each in answers.items() if each > max(answers.values()) - 1e-9]
        found = next * max(answers.values())
        for action in best:
            last = tiny.moves[after][action]
            if tiny.over(last):
                found += counted(-reply * ends[last], drawn_reply) / len(best)
            else:
                found += own * max(values(last).values()) / len(best)
        return found

    return {position: values(position) for position in tiny.moves}
