"""Checks of the results of one turn, of Gymnasium environments and batches.

- The position is the one that the rules say, after the opponent's reply if there is one.
- Rewards are +1 for a win and -1 for a loss in the step that ends a game, 0 in all others. An
  illegal action loses.
- A game terminates where no move is left, and is truncated after exactly ``max_cycles`` moves of
  each player, and nowhere else.
- The mask holds the legal actions of the seat to move. It is all zeros where the game has
  terminated, or was truncated with the opponent to move.
- Infos have every documented entry, with its type, and no truth that was not asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import ConformanceError
from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.testing.draws import OpponentDraws
from nim_envs.testing.requirements import require, require_dtype, require_equal, text_of
from nim_envs.testing.turns import (
    GOES_ON,
    Observed,
    Outcome,
    first_of,
    most_moves,
    most_steps,
    positions_reached,
)
from nim_envs.typing import IntArray

TRUTH = ("winning", "kept_win", "value", "kept_value")
"""The entries with ``truth_in_info=True`` only; the last two in games with draws."""

NOBODY = -1
"""The winner while a game goes on, and after a truncation."""


def no_truth(game: Game) -> dict[str, Any]:
    """Return the entries before a first move, as an info has them."""
    entries = dict.fromkeys(TRUTH, False) | {"value": np.int8(0)}
    return {key: entries[key] for key in (TRUTH if game.has_outcome else TRUTH[:2])}


def truth_of(game: Game, position: IntArray, action: int) -> dict[str, Any]:
    """Return the truth about a move, as an info has it, from the solution of the game."""
    value = game.solution.value(position)
    keeps_value = action != NO_LEGAL_MOVE and bool(game.rules.action_mask(position)[action])
    if keeps_value:
        keeps_value = game.solution.value(game.rules.step(position, np.array(action))) == -value
    truth: dict[str, Any] = {"winning": value == 1, "kept_win": keeps_value and value == 1}
    if game.has_outcome:
        truth |= {"value": np.int8(value), "kept_value": keeps_value}
    return truth


def check_entries(info: Any, expected: dict[str, Any], where: str) -> None:
    """Check that an info has the expected entries, with their types, and no truth besides."""
    if not isinstance(info, dict):
        raise ConformanceError(f"{where}, the info is {text_of(info)}, not a dictionary")
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
        observation: observation of the agent.
        info: info of the agent.
        mask: action mask, ``(actions,)``, its shape and type checked.
        position: position by the environment, ``(components,)``.
        outcome: reward, and whether the game ended.
    """

    observation: Any
    info: Any
    mask: IntArray
    position: IntArray
    outcome: Outcome = GOES_ON


class State(NamedTuple):
    """The history of a game, as far as its next results depend on it.

    Attributes:
        seat: seat to move.
        moves: number of moves of both players.
        steps: number of steps.
    """

    seat: int
    moves: int = 0
    steps: int = 0


