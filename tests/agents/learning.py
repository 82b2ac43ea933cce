"""Learners to test, and games to feed them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from agents import (
    Decay,
    QLearning,
    RealTimeDynamicProgramming,
    Replay,
    Transition,
    WinLossRatio,
)
from agents.loop import Seat
from agents.registry import LEARNERS
from agents.rows import Moves, Rows
from nim_envs import Game, GameEnv, game_from_moves, make_game


class BoxRows(Rows):
    """Rows of the observations 0 to 5 with two actions; row 6 is the end of a game."""

    def __init__(self):
        self.num_actions = 2
        self.moves = Moves(np.zeros((7, 2), np.int8), np.zeros(7, np.int32))

    def row(self, observation, legal):
        """The observation, whose legal actions are written down."""
        if not len(legal):
            return 6
        row = int(observation[0])
        self.moves.legal[row, : len(legal)] = legal
        self.moves.counts[row] = len(legal)
        return row

    def find(self, observations):
        """The observations."""
        return observations[:, 0]

    def saved(self):
        """No file has them."""
        raise NotImplementedError


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
        RealTimeDynamicProgramming.for_env(env, sweeping=True, learning_rate=0.7),
    ),
}  # fmt: skip
"""Every registered learner, and what the shared tests try besides: one a game, or one a seat."""


def small_env() -> GameEnv:
    """A game that every learner solves in a second."""
    return GameEnv(make_game("nim", heaps=(2, 3), start="uniform"))


def players(learners: tuple[Any, ...]) -> Any:
    """Learners as an argument of ``train``: one, or a pair."""
    return learners[0] if len(learners) == 1 else learners


def two_paths(position):
    """Yield the moves of a game that is not registered: one of two tokens goes down."""
    for path in range(2):
        for steps in (1, 2):
            if steps <= position[path]:
                after = [*position]
                after[path] -= steps
                yield f"token {path} by {steps}", tuple(after)


def own_game(**arguments: Any) -> Game:
    """A game that is not registered."""
    return game_from_moves("two paths", (3, 2), two_paths, misere=True, **arguments)


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
    if isinstance(value, Game):
        return value.summary
    if hasattr(value, "saved"):
        return type(value).__name__, contents(value.saved())
    return value
