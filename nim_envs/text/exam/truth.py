"""Difficulty of positions: winning moves among the legal ones, and moves to the end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nim_envs.game import Game
from nim_envs.rules.rules import Rules
from nim_envs.typing import FloatArray, IntArray

BANDS = ("easy", "middle", "hard")
"""Thirds of the N-positions of a setting, by :attr:`Truth.difficulty`."""


class Truth(NamedTuple):
    """The N-positions of a set of positions, and their difficulty.

    Attributes:
        positions: int64 ``(n, components)``, state numbers.
        legal: number of legal moves, ``(n,)``.
        winning: number of moves that keep the win, ``(n,)``.
        moves_to_end: moves until the game ends, ``(n,)``, where the winner wins as soon as
            possible, and the loser loses as late as possible.
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


def _reachable(rules: Rules) -> IntArray:
    """Return the indices of the positions reachable from the initial one, in order.

    It lists no others, which may be far more, as on boards with many empty heaps.
    """
    reached = new = rules.indices(np.array([rules.initial]))
    while len(new):
        here = rules.positions(new)
        rows, actions = np.nonzero(rules.action_mask(here))
        new = np.setdiff1d(rules.indices(rules.step(here[rows], actions)), reached)
        reached = np.union1d(reached, new)
    return reached


def truth_of(game: Game, positions: str) -> Truth:
    """Return the N-positions of a game with their difficulty.

    Args:
        game: a game without draws.
        positions: ``"all"`` or ``"reachable"``; moves lead out of neither.
    """
    rules = game.rules
    indices = _reachable(rules) if positions == "reachable" else rules.indices(rules.lattice())
    listed = rules.positions(indices)
    here, actions = np.nonzero(rules.action_mask(listed))
    there = np.searchsorted(indices, rules.indices(rules.step(listed[here], actions)))
    legal = np.bincount(here, minlength=len(listed))
    won = np.asarray(game.old_solution.is_winning(listed)) & (legal > 0)
    wins = ~np.asarray(game.old_solution.is_winning(listed))[there]
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
