"""Games of a user's own, at the top level of a module as a user would write them."""

from dataclasses import replace

import numpy as np

from nim_envs import game_from_moves


def stairs(steps=6, *, most=2):
    """Go down some of a number of steps."""

    def moves(position):
        (left,) = position
        return [(taken, (left - taken,)) for taken in range(1, most + 1) if taken <= left]

    return game_from_moves("stairs", (steps,), moves)


def misere_stairs(steps=5):
    """Return the same in misère play."""
    return replace(stairs(steps), misere=True)


def any_stairs(steps=5, misere=True):
    """Return the stairs in either convention: in normal play there is one step more."""
    return misere_stairs(steps) if misere else stairs(steps + 1)


STAIRS = replace(misere_stairs(4), starts=(3,))


def golden_ratio(coordinates, fields):
    """W. A. Wythoff, "A modification of the game of Nim" (1907)."""
    small, large = coordinates.min(axis=1), coordinates.max(axis=1)
    return small != np.floor((large - small) * (1 + 5**0.5) / 2)


def wythoff(side=9):
    """Return Wythoff's game on a board, with its theorem."""

    def moves(position):
        a, b = position
        for n in range(1, max(a, b) + 1):
            if n <= a:
                yield f"down {n}", (a - n, b)
            if n <= b:
                yield f"left {n}", (a, b - n)
            if n <= min(a, b):
                yield f"both {n}", (a - n, b - n)

    game = game_from_moves("wythoff", (side - 1, side - 1), moves, kind="queen", picture="piece")
    return replace(game, theorem=golden_ratio)
