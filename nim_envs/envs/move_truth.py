"""The exact truth about moves: what the position was worth, and whether it still is."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.typing import Array, IntArray


def no_move_yet(game: Game) -> dict[str, Any]:
    """Return the entries of a player's info before its first move in a game."""
    entries: dict[str, Any] = {"winning": False, "kept_win": False}
    if game.has_outcome:
        entries |= {"value": np.int8(0), "kept_value": False}
    return entries


def moves_truth(game: Game, states: IntArray, actions: IntArray) -> dict[str, Array]:
    """Return the info entries of moves, one array ``(n,)`` for each.

    They are ``"winning"``, whether the position was won for the mover, and ``"kept_win"``, whether
    it still is; in games with an outcome of their own also ``"value"``, int8, to the mover, and
    ``"kept_value"``, whether it is the same after the move. An illegal move keeps nothing.

    Args:
        game: its solution is used.
        states: states of ``game.board`` before the moves, ``(n, ...)``.
        actions: ``(n,)``, any of the action space, or ``NO_LEGAL_MOVE``.
    """
    board, state_values = game.board, game.solution.state_values
    values = state_values(states)
    winning = values == 1
    keeps = board.mask(states)[np.arange(len(actions)), actions] != 0
    keeps &= actions != NO_LEGAL_MOVE
    if not game.has_outcome:
        keeps &= winning  # no truth is given on moves at lost positions
    after = board.step(states[keeps], actions[keeps])
    keeps[keeps] = state_values(after) == -values[keeps]
    truth: dict[str, Array] = {"winning": winning, "kept_win": winning & keeps}
    if game.has_outcome:
        truth |= {"value": values, "kept_value": keeps}
    return truth


def move_truth(game: Game, state: Any, action: int) -> dict[str, Any]:
    """Return the info entries of one move at a state of ``game.board``."""
    truth = moves_truth(game, np.array([state]), np.array([action]))
    return {
        key: entries[0] if key == "value" else bool(entries[0]) for key, entries in truth.items()
    }
