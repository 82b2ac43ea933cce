"""Tree search played in the environment itself, and search in a learned model."""

import math

import numpy as np

from .base import Base, pay, see
from .registry import NOT_LISTED, right, wrong


class Node:
    """Visits and mean values of each action, to the player to move."""

    def __init__(self, actions):
        self.N, self.mean = np.zeros(actions), np.zeros(actions)


class Uct(Base):
    """Each game is a descent by UCB1, with a random end, and a backup with a sign for each turn.

    With ``mix`` a backed-up value is partly the best mean of the child, so that values are learned.
    """

    kind = "Monte-Carlo tree search"
    games_needed = 800
    c, mix, gamma, noise = 1.5, 0.0, 0.98, 0.25

    def prepare(self):
        self.tree, self.path = {}, []

    def node(self, observation):
        key = np.asarray(observation, dtype=np.float64).tobytes()
        return self.tree.setdefault(key, Node(self.n))

    def q(self, observation):
        return self.node(observation).mean

    def act(self, observation, mask):
        node = self.node(observation)
        return np.where(np.asarray(mask) * node.N > 0, node.mean, -2 + np.asarray(mask)).argmax()

    def explore(self, seen):
        node, mask = self.node(seen["observation"]), seen["action_mask"]
        legal = np.flatnonzero(mask)
        untried = legal[node.N[legal] == 0]
        if len(untried) or self.rng.random() < self.noise:
            return int(self.rng.choice(untried if len(untried) else legal))
        score = node.mean + self.c * np.sqrt(math.log(node.N.sum()) / np.maximum(node.N, 1))
        return int(legal[score[legal].argmax()])

    def flip(self, value):
        return -value

    def leaf(self, reward, over, seen):
        """Return the value of the end of a descent to the player who moved last."""
        if over:
            return reward
        return -self.best(self.node(seen["observation"]), seen["action_mask"])

    def best(self, node, mask):
        tried = np.flatnonzero(np.asarray(mask) * node.N)
        return self.gamma * node.mean[tried].max() if len(tried) else 0.0

    def backup(self, path, value):
        for node, action, child, mask in reversed(path):
            if child is not None:
                value = (1 - self.mix) * value - self.mix * self.best(child, mask)
            node.N[action] += 1
            rate = max(1 / node.N[action], 0.3 * self.mix)
            node.mean[action] += rate * (value - node.mean[action])
            value = self.gamma * self.flip(value)

    def learn(self, mover, seen, action, reward, after, over, cut):
        child = None if over or cut else self.node(after["observation"])
        self.path.append((self.node(seen["observation"]), action, child, after["action_mask"]))
        if over or cut:
            self.backup(self.path, self.leaf(reward, over, after))
            self.path = []


right(Uct)
right(Uct, mix=1.0)
right(Uct, mix=1.0, noise=0.6, gamma=1.0)
right(Uct, mix=0.7, c=0.8, noise=0.4, gamma=0.95)

# fmt: off
wrong(Uct, "draws as losses", "a draw is backed up as -1", pay=pay.draw_lost)
wrong(Uct, "draws as wins", "a draw is backed up as 1", mix=1.0, pay=pay.draw_won)
wrong(Uct, "normal for misère", "an end is a win for the mover", mix=1.0, pay=pay.last_mover)
wrong(Uct, "counts on the opponent's mistakes", "flat: random moves", c=0.0, noise=1.0)
wrong(Uct, "sign of a search's backup", "the same sign for both players",
      flip=lambda self, value: value)
wrong(Uct, "sign of a search's backup", "same sign, in the best of the child too", mix=0.9,
      flip=lambda self, value: value,
      best=lambda self, node, mask: -Uct.best(self, node, mask))
wrong(Uct, "sign of a search's backup", "from the root: games of odd length are right",
      backup=lambda self, path, value:
      Uct.backup(self, path, value if len(path) % 2 else -value))
wrong(Uct, "truncation as end", "a cut game is worth 0", leaf=lambda self, r, over, seen: r)
wrong(Uct, "minimum for maximum", "the lowest mean of the child", mix=1.0,
      best=lambda self, node, mask: self.gamma * min(node.mean[mask * node.N > 0], default=0))
wrong(Uct, NOT_LISTED, "plays the move with the fewest visits",
      act=lambda self, o, mask: np.where(mask, self.node(o).N, np.inf).argmin())
# fmt: on


class ModelSearch(Base):
    """Notes where each move leads, then searches these notes by negamax; no values are kept."""

    kind = "negamax search in a learned model"
    games_needed = 400
    depth, gamma, unknown, epsilon = 10, 0.9, 0.0, 1.0

    def prepare(self):
        self.notes, self.done = {}, {}

    def key(self, observation):
        return tuple(np.asarray(observation, dtype=float).tolist())

    def learn(self, mover, seen, action, reward, after, over, cut):
        after = None if over else self.key(after["observation"])
        self.notes.setdefault(self.key(seen["observation"]), {})[action] = (reward, after)

    def of_reply(self, value):
        return -self.gamma * value

    def choice(self, values):
        return max(values)

    def look(self, key, action, depth):
        reward, after = self.notes[key][action]
        return reward if after is None else self.of_reply(self.search(after, depth - 1))

    def search(self, key, depth):
        if depth == 0 or not self.notes.get(key):
            return self.unknown
        if (key, depth) not in self.done:
            values = [self.look(key, action, depth) for action in self.notes[key]]
            self.done[key, depth] = self.choice(values)
        return self.done[key, depth]

    def q(self, observation):
        known = self.notes.get(self.key(observation), {})
        key = self.key(observation)
        return np.array([self.look(key, a, self.depth) if a in known else 0 for a in range(self.n)])


right(ModelSearch)
right(ModelSearch, gamma=1.0)
right(ModelSearch, depth=16, gamma=0.97)

# fmt: off
wrong(ModelSearch, "observations cut", "notes of the first half", see=see.front)
wrong(ModelSearch, "sign of a search's backup", "max for both players",
      of_reply=lambda self, value: self.gamma * value)
wrong(ModelSearch, "bootstrap beyond the end", "an end is a position of unknown value, 0.5",
      unknown=0.5, learn=lambda self, mover, seen, a, r, after, over, cut:
      ModelSearch.learn(self, mover, seen, a, r, after, False, cut))
wrong(ModelSearch, NOT_LISTED, "notes a move under the position that it leads to",
      learn=lambda self, mover, seen, a, r, after, *end:
      ModelSearch.learn(self, mover, after, a, r, after, *end))
# fmt: on
