"""Values of afterstates, with TD(0), in a learned memory of where moves lead."""

import numpy as np

from .base import Base, see
from .registry import NOT_LISTED, right, wrong


class Afterstates(Base):
    """V of the position that the opponent gets, to the player who has made it.

    ``leads[position][action]`` is remembered, as tutorials of tic-tac-toe know it from the rules.
    """

    kind = "TD of afterstates"
    alpha, epsilon, gamma = 0.4, 0.4, 0.95

    def prepare(self):
        self.V, self.leads, self.before = {}, {}, None

    def key(self, observation):
        return tuple(np.asarray(observation).astype(float))

    def value(self, after):
        return self.V.get(after, 0.0)

    def q(self, observation):
        leads = self.leads.get(self.key(observation), {})
        return np.array([self.value(leads[a]) if a in leads else 0.0 for a in range(self.n)])

    def explore(self, seen):
        here = self.leads.setdefault(self.key(seen["observation"]), {})
        legal = np.flatnonzero(seen["action_mask"])
        new = [a for a in legal if a not in here]
        if new or self.rng.random() < self.epsilon:
            return int(self.rng.choice(new or legal))
        return int(max(legal, key=lambda a: self.value(here[a])))

    def replies(self, key, mask):
        here = self.leads.get(key, {})
        return [self.value(here[a]) for a in here if mask[a]]

    def target(self, after, mask):
        values = self.replies(after, mask)
        return -self.gamma * max(values) if values else None

    def update(self, after, target):
        if target is not None:
            self.V[after] = self.value(after) + self.alpha * (target - self.value(after))

    def end(self, after, reward):
        self.update(after, reward)

    def learn(self, mover, seen, action, reward, new, over, cut):
        """Update the afterstate that the move has made, and the one before."""
        after = self.key(new["observation"])
        self.leads[self.key(seen["observation"])][action] = after
        if over:
            self.end(after, reward)
        else:
            self.update(after, self.target(after, new["action_mask"]))
        if self.before is not None:
            self.update(self.before, self.target(self.before, seen["action_mask"]))
        self.before = None if over or cut else after


right(Afterstates)
right(Afterstates, gamma=1.0)
right(Afterstates, alpha=0.8, epsilon=0.3)
right(Afterstates, alpha=0.2, epsilon=0.8, gamma=0.9)
right(Afterstates, alpha=1.0, gamma=0.98)

# fmt: off
wrong(Afterstates, "discount 0", "gamma 0", gamma=0.0)
wrong(Afterstates, "observations halved", "o // 2 as key", see=see.halves)
wrong(Afterstates, "blind to an entry", "o[:-1] as key", see=see.no_last)
wrong(Afterstates, "wrong sign", "the best reply's value counts for the mover",
      target=lambda self, key, mask: self.gamma * max(self.replies(key, mask), default=0))
wrong(Afterstates, "minimum for maximum", "minus the worst reply's value",
      target=lambda self, key, mask: -self.gamma * min(self.replies(key, mask), default=0))
wrong(Afterstates, "counts on the opponent's mistakes", "minus the mean of the replies",
      target=lambda self, key, mask: -self.gamma * np.mean(self.replies(key, mask) or [0]))
wrong(Afterstates, "next state not re-read", "the value of the afterstate itself again",
      target=lambda self, key, mask: self.gamma * self.value(key))
wrong(Afterstates, "zero reward", "an end is worth 0", end=lambda self, key, r: None)
wrong(Afterstates, "rewards clipped to 0..1", "max(0, r)",
      end=lambda self, key, r: self.update(key, max(0, r)))
wrong(Afterstates, "draws as losses", "2 * won - 1",
      end=lambda self, key, r: self.update(key, 2 * (r > 0) - 1))
wrong(Afterstates, "argmin", "takes V for the opponent's, and the lowest of it",
      act=lambda self, o, mask: np.where(mask, -self.q(o), -np.inf).argmax())
wrong(Afterstates, NOT_LISTED, "never explores: the first legal action in all of training",
      explore=lambda self, seen: (self.leads.setdefault(self.key(seen["observation"]), {}),
                               int(seen["action_mask"].argmax()))[1])
# fmt: on
