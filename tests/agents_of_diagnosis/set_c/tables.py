"""Q-learning in self-play with tables: the next state is the opponent's."""

import numpy as np

from .base import Base, aim, pay, see
from .registry import NOT_LISTED, right, wrong


class QTable(Base):
    """One dictionary, keyed by the bytes of the observation."""

    kind = "negamax Q-learning in a table"
    alpha, gamma, optimism = 0.5, 0.95, 0.0

    def prepare(self):
        self.table = {}

    def q(self, observation):
        key = np.asarray(observation, dtype=np.float32).tobytes()
        if key not in self.table:
            self.table[key] = np.full(self.n, self.optimism)
        return self.table[key]

    def best(self, seen):
        return self.q(seen["observation"])[seen["action_mask"] == 1].max()

    def target(self, reward, after, over, cut):
        return reward if over else reward - self.gamma * self.best(after)

    def update(self, seen, action, target):
        q = self.q(seen["observation"])
        q[action] += self.alpha * (target - q[action])

    def learn(self, mover, seen, action, reward, after, over, cut):
        self.update(seen, action, self.target(reward, after, over, cut))


right(QTable)
right(QTable, gamma=1.0)
right(QTable, alpha=1.0, epsilon=0.5, gamma=0.9)
right(QTable, alpha=0.2, epsilon=1.0)
right(QTable, alpha=0.3, epsilon=0.8, final=0.05, gamma=0.99)
right(QTable, optimism=1.0, epsilon=0.2)
right(QTable, alpha=0.9, epsilon=0.25, gamma=0.9)
right(QTable, alpha=0.4, optimism=0.1, gamma=0.98)

# fmt: off
wrong(QTable, "wrong sign", "adds the opponent's best value",
      target=lambda self, r, after, over, cut: r if over else r + self.gamma * self.best(after))
wrong(QTable, "players swapped", "reward of the agent that is to move after the step",
      learn=lambda self, mover, seen, a, r, *rest:
      QTable.learn(self, mover, seen, a, self.env.rewards[self.env.agent_selection], *rest))
wrong(QTable, "winners only", "only a reward of 1 is learned",
      learn=lambda self, mover, seen, a, r, *rest:
      QTable.learn(self, mover, seen, a, max(r, 0), *rest))
wrong(QTable, "discount 0", "gamma 0", gamma=0.0)
wrong(QTable, "learning rate 0 or tiny", "alpha 0", alpha=0.0)
wrong(QTable, "learning rate 0 or tiny", "alpha 1e-9, values from 1", alpha=1e-9, optimism=1.0)
wrong(QTable, "rewards clipped to 0..1", "max(r, 0) in a wrapper", pay=pay.clipped)
wrong(QTable, "loser rewarded", "abs(r)", pay=pay.absolute)
wrong(QTable, "draws as losses", "1 if the game is won else -1",
      target=lambda self, r, after, over, cut:
      (1 if r > 0 else -1) if over else -self.gamma * self.best(after))
wrong(QTable, "draws as wins", "0 at the end becomes 1", pay=pay.draw_won)
wrong(QTable, "zero reward", "the wrapper returns 0", pay=pay.nothing)
wrong(QTable, "normal for misère", "the last mover is paid 1", pay=pay.last_mover)
wrong(QTable, "bootstrap beyond the end", "the flag is not used; values begin at 0.5",
      optimism=0.5,
      target=lambda self, r, after, over, cut: r - self.gamma * self.q(after["observation"]).max())
wrong(QTable, "end read one step early", "flag and reward are read before the step",
      learn=lambda self, mover, seen, a, r, after, over, cut:
      self.update(seen, a, 0 if over else -self.gamma * self.best(after)))
wrong(QTable, "truncation as end", "done = terminated or truncated",
      target=lambda self, r, after, over, cut:
      r if over or cut else r - self.gamma * self.best(after))
wrong(QTable, "next state not re-read", "the observation before the move is the next one too",
      learn=lambda self, mover, seen, a, r, after, *end:
      QTable.learn(self, mover, seen, a, r, seen, *end))
wrong(QTable, "maximum over illegal actions", "max of the row, where illegal values stay at 0.6",
      optimism=0.6, best=lambda self, seen: self.q(seen["observation"]).max())
wrong(QTable, "maximum over illegal actions", "max of the row, where illegal values stay at 0",
      best=lambda self, seen: max(self.q(seen["observation"]).tolist()))
