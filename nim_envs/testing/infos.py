"""The check of infos: every entry that the docstrings of the environments name."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import ConformanceError
from nim_envs.game import Game
from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.rules.component import IntArray
from nim_envs.testing.requirements import require, require_dtype, require_equal, shown
from nim_envs.testing.turns import first_of, is_self_play

TRUTH = ("winning", "kept_win")
"""The entries with ``truth_in_info=True`` only."""

NOBODY = -1
"""The winner while a game goes on, and after a truncation."""


def truth_of(game: Game, position: IntArray, action: int) -> dict[str, bool]:
    """Return the truth about a move, as an info has it, from the solution of the game."""
    winning = bool(game.solution.is_winning(position))
    legal = action != NO_LEGAL_MOVE and bool(game.rules.action_mask(position)[action])
    kept = winning and legal
    if kept:
        kept = not game.solution.is_winning(game.rules.step(position, np.array(action)))
    return {"winning": winning, "kept_win": kept}


def check_entries(info: Any, expected: dict[str, Any], where: str) -> None:
    """Check that an info has the expected entries, with their types, and no truth besides."""
    if not isinstance(info, dict):
        raise ConformanceError(f"{where}, the info is {shown(info)}, not a dictionary")
    for key, value in expected.items():
        require(key in info, f"{where}, the info has no {key!r}")
        require_equal(f"{where}, info[{key!r}]", info[key], value)
        require_dtype(f"{where}, info[{key!r}]", info[key], np.asarray(value).dtype)
    for key in TRUTH:
        require(
            key in expected or key not in info,
            f"{where}, the info has {key!r}, without truth_in_info=True",
        )


class Infos:
    """Checks the infos of environments whose step includes the opponent's reply, if there is one.

    Args:
        env: the environment, wrapped or not; or several of them.
        game: the game that is played.
    """

    def __init__(self, env: Any, game: Game) -> None:
        first = first_of(env)
        self._game = game
        self._self_play = is_self_play(env)
        self._truth = bool(first.truth_in_info)
        self._seat = 0 if first.seat is None else first.seat

    def begun(self, info: Any, mask: IntArray, where: str) -> int:
        """Check the info of a new game; return the seat to move.

        Args:
            info: info of the agent.
            mask: action mask, checked before.
            where: beginning of the message.
        """
        seat = self._seat
        if seat == "random":
            seat = info.get("seat")
            require(seat in (0, 1), f"{where}, info['seat'] is {seat}, where 0 or 1 is expected")
        self._check(info, mask, seat, NOBODY, dict.fromkeys(TRUTH, False), where)
        return int(seat)

    def after(
        self,
        info: Any,
        mask: IntArray,
        seat: int,
        move: tuple[IntArray, int],
        reward: float,
        where: str,
    ) -> int:
        """Check the info after a step; return the seat to move.

        Args:
            info: info of the agent.
            mask: action mask, checked before.
            seat: seat that made the step.
            move: position before the step, and its action.
            reward: reward of the step, checked before.
            where: beginning of the message.
        """
        winner = NOBODY
        if reward:
            winner = seat if reward > 0 else 1 - seat
        mover = 1 - seat if self._self_play else seat
        truth = truth_of(self._game, *move) if self._truth else {}
        self._check(info, mask, mover, winner, truth, where)
        return mover

    def _check(
        self,
        info: Any,
        mask: IntArray,
        seat: int,
        winner: int,
        truth: dict[str, bool],
        where: str,
    ) -> None:
        expected = {"seat": np.int8(seat), "action_mask": mask, "winner": np.int8(winner)}
        check_entries(info, {**expected, **(truth if self._truth else {})}, where)
