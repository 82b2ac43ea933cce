"""Deep Q-learning (Mnih et al., 2015) in plain NumPy: replay, target network, Adam."""

from itertools import pairwise

import numpy as np

from .base import Base, aim, pay, see
from .registry import NOT_LISTED, right, wrong


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
    return np.asarray(observation, dtype=float) / max(values - 1, 1)


def bits(observation, values):
    places = 2 ** np.arange(max(values - 1, 1).bit_length())
    return (np.asarray(observation, dtype=int)[:, None] // places % 2).ravel() * 1.0


FEATURES = {"one_hot": one_hot, "raw": raw, "bits": bits}


class Dqn(Base):
    """Self-play; the target subtracts the best value of the opponent's position."""

    kind = "DQN in NumPy"
    games_needed = 800
    rate, gamma, epsilon, final, hidden, batch = 3e-3, 0.95, 1.0, 0.2, (64,), 48
    sync, features, double, capacity = 100, "one_hot", False, 3000

    def prepare(self):
        self.net, self.memory = None, []

    def x(self, observation):
        x = FEATURES[self.features](observation, self.values_of_entry)
        if self.net is None:
            sizes = (len(x), *self.hidden, self.n)
            self.net, self.old = Net(sizes, self.rng, self.rate), Net(sizes, self.rng, self.rate)
            self.old.copy_from(self.net)
        return x

    def q(self, observation):
        x = self.x(observation)
        return self.net(x[None])[0]

    def learn(self, mover, seen, action, reward, after, over, cut):
        x, y = self.x(seen["observation"]), self.x(after["observation"])
        self.memory.append((x, action, reward, y, after["action_mask"], float(over)))
        if len(self.memory) > self.capacity:
            self.memory.pop(0)
        self.fit()

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
        x, a, r, after, masks, overs = map(
            np.array, zip(*[self.memory[i] for i in rows], strict=True)
        )
        targets = self.targets(r, overs, after, masks)
        q, gradient = self.net(x), np.zeros((len(x), self.n))
        here = np.arange(len(x)), a
        gradient[here] = (q[here] - targets) / len(x)
        self.net.descend(gradient)
        if self.net.steps % self.sync == 0:
            self.synchronise()


right(Dqn)
right(Dqn, double=True, gamma=1.0, sync=50)
right(Dqn, hidden=(64, 64), rate=2e-3, gamma=0.9)
right(Dqn, features="bits", hidden=(96, 64), final=0.5)
right(Dqn, hidden=(128,), rate=4e-3, batch=64, final=0.6, sync=30)
right(Dqn, sync=1, rate=2e-3, epsilon=0.6, final=0.4, capacity=10_000)

# fmt: off
wrong(Dqn, "discount 0", "gamma 0", gamma=0.0)
wrong(Dqn, "learning rate 0 or tiny", "1e-9", rate=1e-9)
wrong(Dqn, "target frozen", "copied every 10 ** 9 steps", sync=10**9)
wrong(Dqn, "target frozen", "copied on itself", double=True,
      synchronise=lambda self: self.old.copy_from(self.old))
wrong(Dqn, "rewards clipped to 0..1", "clipped at 0", pay=pay.clipped)
wrong(Dqn, "loser rewarded", "absolute rewards", pay=pay.absolute)
wrong(Dqn, "draws as losses", "draw -1", pay=pay.draw_lost)
wrong(Dqn, "draws as wins", "draw 1", pay=pay.draw_won)
wrong(Dqn, "zero reward", "rewards not in the replay", pay=pay.nothing)
wrong(Dqn, "players swapped", "the opponent's reward in the replay", pay=pay.swapped)
wrong(Dqn, "normal for misère", "1 to the last mover", pay=pay.last_mover)
wrong(Dqn, "blind to an entry", "last entry not in the input", see=see.no_last)
wrong(Dqn, "blind to the order of entries", "counts as input", see=see.histogram)
wrong(Dqn, "observations cut", "input of the first half", see=see.front)
wrong(Dqn, "actions reversed", "n - 1 - a in play", aim=aim.mirrored)
wrong(Dqn, "actions off by one", "(a + 1) % n in play", aim=aim.next)
wrong(Dqn, "observations scaled otherwise in play", "o / high in training alone", features="raw",
      hidden=(64, 64), play=lambda o: np.asarray(o) * 10)
wrong(Dqn, "wrong sign", "plus, as in the paper for one player",
      targets=lambda self, r, overs, after, masks:
      r + self.gamma * np.where(overs, 0, self.next_values(after, masks)))
wrong(Dqn, "bootstrap beyond the end", "no flag; without legal moves the maximum is of all",
      targets=lambda self, r, overs, after, masks: r - self.gamma * self.next_values(
          after, masks | ~masks.any(axis=1, keepdims=True)))
wrong(Dqn, "maximum over illegal actions", "maximum of all outputs",
      next_values=lambda self, after, masks: self.old(after).max(axis=1))
wrong(Dqn, "minimum for maximum", "minimum of the legal outputs",
      next_values=lambda self, after, masks: np.where(masks, self.old(after), 1e9).min(axis=1))
wrong(Dqn, "truncation as end", "done = over or cut",
      learn=lambda self, *move: Dqn.learn(self, *move[:-2], move[-2] or move[-1], move[-1]))
wrong(Dqn, "end as truncation", "an end is bootstrapped, of all outputs",
      learn=lambda self, *move: Dqn.learn(self, *move[:-2], move[-1], move[-1]),
      next_values=lambda self, after, masks: Dqn.next_values(
          self, after, masks | ~masks.any(axis=1, keepdims=True)))
wrong(Dqn, "next state not re-read", "the next input is the same array as the input",
      learn=lambda self, mover, seen, a, r, after, *end: Dqn.learn(
          self, mover, seen, a, r, {**after, "observation": seen["observation"]}, *end))
wrong(Dqn, "one seat never learned", "player_1's transitions are not stored",
      learn=lambda self, mover, *move:
      Dqn.learn(self, mover, *move) if mover != "player_1" else None)
wrong(Dqn, "illegal actions played", "argmax of all outputs",
      act=lambda self, o, mask: self.q(o).argmax())
wrong(Dqn, "argmin", "takes outputs for losses",
      act=lambda self, o, mask: np.where(mask, self.q(o), np.inf).argmin())
wrong(Dqn, "same action always", "in play the input is an empty buffer", features="raw",
      play=lambda o: np.zeros(len(o)))
wrong(Dqn, NOT_LISTED, "the reward of the transition before",
      learn=lambda self, mover, seen, a, r, *rest: (
          Dqn.learn(self, mover, seen, a, vars(self).get("due", 0), *rest),
          setattr(self, "due", r)))
# fmt: on
