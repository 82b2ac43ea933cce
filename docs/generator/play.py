"""Boards that one plays on: tables of games as data for ``docs/play.js``, which knows no rules.

For every board they hold the positions, their moves in words, the pictures of ``nim_envs.render``,
which moves win in normal and in misère play, and the moves of learners.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import QLearning
from agents.training import train
from docs.generator.markdown import write
from nim_envs import Convention, Game
from nim_envs.registration import GAMES, make_aec, make_game
from nim_envs.render.picture import Picture
from nim_envs.render.rows import RowLayout, RowPanel, stands_in_a_row
from nim_envs.render.scene import Scene
from nim_envs.render.shapes import (
    PLAYER_COLORS,
    WINNING,
    Box,
    Color,
    Disc,
    Drawing,
    Group,
    Polygon,
    Shape,
    as_json,
)
from nim_envs.rules import SplittingHeap
from nim_envs.typing import IntArray

SIZE = (440, 340)
"""Width and height of the pictures, from which the board is cut."""

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

Shown = Callable[[Game, Any], str]
"""Function that returns a position in words."""


class Board(NamedTuple):
    """A board with every position that can be reached on it.

    Attributes:
        of: name of its game.
        name: its name for a reader.
        arguments: arguments of the game's constructor.
        game: the game, in its own convention.
        positions: coordinates of each position, the first one the start.
        moves: at each position, pairs of an action and the index of the position after it.
    """

    of: str
    name: str
    arguments: dict[str, Any]
    game: Game
    positions: list[tuple[int, ...]]
    moves: list[list[tuple[int, int]]]


def reached(game: Game) -> tuple[list[tuple[int, ...]], list[list[tuple[int, int]]]]:
    """Return the positions that can be reached from the start, and their moves by index."""
    start = game.rules.coordinate_tuple(np.array(game.rules.initial))
    index = {start: 0}
    positions = [start]
    moves = []
    for position in positions:  # which grows
        row = []
        for action, after in game.moves(position):
            if after not in index:
                index[after] = len(positions)
                positions.append(after)
            row.append((action, index[after]))
        moves.append(row)
    return positions, moves


def boards(name: str) -> list[Board]:
    """Return the boards of a registered game that have few enough positions."""
    found = []
    for number, others in enumerate(({}, *OTHER_BOARDS.get(name, ()))):
        game = make_game(name, **others)
        positions, moves = reached(game)
        if len(positions) > MOST_POSITIONS:
            continue
        given = {**GAMES[name].defaults, **others}
        called = BOARD_NAMES[name][number] if name in BOARD_NAMES else _called(name, given)
        found.append(Board(name, called, others, game, positions, moves))
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


class Table:
    """Numbers for values that occur often, in the order of their first occurrence."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.values: list[Any] = []

    def number(self, value: Any) -> int:
        """Return the number of a value that JSON can hold."""
        key = json.dumps(value)
        if key not in self.numbers:
            self.numbers[key] = len(self.values)
            self.values.append(value)
        return self.numbers[key]


