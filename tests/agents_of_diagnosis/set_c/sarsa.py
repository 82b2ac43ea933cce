"""SARSA and expected SARSA in self-play; exploration falls, since values are those of play."""

from __future__ import annotations

import numpy as np

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


class Sarsa(Base):
    """State, action, reward, state, action; states are numbered as they are met."""

    kind = "SARSA in self-play, table"
    games_needed = 800
    defaults = {"lr": 0.3, "eps": 1.0, "gamma": 0.95, "sign": -1.0, "trust": True}

    def prepare(self):
        self.number_of, self.Q = {}, np.zeros((2000, self.n))

    def number(self, observation):
        key = "-".join(f"{x:g}" for x in np.asarray(observation, dtype=float))
        return self.number_of.setdefault(key, len(self.number_of))

    def q(self, observation):
        return self.Q[self.number(observation)]

    def epsilon(self, game):
        return self.eps * (1 - game / self.games) ** 2

    def pick(self, state, mask, game):
        legal = np.flatnonzero(mask)
        if self.rng.random() < self.epsilon(game):
            return int(self.rng.choice(legal))
        return int(legal[self.Q[state, legal].argmax()])

    def backup(self, state, mask, action, game):
        return self.Q[state, action]

    def finish(self, state, action, reward):
        self.Q[state, action] += self.lr * (reward - self.Q[state, action])

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen = self.env.last()[0]
            s, mask = self.number(seen["observation"]), seen["action_mask"]
            a = self.pick(s, mask, game)
            while True:
                me = self.env.agent_selection
                self.env.step(a)
                seen, _, over, cut, _ = self.env.last()
                if over:
                    self.finish(s, a, self.env.rewards[me])
                    break
                s2, mask = self.number(seen["observation"]), seen["action_mask"]
                a2 = self.pick(s2, mask, game)
                target = self.sign * self.gamma * self.backup(s2, mask, a2, game)
                self.Q[s, a] += self.lr * (target - self.Q[s, a])
                if cut:
                    break
                s, a = s2, a2


class ExpectedSarsa(Sarsa):
    """The mean of the next values by the probabilities of the moves."""

    kind = "expected SARSA in self-play, table"
    defaults = {**Sarsa.defaults, "lr": 0.5}

    def backup(self, state, mask, action, game):
        legal, epsilon = np.flatnonzero(mask), self.epsilon(game)
        q = self.Q[state, legal]
        return (1 - epsilon) * q.max() + epsilon * q.mean()


right(Sarsa)
right(Sarsa, gamma=1.0)
right(Sarsa, lr=0.5, eps=0.8)
right(Sarsa, lr=0.4, gamma=0.9)
right(ExpectedSarsa)
right(ExpectedSarsa, gamma=1.0, lr=0.3)
right(ExpectedSarsa, lr=0.8, eps=0.9)
right(ExpectedSarsa, lr=1.0, gamma=0.9)

for _learner in Sarsa, ExpectedSarsa:
    setting(_learner, "wrong sign", "plus the next value", sign=1.0)
setting(Sarsa, "discount 0", "gamma forgotten: 0", gamma=0.0)
setting(ExpectedSarsa, "draws as wins", "if reward >= 0: 1", pay=base.draw_won)
setting(Sarsa, "draws as losses", "won or not", pay=base.draw_lost)
setting(Sarsa, "zero reward", "paid when nobody looks", pay=base.nothing)
setting(ExpectedSarsa, "rewards clipped to 0..1", "ReLU of the reward", pay=base.clipped)
setting(Sarsa, "normal for misère", "the reward is that of normal play", pay=base.last_mover_wins)
setting(Sarsa, "observations cut", "first half of the entries", see=base.front)
setting(Sarsa, "observations halved", "shifted by a bit", see=base.halves)
setting(ExpectedSarsa, "blind to an entry", "middle entry left out", see=base.without_middle)
setting(Sarsa, "actions off by one", "next legal move", aim=base.next_legal)
setting(ExpectedSarsa, "actions reversed", "legal moves counted from the end", aim=base.mirrored_legal)
setting(ExpectedSarsa, "learning rate 0 or tiny", "an int: lr // 2", lr=0)
setting(
    ExpectedSarsa, "counts on the opponent's mistakes", "values of random play to the end",
    eps=1.0, epsilon=lambda game: 1.0,
)  # fmt: skip
setting(
    Sarsa, "counts on the opponent's mistakes", "explores by 0.8 to the end", lr=0.05,
    epsilon=lambda game: 0.8,
)  # fmt: skip
setting(
    Sarsa, "observations scaled otherwise in play", "divided by the maximum in play",
    see_in_play=lambda o: o / max(o.max(), 2),
)  # fmt: skip


@wrong(ExpectedSarsa, "backup", "maximum over illegal actions", "illegal actions keep 0")
def mean_and_max_of_all(self, state, mask, action, game):
    """The maximum of the whole row."""
    epsilon, q = self.epsilon(game), self.Q[state]
    return (1 - epsilon) * q.max() + epsilon * q[mask == 1].mean()


@wrong(ExpectedSarsa, "backup", "minimum for maximum")
def min_of_next(self, state, mask, action, game):
    """The opponent is taken to choose its worst move."""
    return self.Q[state, np.flatnonzero(mask)].min()


@wrong(ExpectedSarsa, "backup", NOT_LISTED, "as if the opponent replied at random")
def mean_alone(self, state, mask, action, game):
    """Plain mean of the legal values, whatever the policy."""
    return self.Q[state, np.flatnonzero(mask)].mean()


@wrong(Sarsa, "finish", "result of the loser never learned", "the mover of the end may be the loser")
def finish_if_won(self, state, action, reward):
    """The end is stored for a winner or a draw; a player who loses by its own move forgets it."""
    if reward >= 0:
        Sarsa.finish(self, state, action, reward)


@wrong(Sarsa, "finish", "bootstrap beyond the end")
def end_and_next_game(self, state, action, reward):
    """The start of the next game is the next state of the end."""
    self.env.reset()
    first = self.q(self.env.last()[0]["observation"]).max()
    self.Q[state, action] += self.lr * (reward - self.gamma * first - self.Q[state, action])


@wrong(Sarsa, "finish", "winners only")
def one_if_positive(self, state, action, reward):
    """Only a positive reward is an update."""
    if reward > 0:
        self.Q[state, action] += self.lr * (1 - self.Q[state, action])


@wrong(ExpectedSarsa, "act", "same action always")
def action_0(self, observation, mask):
    """The variable of the last move of training is returned, here the lowest legal number."""
    return np.flatnonzero(mask)[0] if mask.any() else 0


@wrong(ExpectedSarsa, "act", "argmin")
def reverse_sort(self, observation, mask):
    """Sorts by value and takes the first."""
    return sorted(np.flatnonzero(mask), key=lambda a: self.q(observation)[a])[0]


@wrong(Sarsa, "act", "illegal actions played", "where a legal move is worth over 0 it does no harm")
def times_mask(self, observation, mask):
    """argmax of q * mask: an illegal 0 beats a legal loss."""
    return (self.q(observation) * mask).argmax()


@wrong(Sarsa, "number", NOT_LISTED)
def hash_of_few(self, observation):
    """Hashes observations into five rows, with collisions."""
    return int(np.sum(np.asarray(observation) * np.arange(1, len(observation) + 1))) % 5
