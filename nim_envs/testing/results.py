"""The check of results: position, reward, ends and mask, and every entry of the infos."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import ConformanceError
from nim_envs.game import Game
from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.rules.component import IntArray
from nim_envs.testing.chances import Replies
from nim_envs.testing.requirements import require, require_dtype, require_equal, shown
from nim_envs.testing.turns import (
    GOES_ON,
    Observed,
    first_of,
    positions_reached,
)

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


class Seen(NamedTuple):
    """The results of ``reset`` or ``step`` in one game.

    Attributes:
        observation: of the agent.
        info: of the agent.
        mask: action mask, ``(actions,)``, its shape and type checked.
        position: position by the environment, ``(components,)``.
        ends: reward, whether the game terminated, whether it was truncated.
    """

    observation: Any
    info: Any
    mask: IntArray
    position: IntArray
    ends: tuple[float, bool, bool] = GOES_ON


class Results:
    """Checks the results of environments whose step includes the opponent's reply, if there is one.

    Args:
        env: the environment, wrapped or not; or several of them.
        game: the game that is played.
        observed: checks of its observations.

    Attributes:
        replies: judges the opponent's moves.
    """

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        first = first_of(env)
        self.replies = Replies(env, game)
        self._game = game
        self._observed = observed
        self._self_play = first.opponent is None
        self._no_truth = dict.fromkeys(TRUTH, False) if first.truth_in_info else {}
        self._seat = 0 if first.seat is None else first.seat

    def begun(self, seen: Seen, where: str) -> int:
        """Check the first results of a new game; return the seat to move.

        Args:
            seen: the results.
            where: beginning of the message.
        """
        self._observed.check(seen.observation, seen.position, where)
        self._check_mask(seen._replace(ends=GOES_ON), where)
        seat = self._seat
        if seat == "random":
            seat = seen.info.get("seat")
            require(seat in (0, 1), f"{where}, info['seat'] is {seat}, where 0 or 1 is expected")
        self._check(seen, seat, NOBODY, self._no_truth, where)
        return int(seat)

    def after(self, seen: Seen, seat: int, move: tuple[IntArray, int], where: str) -> int:
        """Check the results of a step; return the seat to move.

        Args:
            seen: the results.
            seat: seat that made the step.
            move: position before the step, and its action.
            where: beginning of the message.
        """
        before, action = move
        where = f"{where}, after action {action} at {before.tolist()}"
        self._check_move(seen, before, action, where)
        self._observed.check(seen.observation, seen.position, where)
        self._check_mask(seen, where)
        self.replies.turn(before, action, seen.position, where)
        return self.info_after(seen, seat, move, where)

    def _check_move(self, seen: Seen, before: IntArray, action: int, where: str) -> None:
        """Check position, reward and ends; a step includes the reply except in self-play."""
        rules, after = self._game.rules, seen.position
        reward, terminated, truncated = seen.ends
        if not rules.action_mask(before)[action]:
            require_equal(f"{where}, which is illegal, the position", after, before)
            require_equal(f"{where}, which is illegal, the reward", reward, -1.0)
            require_equal(f"{where}, which is illegal, terminated", terminated, True)
            return
        own = rules.step(before, np.array(action))
        replied, forfeited = False, False
        if self._self_play or rules.is_terminal(own) or (truncated and (after == own).all()):
            require_equal(f"{where}, the position", after, own)
        elif (after == own).all():
            forfeited = True  # the opponent's reply was illegal
        else:
            replied = bool((positions_reached(rules, own) == after).all(axis=1).any())
            require(
                replied,
                f"{where}, the position is {after.tolist()}, and no reply leads there from "
                f"{own.tolist()}",
            )
        over = forfeited or bool(rules.is_terminal(after))
        require_equal(f"{where}, at {after.tolist()}, terminated", terminated, over)
        expected = 0.0
        if forfeited:
            expected = 1.0
        elif over:
            expected = self._game.convention.last_movers_reward * (-1 if replied else 1)
        require_equal(f"{where}, at {after.tolist()}, the reward", reward, expected)

    def _check_mask(self, seen: Seen, where: str) -> None:
        """Check the mask: the legal actions of the seat to move, none at the end of a game."""
        _, terminated, truncated = seen.ends
        mask, after = seen.mask, seen.position
        if terminated:
            require(
                not mask.any(), f"{where}, the mask is {mask.tolist()} where the game has ended"
            )
        elif not truncated or mask.any():  # zeros where it was truncated with the opponent to move
            require_equal(
                f"{where}, at {after.tolist()}, the mask", mask, self._game.rules.action_mask(after)
            )

    def info_after(self, seen: Seen, seat: int, move: tuple[IntArray, int], where: str) -> int:
        """Check the info alone, as :meth:`after` does; return the seat to move."""
        winner, reward = NOBODY, seen.ends[0]
        if reward:
            winner = seat if reward > 0 else 1 - seat
        mover = 1 - seat if self._self_play else seat
        truth = truth_of(self._game, *move) if self._no_truth else {}
        self._check(seen, mover, winner, truth, where)
        return mover

    def _check(
        self, seen: Seen, seat: int, winner: int, truth: dict[str, bool], where: str
    ) -> None:
        expected = {"seat": np.int8(seat), "action_mask": seen.mask, "winner": np.int8(winner)}
        check_entries(seen.info, {**expected, **truth}, where)
