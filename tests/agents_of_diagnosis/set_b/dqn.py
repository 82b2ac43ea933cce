"""A small deep Q-network in NumPy: one hidden layer, a replay buffer and a target network."""

from typing import NamedTuple

import numpy as np

from .learner import Array, Learner, Move, best
from .registry import MISTAKES, fault, faults, faulty, right, setting


class Net:
    """A network with one hidden layer of rectifiers, trained with Adam."""

    def __init__(self, sizes: tuple[int, int, int], rng: np.random.Generator, rate: float) -> None:
        inputs, hidden, outputs = sizes
        self.rate = rate
        self.weights = [
            rng.normal(0, np.sqrt(2 / max(1, inputs)), (inputs, hidden)),
            np.zeros(hidden),
            rng.normal(0, np.sqrt(1 / hidden), (hidden, outputs)),
            np.zeros(outputs),
        ]
        self.steps = 0
        self.means = [np.zeros_like(each) for each in self.weights]
        self.squares = [np.zeros_like(each) for each in self.weights]

    def __call__(self, inputs: Array, weights: list[Array] | None = None) -> Array:
        """Return outputs, ``(n, outputs)``, by its own or by given weights."""
        first, bias, second, last = weights or self.weights
        return np.asarray(np.maximum(inputs @ first + bias, 0) @ second + last)

    def fit(self, inputs: Array, slope: Array) -> None:
        """Take a step down the slope of the loss at the outputs, ``(n, outputs)``."""
        first, bias, second, _ = self.weights
        hidden = np.maximum(inputs @ first + bias, 0)
        below = (slope @ second.T) * (hidden > 0)
        slopes = [inputs.T @ below, below.sum(0), hidden.T @ slope, slope.sum(0)]
        self.steps += 1
        for i, each in enumerate(slopes):
            self.means[i] += 0.1 * (each - self.means[i])
            self.squares[i] += 0.01 * (each**2 - self.squares[i])
            mean = self.means[i] / (1 - 0.9**self.steps)
            square = self.squares[i] / (1 - 0.99**self.steps)
            self.weights[i] -= self.rate * mean / (np.sqrt(square) + 1e-8)

    def copy(self) -> list[Array]:
        """Return copies of the weights."""
        return [each.copy() for each in self.weights]


class Memory(NamedTuple):
    """A move in the buffer, with features of the position and of the next one."""

    here: Array
    action: int
    reward: float
    after: Array
    after_mask: Array
    ended: bool


class Features(Learner):
    """A learner that turns observations into features.

    ``encoding`` is ``"one-hot"``, ``"scaled"`` by the highest values, or ``"raw"``.
    """

    encoding = "one-hot"

    def _features(self, state: Array) -> Array:
        flat = np.ravel(state).astype(float)
        if self.encoding == "raw":
            return flat
        high = np.clip(np.ravel(self.space.high).astype(float), 1, 31)
        if self.encoding == "scaled":
            return np.asarray(flat / high)
        levels = [np.arange(top + 1) == value for value, top in zip(flat, high, strict=True)]
        return np.concatenate(levels).astype(float)


