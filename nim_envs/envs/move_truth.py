"""The exact truth about moves: what the position was worth, and whether it still is."""

from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.typing import Array, BoolArray, IntArray, ValueArray


def no_move_yet(game: Game) -> dict[str, Any]:
    """Return the entries of a player's info before its first move in a game."""
    entries: dict[str, Any] = {"winning": False, "kept_win": False}
    if game.has_outcome:
        entries |= {"value": np.int8(0), "kept_value": False}
    return entries


def truth_of_moves(
    game: Game, before: ValueArray, after: ValueArray, is_legal: BoolArray
) -> dict[str, Array]:
    """Return the info entries of moves, one array ``(n,)`` for each.

    They are ``"winning"``, whether the position was won for the mover, and ``"kept_win"``, whether
    it still is; in games with an outcome of their own also ``"value"``, int8, to the mover, and
    ``"kept_value"``, whether it is the same after the move. An illegal move keeps nothing.

    Args:
        game: the game.
        before: values of the positions before the moves to their movers.
        after: values after legal moves to the next player.
        is_legal: which moves are legal.
    """
    winning, keeps = before == 1, is_legal & (after == -before)
    truth: dict[str, Array] = {"winning": winning, "kept_win": winning & keeps}
    return truth | {"value": before, "kept_value": keeps} if game.has_outcome else truth


def moves_truth(game: Game, states: IntArray, actions: IntArray) -> dict[str, Array]:
    """Return the info entries of moves at states of ``game.board``, ``(n, ...)``.

    ``actions``, ``(n,)``, are any of the action space, or ``NO_LEGAL_MOVE``.
    """
    board, state_values = game.board, game.solution.state_values
    before = state_values(states)
    is_legal = board.mask(states)[np.arange(len(actions)), actions] != 0
    is_legal &= actions != NO_LEGAL_MOVE
    asked = is_legal if game.has_outcome else is_legal & (before == 1)
    after = np.zeros_like(before)
    after[asked] = state_values(board.step(states[asked], actions[asked]))
    return truth_of_moves(game, before, after, is_legal)


def move_truth(game: Game, state: Any, action: int) -> dict[str, Any]:
    """Return the info entries of one move at a state of ``game.board``."""
    truth = moves_truth(game, np.array([state]), np.array([action]))
    return {
        key: entries[0] if key == "value" else bool(entries[0]) for key, entries in truth.items()
    }
