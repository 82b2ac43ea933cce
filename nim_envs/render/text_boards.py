"""Boards and graphs as lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.coordinate_system import PIECES
from nim_envs.rules.node_kayles_game import NodeSet
from nim_envs.typing import IntArray

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


def board_lines(component: Component, state: int) -> list[str]:
    """Return the drawing of a component with coordinates, a line for each row of its board.

    Args:
        component: a component with coordinates.
        state: its state.

    Returns:
        The lines; none where numbers say as much, or the board is too large.
    """
    system = component.coordinate_system
    coordinates = system.of(np.array(state))
    match system.picture:
        case "piece":
            return _piece(component.kind[0].upper(), coordinates, system.fields)
        case "rows":
            return _rows(component, coordinates, max(system.fields) - 1)
        case "cells" if isinstance(component, NodeSet):
            return _free_nodes(component, coordinates)
    if system.board is None or max(system.board) > LARGEST_SIDE:
        return []
    rows = coordinates[: system.num_cells].reshape(-1, system.board[-1]).tolist()
    if system.picture in PIECES:
        marks = ".XO" if system.picture == "crosses" else ".xo"
        return [" ".join(marks[cell] for cell in row) for row in rows]
    if system.picture == "cells":
        return _grid([[TAKEN if cell else FREE for cell in row] for row in rows])
    return [" | ".join(" ".join(map(str, row)) for row in rows)]


def arrows_from(component: Component, state: int) -> str:
    """Return the states that a component without coordinates can move to, as text."""
    nodes = _successors(component, state)
    return f"-> {_listed(nodes)}" if nodes else "no move"


def arrows_below(component: Component, states: Iterable[int]) -> list[str]:
    """Return all arrows on the way from states to the end, as lines.

    Args:
        component: a component without coordinates.
        states: its states, or those of several that are equal.

    Returns:
        The lines, without the arrows from ``states``; none if they are too many.
    """
    first = set(states)
    nodes, new = set(first), first
    while new:
        new = {after for node in new for after in _successors(component, node)} - nodes
        nodes |= new
        if len(nodes) > LARGEST_SIDE:
            return []
    entries = [
        f"{node} {arrows_from(component, node)}".replace(" ", GLUE)
        for node in sorted(nodes - first)
        if _successors(component, node)
    ]
    lines = textwrap.wrap("   ".join(entries), WIDEST_LINE, break_on_hyphens=False)
    return [line.replace(GLUE, " ") for line in lines]


def _successors(component: Component, state: int) -> list[int]:
    """The states that a component can move to."""
    successors = component.successors(np.array(state))
    nodes: list[int] = successors[successors != NO_MOVE].tolist()
    return nodes


def _grid(rows: Sequence[Sequence[str]], numbers: Iterable[int] | None = None) -> list[str]:
    """Draw marks with the numbers of rows and columns, in lines that begin with the columns'.

    Args:
        rows: marks, the upper row first.
        numbers: number of each row; ``None``: from 0 at the top.
    """
    columns = len(rows[0])
    side, width = len(str(len(rows) - 1)), len(str(columns - 1))
    numbered = zip(range(len(rows)) if numbers is None else numbers, rows, strict=True)
    header = " " * side + "  " + " ".join(f"{column:>{width}}" for column in range(columns))
    return [
        header,
        *(
            f"{number:>{side}}  " + " ".join(f"{mark:>{width}}" for mark in row)
            for number, row in numbered
        ),
    ]


def _piece(mark: str, place: IntArray, fields: tuple[int, ...]) -> list[str]:
    """Draw the board on which a piece stands: files from left to right, ranks upwards."""
    if max(fields) > LARGEST_SIDE:
        return []
    files, ranks = (*fields, 1)[:2]
    x, y = (*place.tolist(), 0)[:2]
    marks = [[FREE] * files for _ in range(ranks)]
    marks[y][x] = mark
    return _grid(marks[::-1], range(ranks)[::-1])


def _rows(component: Component, lengths: IntArray, columns: int) -> list[str]:
    """Draw rows of squares; those that no move takes are marked."""
    if max(len(lengths), columns) > LARGEST_SIDE:
        return []
    stays = np.zeros_like(lengths)
    if component.is_terminal(np.array(0)):
        stays = component.coordinate_system.of(np.array(0))
    return _grid(
        [
            [
                POISONED if column < last else TAKEN if column < length else FREE
                for column in range(columns)
            ]
            for length, last in zip(lengths.tolist(), stays.tolist(), strict=True)
        ]
    )


def _free_nodes(graph: NodeSet, taken: IntArray) -> list[str]:
    """List the free nodes, each with the free neighbours that it would take along."""
    free = np.flatnonzero(taken == 0)
    if not len(free):
        return ["no node is free"]
    width = len(str(graph.nodes - 1))
    lines = [
        f"{node:>{width}} - {_listed(neighbours)}" if neighbours else f"{node:>{width}}"
        for node in free.tolist()
        for neighbours in [free[graph.adjacent[node, free]].tolist()]
    ]
    return ["free nodes - and their free neighbours", *lines]


def _listed(nodes: Sequence[int]) -> str:
    """Return nodes separated by spaces, or the first ones and dots."""
    more = [" …"] if len(nodes) > MOST_LISTED else []
    return " ".join(map(str, nodes[:MOST_LISTED])) + "".join(more)