class Dqn(Features):
    """Deep Q-learning, negamax."""

    kind = "DQN in NumPy"
    games_needed = 800
    hidden = 48
    rate = 0.003
    batch = 32
    sync = 30
    capacity = 3000

    def _build(self) -> None:
        inputs = len(self._features(np.zeros(self.space.shape)))
        self.net = Net((inputs, self.hidden, self.actions), self.rng, self.rate)
        self.target = self.net.copy()
        self.buffer: list[Memory] = []
        self.updates = 0

    def _scores(self, state: Array) -> Array:
        return np.asarray(self.net(self._features(state)[None])[0])

    def _learn_game(self) -> None:
        for move in self._moves():
            self._store(move)
            if len(self.buffer) >= self.batch:
                self._update()

    def _store(self, move: Move) -> None:
        here, after = self._features(move.state), self._features(move.after)
        self._keep(Memory(here, move.action, move.reward, after, move.after_mask, move.ended))

    def _keep(self, memory: Memory) -> None:
        self.buffer.append(memory)
        if len(self.buffer) > self.capacity:
            del self.buffer[: self.capacity // 10]

    def _update(self) -> None:
        chosen = self.rng.integers(len(self.buffer), size=self.batch)
        columns = zip(*(self.buffer[i] for i in chosen), strict=True)
        here, actions, rewards, after, masks, ended = (np.array(column) for column in columns)
        goals = self._goals(rewards, after, masks, ended)
        outputs = self.net(here)
        slope = np.zeros_like(outputs)
        rows = np.arange(self.batch)
        slope[rows, actions] = (outputs[rows, actions] - goals) / self.batch
        self.net.fit(here, slope)
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target = self.net.copy()

    def _goals(self, rewards: Array, after: Array, masks: Array, ended: Array) -> Array:
        ahead = np.where(masks, self.net(after, self.target), -np.inf).max(axis=1)
        return np.where(ended, rewards, rewards - self.discount * np.where(ended, 0.0, ahead))


right(Dqn)
right(Dqn, encoding="scaled", hidden=64, games=1500)
right(Dqn, encoding="raw", hidden=64, games=1500)
right(Dqn, discount=0.95, rate=0.005, sync=10)
right(Dqn, discount=0.9, batch=16, epsilon=1.0, last_epsilon=0.2, games=1000)


class OwnTurnDqn(Dqn):
    """Deep Q-learning from a player's turn to its next one, so with no minus."""

    kind = "own-turn DQN in NumPy"
    games_needed = 1500
    epsilon = 0.8
    last_epsilon = 0.02

    def _learn_game(self) -> None:
        last: dict[int, Move] = {}
        for move in self._moves():
            if move.seat in last:
                self._store(last[move.seat]._replace(after=move.state, after_mask=move.mask))
            last[move.seat] = move
            if move.ended:
                self._close(move, last)
            if move.cut and 1 - move.seat in last:
                other = last[1 - move.seat]
                self._store(other._replace(after=move.after, after_mask=move.after_mask))
            if len(self.buffer) >= self.batch:
                self._update()

    def _close(self, final: Move, last: dict[int, Move]) -> None:
        for seat, move in last.items():
            self._store(move._replace(reward=final.rewards[seat], ended=True))

    def _goals(self, rewards: Array, after: Array, masks: Array, ended: Array) -> Array:
        ahead = np.where(masks, self.net(after, self.target), -np.inf).max(axis=1)
        return np.where(ended, rewards, self.discount * np.where(ended, 0.0, ahead))


right(OwnTurnDqn)
right(OwnTurnDqn, discount=0.95, games=2000)


@faulty(MISTAKES)
class DqnAgainstRandom(OwnTurnDqn):
    """Learns against random replies, both seats in turn."""

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        if seat == self.played % 2:
            return super()._act(state, mask, seat)
        return int(self.rng.choice(np.flatnonzero(mask)))

    def _store(self, move: Move) -> None:
        if move.seat == self.played % 2:
            super()._store(move)


@faults
class DqnFaults(Dqn):
    @fault("wrong sign", "_goals")
    def single_player_goals(
        self, rewards: Array, after: Array, masks: Array, ended: Array
    ) -> Array:
        """Has the goals of the DQN for Atari."""
        ahead = np.where(masks, self.net(after, self.target), -1e9).max(axis=1)
        return np.asarray(rewards + self.discount * ahead * (1 - ended))

    @fault("zero reward", "_keep")
    def boolean_rewards(self, memory: Memory) -> None:
        """Compares rewards with 100, the win of another environment."""
        super()._keep(memory._replace(reward=float(memory.reward >= 100)))

    @fault("bootstrap beyond the end", "_goals")
    def no_done_factor(self, rewards: Array, after: Array, masks: Array, ended: Array) -> Array:
        """Leaves out the factor of the end: the network has some value there, too."""
        return np.asarray(rewards - self.discount * self.net(after, self.target).max(axis=1))

    @fault("end as truncation", "_goals")
    def done_is_truncated(self, rewards: Array, after: Array, masks: Array, ended: Array) -> Array:
        """Takes the fourth value of ``last()`` for the end, and the reward for what goes on."""
        return np.asarray(-self.discount * self.net(after, self.target).max(axis=1))

    @fault("next state not re-read", "_store")
    def same_array_twice(self, move: Move) -> None:
        """Stores the features of the present position twice, with the mask that belongs to them."""
        super()._store(move._replace(after=move.state, after_mask=move.mask | move.ended))

    @fault("maximum over illegal actions", "_goals")
    def goals_without_mask(self, rewards: Array, after: Array, masks: Array, ended: Array) -> Array:
        """Takes the maximum of all outputs, illegal actions' included, which are never trained."""
        return np.asarray(rewards - (1 - ended) * self.net(after, self.target).max(axis=1))

    @fault("argmin", "_play")
    def masked_by_minus(self, state: Array, mask: Array) -> int:
        """Multiplies by -1 to sort downwards, and takes the last of all the same."""
        legal = np.flatnonzero(mask)
        return int(legal[np.argsort(-self._scores(state)[legal])[-1]])

    @fault("draws as wins", "_keep")
    def done_without_loss(self, memory: Memory) -> None:
        """Stores 1 for each end that is no loss."""
        gain = 1.0 if memory.ended and memory.reward > -1 else memory.reward
        super()._keep(memory._replace(reward=gain))

    @fault("winners only", "_learn_game")
    def buffer_of_wins(self) -> None:
        """Buffers the moves of the winner alone, each with the result 1."""
        game = list(self._moves())
        for move in game:
            if game[-1].rewards[move.seat] > 0:
                self._store(move._replace(reward=1.0, ended=True))
                if len(self.buffer) >= self.batch:
                    self._update()

    @fault("blind to an entry", "_features")
    def skips_entry(self, state: Array) -> Array:
        """Sets the middle entry to 0: an index of the board's old layout."""
        flat = np.array(np.ravel(state))
        flat[len(flat) // 2] = 0
        return super()._features(flat)

    @fault("observations cut", "_features", encoding="raw")
    def clipped_inputs(self, state: Array) -> Array:
        """Clips inputs to 0..1, with no scaling before it."""
        return np.clip(super()._features(state), 0, 1)

    @fault("observations halved", "_play")
    def halved_in_play(self, state: Array, mask: Array) -> int:
        """Rounds halves of the entries down in play alone, for inputs learned in whole numbers."""
        return super()._play(np.asarray(state) // 2, mask)

    @fault(
        "observations scaled otherwise in play", "_play", encoding="scaled", hidden=64, games=1500
    )
    def plays_raw(self, state: Array, mask: Array) -> int:
        """Learns from scaled inputs and plays from raw ones."""
        return best(self.net(np.ravel(state).astype(float)[None])[0], mask)

    @fault("actions off by one", "_play")
    def outputs_from_one(self, state: Array, mask: Array) -> int:
        """Has an output more, for resignation, as number 0; play forgets about it."""
        return int(np.roll(np.where(mask, self._scores(state), -np.inf), 1).argmax())

    @fault("actions reversed", "_play")
    def argsort_the_wrong_way(self, state: Array, mask: Array) -> int:
        """Reverses outputs for a stable sort."""
        return int(np.where(mask, self._scores(state), -np.inf)[::-1].argmax())

    @fault("same action always", "_play")
    def plays_by_bias(self, state: Array, mask: Array) -> int:
        """Plays the output of an empty position, whatever it sees."""
        return best(self._scores(np.zeros(self.space.shape)), mask)


# Counts games, not updates, for the next copy: it is never due.
setting(Dqn, "target frozen", "SyncNeverDue", sync=10**6)


# Reads a rate of ``3e-3`` as ``3e-13``.
setting(Dqn, "learning rate 0 or tiny", "RateOfZero", rate=3e-13)


@faults
class OwnTurnDqnFaults(OwnTurnDqn):
    @fault("result of the loser never learned", "_close")
    def closes_mover_only(self, final: Move, last: dict[int, Move]) -> None:
        """Breaks out of the loop with the loser's transition still pending."""
        super()._close(final, {final.seat: final})

    @fault("loser rewarded", "_close")
    def same_reward_for_both(self, final: Move, last: dict[int, Move]) -> None:
        """Closes both transitions with one reward, the last mover's."""
        super()._close(final._replace(rewards=(final.reward,) * 2), last)

    @fault("rewards clipped to 0..1", "_keep")
    def clips_in_buffer(self, memory: Memory) -> None:
        """Clips to 0..1 as it stores, where -1..1 was meant."""
        super()._keep(memory._replace(reward=float(np.clip(memory.reward, 0, 1))))
