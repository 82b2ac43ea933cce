"""Deep Q-learning (Mnih et al., 2015) in plain NumPy: replay, target network, Adam."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


class Net:
    """Layers with ReLU between them, and Adam."""

    def __init__(self, sizes, rng, rate):
        self.layers = [rng.normal(0, (2 / a) ** 0.5, (a + 1, b)) for a, b in pairwise(sizes)]
        self.rate, self.steps = rate, 0
        self.m = [np.zeros_like(w) for w in self.layers]
        self.v = [np.zeros_like(w) for w in self.layers]

    def __call__(self, x):
        self.inputs = []
        for i, w in enumerate(self.layers):
            self.inputs.append(x if i == 0 else np.maximum(x, 0))
            x = self.inputs[-1] @ w[:-1] + w[-1]
        return x

    def descend(self, gradient):
        """Make a step of Adam; ``gradient`` is the loss's by the output of the last call."""
        self.steps += 1
        for i in reversed(range(len(self.layers))):
            x, w = self.inputs[i], self.layers[i]
            g = np.concatenate([x.T @ gradient, gradient.sum(axis=0)[None]])
            gradient = (gradient @ w[:-1].T) * (x > 0)
            self.m[i] += 0.1 * (g - self.m[i])
            self.v[i] += 0.01 * (g**2 - self.v[i])
            mean, square = self.m[i] / (1 - 0.9**self.steps), self.v[i] / (1 - 0.99**self.steps)
            w -= self.rate * mean / (np.sqrt(square) + 1e-8)

    def copy_from(self, other):
        self.layers = [w.copy() for w in other.layers]


def one_hot(observation, values):
    o = np.asarray(observation, dtype=float)
    return (o[:, None] == np.arange(values)).ravel().astype(float)


def raw(observation, values):
    return np.append(np.asarray(observation, dtype=float) / max(values - 1, 1), 1.0)


class Dqn(Base):
    """Self-play; the target subtracts the best value of the opponent's position."""

    kind = "DQN in NumPy"
    games_needed = 800
    defaults = {
        "rate": 3e-3, "gamma": 0.95, "epsilon": 1.0, "end": 0.2, "hidden": (64,), "batch": 48,
        "sync": 100, "features": one_hot, "double": False, "capacity": 3000,
    }  # fmt: skip

    def prepare(self):
        self.net, self.memory = None, []

    def x(self, observation):
        x = self.features(observation, self.values_of_entry)
        if self.net is None:
            sizes = (len(x), *self.hidden, self.n)
            self.net, self.old = Net(sizes, self.rng, self.rate), Net(sizes, self.rng, self.rate)
            self.old.copy_from(self.net)
        return x

    def q(self, observation):
        x = self.x(observation)
        return self.net(x[None])[0]

    def store(self, mover, x, action, reward, after, mask, over, cut):
        self.memory.append((x, action, reward, after, mask, float(over)))
        if len(self.memory) > self.capacity:
            self.memory.pop(0)

    def next_values(self, after, masks):
        old = np.where(masks, self.old(after), -1e9)
        if self.double:
            chosen = np.where(masks, self.net(after), -1e9).argmax(axis=1)
            return old[np.arange(len(old)), chosen]
        return old.max(axis=1)

    def targets(self, rewards, overs, after, masks):
        values = np.where(overs, 0, self.next_values(after, masks))
        return rewards - self.gamma * values

    def synchronise(self):
        self.old.copy_from(self.net)

    def fit(self):
        if len(self.memory) < self.batch:
            return
        rows = self.rng.integers(len(self.memory), size=self.batch)
        x, a, r, after, masks, overs = map(np.array, zip(*[self.memory[i] for i in rows]))
        targets = self.targets(r, overs, after, masks)
        q, gradient = self.net(x), np.zeros((len(x), self.n))
        here = np.arange(len(x)), a
        gradient[here] = (q[here] - targets) / len(x)
        self.net.descend(gradient)
        if self.net.steps % self.sync == 0:
            self.synchronise()

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, done = self.env.last()[0], False
            epsilon = self.epsilon + (self.end - self.epsilon) * min(1, 1.5 * game / self.games)
            while not done:
                mover, mask = self.env.agent_selection, seen["action_mask"]
                action = int(np.where(mask, self.q(seen["observation"]), -np.inf).argmax())
                if self.rng.random() < epsilon:
                    action = int(self.rng.choice(np.flatnonzero(mask)))
                x = self.x(seen["observation"])
                self.env.step(action)
                seen, _, over, cut, _ = self.env.last()
                reward, after = self.env.rewards[mover], self.x(seen["observation"])
                self.store(mover, x, action, reward, after, seen["action_mask"], over, cut)
                self.fit()
                done = over or cut


right(Dqn)
right(Dqn, double=True, gamma=1.0, sync=50)
right(Dqn, hidden=(64, 64), rate=2e-3, gamma=0.9)
right(Dqn, features=raw, hidden=(96, 64), rate=4e-3, end=0.5)
right(Dqn, hidden=(128,), rate=4e-3, batch=64, end=0.6, sync=30)
right(Dqn, sync=1, rate=2e-3, epsilon=0.6, end=0.4, capacity=10_000)

