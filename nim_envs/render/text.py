"""A position as text: heaps as bars, boards as grids, graphs by their arrows."""

import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from nim_envs.game import Game
from nim_envs.graph import Part
from nim_envs.render.scene import Coordinates, split
from nim_envs.render.tracks import limit_of
from nim_envs.typing import Position

WIDEST_BAR = 40
"""Most objects drawn one by one; larger heaps are drawn to scale."""

LARGEST_SIDE = 26
"""Most rows or columns of a board that is drawn; of larger ones coordinates alone are shown."""

MOST_LISTED = 12
"""Most nodes that are listed."""

WIDEST_LINE = 60
"""Most characters in a line of arrows."""

GLUE = "\xa0"
"""Space at which no line is broken."""

FREE, TAKEN, POISONED = ".", "#", "X"
"""Marks of cells and squares; a square that no move takes is poisoned."""

MARKS = {"crosses": ".XO", "discs": ".xo"}
"""Marks of empty cells and of both players' pieces."""


def render_text(game: Game, position: Coordinates, headline: str = "") -> str:
    """Return a position as text.

    Args:
        game: any game.
        position: its coordinates.
        headline: first line, such as the player to move.

    Example:
        >>> from nim_envs import make_game
        >>> print(render_text(make_game("nim", heaps=(3, 5)), (1, 5), "player_0 to move"))
        player_0 to move
        heap 0  1  o..
        heap 1  5  ooooo
    """
    places = split(game, position)
    labels = [f"{part.words.kind} {index}" for index, part in enumerate(game.parts)]
    numbers = [
        # Of a board those beyond it, as it is shown: only boards of two players' pieces leave any.
        " ".join(map(str, here[int(np.prod(part.picture.board or 0)) :]))
        for part, here in zip(game.parts, places, strict=True)
    ]
    label_width, number_width = max(map(len, labels)), max(map(len, numbers))
    indent = "\n" + " " * (label_width + number_width + 4)
    lines = [
        f"{label:<{label_width}}  {number:>{number_width}}  " + indent.join(_lines(part, here))
        for label, number, part, here in zip(labels, numbers, game.parts, places, strict=True)
    ]
    graphs: dict[Part, set[int]] = {}
    for part, here in zip(game.parts, places, strict=True):
        if _is_graph(part):
            graphs.setdefault(part, set()).add(here[0])
    for part, nodes in graphs.items():
        for number, line in enumerate(_arrows_below(part, nodes)):
            lines.append(f"{'' if number else 'arrows':<{label_width}}  {line}")
    return "\n".join([headline, *lines] if headline else lines).rstrip()


def _lines(part: Part, here: Position) -> list[str]:
    """Draw a part; return no lines where numbers say as much, or the board is too large."""
    style, board = part.picture.style, part.picture.board
    match style:
        case "heap" | "slots" | "pins":
            return [_bar(here[0], part.num_positions - 1)]
        case "track":
            limit = limit_of(part)
            exceeded = " exceeded" if here[0] > limit else ""
            return [f"{_bar(min(here[0], limit), limit)} limit {limit}{exceeded}"]
        case _ if _is_graph(part):
            return [_arrows(_successors(part, here[0]))]
        case "piece":
            return _piece(part.words.kind[0].upper(), here, part.fields)
        case "rows":
            return _rows(part, here)
        case "nodes":
            return _free_nodes(part, here)
    if board is None or max(board) > LARGEST_SIDE:
        return []
    rows = np.array(here[: np.prod(board)]).reshape(-1, board[-1]).tolist()
    if style in MARKS:
        return [" ".join(MARKS[style][cell] for cell in row) for row in rows]
    if style == "cells":
        return _grid([[TAKEN if cell else FREE for cell in row] for row in rows])
    return [" | ".join(" ".join(map(str, row)) for row in rows)]