class Results:
    """Checks the results of environments whose step includes the opponent's reply, if there is one.

    Args:
        env: the environment, wrapped or not; or several of them.
        game: the game that is played.
        observed: checks of its observations.

    Attributes:
        replies: judges the opponent's moves.
        seat: the agent's seat: 0, 1 or ``"random"``; 0 in self-play.
        most_moves: moves of both players after which a game is truncated.
    """

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        first = first_of(env)
        self.replies = OpponentDraws(env, game)
        self.seat: Any = 0 if first.seat is None else first.seat
        self.most_moves, self._most_steps = most_moves(env), most_steps(env)
        self._game = game
        self._observed = observed
        self._self_play = first.opponent is None
        self._no_truth = no_truth(game) if first.truth_in_info else {}

    def check_start(self, seen: Seen, where: str) -> State:
        """Check the first results of a new game; return its history.

        Args:
            seen: the results.
            where: beginning of the message.
        """
        self._observed.check(seen.observation, seen.position, where)
        require_equal(f"{where}, at {seen.position.tolist()}, the mask", seen.mask,
                      self._game.rules.action_mask(seen.position))  # fmt: skip
        require(seen.mask.any(), f"{where}, {seen.position.tolist()} leaves no move")
        seat = self.seat
        if seat == "random":
            seat = seen.info.get("seat")
            require(seat in (0, 1), f"{where}, info['seat'] is {seat}, where 0 or 1 is expected")
        self._check(seen, seat, NOBODY, self._no_truth, where)
        return State(int(seat), moves=int(seat))

    def check_step(self, seen: Seen, state: State, move: tuple[IntArray, int], where: str) -> State:
        """Check the results of a step; return the history after it.

        Args:
            seen: the results.
            state: the history before it.
            move: position before the step, and its action.
            where: beginning of the message.
        """
        before, action = move
        where = f"{where}, after action {action} at {before.tolist()}"
        moves, at_reply = self._check_move(seen, state, before, action, where)
        self._observed.check(seen.observation, seen.position, where)
        self._check_mask(seen, at_reply, where)
        return self.info_after(seen, state, move, where)._replace(moves=moves)

    def _check_move(
        self, seen: Seen, state: State, before: IntArray, action: int, where: str
    ) -> tuple[int, bool]:
        """Check position, reward and ends; a step includes the reply except in self-play.

        Returns:
            The number of moves in the game, and whether the opponent would move next.
        """
        rules, after = self._game.rules, seen.position
        reward, terminated, truncated = seen.outcome
        late = state.steps + 1 >= self._most_steps
        if not rules.action_mask(before)[action]:
            require_equal(f"{where}, which is illegal, the position", after, before)
            require_equal(f"{where}, which is illegal, the reward", reward, -1.0)
            require_equal(f"{where}, which is illegal, terminated", terminated, True)
            require_equal(f"{where}, which is illegal, truncated", truncated, late)
            return state.moves, True
        own = rules.step(before, np.array(action))
        moves = state.moves + 1
        replied, forfeited = False, False
        ended = bool(rules.is_terminal(own)) or moves >= self.most_moves
        if self._self_play or ended:
            require_equal(f"{where}, the position", after, own)
        elif (after == own).all() and not self.replies.judged:
            forfeited = True  # the opponent's reply was illegal
        else:
            moves, replied = moves + 1, True
            require(
                (positions_reached(rules, own) == after).all(axis=1).any(),
                f"{where}, the position is {after.tolist()}, and no reply leads there from "
                f"{own.tolist()}",
            )
            self.replies.move(own, after, where)
        over = forfeited or bool(rules.is_terminal(after))
        require_equal(f"{where}, at {after.tolist()}, terminated", terminated, over)
        require_equal(
            f"{where}, at {after.tolist()} after {moves} moves and {state.steps + 1} steps, "
            "truncated", truncated, late or (not over and moves >= self.most_moves),
        )  # fmt: skip
        expected = 0.0
        if forfeited:
            expected = 1.0
        elif over:
            # The end's value is to the player whose turn it would be: the agent after a reply.
            value = float(self._game.convention.end_values(rules, after))
            expected = value if replied else -value
        require_equal(f"{where}, at {after.tolist()}, the reward", reward, expected)
        return moves, not (self._self_play or replied)

    def _check_mask(self, seen: Seen, at_reply: bool, where: str) -> None:
        """Check the mask after a step: none at the end, and where the opponent would move."""
        terminated = seen.outcome.terminated
        legal = self._game.rules.action_mask(seen.position)
        expected = np.zeros_like(legal) if terminated or at_reply else legal
        ended = "where the game has ended" if terminated else f"at {seen.position.tolist()}"
        require_equal(f"{where}, {ended}, the mask", seen.mask, expected)

    def info_after(self, seen: Seen, state: State, move: tuple[IntArray, int], where: str) -> State:
        """Check the info, as :meth:`check_step` does; return the history but for its moves."""
        seat, winner, reward = state.seat, NOBODY, seen.outcome.reward
        if reward:
            winner = seat if reward > 0 else 1 - seat
        mover = 1 - seat if self._self_play else seat
        truth = truth_of(self._game, *move) if self._no_truth else {}
        self._check(seen, mover, winner, truth, where)
        return State(mover, state.moves, state.steps + 1)

    def _check(self, seen: Seen, seat: int, winner: int, truth: dict[str, Any], where: str) -> None:
        expected = {"seat": np.int8(seat), "action_mask": seen.mask, "winner": np.int8(winner)}
        check_entries(seen.info, {**expected, **truth}, where)