setting(Dqn, "discount 0", "gamma 0", gamma=0.0)
setting(Dqn, "learning rate 0 or tiny", "1e-9", rate=1e-9)
setting(Dqn, "learning rate 0 or tiny", "0.0", rate=0.0, features=raw)
setting(Dqn, "target frozen", "copied every 10 ** 9 steps", sync=10**9)
setting(Dqn, "target frozen", "every million steps, double", sync=10**6, double=True)
setting(Dqn, "rewards clipped to 0..1", "clipped as in Atari, badly", pay=base.clipped)
setting(Dqn, "loser rewarded", "absolute rewards", pay=base.both_win)
setting(Dqn, "draws as losses", "draw -1", pay=base.draw_lost)
setting(Dqn, "draws as wins", "draw 1", pay=base.draw_won)
setting(Dqn, "zero reward", "rewards not in the replay", pay=base.nothing)
setting(Dqn, "players swapped", "opponent's reward in the replay", pay=base.others)
setting(Dqn, "normal for misère", "1 to the last mover", pay=base.last_mover_wins)
setting(Dqn, "blind to an entry", "last entry not in the input", see=base.no_last_entry)
setting(Dqn, "blind to the order of entries", "counts as input", see=base.histogram)
setting(Dqn, "observations cut", "input of the first half", see=base.front)
setting(Dqn, "observations halved", "o // 2", see=base.halves)
setting(Dqn, "actions reversed", "n - 1 - a in play", aim=base.mirrored)
setting(Dqn, "actions off by one", "(a + 1) % n in play", aim=base.next_action)
setting(
    Dqn, "observations scaled otherwise in play", "trained on o / high, played on o", features=raw,
    hidden=(64, 64), see_in_play=lambda o: np.asarray(o) * 10,
)  # fmt: skip


@wrong(Dqn, "targets", "wrong sign")
def plus_next(self, rewards, overs, after, masks):
    """The formula of the paper for one player: plus."""
    return rewards + self.gamma * np.where(overs, 0, self.next_values(after, masks))


@wrong(Dqn, "targets", "bootstrap beyond the end")
def no_overs(self, rewards, overs, after, masks):
    """The flag is not used; without legal moves the maximum is of all."""
    masks = masks | ~masks.any(axis=1, keepdims=True)
    return rewards - self.gamma * self.next_values(after, masks)


@wrong(Dqn, "next_values", "maximum over illegal actions")
def all_outputs(self, after, masks):
    """Maximum of all outputs, of which the illegal ones are never trained."""
    return self.old(after).max(axis=1)


@wrong(Dqn, "next_values", "minimum for maximum")
def minimum(self, after, masks):
    """Minimum of the legal outputs."""
    return np.where(masks, self.old(after), 1e9).min(axis=1)


@wrong(Dqn, "synchronise", "target frozen")
def backwards(self):
    """Copies nothing: the argument and the target are the same object."""
    self.old.copy_from(self.old)


@wrong(Dqn, "store", "truncation as end")
def either(self, mover, x, action, reward, after, mask, over, cut):
    """done = over or cut."""
    Dqn.store(self, mover, x, action, reward, after, mask, over or cut, cut)


@wrong(Dqn, "store", "end as truncation")
def cut_in_place_of_over(self, mover, x, action, reward, after, mask, over, cut):
    """The flag stored is truncated's, so an end is bootstrapped with a full mask."""
    mask = mask if mask.any() else np.ones_like(mask)
    Dqn.store(self, mover, x, action, reward, after, mask, cut, cut)


@wrong(Dqn, "store", "next state not re-read")
def x_twice(self, mover, x, action, reward, after, mask, over, cut):
    """The next input is the same array as the input."""
    Dqn.store(self, mover, x, action, reward, x, mask, over, cut)


@wrong(Dqn, "store", "one seat never learned", "harmless where starts are everywhere")
def half_of_it(self, mover, x, action, reward, after, mask, over, cut):
    """player_1's transitions are not stored."""
    if mover != "player_1":
        Dqn.store(self, mover, x, action, reward, after, mask, over, cut)


@wrong(Dqn, "store", "winners only")
def wins_and_moves(self, mover, x, action, reward, after, mask, over, cut):
    """Ends that are not won are not stored."""
    if reward > 0 or not over:
        Dqn.store(self, mover, x, action, reward, after, mask, over, cut)


@wrong(Dqn, "store", NOT_LISTED)
def reward_of_before(self, mover, x, action, reward, after, mask, over, cut):
    """Each transition is stored with the reward of the one before it."""
    self.due, reward = reward, vars(self).get("due", 0)
    Dqn.store(self, mover, x, action, reward, after, mask, over, cut)


@wrong(Dqn, "act", "illegal actions played")
def without_mask(self, observation, mask):
    """argmax of all outputs."""
    return self.q(observation).argmax()


@wrong(Dqn, "act", "argmin")
def negative(self, observation, mask):
    """Takes outputs for losses."""
    return np.where(mask, self.q(observation), np.inf).argmin()


@wrong(Dqn, "act", "same action always")
def of_zeros(self, observation, mask):
    """The input in play is an empty buffer: always the same outputs."""
    return np.where(mask, self.net(np.zeros((1, len(self.x(observation)))))[0], -np.inf).argmax()
