"""The exact truth about moves: whether the position was won, and whether it still is."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.rules.validation import checked_boolean
from nim_envs.typing import BoolArray, IntArray

NO_MOVE_YET = {"winning": False, "kept_win": False}
"""The entries of a player's info before its first move in a game."""


def checked_truth_in_info(truth_in_info: Any, game: Game) -> bool:
    """Return ``truth_in_info``; solve the game now if it is true.

    Raises:
        InvalidGameError: it is not a boolean.
        SearchTooLargeError: the game cannot be solved.
    """
    checked = checked_boolean("truth_in_info", truth_in_info)
    if checked:
        game.solution.is_winning(game.rules.initial)
    return checked


def moves_truth(game: Game, positions: IntArray, actions: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return whether moves were made in won positions, and whether they kept the win.

    Args:
        game: its solution is used.
        positions: before the moves, ``(n, components)``.
        actions: ``(n,)``, any of the action space, or ``NO_LEGAL_MOVE``.

    Returns:
        Two boolean arrays ``(n,)``: whether the position was won for the mover, and whether it
        still is after the move. An illegal move forfeits, so it never keeps a win.
    """
    winning: BoolArray = np.asarray(game.solution.is_winning(positions))
    masks = game.rules.action_mask(positions)
    kept = winning & (actions != NO_LEGAL_MOVE) & (masks[np.arange(len(actions)), actions] != 0)
    after = game.rules.step(positions[kept], actions[kept])
    kept[kept] = game.solution.is_losing(after)
    return winning, kept


def move_truth(game: Game, position: IntArray, action: int) -> dict[str, bool]:
    """Return the info entries of one move at ``position``, ``(components,)``."""
    winning, kept = moves_truth(game, position[np.newaxis], np.array([action]))
    return {"winning": bool(winning[0]), "kept_win": bool(kept[0])}
