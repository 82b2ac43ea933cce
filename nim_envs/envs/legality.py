"""What environments do with an illegal move: the mover forfeits the game, or it is an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import IllegalMoveError, InvalidGameError
from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.rules.component import IntArray
from nim_envs.rules.rules import Rules

ILLEGAL_MOVE_RULES = ("forfeit", "raise")
"""What ``illegal_move`` may be."""


def checked_illegal_move(rule: Any) -> Any:
    """Return ``rule`` if it is one of :data:`ILLEGAL_MOVE_RULES`.

    Raises:
        InvalidGameError: it is not.
    """
    if rule not in ILLEGAL_MOVE_RULES:
        raise InvalidGameError(f"illegal_move must be one of {ILLEGAL_MOVE_RULES}, not {rule!r}")
    return rule


def illegal_move_error(
    rules: Rules, position: IntArray, action: int, *, of: str = "", where: str = ""
) -> IllegalMoveError:
    """Return the error that an illegal move raises.

    Args:
        rules: the rules.
        position: where it was made, ``(components,)``.
        action: the move, an illegal action, or ``NO_LEGAL_MOVE``.
        of: who made it, to begin the message with, as in ``"the opponent's "``.
        where: in which of several games, as in ``" in environment 2"``.
    """
    named = "no legal move" if action == NO_LEGAL_MOVE else rules.describe_action(action, position)
    return IllegalMoveError(
        f"{of}action {action} ({named}){where} is illegal at "
        f"{position.tolist()}; legal actions are "
        f"{np.flatnonzero(rules.action_mask(position)).tolist()}"
    )