class Pictures:
    """The pictures of a game as numbers of shapes.

    Args:
        game: any game.

    Attributes:
        shapes: the shapes, lists of a kind, a colour and the numbers of that kind.
        partner: colours of ``player_1`` by those of ``player_0`` in their place.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.picture = Picture(game, SIZE)
        self.shapes = Table()
        self.known: dict[Shape, list[int]] = {}
        self.partner: dict[str, str] = {}

    @property
    def view(self) -> list[float]:
        """The part of the picture that is shown: left, top, width and height."""
        return [round(each) for each in self.picture.body]

    def drawn(self, position: IntArray, **of_scene: Any) -> list[Shape]:
        """Return the shapes of the board alone at a position, with ``player_0`` to move."""
        drawing = Drawing()
        scene = Scene(position, **{"mover": 0, **of_scene})
        for panel in self.picture.panels:
            panel.draw(drawing, scene)
        return drawing.shapes

    def numbers(self, shapes: Iterable[Shape]) -> list[int]:
        """Return the numbers of shapes; groups, which are the same everywhere, are read once."""
        found = []
        for shape in shapes:
            if shape not in self.known:
                self.known[shape] = [self.shapes.number(_short(each)) for each in as_json([shape])]
            found += self.known[shape]
        return found

    def winning(self, position: IntArray, actions: IntArray) -> list[int]:
        """Return the numbers of the shapes in which these moves are marked."""
        return self.numbers(self.drawn(position, winning=actions))

    def pointed(self, position: IntArray, action: int) -> list[int]:
        """Return the numbers of the shapes in which a move is shown before it is made."""
        shapes = self._pointed(position, action, mover=0)
        if not self.partner:
            for one, other in zip(shapes, self._pointed(position, action, mover=1), strict=True):
                if not isinstance(one, Group) and one.color != other.color:
                    self.partner[_hexadecimal(one.color)] = _hexadecimal(other.color)
        return self.numbers(shapes)

    def _pointed(self, position: IntArray, action: int, mover: int) -> list[Any]:
        component = self.game.rules.components[self._component(action)]
        option = action % self.game.rules.num_options
        parts = isinstance(component, SplittingHeap) and component.moves[option][1] > 0
        if not parts and not stands_in_a_row(component):
            return self.drawn(position, mover=mover, pointed=action)
        # The objects that a move takes out of a row are marked as those of a winning move are.
        shapes: list[Any] = self.drawn(position, mover=mover, winning=np.array([action]))
        return [
            shape._replace(color=PLAYER_COLORS[mover])
            if not isinstance(shape, Group) and shape.color == WINNING
            else shape
            for shape in shapes
        ]

    def clicks(
        self, position: IntArray, actions: Sequence[int]
    ) -> dict[tuple[int, int], list[int]]:
        """Return the moves that clicks on the middles of shapes choose, or choose between.

        Args:
            position: the position that was drawn last.
            actions: its legal actions.

        Returns:
            Actions by the point of the picture; where pictures do not tell moves apart, those of
            the component that is there.
        """
        found = self._clicks_on_pins(position, actions)
        points = {point for shape in flat(self.drawn(position)) if (point := _middle(shape))}
        for point in sorted(points - found.keys()):
            component = self.picture.component_at(point)
            if component is not None and stands_in_a_row(self.game.rules.components[component]):
                continue
            action = self.picture.action_at(position, point)
            chosen = [action] if action is not None else self.picture.candidates_at(position, point)
            if not chosen and component is not None and not self.picture.chooses_moves(component):
                chosen = [each for each in actions if self._component(each) == component]
            if chosen:
                found[point] = [int(each) for each in chosen]
        return found

    def _clicks_on_pins(
        self, position: IntArray, actions: Sequence[int]
    ) -> dict[tuple[int, int], list[int]]:
        """Return the moves that take each pin of a row, or the one opposite, fewest pins first."""
        found: dict[tuple[int, int], list[int]] = {}
        rows = [
            (index, layout.squares)
            for panel in self.picture.panels
            if isinstance(panel, RowPanel)
            for index, layout in panel.layouts.items()
            if isinstance(layout, RowLayout)
        ]
        for index, squares in rows:
            heap, pins = self.game.rules.components[index], int(position[index])
            assert isinstance(heap, SplittingHeap)
            moves = [
                (*heap.moves[action % self.game.rules.num_options], action)
                for action in actions
                if self._component(action) == index
            ]
            for taken, smaller, action in sorted(moves):
                first = range(smaller, smaller + taken)
                for pin in sorted({*first, *(pins - 1 - each for each in first)}):
                    point = round(squares[pin].center.x), round(squares[pin].center.y)
                    found.setdefault(point, []).append(action)
        return found

    def _component(self, action: int) -> int:
        return action // self.game.rules.num_options


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [int(x) if float(x).is_integer() else round(float(x), 1) for x in numbers]


def _short(shape: dict[str, Any]) -> list[Any]:
    """Return a shape as a list: the first letter of its kind, its colour, its numbers."""
    kind, color = shape["shape"][0], shape["color"]
    if kind == "b":
        return [kind, color, *_rounded([*shape["area"], shape["radius"], shape["line_width"]])]
    if kind == "d":
        return [kind, color, *_rounded([*shape["area"], shape["line_width"]])]
    if kind == "l":
        return [kind, color, *_rounded([*shape["start"], *shape["end"], shape["line_width"]])]
    if kind == "p":
        return [kind, color, *_rounded(each for point in shape["corners"] for each in point)]
    numbers = _rounded([*shape["place"], shape["size"], *shape["anchor"]])
    return [kind, color, *numbers, shape["text"]]


def flat(shapes: Iterable[Shape]) -> Iterator[Shape]:
    """Return shapes, those of groups in place of the groups."""
    for shape in shapes:
        if isinstance(shape, Group):
            yield from flat(shape.shapes)
        else:
            yield shape


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


def _hexadecimal(color: Color) -> str:
    return "#" + bytes(color).hex()


def changed(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """Return what is new in a list, after the lengths of its begin and end that are not."""
    most = min(len(before), len(after))
    begin = next((i for i in range(most) if before[i] != after[i]), most)
    most -= begin
    end = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    return [begin, end, *after[begin : len(after) - end]]


def learned(board: Board, game: Game) -> list[str]:
    """Return the greedy moves of Q-learning after each number of games of self-play.

    Args:
        board: board on which every game begins at the start.
        game: its game in the convention that is played.

    Returns:
        For each number of games the best moves, as :func:`chosen` writes them.
    """
    misere = game.convention is Convention.MISERE
    env = make_aec(board.of, **board.arguments, misere=misere)
    agent = QLearning.for_env(env, seed=0)
    positions = game.rules.checked_positions(np.array(board.positions))
    masks = game.rules.action_mask(positions)
    observations = env.encoding.encode(positions)
    played, found = 0, []
    for games in LEARNED_GAMES:
        if games > played:
            train(env, agent, games=games - played, seed=played, progress=False)
            played = games
        shares = agent.greedy().action_probabilities(observations, masks)
        found.append(chosen(board, [np.flatnonzero(share) for share in shares]))
    return found


def chosen(board: Board, actions: Iterable[IntArray]) -> str:
    """Return some of the moves of each position as a text.

    Args:
        board: a board.
        actions: for each position, some of its actions.

    Returns:
        For each position, in order, "1" for each of these moves and "0" for the others; positions
        are apart by spaces.
    """
    words = []
    for some, moves in zip(actions, board.moves, strict=True):
        found = set(some.tolist())
        words.append("".join("01"[action in found] for action, _ in moves))
    return " ".join(words)


def truth(board: Board, game: Game, pictures: Pictures, plain: list[list[int]]) -> dict[str, Any]:
    """Return who wins at each position and with which moves, with pictures of these moves."""
    positions = game.rules.checked_positions(np.array(board.positions))
    solution = game.solution
    winning = [solution.winning_actions(position) for position in positions]
    return {
        # Who is to move wins.
        "wins": "".join("01"[int(each)] for each in solution.is_winning(positions)),
        "right": chosen(board, winning),
        "marks": [
            changed(before, pictures.winning(position, actions)) if len(actions) else 0
            for before, position, actions in zip(plain, positions, winning, strict=True)
        ],
        "learned": learned(board, game),
    }


def data_of_board(board: Board, shown: Shown) -> dict[str, Any]:
    """Return all that a page needs of a board.

    Args:
        board: a board.
        shown: function that returns a position in words.
    """
    rules = board.game.rules
    pictures, labels, points = Pictures(board.game), Table(), Table()
    positions = rules.checked_positions(np.array(board.positions))
    words, moves, plain, pointed, clicks = [], [], [], [], []
    for position, row in zip(positions, board.moves, strict=True):
        words.append(shown(board.game, position))
        numbers = [labels.number(rules.describe_move(action, position)) for action, _ in row]
        moves.append(
            [each for label, (_, to) in zip(numbers, row, strict=True) for each in (label, to)]
        )
        shapes = pictures.drawn(position)
        plain.append(pictures.numbers(shapes))
        pointed.append(
            [changed(plain[-1], pictures.pointed(position, action)) for action, _ in row]
        )
        number = {action: index for index, (action, _) in enumerate(row)}
        clicks.append(
            [
                [points.number(point), *(number[action] for action in actions)]
                for point, actions in pictures.clicks(position, list(number)).items()
            ]
        )
    conventions = {
        each.value: truth(board, Game(rules, each), pictures, plain) for each in Convention
    }
    return {
        "name": board.name,
        "view": pictures.view,
        "words": words,
        "labels": labels.values,
        "moves": moves,
        "plain": [plain[0], *(changed(plain[0], each) for each in plain[1:])],
        "pointed": pointed,
        "points": points.values,
        "clicks": clicks,
        **conventions,
        "partner": pictures.partner,
        "shapes": pictures.shapes.values,
    }


def script(name: str, boards: Sequence[Board], title: str, shown: Shown) -> str:
    """Return the script that hands the boards of a registered game to ``docs/play.js``.

    A page that is opened as a file may load a script, but not fetch data.

    Args:
        name: name of the game.
        boards: its boards.
        title: its name for a reader.
        shown: function that returns a position in words.
    """
    data = {
        "title": title,
        "misere": bool(GAMES[name].misere),
        "games": LEARNED_GAMES,
        "boards": [data_of_board(board, shown) for board in boards],
    }
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"nimPlay({json.dumps(name)},{content});\n"


def board_on_page(name: str, path: str) -> str:
    """Return the HTML of a board that one plays on.

    Args:
        name: name of a registered game.
        path: path from the page to the folder of the scripts of games.
    """
    return (
        f'<div class="nim-play" data-game="{name}" data-source="{path}{name}.js">'
        "<noscript>With JavaScript, one plays the game here, against an optimal opponent or "
        "against Q-learning.</noscript></div>"
    )


def write_script(name: str, content: str) -> None:
    """Add the script of a registered game to the manual."""
    write(f"games/play/{name}.js", content)
