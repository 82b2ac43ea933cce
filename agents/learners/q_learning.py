"""Q-learning for alternating moves, with a choice of bootstrap targets."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import largest_legal
from agents.tables import StepLearner, Turn
from nim_envs.typing import Array, FloatArray, IntArray
from nim_envs.validation import checked_choice, checked_integer

BOOTSTRAPS = ("negamax", "own_turn", "opponent_max")


@dataclass(frozen=True)
class Replay:
    """Settings of experience replay: turns that are stored, and learned from again.

    Args:
        capacity: number of turns stored; the oldest is overwritten first.
        batch: number of turns in a batch, drawn at random with replacement.
        interval: number of finished games between two batches.

    Raises:
        ValueError: a number below 1.
    """

    capacity: int = 1000
    batch: int = 32
    interval: int = 10

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            checked_integer(name, value, minimum=1)


class ReplayBuffer(NamedTuple):
    """Stored turns."""

    rows: IntArray  # (capacity,)
    actions: IntArray  # (capacity,)
    rewards: FloatArray  # (capacity,)
    next_rows: IntArray  # (capacity,): rows to bootstrap from
    counters: IntArray  # (2,): turns ever stored; finished games at the last batch
    batch: int
    interval: int
    generator: np.random.Generator  # draws the turns of a batch


@inlined
def store(buffer: ReplayBuffer | None, row: int, action: int, reward: float, next_row: int) -> None:
    """Store a turn, if there is a buffer; in a full one it overwrites the oldest."""
    # Numba leaves out what follows where an argument, not an attribute, is None.
    if buffer is not None:
        place = buffer.counters[0] % len(buffer.rows)
        buffer.rows[place] = row
        buffer.actions[place] = action
        buffer.rewards[place] = reward
        buffer.next_rows[place] = next_row
        buffer.counters[0] += 1


@inlined
def learn_from_batch(learner: Any, moves: Moves, buffer: ReplayBuffer | None, games: int) -> None:
    """Learn from a batch of stored turns, all equally likely, if one is due."""
    if buffer is not None and games - buffer.counters[1] >= buffer.interval:
        buffer.counters[1] = games
        for _ in range(buffer.batch):
            count = min(buffer.counters[0], len(buffer.rows))
            place = int(buffer.generator.random() * count)
            row, action = buffer.rows[place], buffer.actions[place]
            reward, next_row = buffer.rewards[place], buffer.next_rows[place]
            change_entry(learner, moves, row, action, reward, next_row)


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
        is_negamax, replay = self.bootstrap == "negamax", self.replay
        buffer = None
        if replay is not None:
            rows, actions, next_rows = np.zeros((3, replay.capacity), np.int64)
            rewards, counters = np.zeros(replay.capacity), np.zeros(2, np.int64)
            settings = replay.batch, replay.interval, self.generator
            buffer = ReplayBuffer(rows, actions, rewards, next_rows, counters, *settings)
        return {
            **super().constants(),
            # Negative where the opponent moves at s'.
            "discount": float(-self.discount if is_negamax else self.discount),
            "own_turn": self.bootstrap == "own_turn",
            "with_reply": not is_negamax,
            "replay": buffer,
        }

    @property
    def learned(self) -> dict[str, Array]:
        """The arrays that learning changes, by name."""
        buffer = {} if self.replay is None else self.state.replay._asdict()
        arrays = {name: each for name, each in buffer.items() if isinstance(each, np.ndarray)}
        return {**super().learned, **{f"replay_{name}": each for name, each in arrays.items()}}

    def restore(self, learned: dict[str, Array]) -> None:
        """Copy the arrays of another learner of the same class and game."""
        rows, actions = self.table.shape
        ends = {"rows": rows, "next_rows": rows, "actions": actions, "counters": 2**62}
        for name, end in ends.items():
            stored = learned.get(f"replay_{name}", np.zeros(1))
            if ((stored < 0) | (stored >= end)).any():  # compiled code does not check them
                raise ValueError(f"replay_{name} must be from 0 to {end - 1}")
        super().restore(learned)
