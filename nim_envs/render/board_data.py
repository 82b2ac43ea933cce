"""Boards that one plays on in a browser: tables of a game as data for ``play.js``.

The script knows no rules. For every board it is handed all positions with their moves in words, the
pictures of :mod:`nim_envs.render`, which moves win, and the moves of its opponents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.render import palette
from nim_envs.render.heaps import PinRow
from nim_envs.render.palette import hexadecimal
from nim_envs.render.picture import Picture
from nim_envs.render.scene import Scene
from nim_envs.render.shapes import Box, Disc, Drawing, Polygon, Shape, as_json
from nim_envs.render.words import position_in_words
from nim_envs.typing import IntArray, Position

SCRIPT, STYLE = (Path(__file__).with_name(f"play.{suffix}") for suffix in ("js", "css"))
"""The script and the style sheet of the boards."""

SIZE = (440, 340)
"""Width and height of the pictures, from which the board is cut."""


class Board(NamedTuple):
    """A board with every position that can be reached on it.

    Attributes:
        game: the game.
        positions: coordinates of each position, the first one the start.
        moves: at each position, pairs of an action and the index of the position after it.
    """

    game: Game
    positions: list[Position]
    moves: list[list[tuple[int, int]]]


def reachable_board(game: Game, max_positions: int) -> Board:
    """Return the positions that can be reached from the start, and their moves by index.

    Args:
        game: any game.
        max_positions: largest number of positions.

    Raises:
        SearchTooLargeError: there are more.
    """
    index = {game.start: 0}
    positions = [game.start]
    moves = []
    for position in positions:  # which grows
        row = []
        for action, after in game.moves(position):
            if after not in index:
                if len(positions) >= max_positions:
                    raise SearchTooLargeError(
                        f"{game} has more than {max_positions:,} positions that can be reached, "
                        "the limit of a board to play on; choose a smaller board"
                    )
                index[after] = len(positions)
                positions.append(after)
            row.append((action, index[after]))
        moves.append(row)
    return Board(game, positions, moves)


class Table:
    """Values that occur often, each once, in the order of their first occurrence."""

    def __init__(self) -> None:
        self.indices: dict[str, int] = {}

    def index(self, value: Any) -> int:
        """Return the index of a value that JSON can hold; it is added if it is new."""
        return self.indices.setdefault(json.dumps(value), len(self.indices))

    @property
    def values(self) -> list[Any]:
        """The values, as JSON holds them."""
        return [json.loads(key) for key in self.indices]


class Pictures:
    """The pictures of a game as indices of shapes.

    Args:
        game: any game.

    Attributes:
        shapes: the shapes, lists of a kind, a colour and the measures of that kind.
        partner: colour of ``player_1`` for each colour of ``player_0``.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.options = game.num_actions // len(game.parts)
        self.picture = Picture(game, SIZE)
        self.shapes = Table()
        self.known: dict[Shape, int] = {}
        self.partner: dict[str, str] = {}

    @property
    def view(self) -> list[float]:
        """The part of the picture that is shown: left, top, width and height."""
        return [round(each) for each in self.picture.body]

    def draw(self, position: Position, **of_scene: Any) -> list[Shape]:
        """Return the shapes of the board alone at a position, with ``player_0`` to move."""
        drawing = Drawing()
        self.picture.draw_panels(drawing, Scene(position, **{"mover": 0, **of_scene}))
        return drawing.shapes

    def indices(self, shapes: Sequence[Shape]) -> list[int]:
        """Return the indices of shapes."""
        for shape in shapes:
            if shape not in self.known:
                (data,) = as_json([shape])
                self.known[shape] = self.shapes.index(_short(data))
        return [self.known[shape] for shape in shapes]

    def winning(self, position: Position, actions: IntArray) -> list[int]:
        """Return the indices of the shapes of a picture that marks these moves."""
        return self.indices(self.draw(position, winning=actions))

    def pointed(self, position: Position, action: int) -> list[int]:
        """Return the indices of the shapes of a picture that shows a move before it is made."""
        shapes = self._pointed(position, action, mover=0)
        if not self.partner:
            for one, other in zip(shapes, self._pointed(position, action, mover=1), strict=True):
                if one.color != other.color:
                    self.partner[hexadecimal(one.color)] = hexadecimal(other.color)
        return self.indices(shapes)

    def _pointed(self, position: Position, action: int, mover: int) -> list[Shape]:
        part, option = self.game.parts[action // self.options], action % self.options
        style = part.picture.style
        if style != "pins" and (style != "slots" or not part.labels[option][1]):
            return self.draw(position, mover=mover, pointed=action)
        # What a move takes out of a row, or splits, is marked as a winning move is.
        shapes = self.draw(position, mover=mover, winning=np.array([action]))
        return [
            shape._replace(color=palette.PLAYERS[mover])
            if shape.color == palette.WINNING
            else shape
            for shape in shapes
        ]

    def clicks(self, position: Position) -> dict[tuple[int, int], list[int]]:
        """Return the moves that a click on the middle of each shape chooses, or chooses between.

        Args:
            position: the position that was drawn last.

        Returns:
            Actions by the point of the picture; where pictures do not tell moves apart, those of
            the part that is there.
        """
        actions_at = self._clicks_on_pins(position)
        points = {point for shape in self.draw(position) if (point := _middle(shape))}
        for point in sorted(points - actions_at.keys()):
            part = self.picture.part_at(point)
            in_row = part is not None and self.game.parts[part].picture.style == "pins"
            chosen = [] if in_row else self.picture.candidates_at(position, point)
            if chosen:
                actions_at[point] = chosen
        return actions_at

    def _clicks_on_pins(self, position: Position) -> dict[tuple[int, int], list[int]]:
        """Return the moves that take each pin of a row, or the one opposite, fewest pins first."""
        actions_at: dict[tuple[int, int], list[int]] = {}
        here = self.game.split(position)
        rows = [(i, row) for panel in self.picture.panels for i, row in panel.layouts.items()]
        for index, row in rows:
            if not isinstance(row, PinRow):
                continue
            (pins,) = here[index]
            moves = [(*row.part.labels[each], each) for each in row.legal_options((pins,))[0]]
            for taken, smaller, option in sorted(moves):
                first = range(smaller, smaller + taken)
                for pin in sorted({*first, *(pins - 1 - each for each in first)}):
                    point = round(row.squares[pin].center.x), round(row.squares[pin].center.y)
                    actions_at.setdefault(point, []).append(index * self.options + int(option))
        return actions_at


def _short(shape: dict[str, Any]) -> list[Any]:
    """Return a shape as a list: the first letter of its kind, its colour, its numbers, its text."""
    kind, color, text = shape.pop("shape"), shape.pop("color"), shape.pop("text", None)
    numbers = np.concatenate([np.ravel(lengths) for lengths in shape.values()]).tolist()
    rounded = [int(x) if x.is_integer() else round(x, 1) for x in map(float, numbers)]
    return [kind[0], color, *rounded, *([] if text is None else [text])]


def _middle(shape: Shape) -> tuple[int, int] | None:
    """Return the middle of a shape that may stand for a move; ``None`` for lines and grounds."""
    if isinstance(shape, Box | Disc):
        x, y, width, height = shape.area
        small = width * height < 0.1 * SIZE[0] * SIZE[1]
        return (round(x + width / 2), round(y + height / 2)) if small else None
    if isinstance(shape, Polygon):
        across, down = zip(*shape.corners, strict=True)
        return round((min(across) + max(across)) / 2), round((min(down) + max(down)) / 2)
    return None


def difference(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """Return the lengths of the common begin and end of two lists, then the rest of the second."""
    most = min(len(before), len(after))
    begin = next((i for i in range(most) if before[i] != after[i]), most)
    most -= begin
    end = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    return [begin, end, *after[begin : len(after) - end]]


def marked_moves(board: Board, actions: Iterable[IntArray]) -> str:
    """Return a mark for each move of each position as a text.

    Args:
        board: a board.
        actions: for each position, some of its actions.

    Returns:
        For each position "1" for each of these moves and "0" for the others, in the order of the
        board's moves; a space between positions.
    """
    words = []
    for some, moves in zip(actions, board.moves, strict=True):
        actions_marked = set(some.tolist())
        words.append("".join("01"[action in actions_marked] for action, _ in moves))
    return " ".join(words)


def _truth(board: Board, game: Game, pictures: Pictures, plain: list[list[int]]) -> dict[str, Any]:
    """Return the value of each position and the moves that keep it, with pictures of these."""
    solution = game.solution
    keeping = [solution.keeping_actions(position) for position in board.positions]
    return {
        # To whoever is to move: a loss, a draw, a win.
        "values": "".join("012"[value + 1] for value in solution.value(board.positions)),
        "right": marked_moves(board, keeping),
        "marks": [
            difference(before, pictures.winning(position, actions)) if len(actions) else 0
            for before, position, actions in zip(plain, board.positions, keeping, strict=True)
        ],
    }


def data_of_board(
    board: Board, name: str, games: Mapping[str, Game], replies: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return the data of a board for ``play.js``.

    Args:
        board: a board.
        name: its name for a reader.
        games: its game, or the same in normal and in misère play, by names of these.
        replies: for each of them the moves of each opponent, as :func:`marked_moves` writes them.
    """
    pictures, labels, points = Pictures(board.game), Table(), Table()
    words, moves, plain, pointed, clicks = [], [], [], [], []
    for position, row in zip(board.positions, board.moves, strict=True):
        words.append(position_in_words(board.game, position))
        indices = [labels.index(board.game.describe_move(action, position)) for action, _ in row]
        moves.append(
            [each for label, (_, to) in zip(indices, row, strict=True) for each in (label, to)]
        )
        shapes = pictures.draw(position)
        plain.append(pictures.indices(shapes))
        pointed.append(
            [difference(plain[-1], pictures.pointed(position, action)) for action, _ in row]
        )
        index_of = {action: index for index, (action, _) in enumerate(row)}
        clicks.append(
            [
                [points.index(point), *(index_of[action] for action in actions)]
                for point, actions in pictures.clicks(position).items()
            ]
        )
    truths = {
        key: {**_truth(board, game, pictures, plain), "learned": list(replies[key])}
        for key, game in games.items()
    }
    return {
        "name": name,
        "view": pictures.view,
        "words": words,
        "labels": labels.values,
        "moves": moves,
        "plain": [plain[0], *(difference(plain[0], each) for each in plain[1:])],
        "pointed": pointed,
        "points": points.values,
        "clicks": clicks,
        "truths": truths,
        "partner": pictures.partner,
        "shapes": pictures.shapes.values,
    }


CONVENTIONS = {"normal": "wins (normal)", "misere": "loses (misère)"}
"""Effect of the last move; games with an outcome of their own have no entry."""


def data_of_game(
    title: str, convention: str, opponents: Sequence[str], boards: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the data of ``play.js``.

    Args:
        title: name of the game for a reader.
        convention: convention in which one begins, a key of the boards' games.
        opponents: names of the opponents besides optimal and random play.
        boards: results of :func:`data_of_board`.
    """
    return {
        "title": title,
        "convention": convention,
        "conventions": {key: CONVENTIONS.get(key, key) for key in boards[0]["truths"]},
        "opponents": list(opponents),
        "boards": list(boards),
    }
