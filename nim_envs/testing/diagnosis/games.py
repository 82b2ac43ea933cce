"""Games small enough to be learned in seconds, on which different faults play differently."""

from __future__ import annotations

from typing import Any

from nim_envs.game import Game
from nim_envs.registration import make_game

LEVELS = 16
"""Number of levels of the graph."""

WIDTH = 5
"""Nodes of a level."""


def levels() -> tuple[tuple[int, ...], ...]:
    """Return the edges of a graph on which a position says which player is to move.

    Every edge leads one level down, so from the top node the levels alternate between the players.
    On each level one node is lost for the player to move, and the others can move to the one below.
    """
    successors: list[tuple[int, ...]] = [()]
    below, lost_below = [0], 0
    for level in range(1, LEVELS):
        nodes = [len(successors) + place for place in range(WIDTH)]
        lost = nodes[(3 * level + level // 4) % WIDTH]
        for node in nodes:
            down = below if node != lost else [each for each in below if each != lost_below]
            successors.append(tuple(down))
        below, lost_below = nodes, lost
    return (*successors, tuple(below))


def tiny_games() -> tuple[Game, ...]:
    """Return the games that :func:`nim_envs.diagnose` trains on.

    Each shows faults that others do not: taking 1 to 4 from one heap, where normal and misère play
    have different winning moves nearly everywhere; three equal heaps, where it matters which heap
    is meant, in normal and misère play; and a token on a graph, where each position belongs to one
    player.
    """
    heap: dict[str, Any] = {"heaps": (30,), "subtraction_set": (1, 2, 3, 4), "start": "uniform"}
    heaps: dict[str, Any] = {"heaps": (3, 3, 3), "start": "uniform"}
    edges = levels()
    return (
        make_game("subtraction", **heap),
        make_game("subtraction", **heap, misere=True),
        make_game("nim", **heaps),
        make_game("nim", **heaps, misere=True),
        make_game("graph", successors=edges, tokens=(len(edges) - 1,)),
    )
