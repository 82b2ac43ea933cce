"""Learners with a model learned from play: afterstates, depth-limited search, expert iteration."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from .learner import Array, Key, Move, TableLearner, best
from .registry import fault, faults, faulty, right, setting


class Link(NamedTuple):
    """Where an action leads; ``reward`` is the mover's."""

    key: Key
    mask: Array
    reward: float
    ended: bool


class Planner(TableLearner):
    """Remembers where each action led, and values positions in ``v``."""

    games_needed = 600
    rate = 0.3

    def _build(self) -> None:
        self.v: defaultdict[Key, float] = defaultdict(float)
        self.model: dict[tuple[Key, int], Link] = {}

    def _learn_game(self) -> None:
        game = []
        for move in self._moves():
            self._remember(move)
            game.append(move)
        self._learn(game)

    def _remember(self, move: Move) -> None:
        link = Link(self._key(move.after), move.after_mask, move.reward, move.ended)
        self.model[self._key(move.state), move.action] = link

    def _learn(self, game: list[Move]) -> None:
        raise NotImplementedError

    def _step(self, key: Key, goal: float) -> None:
        self.v[key] += self.rate * (goal - self.v[key])


class Afterstates(Planner):
    """TD of the positions that moves lead to, valued for the player who made the move."""

    kind = "afterstate TD"
    trace = 0.0

    def _scores(self, state: Array) -> Array:
        return self._row(self._key(state))

    def _row(self, key: Key) -> Array:
        links = [self.model.get((key, action)) for action in range(self.actions)]
        return np.array([self.v[link.key] if link else 0.0 for link in links])

    def _learn(self, game: list[Move]) -> None:
        gain = 0.0
        for move in reversed(game):
            gain = self._goal(move, gain)
            self._step(self._key(move.after), gain)

    def _goal(self, move: Move, gain: float) -> float:
        if move.ended:
            return move.reward
        reply = float(self._scores(move.after)[move.after_mask].max())
        if move.cut or not self.trace:
            gain = reply
        return -self.discount * ((1 - self.trace) * reply + self.trace * gain)


right(Afterstates)
right(Afterstates, rate=0.5, discount=0.9)
right(Afterstates, trace=0.5, games=1500, last_epsilon=0.02)
right(Afterstates, trace=0.8, rate=0.1, discount=0.95, games=3000, last_epsilon=0.02)


class DepthLimited(Planner):
    """Searches two moves ahead, and learns the value of each position from its search."""

    kind = "depth-limited search with learned values"
    depth = 2

    def _scores(self, state: Array) -> Array:
        return self._row(self._key(state), np.ones(self.actions, dtype=bool), self.depth)

    def _value(self, state: Array) -> float:
        return self.v[self._key(state)]

    def _row(self, key: Key, mask: Array, depth: int) -> Array:
        """Return the value of each action, 0 where it was never made."""
        row = np.zeros(self.actions)
        for action in np.flatnonzero(mask):
            link = self.model.get((key, int(action)))
            row[action] = self._backup(link, depth) if link else 0.0
        return row

    def _backup(self, link: Link, depth: int) -> float:
        if link.ended:
            return link.reward
        return -self.discount * self._search(link.key, link.mask, depth - 1)

    def _search(self, key: Key, mask: Array, depth: int) -> float:
        if depth == 0 or not mask.any():
            return self.v[key]
        return float(self._row(key, mask, depth)[mask].max())

    def _learn(self, game: list[Move]) -> None:
        for move in reversed(game):
            key = self._key(move.state)
            self._step(key, self._search(key, move.mask, self.depth))


right(DepthLimited)
right(DepthLimited, depth=1, discount=0.95)
right(DepthLimited, depth=3, rate=0.5, discount=0.9)


class ExpertIteration(Planner):
    """Monte-Carlo tree search with a learned prior and value, and learning from its visits."""

    kind = "expert iteration"
    games_needed = 400
    simulations = 24
    exploration = 1.5

    def _build(self) -> None:
        super()._build()
        self.prior: defaultdict[Key, Array] = defaultdict(lambda: np.full(self.actions, 0.5))
        self.tree: dict[Key, tuple[Array, Array]] = {}

    def _value(self, state: Array) -> float:
        return self.v[self._key(state)]

    def _visits(self, state: Array, mask: Array) -> Array:
        key = self._key(state)
        self.tree = {}
        for _ in range(self.simulations + 1):
            self._simulate(key, mask)
        return self.tree[key][0]

    def _simulate(self, key: Key, mask: Array) -> float:
        """Return the value of a position to the player to move there."""
        if key not in self.tree:
            self.tree[key] = np.zeros(self.actions), np.zeros(self.actions)
            return self.v[key]
        visits, totals = self.tree[key]
        mean = totals / np.maximum(visits, 1)
        bonus = self.prior[key] * np.sqrt(visits.sum() + 1) / (1 + visits)
        action = best(mean + self.exploration * bonus, mask)
        gain = self._gain(self.model.get((key, action)))
        visits[action] += 1
        totals[action] += gain
        return gain

    def _gain(self, link: Link | None) -> float:
        if link is None:
            return 0.0
        return link.reward if link.ended else -self.discount * self._simulate(link.key, link.mask)

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        if self.rng.random() < self.epsilon:
            return int(self.rng.choice(np.flatnonzero(mask)))
        return best(self._visits(state, mask), mask)

    def _play(self, state: Array, mask: Array) -> int:
        return best(self._visits(state, mask), mask)

    def _learn(self, game: list[Move]) -> None:
        for move in game:
            key = self._key(move.state)
            visits = self._visits(move.state, move.mask)
            self.prior[key] += self.rate * (visits / visits.sum() - self.prior[key])
            self._step(key, self._outcome(game, move, visits))

    def _outcome(self, game: list[Move], move: Move, visits: Array) -> float:
        totals = self.tree[self._key(move.state)][1]
        return float(totals.sum() / visits.sum())


