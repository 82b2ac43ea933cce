"""SARSA and expected SARSA in self-play; exploration falls, since values are those of play."""

import numpy as np

from .base import Base, see
from .registry import NOT_LISTED, right, wrong


class Sarsa(Base):
    """State, action, reward, state, action; states are numbered as they are met."""

    kind = "SARSA in self-play, table"
    games_needed = 800
    lr, eps, gamma, sign = 0.3, 1.0, 0.95, -1.0

    def prepare(self):
        self.number_of, self.Q = {}, np.zeros((20_000, self.n))

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
    lr = 0.5

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

# fmt: off
wrong(Sarsa, "wrong sign", "plus the next value", sign=1.0)
wrong(Sarsa, "observations halved", "shifted by a bit", see=see.halves)
wrong(Sarsa, "observations scaled otherwise in play", "divided by the maximum in play",
      play=lambda o: o / max(o.max(), 2))
wrong(Sarsa, "result of the loser never learned", "an end is stored unless it is lost",
      finish=lambda self, s, a, r: Sarsa.finish(self, s, a, r) if r >= 0 else None)
wrong(Sarsa, "bootstrap beyond the end", "the start of the next game is the state after the end",
      finish=lambda self, s, a, r: (self.env.reset(), Sarsa.finish(
          self, s, a, r - self.gamma * self.q(self.env.last()[0]["observation"]).max())))
wrong(Sarsa, "illegal actions played", "argmax of q * mask: an illegal 0 beats a loss",
      act=lambda self, o, mask: (self.q(o) * mask).argmax())
wrong(Sarsa, NOT_LISTED, "a hash of five rows, with collisions",
      number=lambda self, o: int(np.dot(o, np.arange(1, len(o) + 1))) % 5)
wrong(ExpectedSarsa, "counts on the opponent's mistakes", "values of random play",
      epsilon=lambda self, game: 1.0)
wrong(ExpectedSarsa, "minimum for maximum", "the opponent takes its worst move",
      backup=lambda self, s, mask, a, game: self.Q[s, mask == 1].min())
wrong(ExpectedSarsa, "same action always", "the lowest legal number",
      act=lambda self, o, mask: np.flatnonzero(mask)[0] if mask.any() else 0)
# fmt: on
