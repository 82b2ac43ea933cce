"""Boards that one plays on in a browser: tables of a game as data for ``play.js``.

The script knows no rules. For every board it is handed all positions with their moves in words, the
pictures of :mod:`nim_envs.render`, which moves win, and the moves of its opponents.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
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
from nim_envs.render.shapes import Box, Disc, Drawing, Polygon, Shape
from nim_envs.render.words import position_in_words
from nim_envs.scored_policy import ScoredPolicy
from nim_envs.typing import IntArray, Position

SCRIPT, STYLE = (Path(__file__).with_name(f"play.{suffix}") for suffix in ("js", "css"))
"""The script and the style sheet of the boards."""

SIZE = (440, 340)
"""Width and height of the pictures, from which the board is cut."""


class Board(NamedTuple):
    """A board with every position that can be reached on it.

    The first position is the start; moves are pairs of an action and the index of the position
    after it.
    """

    game: Game
    positions: list[Position]
    moves: list[list[tuple[int, int]]]


def reachable_board(game: Game, max_positions: int) -> Board:
    """Return the positions that can be reached from the start, and their moves by index.

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


class Pictures:
    """The pictures of a game as indices of shapes.

    A shape is a kind, a colour and the measures of that kind; ``partner`` has the colour of
    ``player_1`` for each of ``player_0``.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.options = game.num_actions // len(game.parts)
        self.picture = Picture(game, SIZE)
        self.shapes: dict[tuple[Any, ...], int] = {}
        self.partner: dict[str, str] = {}

    def draw(self, position: Position, **of_scene: Any) -> list[Shape]:
        """Return the shapes of the board alone at a position, with ``player_0`` to move."""
        drawing = Drawing()
        self.picture.draw_panels(drawing, Scene(position, **{"mover": 0, **of_scene}))
        return drawing.shapes

    def indices(self, shapes: Iterable[Shape]) -> list[int]:
        """Return the indices of shapes."""
        return [_index(self.shapes, _short(shape)) for shape in shapes]

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

        Where the picture of the position, which was drawn last, does not tell moves apart, they are
        those of the part that is there.
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


def _index(table: dict[Any, int], value: Any) -> int:
    """Return the index of a value in the order of first occurrence; it is added if it is new."""
    return table.setdefault(value, len(table))


@lru_cache(maxsize=2**14)
def _short(shape: Shape) -> tuple[Any, ...]:
    """Return the first letter of a shape's kind, its colour, its numbers, its text."""
    fields: dict[str, Any] = shape._asdict()
    color, text = hexadecimal(fields.pop("color")), fields.pop("text", None)
    rounded = [round(float(x), 1) for field in fields.values() for x in np.ravel(field)]
    numbers = [int(x) if x.is_integer() else x for x in rounded]
    kind = type(shape).__name__[0].lower()
    return (kind, color, *numbers) if text is None else (kind, color, *numbers, text)


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

    For each position "1" for each of these moves and "0" for the others, in the order of the
    board's moves; a space between positions.
    """
    words = []
    for some, moves in zip(actions, board.moves, strict=True):
        actions_marked = set(some.tolist())
        words.append("".join("01"[action in actions_marked] for action, _ in moves))
    return " ".join(words)


def replies(board: Board, policy: Any, env_or_game: Any) -> str:
    """Return a policy's most probable moves in the game or environment, as marks."""
    over = np.array([not row for row in board.moves])
    positions = np.array(board.positions)[~over]
    shares = np.zeros((len(over), board.game.num_actions))
    scored = ScoredPolicy(policy, env_or_game)
    shares[~over] = scored.action_probabilities(positions, board.game.mask(positions))
    best = (shares == shares.max(axis=1, keepdims=True)) & (shares > 0)
    return marked_moves(board, map(np.flatnonzero, best))


def _truth(board: Board, game: Game, pictures: Pictures, plain: list[list[int]]) -> dict[str, Any]:
    """Return the value of each position and the moves that keep it, with pictures of these."""
    solution = game.solution
    keeping = [solution.keeping_actions(position) for position in board.positions]
    return {
        # To whoever is to move: a loss, a draw, a win.
        "values": "".join("012"[value + 1] for value in solution.value(board.positions)),
        "right": marked_moves(board, keeping),
        "marks": [
            difference(before, pictures.indices(pictures.draw(position, winning=actions)))
            if len(actions)
            else 0
            for before, position, actions in zip(plain, board.positions, keeping, strict=True)
        ],
    }


def data_of_board(
    board: Board, name: str, games: Mapping[str, Game], replies: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return the data of a board for ``play.js``.

    ``games`` has its game, or the same in normal and in misère play, by names of these;
    ``replies`` has for each the moves of each opponent, as :func:`replies` writes them.
    """
    pictures = Pictures(board.game)
    labels: dict[str, int] = {}
    points: dict[tuple[int, int], int] = {}
    words, moves, plain, pointed, clicks = [], [], [], [], []
    for position, row in zip(board.positions, board.moves, strict=True):
        words.append(position_in_words(board.game, position))
        indices = [_index(labels, board.game.describe_move(action, position)) for action, _ in row]
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
                [_index(points, point), *(index_of[action] for action in actions)]
                for point, actions in pictures.clicks(position).items()
            ]
        )
    truths = {
        key: {**_truth(board, game, pictures, plain), "learned": list(replies[key])}
        for key, game in games.items()
    }
    return {
        "name": name,
        "view": [round(each) for each in pictures.picture.body],  # the part that is shown
        "words": words,
        "labels": [*labels],
        "moves": moves,
        "plain": [plain[0], *(difference(plain[0], each) for each in plain[1:])],
        "pointed": pointed,
        "points": [*points],
        "clicks": clicks,
        "truths": truths,
        "partner": pictures.partner,
        "shapes": [*pictures.shapes],
    }


CONVENTIONS = {"normal": "wins (normal)", "misere": "loses (misère)"}
"""Effect of the last move; games with an outcome of their own have no entry."""


def data_of_game(
    title: str, convention: str, opponents: Sequence[str], boards: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the data of ``play.js``.

    One begins in ``convention``; opponents are those besides optimal and random play.
    """
    return {
        "title": title,
        "convention": convention,
        "conventions": {key: CONVENTIONS.get(key, key) for key in boards[0]["truths"]},
        "opponents": list(opponents),
        "boards": list(boards),
    }
