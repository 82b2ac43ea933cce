"""Tabular learners of the policy that they follow: SARSA, expected SARSA, and double Q-learning."""

from typing import Any

import numpy as np

from .learner import Array, Move, TableLearner, best, softmax
from .registry import fault, faults, right


class Sarsa(TableLearner):
    """SARSA, negamax: minus the value of the reply that was made."""

    kind = "SARSA"
    games_needed = 1500
    rate = 0.15
    epsilon = 0.6
    last_epsilon = 0.02

    def _learn_game(self) -> None:
        game = list(self._moves())
        for move, reply in zip(game, [*game[1:], None], strict=True):
            row = self.q[self._key(move.state)]
            row[move.action] += self.rate * (self._target(move, reply) - row[move.action])

    def _target(self, move: Move, reply: Move | None) -> float:
        if move.ended:
            return move.reward
        if reply is None:
            return -self.discount * float(self._scores(move.after)[move.after_mask].max())
        return move.reward - self.discount * float(self._scores(reply.state)[reply.action])


right(Sarsa)
right(Sarsa, rate=0.3, discount=0.95, games=2000)
right(Sarsa, rate=0.1, discount=0.9, games=3000)
right(Sarsa, rate=0.2, start=0.5, games=2000)


class ExpectedSarsa(TableLearner):
    """Expected SARSA: the opponent's mean value under the softmax of its row."""

    kind = "expected SARSA"
    games_needed = 800
    rate = 0.3
    heat = 8.0

    def _learn_game(self) -> None:
        for move in self._moves():
            row = self.q[self._key(move.state)]
            row[move.action] += self.rate * (self._target(move) - row[move.action])

    def _target(self, move: Move) -> float:
        if move.ended:
            return move.reward
        row = self._scores(move.after)
        return move.reward - self.discount * float(self._policy_of(row, move.after_mask) @ row)

    def _policy_of(self, row: Array, mask: Array) -> Array:
        return softmax(self.heat * row, mask)


right(ExpectedSarsa)
right(ExpectedSarsa, heat=20.0, discount=0.95)
right(ExpectedSarsa, rate=0.15, heat=12.0, epsilon=1.0, last_epsilon=0.5, games=1500)


class DoubleQ(TableLearner):
    """Double Q-learning, negamax: one table chooses the reply that the other values."""

    kind = "double Q-learning"
    games_needed = 800

    def _build(self) -> None:
        self.pair = self._table(), self._table()

    def _scores(self, state: Array) -> Array:
        key = self._key(state)
        return np.asarray((self.pair[0][key] + self.pair[1][key]) / 2)

    def _learn_game(self) -> None:
        for move in self._moves():
            one, other = self.rng.permutation(2)
            row = self.pair[one][self._key(move.state)]
            target = self._target(move, self.pair[one], self.pair[other])
            row[move.action] += self.rate * (target - row[move.action])

    def _target(self, move: Move, one: Any, other: Any) -> float:
        if move.ended:
            return move.reward
        key = self._key(move.after)
        return move.reward - self.discount * float(other[key][best(one[key], move.after_mask)])


right(DoubleQ)
right(DoubleQ, rate=0.5, discount=0.95)
right(DoubleQ, rate=0.2, discount=0.9, epsilon=1.0, games=1500)


@faults
class SarsaFaults(Sarsa):
    @fault("wrong sign", "_target")
    def plus_sarsa(self, move: Move, reply: Move | None) -> float:
        """Adds the value of the next move made, which is the opponent's."""
        return move.reward if reply is None else float(self._scores(reply.state)[reply.action])


@faults
class ExpectedSarsaFaults(ExpectedSarsa):
    @fault("maximum over illegal actions", "_policy_of")
    def expects_illegal(self, row: Array, mask: Array) -> Array:
        """Averages over all actions of the row, illegal ones included, which stay at 0."""
        return softmax(self.heat * row, np.ones_like(mask))

    @fault("minimum for maximum", "_policy_of")
    def cold_softmax(self, row: Array, mask: Array) -> Array:
        """Has a minus in the softmax, which so prefers the worst replies."""
        return softmax(-self.heat * row, mask)


@faults
class DoubleQFaults(DoubleQ):
    @fault("target frozen", "_learn_game")
    def second_table_unused(self) -> None:
        """Always learns the first table, so that the second one, which values replies, stays 0."""
        for move in self._moves():
            row = self.pair[0][self._key(move.state)]
            target = self._target(move, self.pair[0], self.pair[1])
            row[move.action] += 2 * self.rate * (target - row[move.action])

    @fault("maximum over illegal actions", "_target")
    def picks_illegal_reply(self, move: Move, one: Any, other: Any) -> float:
        """Picks the reply with ``argmax`` of the whole row."""
        if move.ended:
            return move.reward
        key = self._key(move.after)
        return move.reward - self.discount * float(other[key][int(one[key].argmax())])

    @fault("actions reversed", "_play")
    def counts_from_end(self, state: Array, mask: Array) -> int:
        """Returns a negative index's opposite: ``actions - 1 - action``."""
        return self.actions - 1 - super()._play(state, mask)
