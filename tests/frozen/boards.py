"""The boards: all registered games and those of the benchmark, and five games of one's own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from benchmarks.tasks import GAMES as TASKS
from nim_envs import Game, GameEnv, game_from_moves, make_game
from tests.outcome_games import in_a_row

NAMES = (
    "nim", "misere_nim", "addition", "subtraction", "octal", "kayles", "dawsons_kayles",
    "dawsons_chess", "officers", "grundy", "splitting", "laskers_nim", "moores_nim",
    "fibonacci_nim", "wythoff", "euclid", "chomp", "cram", "node_kayles", "graph", "sum",
)  # fmt: skip
"""The registered games."""

LARGEST_BOX = 20_000
"""Largest number of points of a box in which all positions are looked for."""

LARGEST_LIST = 2_000
"""Largest number of positions that are recorded; of more, a sample."""


def numbers(seed: int) -> Callable[[int], int]:
    """Return a function of n that draws an integer below n, the same on every platform."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.random() * n)


def text(position: Any) -> str:
    """Return a position in short, such as ``"3-4-5"``."""
    return "-".join(str(int(entry)) for entry in position)


@dataclass
class Board:
    """A game and its positions.

    Args:
        name: name of the records.
        make: returns the game.
        arguments: those of the environment's id, of a registered game with its defaults.
        registered: name of the registered game; ``""``: a game of one's own.
    """

    name: str
    make: Callable[[], Game]
    arguments: dict[str, Any] = field(default_factory=dict)
    registered: str = ""

    @cached_property
    def game(self) -> Game:
        """The game."""
        return self.make()

    @cached_property
    def box(self) -> tuple[int, ...]:
        """Number of values of each coordinate."""
        space: Any = GameEnv(self.game).observation_space("player_0")
        return tuple(int(high) + 1 for high in space["observation"].high)

    @cached_property
    def all_positions(self) -> list[tuple[int, ...]]:
        """All positions in lexicographic order; none where the box is too large."""
        if np.prod(self.box, dtype=float) > LARGEST_BOX:
            return []
        return [point for point in product(*map(range, self.box)) if self._is_position(point)]

    @cached_property
    def positions(self) -> list[tuple[int, ...]]:
        """The positions that are recorded, in lexicographic order."""
        found = self.all_positions or sorted(self._positions_of_random_games())
        if len(found) <= LARGEST_LIST:
            return found
        below = numbers(1)
        return sorted({found[below(len(found))] for _ in range(LARGEST_LIST)})

    def _is_position(self, point: tuple[int, ...]) -> bool:
        try:
            self.game.is_over(point)
        except ValueError:
            return False
        return True

    def _positions_of_random_games(self) -> set[tuple[int, ...]]:
        found, below = set(), numbers(0)
        for _ in range(200):
            position = (0,) * len(self.box)  # where the large boards below begin
            while found.add(position) or not self.game.is_over(position):
                moves = self.game.moves(position)
                position = moves[below(len(moves))][1]
        return found

    def scores(self, by_position: Any) -> list[tuple[str, float]]:
        """Return an array of scores of all positions, by position.

        Args:
            by_position: one score for each position in lexicographic order, or for each point of
                the box.
        """
        rows: Any = range(len(by_position))
        if len(by_position) != len(self.all_positions):
            rows = np.ravel_multi_index(np.array(self.all_positions).T, self.box)
        listed = zip(self.all_positions, rows, strict=True)
        return [(text(position), float(by_position[row])) for position, row in listed]


def registered_boards() -> list[Board]:
    """Return all boards of registered games, in both conventions."""
    boards = {name: (name, {}) for name in NAMES}
    for task, setting in TASKS.items():
        boards[f"task {task}"] = (setting.name, dict(setting.arguments))
    return [
        _registered(name, game, arguments | {"misere": misere})
        for name, (game, arguments) in boards.items()
        for misere in (False, True)
    ]


def _registered(name: str, game: str, arguments: dict[str, Any]) -> Board:
    play = "misere" if arguments["misere"] else "normal"
    return Board(f"{name}, {play}", lambda: make_game(game, **arguments), arguments, game)


def joined(cells, piece):
    """Return whether a piece joins two sides of a Hex board of 3 x 3 cells, 1 top to bottom."""
    along = [cell // 3 if piece == 1 else cell % 3 for cell in range(9)]
    chain = [cell for cell in range(9) if cells[cell] == piece and along[cell] == 0]
    for cell in chain:  # which grows meanwhile
        for down, right in (0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1):
            row, column = cell // 3 + down, cell % 3 + right
            other = 3 * row + column
            inside = 0 <= row < 3 and 0 <= column < 3
            if inside and cells[other] == piece and other not in chain:
                chain.append(other)
    return any(along[cell] == 2 for cell in chain)


def hex_board(cells):
    """Yield the moves of Hex."""
    mover = 2 - cells.count(0) % 2
    if not joined(cells, 3 - mover):
        for cell in range(9):
            if cells[cell] == 0:
                yield cell, (*cells[:cell], mover, *cells[cell + 1 :])


def sowing(position):
    """Yield the moves of a game with draws: in turn, each player adds 1 to 3 to their own side."""
    mine, yours, turns = position
    return [(n, (yours, mine + n, turns - 1)) for n in (1, 2, 3) if turns and (n < 3 or mine < 2)]


def staircase(position):
    """Yield the moves of a rook that goes left or down, or one step along the diagonal."""
    a, b = position
    yield from ((f"left {n}", (a - n, b)) for n in range(1, a + 1))
    yield from ((f"down {n}", (a, b - n)) for n in range(1, b + 1))
    if a and b:
        yield "both", (a - 1, b - 1)


def own_games() -> dict[str, Game]:
    """Return games from functions of moves, by name."""
    crosses, no_line = in_a_row(3, 3, 3, falls=False)
    discs, no_four = in_a_row(4, 4, 4, falls=True)
    return {
        "tic-tac-toe": lambda: game_from_moves(
            "tic-tac-toe", (0,) * 9,
            lambda cells: [(f"cell {cell}", after) for cell, after in crosses(cells)],
            outcome=no_line, board=(3, 3), picture="crosses", kind="board",
            describe=lambda label: f"mark {label}",
        ),
        "connect four": lambda: game_from_moves(
            "Connect Four", (0,) * 16, discs, outcome=no_four, board=(4, 4), picture="discs"
        ),
        "hex": lambda: game_from_moves(
            "Hex", (0,) * 9, hex_board, outcome=lambda cells: -1, board=(3, 3), picture="discs"
        ),
        "sowing": lambda: game_from_moves(
            "sowing", (0, 0, 5), sowing,
            outcome=lambda end: (end[0] > end[1]) - (end[0] < end[1]),
        ),
        "staircase, normal": lambda: game_from_moves(
            "staircase", (4, 5), staircase, positions=[(6, 3)], starts="uniform"
        ),
        "staircase, misere": lambda: game_from_moves(
            "staircase", (4, 5), staircase, misere=True, picture="piece", kind="rook"
        ),
    }  # fmt: skip


def own_boards() -> list[Board]:
    """Return the boards of games of one's own."""
    return [Board(f"own {name}", make) for name, make in own_games().items()]
