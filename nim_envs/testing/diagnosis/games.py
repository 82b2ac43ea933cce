"""Games small enough to be learned in seconds, on which different faults play differently."""

from __future__ import annotations

from typing import Any

from nim_envs.game import Game, Registered
from nim_envs.rules.convention import Convention
from nim_envs.rules.graph_game import graph
from nim_envs.rules.nim_game import nim
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import subtraction
from nim_envs.starts import as_start

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


def _game(name: str, rules: Rules, misere: bool, start: str, **arguments: Any) -> Game:
    """Return a game as ``nim_envs.make_game`` makes it."""
    return Game(
        rules,
        Convention.from_misere(misere),
        as_start(start),
        Registered(name, {"misere": misere, "start": start, **arguments}),
    )


def tiny_games() -> tuple[Game, ...]:
    """Return the games that :func:`nim_envs.diagnose` trains on.

    Each shows faults that others do not: taking 1 to 4 from one heap, where normal and misère play
    have different winning moves nearly everywhere; three equal heaps, where it matters which heap
    is meant, in normal and misère play; and a token on a graph, where each position belongs to one
    player.
    """
    heap: dict[str, Any] = {"heaps": (30,), "subtraction_set": (1, 2, 3, 4)}
    heaps: dict[str, Any] = {"heaps": (3, 3, 3)}
    edges = levels()
    token: dict[str, Any] = {"successors": edges, "tokens": (len(edges) - 1,)}
    return (
        _game("subtraction", subtraction(**heap), False, "uniform", **heap),
        _game("subtraction", subtraction(**heap), True, "uniform", **heap),
        _game("nim", nim(**heaps), False, "uniform", **heaps),
        _game("nim", nim(**heaps), True, "uniform", **heaps),
        _game("graph", graph(**token), False, "fixed", **token),
    )
