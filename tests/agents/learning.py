"""Learners to test, and games to feed them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay
from gymnasium import spaces

from agents import (
    QLearning,
    RealTimeDynamicProgramming,
    Transition,
    WinLossRatio,
)
from agents.registry import LEARNERS
from agents.training import Seat
from nim_envs import Game, GameEnv, make_game
from nim_envs.rules import Convention, Rules, TableComponent

BOX = spaces.Box(low=0, high=5, shape=(1,), dtype=np.int64)
TWO = spaces.Discrete(2)
ONES = np.ones(2, dtype=np.int8)
ZEROS = np.zeros(2, dtype=np.int8)

CASES: dict[str, Callable[[GameEnv], tuple[Any, ...]]] = {
    **{name: row.make for name, row in LEARNERS.items()},
    # Arguments that choose other code than the defaults.
    "q-learning with replay": lambda env: (
        QLearning.for_env(
            env, learning_rate=0.3, initial_range=0.01, epsilon=Decay(0.5, 0.9, 200, 0.05),
            replay=Replay(50, 5, 3),
        ),
    ),
    "win-loss-ratio that forgets": lambda env: (
        WinLossRatio.for_env(env, forgetting=0.02, greedy_threshold=0.9),
    ),
    "sweeping": lambda env: (
        RealTimeDynamicProgramming.for_env(env, sweeping=True, symmetric=True, dtype="int8"),
    ),
    "values of four bytes": lambda env: (
        RealTimeDynamicProgramming.for_env(env, learning_rate=0.7, dtype="float32"),
    ),
}  # fmt: skip
"""Every registered learner, and what the shared tests try besides: one a game, or one a seat."""


def small_env() -> GameEnv:
    """A game that every learner solves in a second."""
    return GameEnv(make_game("nim", heaps=(2, 3), start="uniform"))


def players(learners: tuple[Any, ...]) -> Any:
    """Learners as an argument of ``train``: one, or a pair."""
    return learners[0] if len(learners) == 1 else learners


def own_game() -> Game:
    """A game that is not registered."""
    path = TableComponent(rows=((-1, -1), (0, -1), (1, 0), (2, 1)))
    return Game(Rules("two paths", (path, path), initial=(3, 2)), Convention.MISERE)


def turn(
    position: int, action: int, *, seat: int = 0, reply: int = 0, following: int = 0,
    reward: float = 0.0, reply_reward: float = 0.0, legal: Any = ONES,
    reply_legal: Any = ONES, next_legal: Any = ONES, end: bool = False, cut: str = "",
) -> Transition:  # fmt: skip
    """A turn at ``position``; the opponent moves at ``reply``, the mover again at ``following``.

    A ``reward`` is that of a move that ends the game; ``end`` says that the game ends by the move
    with no reward, or by the reply; ``cut`` is ``"after the move"`` or ``"after the reply"``.
    """
    if reward:
        end, reply_legal = True, ZEROS
    if end or cut == "after the move":
        next_legal = ZEROS
    return Transition(
        seat, np.array([position]), np.flatnonzero(legal), action, reward, np.array([reply]),
        np.flatnonzero(reply_legal), reply_reward, np.array([following]),
        np.flatnonzero(next_legal), end, bool(cut),
    )  # fmt: skip


def feed(learner: Any, *games: list[Transition]) -> None:
    """Let a learner learn from games as the training loop does, turns in order of completion."""
    for game in games:
        seats = Seat(learner), Seat(learner)
        for seat in seats:
            seat.begin_game()
        for transition in game:
            seats[transition.seat].learn(transition)


def contents(value: Any) -> Any:
    """The saved contents of a learner as plain values, exact to the bit.

    Args:
        value: a learner, or the result of its ``saved``.
    """
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, (list, tuple)):
        return [contents(entry) for entry in value]
    if isinstance(value, dict):
        return {key: contents(entry) for key, entry in value.items()}
    if hasattr(value, "saved"):
        return type(value).__name__, contents(value.saved())
    return value
