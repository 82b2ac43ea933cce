"""Moves of the classic games, written from their rules alone, on coordinates."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

Coordinates = tuple[int, ...]
Moves = Callable[[Any], Iterable[Any]]


def queen(square: Coordinates) -> Iterator[Coordinates]:
    """Wythoff's game."""
    file, rank = square
    for step in range(1, max(file, rank) + 1):
        if step <= file:
            yield file - step, rank
        if step <= rank:
            yield file, rank - step
        if step <= min(square):
            yield file - step, rank - step


def pair(numbers: Coordinates) -> Iterator[Coordinates]:
    """The game of Euclid."""
    first, second = numbers
    if first >= second > 0:
        yield from ((first - times * second, second) for times in range(1, first // second + 1))
    elif first > 0:
        yield from ((first, second - times * first) for times in range(1, second // first + 1))


def limited_heap(heap: Coordinates) -> Iterator[Coordinates]:
    """Fibonacci Nim."""
    objects, limit = heap
    for taken in range(1, min(objects, limit) + 1):
        yield objects - taken, min(2 * taken, objects - taken)


def bar(rows: Coordinates) -> Iterator[Coordinates]:
    """Chomp."""
    for row, column in itertools.product(range(len(rows)), range(rows[0])):
        if (row or column) and rows[row] > column:
            yield rows[:row] + tuple(min(left, column) for left in rows[row:])


def heaps_at_once(k: int) -> Moves:
    """Moore's Nim."""

    def moves(heaps: Coordinates) -> Iterator[Coordinates]:
        for left in itertools.product(*(range(heap + 1) for heap in heaps)):
            if 1 <= sum(a != b for a, b in zip(heaps, left, strict=True)) <= k:
                yield left

    return moves


def dominoes(rows: int, columns: int) -> Moves:
    """Cram."""

    def moves(taken: Coordinates) -> Iterator[Coordinates]:
        for row, column in itertools.product(range(rows), range(columns)):
            for other_row, other_column in ((row + 1, column), (row, column + 1)):
                one, other = row * columns + column, other_row * columns + other_column
                if other_row < rows and other_column < columns and not taken[one] + taken[other]:
                    yield tuple(
                        1 if cell in (one, other) else old for cell, old in enumerate(taken)
                    )

    return moves


def nodes(edges: Sequence[Sequence[int]]) -> Moves:
    """Node Kayles."""
    joined = {tuple(edge) for edge in edges} | {tuple(edge)[::-1] for edge in edges}

    def moves(taken: Coordinates) -> Iterator[Coordinates]:
        for node in range(len(taken)):
            if not taken[node]:
                yield tuple(
                    1 if other == node or (node, other) in joined else old
                    for other, old in enumerate(taken)
                )

    return moves


def moves_of(name: str, arguments: Mapping[str, Any]) -> Moves | None:
    """Moves of one component of a game with these arguments; ``None`` for other games."""
    if name == "moores_nim":
        return heaps_at_once(arguments["k"])
    if name == "cram":
        return dominoes(arguments["rows"], arguments["columns"])
    if name == "node_kayles":
        return nodes(arguments["edges"])
    alone: dict[str, Moves] = {
        "wythoff": queen, "euclid": pair, "fibonacci_nim": limited_heap, "chomp": bar
    }  # fmt: skip
    return alone.get(name)
