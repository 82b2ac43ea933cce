"""Arrays that the compiled functions of a batch take: games, starts, settings and results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled
from nim_envs.typing import BoolArray, UInt32Array, WordArray

FlagArray = npt.NDArray[np.uint8]

BLOCK = 8192
"""Games that go through all phases of a step together, few enough for the processor's cache."""

NO_LIMIT = 2**31 - 1
"""Value of :attr:`Settings.most_moves` without truncation."""

# Outcome bit flags, of :attr:`Games.outcomes`. A game with LAST_MOVE or FORFEIT has
# terminated, even if it has TRUNCATED too.
ONGOING = np.uint8(0)  # it goes on
TRUNCATED = np.uint8(1)  # max_cycles is reached
LAST_MOVE = np.uint8(2)  # no legal move is left
FORFEIT = np.uint8(4)  # the last move was illegal
BY_OPPONENT = np.uint8(8)  # the opponent made the last move
UNANSWERED = np.uint8(16)  # truncated before the opponent's reply

# The next event in a game, in :attr:`Games.due`.
AGENT = np.uint8(0)  # a move of the agent; in self-play, of the player to move
OPPONENT = np.uint8(1)  # a move of the opponent
NEW_GAME = np.uint8(2)  # the beginning of a new game
NOBODY = np.uint8(3)  # as a mover: no move is made


class Games(NamedTuple):
    """The games in progress, one entry or one column each."""

    states: UInt32Array  # (groups, games), of the groups of components, packed
    outcomes: FlagArray  # ONGOING, or how the game ended
    due: FlagArray  # AGENT, OPPONENT or NEW_GAME
    seats: npt.NDArray[np.int8]  # in self-play who is to move, else the agent's seat
    move_counts: npt.NDArray[np.int32]  # moves made so far, by both players
    # States of the generators of random numbers, see ``random_numbers.py``:
    game_rng: WordArray  # for starts, seats and the opponent
    action_rng: WordArray  # for sampled actions


class Starts(NamedTuple):
    """Start positions: a list to draw from, or one prepared by the caller for each game."""

    states: UInt32Array  # (groups, starts) or (groups, games), packed
    cumulative: npt.NDArray[np.float64]  # probabilities summed up; empty: all are equally likely
    prepared: bool  # whether there is one for each game
    used: FlagArray  # (games,), whether a game has begun from the one prepared for it


class Settings(NamedTuple):
    """Settings that stay the same from step to step."""

    last_movers_reward: np.float32  # +1 or -1; 0 in games with an outcome of their own
    most_moves: np.int32  # of both players in one game
    has_opponent: bool  # else every step makes the move of the seat to move
    replies_in_python: bool  # whether a Python player makes the opponent's moves
    agent_seat: int  # 0 or 1, or -1: drawn for each game
    epsilon: float  # probability of a random move of the compiled opponent; else it is optimal


Results = tuple[npt.NDArray[np.float32], BoolArray, BoolArray, npt.NDArray[np.int8]]
"""Rewards, terminations, truncations, and the winning seats or -1, each ``(games,)``.

A call takes half a microsecond longer with a ``NamedTuple``.
"""


def new_results(games: int) -> Results:
    """Return arrays for the results of ``games``."""
    return (
        np.empty(games, dtype=np.float32),
        np.empty(games, dtype=np.bool_),
        np.empty(games, dtype=np.bool_),
        np.empty(games, dtype=np.int8),
    )


@compiled(inner=True)
def select(flag: np.uint8, if_set: np.uint8, otherwise: np.uint8) -> np.uint8:
    """Return ``if_set`` where ``flag`` is 1 and ``otherwise`` where it is 0.

    Without a branch, so that the compiler vectorises loops that write it: with ``if`` and ``else``
    some steps take twice the time.
    """
    bits = np.uint8(np.uint8(0) - flag)
    return np.uint8((if_set & bits) | (otherwise & ~bits))
