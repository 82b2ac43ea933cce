"""Watkins's Q(lambda) and n-step returns, in Gymnasium's self-play, where signs alternate."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from nim_envs.envs.versus import VersusEnv

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


def self_play(game):
    return VersusEnv(game, opponent=None)


class QLambda(Base):
    """Eligibility traces, cut after a move that is not greedy (Watkins, 1989)."""

    kind = "Q(lambda) in a table, Gymnasium self-play"
    make_env = staticmethod(self_play)
    defaults = {"lr": 0.3, "eps": 0.3, "gamma": 0.95, "lam": 0.7, "sign": -1, "start": 0.0}

    def prepare(self):
        self.Q = defaultdict(lambda: np.full(self.n, self.start))

    def q(self, observation):
        return self.Q[tuple(np.asarray(observation).tolist())]

    def legal(self, mask):
        return np.flatnonzero(mask)

    def value_of_next(self, obs, mask):
        return self.q(obs)[self.legal(mask)].max()

    def delta(self, q, reward, terminated, truncated, obs, mask):
        if terminated:
            return reward - q
        return reward + self.sign * self.gamma * self.value_of_next(obs, mask) - q

    def spread(self, traces, delta):
        for (key, action), trace in traces.items():
            self.Q[key][action] += self.lr * delta * trace

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
                self.spread(traces, delta)
                self.decay(traces)
                done = terminated or truncated


right(QLambda)
right(QLambda, lam=0.0, lr=0.5)
right(QLambda, lam=0.9, gamma=1.0)
right(QLambda, lam=0.5, lr=0.5, gamma=0.9, eps=0.5)
right(QLambda, lam=0.3, lr=0.2, eps=0.6)

setting(QLambda, "wrong sign", "plus in the error and in the traces", sign=1)
setting(QLambda, "discount 0", "gamma 0 in the error and in the traces", gamma=0.0)
setting(QLambda, "learning rate 0 or tiny", "1e-8", "last moves are still ordered", lr=1e-8)
setting(QLambda, "blind to the order of entries", "sorted", see=base.in_order)
setting(QLambda, "blind to an entry", "last entry dropped", see=base.no_last_entry)
setting(QLambda, "observations halved", "o // 2", see=base.halves)
setting(QLambda, "actions off by one", "actions count from 1 in play", aim=base.from_one)


@wrong(QLambda, "delta", "wrong sign", lam=0.2)
def plus_in_the_error(self, q, reward, terminated, truncated, obs, mask):
    """r + gamma max Q, while the traces alternate as they should."""
    future = 0 if terminated else self.gamma * self.value_of_next(obs, mask)
    return reward + future - q


@wrong(QLambda, "delta", "truncation as end")
def both_flags(self, q, reward, terminated, truncated, obs, mask):
    """No bootstrap when truncated."""
    if terminated or truncated:
        return reward - q
    return reward - self.gamma * self.value_of_next(obs, mask) - q


@wrong(QLambda, "delta", "zero reward")
def no_reward(self, q, reward, terminated, truncated, obs, mask):
    """The reward is not in the error."""
    return (0 if terminated else -self.gamma * self.value_of_next(obs, mask)) - q


@wrong(QLambda, "delta", "end as truncation", start=0.5)
def flags_in_the_other_order(self, q, reward, terminated, truncated, obs, mask):
    """Takes the flags in the wrong order: bootstraps at an end, and not when the game is cut."""
    return reward + (0 if truncated else self.sign * self.gamma * self.q(obs).max()) - q


@wrong(QLambda, "value_of_next", "minimum for maximum")
def least(self, obs, mask):
    """min of the opponent's legal values."""
    return self.q(obs)[self.legal(mask)].min()


@wrong(QLambda, "legal", "maximum over illegal actions", "hides losses alone")
def all_actions(self, mask):
    """arange(n) as the legal actions of the next state."""
    return np.arange(self.n)


@wrong(QLambda, "decay", NOT_LISTED)
def no_sign(self, traces):
    """Traces keep their sign, so the opponent's earlier moves get the mover's error."""
    for pair in traces:
        traces[pair] *= self.gamma * self.lam


@wrong(QLambda, "decay", NOT_LISTED, "a sum of all errors; may be harmless in short games")
def grow(self, traces):
    """Traces double in place of decaying."""
    for pair in traces:
        traces[pair] *= -2.0