wrong(QTable, "minimum for maximum", "min over the opponent's legal actions",
      best=lambda self, seen: self.q(seen["observation"])[seen["action_mask"] == 1].min())
wrong(QTable, "argmin", "argmin in play",
      act=lambda self, o, mask: np.where(mask, self.q(o), np.inf).argmin())
wrong(QTable, "illegal actions played", "argmax of the whole row", optimism=0.5,
      act=lambda self, o, mask: self.q(o).argmax())
wrong(QTable, "same action always", "argmax of the mask", act=lambda self, o, mask: mask.argmax())
wrong(QTable, "one seat never learned", "player_1's moves are no updates",
      learn=lambda self, mover, *rest:
      None if mover == "player_1" else QTable.learn(self, mover, *rest))
wrong(QTable, "blind to an entry", "first entry overwritten", see=see.first_0)
wrong(QTable, "blind to the order of entries", "sorted", see=see.sorted)
wrong(QTable, "observations cut", "first half alone", see=see.front)
wrong(QTable, "observations halved", "o // 2", see=see.halves)
wrong(QTable, "observations scaled otherwise in play", "o / 2 in play", play=lambda o: o / 2)
wrong(QTable, "actions off by one", "next legal action in play", aim=aim.next_legal)
wrong(QTable, "actions reversed", "legal actions counted from the last", aim=aim.mirrored_legal)
wrong(QTable, NOT_LISTED, "updates the greedy action, not the action taken",
      update=lambda self, seen, a, target: QTable.update(
          self, seen, Base.act(self, seen["observation"], seen["action_mask"]), target))
wrong(QTable, NOT_LISTED, "the policy plays a random move in three",
      act=lambda self, o, mask: Base.act(self, o, mask) if self.rng.random() > 1 / 3
      else self.rng.choice(np.flatnonzero(mask)))
wrong(QTable, NOT_LISTED, "no exploration, ties to the first action",
      explore=lambda self, seen:
      int(Base.act(self, seen["observation"], seen["action_mask"])))
wrong(QTable, NOT_LISTED, "values rounded to integers", alpha=0.5,
      update=lambda self, seen, a, target:
      self.q(seen["observation"]).__setitem__(
          a, int(self.q(seen["observation"])[a] + self.alpha * target)))
# fmt: on


class DoubleQ(QTable):
    """Double Q-learning: one array evaluates the choice of the other (van Hasselt, 2010)."""

    kind = "double Q-learning in two tables"
    games_needed = 800
    epsilon = 0.5

    def prepare(self):
        self.rows, self.tables = {}, np.zeros((2, 64, self.n))
        self.flip = 0

    def row(self, observation):
        row = self.rows.setdefault(tuple(np.asarray(observation).tolist()), len(self.rows))
        if row == self.tables.shape[1]:
            self.tables = np.concatenate([self.tables, np.zeros_like(self.tables)], axis=1)
        return row

    def q(self, observation):
        row = self.row(observation)
        return self.tables[0, row] + self.tables[1, row]

    def best(self, seen):
        row = self.row(seen["observation"])
        one, other = self.tables[self.flip], self.tables[1 - self.flip]
        legal = np.flatnonzero(seen["action_mask"])
        return other[row, legal[one[row, legal].argmax()]]

    def update(self, seen, action, target):
        row = self.row(seen["observation"])
        self.tables[self.flip, row, action] += self.alpha * (
            target - self.tables[self.flip, row, action]
        )
        self.flip = int(self.rng.integers(2))


right(DoubleQ)
right(DoubleQ, alpha=0.3, gamma=1.0)
right(DoubleQ, alpha=0.8, epsilon=0.4, gamma=0.9)
right(DoubleQ, epsilon=1.0, gamma=0.97)

# fmt: off
wrong(DoubleQ, "wrong sign", "plus the value of the other table",
      target=lambda self, r, after, over, cut: r if over else r + self.gamma * self.best(after))
wrong(DoubleQ, "target frozen", "evaluates by a copy of the first table that is never renewed",
      best=lambda self, seen: 0.0)
wrong(DoubleQ, "actions reversed", "n - 1 - a in play", aim=aim.mirrored)
wrong(DoubleQ, "actions off by one", "stores the value of the action beside it",
      update=lambda self, seen, a, target: DoubleQ.update(self, seen, a - 1, target))
wrong(DoubleQ, NOT_LISTED, "acts on the difference of the tables",
      q=lambda self, o: self.tables[0, self.row(o)] - self.tables[1, self.row(o)])
# fmt: on
