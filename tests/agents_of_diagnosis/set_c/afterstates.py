"""Values of afterstates, with TD(0), in a learned memory of where moves lead."""

from __future__ import annotations

import numpy as np

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


class Afterstates(Base):
    """V of the position that the opponent gets, to the player who has made it.

    ``leads[position][action]`` is remembered, as tutorials of tic-tac-toe know it from the rules.
    """

    kind = "TD of afterstates"
    defaults = {"alpha": 0.4, "epsilon": 0.4, "gamma": 0.95}

    def prepare(self):
        self.V, self.leads, self.start = {}, {}, 0.0

    def key(self, observation):
        return tuple(np.asarray(observation).astype(float))

    def value(self, after):
        return self.V.get(after, self.start)

    def q(self, observation):
        leads = self.leads.get(self.key(observation), {})
        return np.array([self.value(leads[a]) if a in leads else 0.0 for a in range(self.n)])

    def pick(self, seen):
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

    def move(self, seen, before):
        """Make a move, and update the afterstate that it makes."""
        mover, action = self.env.agent_selection, self.pick(seen)
        self.env.step(action)
        new, _, over, cut, _ = self.env.last()
        after = self.key(new["observation"])
        self.leads[self.key(seen["observation"])][action] = after
        if over:
            self.end(after, self.env.rewards[mover])
        else:
            self.update(after, self.target(after, new["action_mask"]))
        if before is not None:
            self.update(before, self.target(before, seen["action_mask"]))
        return new, after, over or cut

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, after, done = self.env.last()[0], None, False
            while not done:
                seen, after, done = self.move(seen, after)


right(Afterstates)
right(Afterstates, gamma=1.0)
right(Afterstates, alpha=0.8, epsilon=0.3)
right(Afterstates, alpha=0.2, epsilon=0.8, gamma=0.9)
right(Afterstates, alpha=1.0, gamma=0.98)

setting(Afterstates, "discount 0", "gamma 0: an end is known, what leads to it is not", gamma=0.0)
setting(Afterstates, "learning rate 0 or tiny", "alpha 0", alpha=0.0)
setting(Afterstates, "draws as wins", "draw paid 1 to both", pay=base.draw_won)
setting(Afterstates, "players swapped", "reward of the loser to the winner", pay=base.others)
setting(Afterstates, "normal for misère", "mover of the last move wins", pay=base.last_mover_wins)
setting(Afterstates, "blind to the order of entries", "sorted tuples", see=base.in_order)
setting(Afterstates, "observations halved", "o // 2 as key", see=base.halves)
setting(Afterstates, "blind to an entry", "o[:-1] as key", see=base.no_last_entry)


@wrong(Afterstates, "target", "wrong sign")
def best_reply_added(self, after, mask):
    """The best reply's value counts for the mover."""
    values = self.replies(after, mask)
    return self.gamma * max(values) if values else None


@wrong(Afterstates, "target", "minimum for maximum")
def worst_reply(self, after, mask):
    """Minus the worst reply's value."""
    values = self.replies(after, mask)
    return -self.gamma * min(values) if values else None


@wrong(Afterstates, "target", "counts on the opponent's mistakes")
def mean_reply(self, after, mask):
    """Minus the mean of the replies, as if all were as likely."""
    values = self.replies(after, mask)
    return -self.gamma * sum(values) / len(values) if values else None


@wrong(Afterstates, "target", "next state not re-read")
def of_the_same(self, after, mask):
    """Looks up the afterstate itself again, so that an end never comes back to it."""
    return self.gamma * self.value(after)


@wrong(Afterstates, "end", "bootstrap beyond the end")
def start_of_next(self, after, reward):
    """Adds the discounted best reply at the start of the next game."""
    self.env.reset()
    new = self.env.last()[0]
    best = self.target(self.key(new["observation"]), new["action_mask"]) or 0.0
    self.update(after, reward + best)


@wrong(Afterstates, "end", "zero reward")
def unread(self, after, reward):
    """Values an end at 0, like any new afterstate."""
    self.update(after, 0.0)


@wrong(Afterstates, "end", "rewards clipped to 0..1", "a mover who wins at the end is not clipped")
def not_below_0(self, after, reward):
    """max(0, reward)."""
    self.update(after, max(0.0, reward))


@wrong(Afterstates, "end", "draws as losses")
def win_or_minus_1(self, after, reward):
    """2 * (reward > 0) - 1."""
    self.update(after, 2 * (reward > 0) - 1)


@wrong(Afterstates, "act", "argmin")
def afterstate_of_the_opponent(self, observation, mask):
    """Takes V for the opponent's and the lowest of it."""
    return np.where(mask, -self.q(observation), -np.inf).argmax()


@wrong(Afterstates, "update", NOT_LISTED)
def last_target_alone(self, after, target):
    """V is 0.1 of the target and 0.5 of the old value: a scale that falls with depth."""
    if target is not None:
        self.V[after] = 0.1 * target + 0.5 * self.value(after)


@wrong(Afterstates, "pick", NOT_LISTED)
def always_first(self, seen):
    """Never explores: the first legal action in all of training."""
    self.leads.setdefault(self.key(seen["observation"]), {})
    return int(np.flatnonzero(seen["action_mask"])[0])
