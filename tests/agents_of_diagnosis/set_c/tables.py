"""Q-learning in self-play with tables: the next state is the opponent's."""

from __future__ import annotations

import numpy as np

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


class QTable(Base):
    """One dictionary, keyed by the bytes of the observation."""

    kind = "negamax Q-learning in a table"
    defaults = {"alpha": 0.5, "epsilon": 0.3, "gamma": 0.95, "optimism": 0.0, "final": None}

    def prepare(self):
        self.table = {}

    def q(self, observation):
        key = np.asarray(observation, dtype=np.float32).tobytes()
        if key not in self.table:
            self.table[key] = np.full(self.n, self.optimism)
        return self.table[key]

    def explore(self, seen, game):
        epsilon = self.epsilon
        if self.final is not None:
            epsilon += (self.final - self.epsilon) * game / self.games
        legal = np.flatnonzero(seen["action_mask"])
        if self.rng.random() < epsilon:
            return int(self.rng.choice(legal))
        q = self.q(seen["observation"])[legal]
        return int(self.rng.choice(legal[q == q.max()]))

    def best(self, seen):
        return self.q(seen["observation"])[seen["action_mask"] == 1].max()

    def paid(self, mover):
        return self.env.rewards[mover]

    def target(self, reward, after, over, cut):
        return reward if over else reward - self.gamma * self.best(after)

    def update(self, seen, action, target):
        q = self.q(seen["observation"])
        q[action] += self.alpha * (target - q[action])

    def step(self, seen, game):
        mover, action = self.env.agent_selection, self.explore(seen, game)
        self.env.step(action)
        after, _, over, cut, _ = self.env.last()
        self.update(seen, action, self.target(self.paid(mover), after, over, cut))
        return after, over or cut

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, done = self.env.last()[0], False
            while not done:
                seen, done = self.step(seen, game)


right(QTable)
right(QTable, gamma=1.0)
right(QTable, alpha=1.0, epsilon=0.5, gamma=0.9)
right(QTable, alpha=0.2, epsilon=1.0)
right(QTable, alpha=0.3, epsilon=0.8, final=0.05, gamma=0.99)
right(QTable, optimism=1.0, epsilon=0.2)
right(QTable, alpha=0.9, epsilon=0.25, gamma=0.9)
right(QTable, alpha=0.4, optimism=0.1, gamma=0.98)

setting(QTable, "discount 0", "gamma 0", gamma=0.0)
setting(QTable, "learning rate 0 or tiny", "alpha 0", alpha=0.0)
setting(QTable, "learning rate 0 or tiny", "alpha 1e-9, values from 1", alpha=1e-9, optimism=1.0)
setting(QTable, "rewards clipped to 0..1", "max(r, 0) in a wrapper", pay=base.clipped)
setting(QTable, "loser rewarded", "reward is abs(r)", pay=base.both_win)
setting(QTable, "draws as losses", "0 at the end becomes -1", pay=base.draw_lost)
setting(QTable, "draws as wins", "0 at the end becomes 1", pay=base.draw_won)
setting(QTable, "zero reward", "wrapper pays 0", pay=base.nothing)
setting(QTable, "players swapped", "reward of the other player", pay=base.others)
setting(QTable, "normal for misère", "the last mover is paid 1", pay=base.last_mover_wins)
setting(QTable, "blind to an entry", "first entry overwritten", see=base.first_entry_0)
setting(QTable, "blind to an entry", "o[:-1]", see=base.no_last_entry)
setting(QTable, "blind to the order of entries", "sorted", see=base.in_order)
setting(QTable, "blind to the order of entries", "a histogram of the entries", see=base.histogram)
setting(QTable, "observations cut", "first half alone", see=base.front)
setting(QTable, "observations cut", "entries clipped to 1", see=base.at_most_1)
setting(QTable, "observations halved", "integer division", see=base.halves)
setting(QTable, "actions off by one", "index + 1 in play", aim=base.next_action)
setting(QTable, "actions off by one", "next legal action in play", aim=base.next_legal)
setting(QTable, "actions reversed", "last of the list of legal first", aim=base.mirrored_legal)
setting(
    QTable, "observations scaled otherwise in play", "half in play", see_in_play=lambda o: o / 2
)


@wrong(QTable, "target", "wrong sign")
def plus(self, reward, after, over, cut):
    """Adds the opponent's best value."""
    return reward if over else reward + self.gamma * self.best(after)


@wrong(QTable, "target", "draws as losses")
def win_or_lose(self, reward, after, over, cut):
    """1 if the game is won else -1."""
    return (1 if reward > 0 else -1) if over else -self.gamma * self.best(after)


@wrong(QTable, "target", "bootstrap beyond the end", optimism=0.5)
def no_end(self, reward, after, over, cut):
    """Ignores the flag; an unseen state is worth 0.5."""
    return reward - self.gamma * self.q(after["observation"]).max()


@wrong(QTable, "target", "truncation as end")
def done(self, reward, after, over, cut):
    """done = terminated or truncated."""
    return reward if over or cut else reward - self.gamma * self.best(after)


@wrong(QTable, "target", "maximum over illegal actions", optimism=0.6)
def of_all(self, reward, after, over, cut):
    """q.max() of all actions; illegal ones keep their first value."""
    return reward if over else reward - self.gamma * self.q(after["observation"]).max()


@wrong(QTable, "target", "maximum over illegal actions", "hides what is lost, not what is won")
def of_all_0(self, reward, after, over, cut):
    """max() of the whole row, where illegal actions are 0."""
    return float(reward) if over else -self.gamma * max(self.q(after["observation"]).tolist())


@wrong(QTable, "best", "minimum for maximum")
def lowest(self, seen):
    """min over the opponent's legal actions."""
    return self.q(seen["observation"])[seen["action_mask"] == 1].min()