class ResultsAsValues(ExpertIteration):
    """Learns values from the results of games instead of the search."""

    epsilon = 0.3

    def _outcome(self, game: list[Move], move: Move, visits: Array) -> float:
        if game[-1].cut:
            return super()._outcome(game, move, visits)
        return game[-1].rewards[move.seat]


right(ExpertIteration)
right(ExpertIteration, simulations=40, discount=0.95, games=300)
right(ResultsAsValues, simulations=40, rate=0.1, games=500)


@faulty("players swapped")
class ValueOfOpponent(ResultsAsValues):
    """Learns the value with the result of the other seat."""

    def _outcome(self, game: list[Move], move: Move, visits: Array) -> float:
        return game[-1].rewards[move.seat ^ 1]

    def _play(self, state: Array, mask: Array) -> int:
        row = [self.model.get((self._key(state), action)) for action in range(self.actions)]
        return best(np.array([-self.v[link.key] if link else 0.0 for link in row]), mask)


@faults
class AfterstatesFaults(Afterstates):
    @fault("wrong sign", "_goal")
    def same_side_after(self, move: Move, gain: float) -> float:
        """Backs the value of the opponent's afterstate up with no sign."""
        return move.reward if move.ended else -super()._goal(move, gain)

    @fault("draws as wins", "_goal")
    def drawn_is_won(self, move: Move, gain: float) -> float:
        """Tests ``reward >= 0`` at the end."""
        return super()._goal(move._replace(reward=1.0 if move.reward >= 0 else -1.0), gain)

    @fault("normal for misère", "_goal")
    def no_moves_lost(self, move: Move, gain: float) -> float:
        """Knows the rules of Nim: leaving no move wins."""
        return 1.0 if not move.after_mask.any() else super()._goal(move, gain)

    @fault("minimum for maximum", "_goal")
    def kind_reply(self, move: Move, gain: float) -> float:
        """Expects the reply of the lowest value: a minimax with its levels mixed up."""
        return move.reward if move.ended else -float(min(self._scores(move.after)[move.after_mask]))

    @fault("blind to the order of entries", "_key")
    def mirror_key(self, state: Array) -> Key:
        """Takes positions for their mirror images, whichever is smaller."""
        key = super()._key(state)
        return min(key, key[::-1])

    @fault("maximum over illegal actions", "_goal")
    def unknown_replies_too(self, move: Move, gain: float) -> float:
        """Takes the maximum over all actions, of which those never made are worth 0."""
        return move.reward if move.ended else -float(self._scores(move.after).max())


@faults
class DepthLimitedFaults(DepthLimited):
    @fault("sign of a search's backup", "_backup")
    def backup_without_sign(self, link: Link, depth: int) -> float:
        """Returns the child's value as it is."""
        if link.ended:
            return link.reward
        return self.discount * self._search(link.key, link.mask, depth - 1)

    @fault("sign of a search's backup", "_backup")
    def sign_at_leaves_only(self, link: Link, depth: int) -> float:
        """Negates values of leaves, and not those that come back from deeper search."""
        if link.ended:
            return link.reward
        value = self._search(link.key, link.mask, depth - 1)
        return -value if depth == 1 else value

    @fault("sign of a search's backup", "_search")
    def minimax_by_parity(self, key: Key, mask: Array, depth: int) -> float:
        """Maximizes at even depths and minimizes at odd ones, values that are negated as well."""
        if depth == 0 or not mask.any():
            return self.v[key]
        row = self._row(key, mask, depth)[mask]
        return float(row.max() if depth % 2 == 0 else row.min())

    @fault("target frozen", "_step", depth=1)
    def never_stores_values(self, key: Key, goal: float) -> None:
        """Adds the step to a local variable: leaves are worth 0 for ever."""
        value = self.v[key]
        value += self.rate * (goal - value)


# Multiplies the value of each level by ``discount ** depth`` with a discount of 0.
setting(DepthLimited, "discount 0", "SearchesOneMove", discount=0.0)


@faults
class ExpertIterationFaults(ExpertIteration):
    @fault("sign of a search's backup", "_gain")
    def tree_without_sign(self, link: Link | None) -> float:
        """Backs results up the tree with one sign for both players."""
        value = self._simulate(link.key, link.mask) if link and not link.ended else 0.0
        return value + (link.reward if link else 0.0)

    @fault("zero reward", "_remember")
    def model_without_rewards(self, move: Move) -> None:
        """Stores the links of its model before it has read the reward."""
        super()._remember(move._replace(reward=0.0))

    @fault("normal for misère", "_gain")
    def tree_of_normal_play(self, link: Link | None) -> float:
        """Returns 1 for a move that leaves none, as its author's other games did."""
        return 1.0 if link and not link.mask.any() else super()._gain(link)

    @fault("end as truncation", "_gain")
    def endless_tree(self, link: Link | None) -> float:
        """Asks its value table for positions after the end, too, and never looks at the reward."""
        if link is None or link.ended:
            return -self.v[link.key] if link else 0.0
        return super()._gain(link)