def _bar(filled: int, size: int) -> str:
    """A bar of ``size`` places, or of ``WIDEST_BAR`` to scale."""
    if size > WIDEST_BAR:
        filled, size = -(-filled * WIDEST_BAR // size), WIDEST_BAR
    return "o" * filled + "." * (size - filled)


def _is_graph(part: Part) -> bool:
    """Whether a part is shown by arrows between the values of its only coordinate."""
    return len(part.fields) == 1 and part.picture.style not in ("heap", "slots", "pins", "track")


def _successors(part: Part, node: int) -> list[int]:
    """Return the values that the only coordinate of a part can move to."""
    after = part.after[part.state((node,))]
    nodes: list[int] = part.coordinates[after[after >= 0], 0].tolist()
    return nodes


def _arrows(nodes: Sequence[int]) -> str:
    """Return the nodes that a token can move to."""
    return f"-> {_listed(nodes)}" if nodes else "no move"


def _arrows_below(part: Part, first: set[int]) -> list[str]:
    """Return all arrows on the way from nodes to the end, as lines; none if they are too many."""
    nodes, new = set(first), first
    while new:
        new = {after for node in new for after in _successors(part, node)} - nodes
        nodes |= new
        if len(nodes) > LARGEST_SIDE:
            return []
    entries = [
        f"{node} {_arrows(targets)}".replace(" ", GLUE)
        for node in sorted(nodes - first)
        if (targets := _successors(part, node))
    ]
    lines = textwrap.wrap("   ".join(entries), WIDEST_LINE, break_on_hyphens=False)
    return [line.replace(GLUE, " ") for line in lines]


def _grid(rows: Sequence[Sequence[str]], numbers: Iterable[int] | None = None) -> list[str]:
    """Draw marks with the numbers of rows and columns, in lines that begin with the columns'."""
    side, width = len(str(len(rows) - 1)), len(str(len(rows[0]) - 1))
    numbered = zip(range(len(rows)) if numbers is None else numbers, rows, strict=True)
    return [
        " " * side + "  " + " ".join(f"{column:>{width}}" for column in range(len(rows[0]))),
        *(
            f"{number:>{side}}  " + " ".join(f"{mark:>{width}}" for mark in row)
            for number, row in numbered
        ),
    ]


def _piece(mark: str, here: Position, fields: tuple[int, ...]) -> list[str]:
    """Draw the board on which a piece stands: files from left to right, ranks upwards."""
    if max(fields) > LARGEST_SIDE:
        return []
    files, ranks = (*fields, 1)[:2]
    file, rank = (*here, 0)[:2]
    marks = [[FREE] * files for _ in range(ranks)]
    marks[rank][file] = mark
    return _grid(marks[::-1], range(ranks)[::-1])


def _rows(part: Part, lengths: Position) -> list[str]:
    """Draw rows of squares; those that no move takes are marked."""
    columns = max(part.fields) - 1
    if max(len(lengths), columns) > LARGEST_SIDE:
        return []
    poisoned = part.position(0) if part.ends[0] else (0,) * len(lengths)
    return _grid(
        [
            [
                POISONED if column < last else TAKEN if column < length else FREE
                for column in range(columns)
            ]
            for length, last in zip(lengths, poisoned, strict=True)
        ]
    )


def _free_nodes(part: Part, taken: Position) -> list[str]:
    """List the free nodes, each with the free neighbours that it would take along."""
    free = [node for node, is_taken in enumerate(taken) if not is_taken]
    if not free:
        return ["no node is free"]
    edges = {pair for edge in part.picture.edges for pair in (edge, edge[::-1])}
    width = len(str(len(taken) - 1))
    lines = []
    for node in free:
        neighbours = [other for other in free if (node, other) in edges]
        lines.append(f"{node:>{width}}" + (f" - {_listed(neighbours)}" if neighbours else ""))
    return ["free nodes - and their free neighbours", *lines]


def _listed(nodes: Sequence[int]) -> str:
    """Return nodes separated by spaces, or the first ones and dots."""
    more = [" …"] if len(nodes) > MOST_LISTED else []
    return " ".join(map(str, nodes[:MOST_LISTED])) + "".join(more)
