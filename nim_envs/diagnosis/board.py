"""Small games, and all positions of one with their moves and results, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from nim_envs.diagnosis.positions import LARGEST_BOARD, Play
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.registration import make_game
from nim_envs.rules.convention import Convention
from nim_envs.scoring.enumeration import number_of_positions
from nim_envs.typing import BoolArray, FloatArray, IntArray, ValueArray

Moves = Callable[["Board"], BoolArray]
"""The moves of an agent with a fault, ``(n, actions)``."""

ROUNDING = 1e-9
"""Values that differ by less are equal."""


class Board:
    """All positions of a game, which must be small, in mixed-radix order.

    Args:
        game: rules, convention, and start, which decides who can be to move where.

    Attributes:
        game: as given.
        positions: ``(n, components)``.
        coordinates: of the positions, ``(n, coordinates)``.
        legal: legal actions, ``(n, actions)``.
        after: row of the position after each action, ``(n, actions)``; 0 where illegal.
        lengths: number of moves of the longest play from each position, ``(n,)``.
        over: the positions without a legal move, ``(n,)``.
        ending: actions that end the game, ``(n, actions)``.
        end_values: values of the positions without a legal move to the player to move, in their
            order, ``(ends,)``: 1, 0 or -1.
        values: results of optimal play for the player to move, ``(n,)``: 1, 0 or -1.
        keeping: actions that win at N-positions, or keep a draw at drawn ones, ``(n, actions)``.
        counted: positions with such an action, ``(n,)``: those with a move that are not lost.
        has_draws: whether a game can be drawn.
        moves_of: function from a fault's moves to these on this board, computed once.

    Raises:
        SearchTooLargeError: there are too many positions.
    """

    def __init__(self, game: Game) -> None:
        rules = game.rules
        count = number_of_positions(rules, LARGEST_BOARD // rules.num_actions)
        if count * rules.num_actions > LARGEST_BOARD:
            raise SearchTooLargeError(
                f"{game.summary} has too many positions to be compared with faults: at most "
                f"{LARGEST_BOARD:,} pairs of a position and an action; diagnose a smaller board "
                "of the same game"
            )
        play = self._play = Play(rules)
        self.game = game
        self.positions = play.positions
        self.lengths = play.lengths
        shape = len(play.positions), rules.num_actions
        self.legal = np.zeros(shape, dtype=np.bool_)
        self.legal[play.sources, play.actions] = True
        self.after = np.zeros(shape, dtype=np.int64)
        self.after[play.sources, play.actions] = play.targets
        self.over: BoolArray = np.asarray(play.lengths == 0)
        self.ending: BoolArray = np.logical_and(self.legal, self.over[self.after])
        self.end_values = play.end_values(game.convention)
        self.has_draws = bool((self.end_values == 0).any())
        self.values = play.values_from(self.end_values)
        self.keeping = self._keeping(self.values)
        self.counted: BoolArray = np.asarray(self.keeping.any(axis=1))
        self.coordinates = rules.coordinates(self.positions)
        self.moves_of: Callable[[Moves], BoolArray] = cache(lambda moves: moves(self))

    def _keeping(self, values: ValueArray) -> BoolArray:
        """Return the actions that keep the mover's win or draw, by the values of positions."""
        same = (-values[self.after] == values[:, np.newaxis]) & (values >= 0)[:, np.newaxis]
        keeps: BoolArray = np.logical_and(self.legal, same)
        return keeps

    def keeping_if(self, end_values: ValueArray) -> BoolArray:
        """Return the actions that would keep a win or a draw, ``(n, actions)``.

        Args:
            end_values: values of the positions without a legal move, ``(ends,)``: 1, 0 or -1.
        """
        return self._keeping(self._play.values_from(end_values))

    def end_values_by(self, convention: Convention) -> ValueArray:
        """Return the values of the ends by the last move, ``(ends,)``."""
        return self._play.end_values(convention)

    @cached_property
    def rewards(self) -> FloatArray:
        """Rewards of the mover, ``(n, actions)``, 0 where the game goes on."""
        return self.rewards_of(self.end_values)

    def rewards_of(self, end_values: ValueArray) -> FloatArray:
        """Return the rewards of the mover where games end with certain values, ``(n, actions)``."""
        at_ends = np.zeros(len(self.positions))
        at_ends[self.over] = -end_values.astype(np.float64)
        return np.where(self.ending, at_ends[self.after], 0.0)

    def backward(self, update: Callable[[IntArray], FloatArray]) -> FloatArray:
        """Return action values ``(n, actions)``, -inf where illegal, computed from the end back.

        Args:
            update: returns the action values ``(k, actions)`` of some rows, ``(k,)``, whose later
                positions have been passed to it before.
        """
        values = np.full(self.legal.shape, -np.inf)
        for length in range(1, int(self.lengths.max(initial=0)) + 1):
            rows = np.flatnonzero(self.lengths == length)
            values[rows] = np.where(self.legal[rows], update(rows), -np.inf)
        return values


def greedy(values: FloatArray) -> BoolArray:
    """Return the actions of the largest value, ``(n, actions)``; none in rows of -inf."""
    best = values.max(axis=1, keepdims=True)
    is_greedy: BoolArray = np.logical_and(np.isfinite(values), values >= best - ROUNDING)
    return is_greedy


def evenly(actions: BoolArray) -> FloatArray:
    """Return equal probabilities of the actions in each row, zeros in rows without one."""
    share: FloatArray = actions / np.maximum(actions.sum(axis=1, keepdims=True), 1)
    return share


GRAPH_LEVELS = 16
"""Number of levels of the graph."""

GRAPH_WIDTH = 5
"""Nodes of a level."""


def edges_by_level() -> tuple[tuple[int, ...], ...]:
    """Return the edges of a graph on which a position says which player is to move.

    Every edge leads one level down, so from the top node the levels alternate between the players.
    On each level one node is lost for the player to move, and the others can move to the one below.
    """
    successors: list[tuple[int, ...]] = [()]
    below, lost_below = [0], 0
    for level in range(1, GRAPH_LEVELS):
        nodes = [len(successors) + place for place in range(GRAPH_WIDTH)]
        lost = nodes[(3 * level + level // 4) % GRAPH_WIDTH]
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
    edges = edges_by_level()
    return (
        make_game("subtraction", **heap),
        make_game("subtraction", **heap, misere=True),
        make_game("nim", **heaps),
        make_game("nim", **heaps, misere=True),
        make_game("graph", successors=edges, tokens=(len(edges) - 1,)),
    )
