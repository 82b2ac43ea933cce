"""Watkins's Q(lambda) and n-step returns, in Gymnasium's self-play, where signs alternate."""

from collections import defaultdict

import numpy as np

from nim_envs.envs.versus import VersusEnv

from .base import Base, aim, see
from .registry import NOT_LISTED, right, wrong


def self_play(game, **settings):
    return VersusEnv(game, opponent=None, **settings)


class QLambda(Base):
    """Eligibility traces, cut after a move that is not greedy (Watkins, 1989)."""

    kind = "Q(lambda) in a table, Gymnasium self-play"
    make_env = staticmethod(self_play)
    lr, eps, gamma, lam, sign, start = 0.3, 0.3, 0.95, 0.7, -1, 0.0

    def prepare(self):
        self.Q = defaultdict(lambda: np.full(self.n, self.start))

    def q(self, observation):
        return self.Q[tuple(np.asarray(observation).tolist())]

    def value_of_next(self, obs, mask):
        return self.q(obs)[mask == 1].max()

    def delta(self, q, reward, terminated, truncated, obs, mask):
        if terminated:
            return reward - q
        return reward + self.sign * self.gamma * self.value_of_next(obs, mask) - q

    def decay(self, traces):
        for pair in traces:
            traces[pair] *= self.sign * self.gamma * self.lam

    def train(self):
        for game in range(self.games):
            state, _ = self.env.reset(seed=self.seed + game)
            traces, done = {}, False
            while not done:
                obs = self.see(state["observation"])
                legal, q = np.flatnonzero(state["action_mask"]), self.q(obs)
                action = int(legal[q[legal].argmax()])
                if self.rng.random() < self.eps:
                    other = int(self.rng.choice(legal))
                    if q[other] < q[action]:
                        traces.clear()
                    action = other
                state, reward, terminated, truncated, _ = self.env.step(action)
                mask = state["action_mask"]
                delta = self.delta(
                    q[action], reward, terminated, truncated, self.see(state["observation"]), mask
                )
                traces[tuple(np.asarray(obs).tolist()), action] = 1.0
                for (key, a), trace in traces.items():
                    self.Q[key][a] += self.lr * delta * trace
                self.decay(traces)
                done = terminated or truncated


right(QLambda)
right(QLambda, lam=0.0, lr=0.5)
right(QLambda, lam=0.9, gamma=1.0)
right(QLambda, lam=0.5, lr=0.5, gamma=0.9, eps=0.5)
right(QLambda, lam=0.3, lr=0.2, eps=0.6)

# fmt: off
wrong(QLambda, "wrong sign", "plus in the error and in the traces", sign=1)
wrong(QLambda, "discount 0", "gamma 0 in the error and in the traces", gamma=0.0)
wrong(QLambda, "blind to the order of entries", "sorted", see=see.sorted)
wrong(QLambda, "observations halved", "o // 2", see=see.halves)
wrong(QLambda, "actions off by one", "actions count from 1 in play", aim=aim.from_1)
wrong(QLambda, "truncation as end", "no bootstrap when truncated",
      delta=lambda self, q, r, over, cut, *rest: QLambda.delta(self, q, r, over or cut, cut, *rest))
wrong(QLambda, "end as truncation", "the flags are unpacked in the other order", start=0.5,
      delta=lambda self, q, r, over, cut, o, mask:
      r - q - (0 if cut else self.gamma * self.q(o).max()))
wrong(QLambda, "maximum over illegal actions", "max without the mask",
      value_of_next=lambda self, o, mask: self.q(o).max())
wrong(QLambda, NOT_LISTED, "traces keep their sign, the errors do not",
      decay=lambda self, traces:
      traces.update({pair: trace * self.gamma * self.lam for pair, trace in traces.items()}))
# fmt: on
