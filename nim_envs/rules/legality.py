"""Illegal moves: the mover forfeits the game, or it is an error."""

from __future__ import annotations

import numpy as np

from nim_envs.errors import IllegalMoveError
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray

ILLEGAL_MOVE_RULES = ("forfeit", "raise")
"""Allowed values of ``illegal_move``."""


def illegal_move_error(
    rules: Rules, position: IntArray, action: int, *, of: str = "", where: str = ""
) -> IllegalMoveError:
    """Return the error that an illegal move raises.

    Args:
        rules: used to describe the action.
        position: position before the move, ``(components,)``.
        action: an illegal action; a negative number where no legal move was named.
        of: beginning of the message, as in ``"the opponent's "``.
        where: which of several games, as in ``" in environment 2"``.
    """
    named = "no legal move" if action < 0 else rules.describe_action(action, position)
    return IllegalMoveError(
        f"{of}action {action} ({named}){where} is illegal at "
        f"{list(rules.coordinate_tuple(position))}; legal actions are "
        f"{np.flatnonzero(rules.action_mask(position)).tolist()}"
    )
