"""Actor and critic in tables, online; and proximal policy optimization in batches."""

from collections import defaultdict
from itertools import pairwise

import numpy as np

from .learner import Array, Key, Move, TableLearner, softmax
from .registry import fault, faults, right


class ActorCritic(TableLearner):
    """One-step actor-critic: the critic values positions for the player to move."""

    kind = "actor-critic"
    games_needed = 3000
    rate = 0.3
    critic_rate = 0.2

    def _build(self) -> None:
        super()._build()
        self.v: defaultdict[Key, float] = defaultdict(float)

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        return int(self.rng.choice(self.actions, p=softmax(self._scores(state), mask)))

    def _value(self, state: Array) -> float:
        return self.v[self._key(state)]

    def _learn_game(self) -> None:
        for move in self._moves():
            self._learn(move, self._target(move))

    def _target(self, move: Move) -> float:
        if move.ended:
            return move.reward
        return move.reward - self.discount * self.v[self._key(move.after)]

    def _learn(self, move: Move, target: float) -> None:
        key = self._key(move.state)
        error = target - self.v[key]
        self.v[key] += self.critic_rate * error
        self._push(key, move, error)

    def _push(self, key: Key, move: Move, error: float) -> None:
        chosen = np.eye(self.actions)[move.action]
        self.q[key] += self.rate * error * (chosen - softmax(self.q[key], move.mask))


right(ActorCritic)
right(ActorCritic, rate=0.5, critic_rate=0.3, discount=0.95)
right(ActorCritic, discount=0.9, games=4000)
right(ActorCritic, rate=0.2, critic_rate=0.5, games=4000)


class Ppo(ActorCritic):
    """Clipped policy gradient in batches of games, with generalized advantages."""

    kind = "PPO in NumPy"
    games_needed = 3000
    batch = 20
    epochs = 4
    clip = 0.2
    trace = 0.9
    rate = 0.3

    def _build(self) -> None:
        super()._build()
        self.moves: list[Move] = []

    def _learn_game(self) -> None:
        self.moves.extend(self._moves())
        if (self.played + 1) % self.batch == 0:
            self._fit(self.moves, self._advantages(self.moves))
            self.moves = []

    def _advantages(self, moves: list[Move]) -> Array:
        gains = np.zeros(len(moves))
        ahead = 0.0
        for i in reversed(range(len(moves))):
            move = moves[i]
            ahead = 0.0 if move.ended or move.cut else ahead
            gains[i] = self._target(move) - self._value(move.state) - self.trace * ahead
            ahead = self.discount * gains[i]
        return gains

    def _fit(self, moves: list[Move], gains: Array) -> None:
        keys = [self._key(move.state) for move in moves]
        goals = gains + np.array([self.v[key] for key in keys])
        old = [softmax(self.q[key], m.mask)[m.action] for key, m in zip(keys, moves, strict=True)]
        for _ in range(self.epochs):
            for i in self.rng.permutation(len(moves)):
                self._improve(keys[i], moves[i], gains[i], old[i])
                self.v[keys[i]] += self.critic_rate / self.epochs * (goals[i] - self.v[keys[i]])

    def _improve(self, key: Key, move: Move, gain: float, old: float) -> None:
        chances = softmax(self.q[key], move.mask)
        ratio = chances[move.action] / old
        if (ratio - 1) * np.sign(gain) < self.clip:
            self.q[key] += self.rate * gain * ratio * (np.eye(self.actions)[move.action] - chances)


right(Ppo)
right(Ppo, rate=0.2, batch=10, discount=0.95)
right(Ppo, trace=0.0, games=4000)
right(Ppo, clip=0.1, epochs=8, batch=40, games=4000)


@faults
class ActorCriticFaults(ActorCritic):
    @fault("wrong sign", "_target")
    def friendly_critic(self, move: Move) -> float:
        """Has ``r + gamma * v`` in the temporal difference."""
        return move.reward + (0.0 if move.ended else self.discount * self._value(move.after))

    @fault("rewards clipped to 0..1", "_target")
    def clipped_critic(self, move: Move) -> float:
        """Clips targets to 0..1, as probabilities of a win."""
        return float(np.clip(super()._target(move), 0.0, 1.0))

    @fault("zero reward", "_learn_game")
    def reward_of_next_game(self) -> None:
        """Reads rewards after ``reset``, where they are 0."""
        game = list(self._moves())
        self.env.reset()
        for move in game:
            self._learn(move, self._target(move._replace(reward=self.env.rewards["player_0"])))

    @fault("end read one step early", "_learn_game")
    def critic_of_done_at_next(self) -> None:
        """Reads ``terminations`` and the reward one move ahead of the move that they belong to."""
        game = list(self._moves())
        for move, following in pairwise(game):
            gain = following.rewards[move.seat]
            self._learn(move, self._target(move._replace(reward=gain, ended=following.ended)))

    @fault("discount 0", "_target")
    def immediate_advantage(self, move: Move) -> float:
        """Has the reward alone for the critic's target."""
        return move.reward

    @fault("target frozen", "_learn")
    def critic_never_learns(self, move: Move, target: float) -> None:
        """Has the critic's step without the error: its values stay 0."""
        key = self._key(move.state)
        self._push(key, move, target - self.v[key])

    @fault("one seat never learned", "_learn")
    def teaches_second_seat(self, move: Move, target: float) -> None:
        """Has an early ``continue`` for player_0."""
        if move.seat:
            super()._learn(move, target)

    @fault("truncation as end", "_target")
    def cut_is_won(self, move: Move) -> float:
        """Takes a truncation for an end with a win of the last mover."""
        return 1.0 if move.cut else super()._target(move)


@faults
class PpoFaults(Ppo):
    @fault("result of the loser never learned", "_learn_game")
    def drops_unfinished(self) -> None:
        """Keeps a buffer for each seat, and closes a move on its next turn: one is left open."""
        game = list(self._moves())
        self.moves.extend(game[:-2] + game[-1:])
        if (self.played + 1) % self.batch == 0:
            self._fit(self.moves, np.array([self._target(m) for m in self.moves]))
            self.moves = []

    @fault("draws as losses", "_target")
    def cost_of_draws(self, move: Move) -> float:
        """Subtracts a time penalty of 1 from games without a winner."""
        if move.ended and max(move.rewards) == 0:
            return -1.0
        return super()._target(move)

    @fault("first player's turns alone", "_fit")
    def buffer_of_first_seat(self, moves: list[Move], gains: Array) -> None:
        """Collects the transitions of player_0 alone, advantages from one turn to the next."""
        mine = [i for i, move in enumerate(moves) if move.seat == 0]
        super()._fit([moves[i] for i in mine], gains[mine])

    @fault("learning rate 0 or tiny", "_improve", clip=0.0)
    def clips_everything(self, key: Key, move: Move, gain: float, old: float) -> None:
        """Has a clip range of 0, so that no step is ever taken."""
        ratio = softmax(self.q[key], move.mask)[move.action] / old
        if abs(ratio - 1) < self.clip:
            super()._improve(key, move, gain, old)
