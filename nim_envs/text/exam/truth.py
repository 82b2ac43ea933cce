"""Difficulty of positions: winning moves among the legal ones, and moves to the end."""

from typing import NamedTuple

import numpy as np

from nim_envs.game import Game
from nim_envs.index import Index
from nim_envs.typing import FloatArray, IntArray

BANDS = ("easy", "middle", "hard")
"""Thirds of the N-positions of a setting, by :attr:`Truth.difficulty`."""


class Truth(NamedTuple):
    """The N-positions of a set of positions, and their difficulty.

    Positions are ``(n, fields)``; of each there are the numbers of legal moves, of moves that
    keep the win, and of moves until the game ends, where the winner wins as soon as possible
    and the loser loses as late as possible.
    """

    positions: IntArray
    legal: IntArray
    winning: IntArray
    moves_to_end: IntArray

    @property
    def difficulty(self) -> FloatArray:
        """Moves to the end, times the legal moves for each winning one."""
        return self.moves_to_end * self.legal / self.winning

    @property
    def random_percent(self) -> FloatArray:
        """Chance that a random legal move keeps the win, in percent."""
        return 100.0 * self.winning / self.legal

    def bands(self) -> IntArray:
        """Return the index of each position's band in :data:`BANDS`, ``(n,)``."""
        bands = np.empty(len(self.positions), dtype=np.int64)
        order = np.argsort(self.difficulty, kind="stable")
        bands[order] = np.arange(len(order)) * len(BANDS) // max(len(order), 1)
        return bands


def _listed(game: Game, positions: str) -> IntArray:
    """Return all positions, or those reachable from the initial one, in lexicographic order.

    It lists no others, which may be far more, as on boards with many empty heaps.
    """
    board, index = game.board, Index(game.fields)
    if positions == "all":
        return board.positions(np.arange(board.num_positions))
    found = new = np.array([game.start])
    while len(new):
        _, after = _moves(game, new)
        keys, first = np.unique(index.keys(after), return_index=True)
        new = after[first[~np.isin(keys, index.keys(found))]]
        found = np.concatenate([found, new])
    return found[np.argsort(index.keys(found))]


def _moves(game: Game, positions: IntArray) -> tuple[IntArray, IntArray]:
    """Return the row of each legal move at positions ``(n, fields)``, and the position after it."""
    board = game.board
    states = board.find(positions)
    rows, actions = np.nonzero(board.mask(states))
    return rows, board.positions(board.step(states[rows], actions))


def truth_of(game: Game, positions: str) -> Truth:
    """Return the N-positions of a game with their difficulty.

    The positions are ``"reachable"``, or ``"all"`` of a board that is a graph; moves lead out
    of neither.
    """
    listed, index = _listed(game, positions), Index(game.fields)
    here, after = _moves(game, listed)
    there = np.searchsorted(index.keys(listed), index.keys(after))
    legal = np.bincount(here, minlength=len(listed))
    is_winning = game.solution.is_winning(listed)
    won, wins = is_winning & (legal > 0), ~is_winning[there]
    moves = np.where(legal == 0, 0, -1)
    while (moves < 0).any():
        # Positions all of whose moves lead to positions that are known already.
        waiting = np.bincount(here, moves[there] < 0, len(listed)) > 0
        ready = (moves < 0) & ~waiting
        latest = np.zeros(len(listed), dtype=np.int64)
        np.maximum.at(latest, here, moves[there])
        soonest = np.full(len(listed), np.iinfo(np.int64).max - 1)
        np.minimum.at(soonest, here[wins], moves[there[wins]])
        moves[ready] = 1 + np.where(won, soonest, latest)[ready]
    return Truth(
        listed[won], legal[won], np.bincount(here[wins], minlength=len(listed))[won], moves[won]
    )
