"""Seven games as a user writes them: a function of moves each, of at most ten lines."""

import nim_envs


def wythoff(position):
    a, b = position
    for n in range(1, max(a, b) + 1):
        if n <= a:
            yield f"left {n}", (a - n, b)
        if n <= b:
            yield f"down {n}", (a, b - n)
        if n <= min(a, b):
            yield f"both {n}", (a - n, b - n)


def moores_nim(position):  # a move takes from one heap or from two
    a, b, c = position
    for i in range(a + 1):
        for j in range(b + 1):
            for k in range(c + 1):
                if 1 <= (i > 0) + (j > 0) + (k > 0) <= 2:
                    yield f"take {i}-{j}-{k}", (a - i, b - j, c - k)


def chomp(position):  # rows of the bar; the last square is poisoned, and no legal move
    for row, squares in enumerate(position):
        for column in range(row == 0, squares):
            after = position[:row] + tuple(min(left, column) for left in position[row:])
            yield f"bite {row}-{column}", after


def fibonacci_nim(position):  # objects, and the most that may be taken
    objects, most = position
    for n in range(1, min(objects, most) + 1):
        yield f"take {n}", (objects - n, min(2 * n, objects - n))


def euclid(position):  # subtract a multiple of the smaller number from the larger one
    small, large = sorted(position)
    for n in range(1, large // small + 1 if small else 0):
        yield f"subtract {n} times", tuple(sorted((small, large - n * small)))


def cram(position):  # dominoes on a board of 3 x 3
    for cell in range(9):
        for other in (cell + 1, cell + 3):
            inside = other % 3 > 0 if other == cell + 1 else other < 9
            if inside and not position[cell] and not position[other]:
                covered = {cell, other}
                after = tuple(int(i in covered or taken) for i, taken in enumerate(position))
                yield f"cover {cell} and {other}", after


EDGES = {0: (1, 5), 1: (0, 2), 2: (1, 3), 3: (2, 4), 4: (3, 5), 5: (4, 0)}


def node_kayles(position):  # on a cycle of six nodes: take one, and its neighbours go with it
    for node, there in enumerate(position):
        if there:
            gone = {node, *EDGES[node]}
            yield f"take {node}", tuple(int(i not in gone and t) for i, t in enumerate(position))


OWN_GAMES = {
    "wythoff": (wythoff, (4, 5), {"picture": "piece"}),
    "moores_nim": (moores_nim, (2, 2, 2), {"picture": "coins"}),
    "chomp": (chomp, (3, 3, 3), {"picture": "rows"}),
    "fibonacci_nim": (fibonacci_nim, (8, 7), {"picture": "coins"}),
    "euclid": (euclid, (7, 10), {}),
    "cram": (cram, (0,) * 9, {"board": (3, 3), "picture": "cells"}),
    "node_kayles": (node_kayles, (1,) * 6, {}),
}
"""Moves, start and further arguments by name."""


def own_game(name, *, misere=False, **arguments):
    """Return one of the games."""
    moves, start, further = OWN_GAMES[name]
    return nim_envs.game_from_moves(name, start, moves, misere=misere, **{**further, **arguments})
