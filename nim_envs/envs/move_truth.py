"""The exact truth about moves: was the position won, and did the move keep it?"""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.rules.validation import checked_boolean

NO_MOVE_YET = {"winning": False, "kept_win": False}
"""What the info of a player says that has not moved in this game."""


def checked_truth_in_info(truth_in_info: Any, game: Game) -> bool:
    """Return ``truth_in_info``; the game is solved now, where it is to be known.

    Raises:
        InvalidGameError: it is not a boolean.
        SearchTooLargeError: the game cannot be solved.
    """
    checked = checked_boolean("truth_in_info", truth_in_info)
    if checked:
        game.solution.is_winning(game.rules.initial)
    return checked


def moves_truth(game: Game, positions: IntArray, actions: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return the truth about moves.

    Args:
        game: the game.
        positions: before the moves, ``(n, components)``.
        actions: ``(n,)``, of the action space, legal or not, or ``NO_LEGAL_MOVE``.

    Returns:
        Boolean ``(n,)``: whether the mover could win; whether it still can after the move, which
        then leads to a P-position. An illegal move forfeits, so it never keeps a win.
    """
    winning: BoolArray = np.asarray(game.solution.is_winning(positions))
    masks = game.rules.action_mask(positions)
    kept = winning & (actions != NO_LEGAL_MOVE) & (masks[np.arange(len(actions)), actions] != 0)
    after = game.rules.step(positions[kept], actions[kept])
    kept[kept] = ~np.asarray(game.solution.is_winning(after), dtype=np.bool_)
    return winning, kept


def move_truth(game: Game, position: IntArray, action: int) -> dict[str, bool]:
    """Return the truth about one move at ``position``, ``(components,)``, as an info has it."""
    winning, kept = moves_truth(game, position[np.newaxis], np.array([action]))
    return {"winning": bool(winning[0]), "kept_win": bool(kept[0])}
