"""Q-learning for alternating moves, with a choice of bootstrap targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agents.compiling import inlined
from agents.replay import Replay, ReplayBuffer, empty_buffer, is_due, store, stored_turn
from agents.rows import Moves
from agents.selection import largest_legal
from agents.tables import StepLearner, Turn
from nim_envs.typing import Array
from nim_envs.validation import checked_choice

BOOTSTRAPS = ("negamax", "own_turn", "opponent_max")


@inlined
def change_entry(
    learner: Any, moves: Moves, row: int, action: int, reward: float, next_row: int
) -> None:
    """Change Q(s, a) as :func:`learn` says, for a stored turn or the one just played."""
    q, q_next = learner.table[row], learner.table[next_row]
    target = reward
    best = largest_legal(q_next, moves.legal[next_row, : moves.counts[next_row]])
    if best > -np.inf:
        target += learner.discount * best
    q[action] += learner.learning_rate * (target - q[action])


@inlined
def learn_from_batch(learner: Any, moves: Moves, replay: ReplayBuffer | None, games: int) -> None:
    """Learn from a batch of stored turns, if one is due."""
    # Numba leaves out what follows where an argument, not an attribute, is None.
    if replay is not None and is_due(replay, games):
        for _ in range(replay.batch):
            row, action, reward, next_row = stored_turn(replay, replay.generator.random())
            change_entry(learner, moves, row, action, reward, next_row)


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """Q(s, a) += α [r + γ max_a' Q(s', a') − Q(s, a)], with −γ where the opponent moves at s'.

    r is the reward to the mover, and s' the position to bootstrap from. Where the game has ended, r
    alone is the target; a turn without s' is skipped. With replay a batch of stored turns follows,
    if it is due.

    References:
        C. Watkins, *Learning from Delayed Rewards* (1989); R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 6.5. For the minus sign M. L. Littman, "Markov
        games as a framework for multi-agent reinforcement learning", *ICML* (1994): minimax-Q
        where moves alternate.
    """
    next_row = turn.next_row if learner.own_turn else turn.reply_row
    if next_row >= 0:
        reward = turn.reward
        if learner.with_reply:
            reward += turn.reply_reward
        change_entry(learner, moves, turn.row, turn.action, reward, next_row)
        store(learner.replay, turn.row, turn.action, reward, next_row)
    learn_from_batch(learner, moves, learner.replay, turn.games)


@dataclass(eq=False, repr=False)
class QLearning(StepLearner):
    """Q-learning; one table serves both seats.

    It learns the value of each action for the player who moves, from observations alone.
    In the deterministic games here a learning rate of 1 converges fastest.

    The bootstraps:

    - ``"negamax"``: ``reward - discount * max Q`` of the position after the move. The opponent is
      to move there, and its gain is the mover's loss: hence the minus.
    - ``"own_turn"``: the opponent is part of the environment: the rewards up to the mover's next
      turn, ``+ discount * max Q`` of the position there. A turn without a reply, in a truncated
      game, is skipped.
    - ``"opponent_max"``: the bootstrap of published Nim learners: ``+ discount * max Q`` of the
      position after the move, as if the mover were to move again. The sign is wrong: a position
      that is good for the opponent counts as good for the mover. Use it to reproduce their figures.

    Where a game is truncated, it bootstraps from the last position.

    Use it first: with the negamax bootstrap it solves every board of the leaderboard's
    version 2 from observations alone; the other bootstraps are for comparison.

    Args:
        bootstrap: one of the three above.
        replay: settings of experience replay; ``None``: no replay.

    Other arguments and errors: :class:`agents.tables.StepLearner`.
    """

    bootstrap: Literal["negamax", "own_turn", "opponent_max"] = "negamax"
    replay: Replay | None = None

    learn = staticmethod(learn)

    def check(self) -> None:
        """Check the arguments."""
        super().check()
        checked_choice("bootstrap", self.bootstrap, BOOTSTRAPS)
        if self.replay is not None and not isinstance(self.replay, Replay):
            raise ValueError(f"replay must be a Replay, or None, not {self.replay!r}")

    def constants(self) -> dict[str, Any]:
        """Return numbers, flags, and the buffer of stored turns, if any."""
        is_negamax = self.bootstrap == "negamax"
        return {
            **super().constants(),
            # Negative where the opponent moves at s'.
            "discount": float(-self.discount if is_negamax else self.discount),
            "own_turn": self.bootstrap == "own_turn",
            "with_reply": not is_negamax,
            "replay": None if self.replay is None else empty_buffer(self.replay, self.generator),
        }

    @property
    def learned(self) -> dict[str, Array]:
        """The arrays that learning changes, by name."""
        buffer = {} if self.replay is None else self.state.replay.arrays()
        return {**super().learned, **buffer}

    def restore(self, learned: dict[str, Array]) -> None:
        """Copy the arrays of another learner of the same class and game."""
        rows, actions = self.table.shape
        for name, end in (("rows", rows), ("next_rows", rows), ("actions", actions)):
            stored = learned.get(f"replay_{name}", np.zeros(1))
            if ((stored < 0) | (stored >= end)).any():  # compiled code does not check them
                raise ValueError(f"replay_{name} must be from 0 to {end - 1}")
        if (learned.get("replay_counters", np.zeros(1)) < 0).any():
            raise ValueError("replay_counters must not be negative")
        super().restore(learned)