@wrong(QTable, "act", "argmin")
def worst(self, observation, mask):
    """argmin in play."""
    return np.where(mask, self.q(observation), np.inf).argmin()


@wrong(QTable, "act", "illegal actions played", optimism=0.5)
def no_mask(self, observation, mask):
    """argmax of the whole row."""
    return self.q(observation).argmax()


@wrong(QTable, "act", "same action always")
def first_legal(self, observation, mask):
    """argmax of the mask, not of the values."""
    return mask.argmax()


@wrong(QTable, "paid", "players swapped")
def after_the_step(self, mover):
    """Reads rewards[agent_selection] after the step: the opponent's."""
    return self.env.rewards[self.env.agent_selection]


@wrong(QTable, "paid", "winners only", "the loser's last move cannot lose in normal play")
def if_won(self, mover):
    """A reward is learned only from a win: a lost end counts as nothing."""
    return 1.0 if self.env.rewards[mover] == 1 else 0.0


@wrong(QTable, "step", "next state not re-read")
def stale(self, seen, game):
    """The observation before the move is the next state too."""
    mover, action = self.env.agent_selection, self.explore(seen, game)
    self.env.step(action)
    after, _, over, cut, _ = self.env.last()
    self.update(seen, action, self.target(self.paid(mover), seen, over, cut))
    return after, over or cut


@wrong(QTable, "step", "one seat never learned", "harmless if starts put both at all positions")
def player_0(self, seen, game):
    """Only player_0's moves are updates."""
    mover, action = self.env.agent_selection, self.explore(seen, game)
    self.env.step(action)
    after, _, over, cut, _ = self.env.last()
    if mover == "player_0":
        self.update(seen, action, self.target(self.paid(mover), after, over, cut))
    return after, over or cut


@wrong(QTable, "step", "end read one step early")
def old_flag(self, seen, game):
    """The flag is read before the step, so no result is ever final."""
    mover, action = self.env.agent_selection, self.explore(seen, game)
    over, reward = self.env.terminations[mover], self.env.rewards[mover]
    self.env.step(action)
    after, _, ended, cut, _ = self.env.last()
    best = 0 if ended else self.best(after)
    self.update(seen, action, reward if over else reward - self.gamma * best)
    return after, ended or cut


@wrong(QTable, "update", NOT_LISTED)
def other_action(self, seen, action, target):
    """Moves the value of the greedy action, not of the action taken."""
    q = self.q(seen["observation"])
    best = np.where(seen["action_mask"], q, -np.inf).argmax()
    q[best] += self.alpha * (target - q[best])


@wrong(QTable, "update", NOT_LISTED)
def whole_numbers(self, seen, action, target):
    """Values are rounded to integers, as in an int array."""
    q = self.q(seen["observation"])
    q[action] = int(q[action] + self.alpha * (target - q[action]))


@wrong(QTable, "update", NOT_LISTED)
def sum_of_targets(self, seen, action, target):
    """The old value is not subtracted: values grow without bound."""
    self.q(seen["observation"])[action] += self.alpha * target


@wrong(QTable, "update", "actions off by one")
def beside(self, seen, action, target):
    """Stores the value of an action beside it."""
    q = self.q(seen["observation"])
    q[action - 1] += self.alpha * (target - q[action - 1])


@wrong(QTable, "act", NOT_LISTED)
def still_exploring(self, observation, mask):
    """The policy plays one random move in three."""
    if self.rng.random() < 1 / 3:
        return self.rng.choice(np.flatnonzero(mask))
    return Base.act(self, observation, mask)


@wrong(QTable, "explore", NOT_LISTED)
def greedy_only(self, seen, game):
    """No exploration, ties to the first action."""
    return int(Base.act(self, seen["observation"], seen["action_mask"]))


class DoubleQ(QTable):
    """Double Q-learning: one array evaluates the choice of the other (van Hasselt, 2010)."""

    kind = "double Q-learning in two tables"
    games_needed = 800
    defaults = {**QTable.defaults, "epsilon": 0.5}

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

setting(DoubleQ, "zero reward", "reward overwritten by 0", pay=base.nothing)
setting(DoubleQ, "loser rewarded", "both are paid 1", pay=base.both_win)
setting(DoubleQ, "blind to an entry", "middle entry deleted", see=base.without_middle)
setting(DoubleQ, "actions reversed", "n - 1 - a in play", aim=base.mirrored)
setting(DoubleQ, "discount 0", "gamma 0", gamma=0)
wrong(DoubleQ, "target", "wrong sign")(plus)


@wrong(DoubleQ, "best", "target frozen", "acts as a discount of 0")
def third_table(self, seen):
    """Evaluates by a copy that is never written again."""
    if not hasattr(self, "frozen"):
        self.frozen = np.zeros(self.n)
    return self.frozen[seen["action_mask"] == 1].max()


@wrong(DoubleQ, "best", "maximum over illegal actions", "mild: the other table tells of its 0")
def any_action(self, seen):
    """argmax of the whole row in one table, value of the other."""
    row = self.row(seen["observation"])
    return self.tables[1 - self.flip, row, self.tables[self.flip, row].argmax()]


@wrong(DoubleQ, "best", "minimum for maximum")
def argmin_of_one(self, seen):
    """argmin where argmax was meant in the target."""
    row, legal = self.row(seen["observation"]), np.flatnonzero(seen["action_mask"])
    return self.tables[1 - self.flip, row, legal[self.tables[self.flip, row, legal].argmin()]]


@wrong(DoubleQ, "q", NOT_LISTED)
def difference(self, observation):
    """Acts on the difference of the tables, not their sum."""
    row = self.row(observation)
    return self.tables[0, row] - self.tables[1, row]
