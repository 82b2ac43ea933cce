"""Tree search played in the environment itself, and search in a learned model."""

from __future__ import annotations

import math

import numpy as np

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


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
    defaults = {"c": 1.5, "mix": 0.0, "gamma": 0.98, "noise": 0.25}

    def prepare(self):
        self.tree = {}

    def node(self, observation):
        key = np.asarray(observation, dtype=np.float64).tobytes()
        return self.tree.setdefault(key, Node(self.n))

    def q(self, observation):
        return self.node(observation).mean

    def act(self, observation, mask):
        node = self.node(observation)
        return np.where(np.asarray(mask) * node.N > 0, node.mean, -2 + np.asarray(mask)).argmax()

    def select(self, node, mask):
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

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, path, done = self.env.last()[0], [], False
            while not done:
                node, mover = self.node(seen["observation"]), self.env.agent_selection
                action = self.select(node, seen["action_mask"])
                self.env.step(action)
                seen, _, over, cut, _ = self.env.last()
                done = over or cut
                child = None if done else self.node(seen["observation"])
                path.append((node, action, child, seen["action_mask"]))
            self.backup(path, self.leaf(self.env.rewards[mover], over, seen))


right(Uct)
right(Uct, mix=1.0)
right(Uct, mix=1.0, noise=0.6, gamma=1.0)
right(Uct, mix=0.7, c=0.8, noise=0.4, gamma=0.95)

setting(Uct, "draws as losses", "draw backed up as -1", pay=base.draw_lost)
setting(Uct, "draws as wins", "draw backed up as 1", mix=1.0, pay=base.draw_won)
setting(Uct, "zero reward", "value of an end is 0", pay=base.nothing)
setting(Uct, "players swapped", "value of an end is the next player's", pay=base.others)
setting(Uct, "normal for misère", "end is a win for the mover", mix=1.0, pay=base.last_mover_wins)
setting(Uct, "blind to the order of entries", "nodes of sorted observations", see=base.in_order)
setting(Uct, "observations halved", "nodes of o // 2", mix=1.0, see=base.halves)
setting(Uct, "actions off by one", "index of the list of legal + 1", mix=1.0, aim=base.next_legal)
setting(Uct, "counts on the opponent's mistakes", "flat: random moves", c=0.0, noise=1.0)


@wrong(Uct, "flip", "sign of a search's backup")
def unchanged(self, value):
    """The value goes up with the same sign for both players."""
    return value


@wrong(Uct, "backup", "sign of a search's backup", mix=1.0)
def plus_best(self, path, value):
    """The best value of the child is backed up as the mover's."""
    for node, action, child, mask in reversed(path):
        if child is not None:
            value = self.best(child, mask)
        node.N[action] += 1
        node.mean[action] += max(1 / node.N[action], 0.3) * (value - node.mean[action])


@wrong(Uct, "backup", "sign of a search's backup", "turns of an even length are right")
def flip_from_the_root(self, path, value):
    """The sign counts from the root, not from the end: games of even length are turned round."""
    for depth, (node, action, _, _) in enumerate(path):
        node.N[action] += 1
        node.mean[action] += ((-1) ** depth * value - node.mean[action]) / node.N[action]


@wrong(Uct, "leaf", "truncation as end")
def cut_is_0(self, reward, over, seen):
    """Reward alone."""
    return reward


@wrong(Uct, "best", "minimum for maximum", mix=1.0)
def least_mean(self, node, mask):
    """The lowest mean of the child."""
    tried = np.flatnonzero(np.asarray(mask) * node.N)
    return self.gamma * node.mean[tried].min() if len(tried) else 0.0


@wrong(Uct, "act", "argmin", mix=1.0)
def childs_view(self, observation, mask):
    """Takes the means for the child's and picks the lowest."""
    return np.where(mask, self.node(observation).mean, np.inf).argmin()


@wrong(Uct, "act", NOT_LISTED)
def least_visited(self, observation, mask):
    """Plays the move with the fewest visits."""
    return np.where(mask, self.node(observation).N, np.inf).argmin()


class ModelSearch(Base):
    """Notes where each move leads, then searches these notes by negamax; no values are kept."""

    kind = "negamax search in a learned model"
    games_needed = 400
    defaults = {"depth": 10, "gamma": 0.9, "unknown": 0.0, "epsilon": 1.0}

    def prepare(self):
        self.notes, self.done = {}, {}

    def key(self, observation):
        return tuple(np.asarray(observation, dtype=float).tolist())

    def note(self, key, action, reward, over, after, mask):
        self.notes.setdefault(key, {})[action] = (reward, None if over else after)

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

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, done = self.env.last()[0], False
            while not done:
                key, mover = self.key(seen["observation"]), self.env.agent_selection
                action = int(self.rng.choice(np.flatnonzero(seen["action_mask"])))
                self.env.step(action)
                seen, _, over, cut, _ = self.env.last()
                after = self.key(seen["observation"])
                self.note(key, action, self.env.rewards[mover], over, after, seen["action_mask"])
                done = over or cut


right(ModelSearch)
right(ModelSearch, gamma=1.0)
right(ModelSearch, depth=16, gamma=0.97)

setting(ModelSearch, "discount 0", "replies are worth 0", gamma=0.0)
setting(ModelSearch, "discount 0", "depth 1: looks at its own move alone", depth=1)
setting(ModelSearch, "rewards clipped to 0..1", "notes of max(r, 0)", pay=base.clipped)
setting(ModelSearch, "observations cut", "notes of the first half", see=base.front)


@wrong(ModelSearch, "of_reply", "sign of a search's backup")
def same_sign(self, value):
    """Max for both players."""
    return self.gamma * value


@wrong(ModelSearch, "choice", "minimum for maximum")
def min_for_both(self, values):
    """min at the opponent's turns, and the sign as well."""
    return min(values)


@wrong(ModelSearch, "choice", "counts on the opponent's mistakes")
def mean(self, values):
    """The mean of the replies."""
    return sum(values) / len(values)


@wrong(ModelSearch, "note", "bootstrap beyond the end", unknown=0.5)
def never_over(self, key, action, reward, over, after, mask):
    """An end is noted as a position without moves, which is worth 0.5, and its reward is lost."""
    self.notes.setdefault(key, {})[action] = (reward, after)


@wrong(ModelSearch, "note", NOT_LISTED)
def other_key(self, key, action, reward, over, after, mask):
    """Notes the move under the position that it leads to."""
    ModelSearch.note(self, after, action, reward, over, after, mask)
