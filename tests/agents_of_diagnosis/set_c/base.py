"""The frame of all learners, and preprocessing of observations and rewards, right and wrong."""

from __future__ import annotations

import numpy as np


class Preprocessed:
    """PettingZoo environment whose observations and rewards go through functions."""

    def __init__(self, env, see, pay):
        self.env, self.see, self.pay, self.mover = env, see, pay, None

    def __getattr__(self, name):
        return getattr(self.env, name)

    def _seen(self, seen):
        return {"observation": self.see(seen["observation"]), "action_mask": seen["action_mask"]}

    def observe(self, agent):
        return self._seen(self.env.observe(agent))

    def last(self):
        seen, reward, over, cut, info = self.env.last()
        return self._seen(seen), self.pay(self, self.agent_selection, reward), over, cut, info

    @property
    def rewards(self):
        return {agent: self.pay(self, agent, paid) for agent, paid in self.env.rewards.items()}

    def agent_iter(self):
        while self.env.agents:
            yield self.env.agent_selection

    def step(self, action):
        if action is not None:
            self.mover = self.env.agent_selection
        self.env.step(action)


# Rewards.
def clipped(env, agent, reward):
    return max(reward, 0)


def both_win(env, agent, reward):
    return abs(reward)


def nothing(env, agent, reward):
    return 0.0


def others(env, agent, reward):
    return -reward


def draw_lost(env, agent, reward):
    return -1 if reward == 0 and env.terminations[agent] else reward


def draw_won(env, agent, reward):
    return 1 if reward == 0 and env.terminations[agent] else reward


def last_mover_wins(env, agent, reward):
    if env.terminations[agent]:
        return 1 if agent == env.mover else -1
    return 0


# Observations.
def first_entry_0(o):
    return np.concatenate([[0], o[1:]])


def no_last_entry(o):
    return o[:-1]


def without_middle(o):
    return np.delete(o, len(o) // 2)


def in_order(o):
    return np.sort(o)


def histogram(o):
    return np.bincount(np.asarray(o, dtype=int), minlength=9)[:9]


def total(o):
    return np.array([np.sum(o), np.max(o)])


def front(o):
    return o[: (len(o) + 1) // 2]


def at_most_1(o):
    return np.minimum(o, 1)


def halves(o):
    return np.asarray(o, dtype=int) // 2


def plain(o):
    return o


# Actions in play.
def next_action(action, mask):
    return (action + 1) % len(mask)


def next_legal(action, mask):
    legal = np.flatnonzero(mask)
    return int(legal[(np.searchsorted(legal, action) + 1) % len(legal)])


def from_one(action, mask):
    return max(action - 1, 0)


def mirrored(action, mask):
    return len(mask) - 1 - action


def mirrored_legal(action, mask):
    legal = np.flatnonzero(mask)
    return int(legal[len(legal) - 1 - np.searchsorted(legal, action)])


def chosen(action, mask):
    return action


class Base:
    """Learner with settings as attributes; a class has ``train``, and ``q`` or ``act``."""

    kind, games_needed, needs, make_env = "", 500, None, None
    defaults: dict = {}

    def __init__(
        self, env, games, seed, see=plain, pay=None, see_in_play=None, aim=chosen, **settings
    ):
        self.games, self.seed, self.rng = games, seed, np.random.default_rng(seed)
        self.n = int((env.action_space if self.make_env else env.action_space("player_0")).n)
        space = env.observation_space if self.make_env else env.observation_space("player_0")
        self.values_of_entry = int(min(np.max(space["observation"].high), 30)) + 1
        as_paid = pay or (lambda env, agent, reward: reward)
        self.env = Preprocessed(env, see, as_paid) if pay or see is not plain else env
        self.see, self.see_in_play, self.aim = see, see_in_play or see, aim
        vars(self).update({**self.defaults, **settings})
        self.prepare()

    def prepare(self):
        """Make tables or networks."""

    def act(self, observation, mask):
        return np.where(mask, self.q(observation), -np.inf).argmax()

    def policy(self, values):
        def play(observations, action_masks):
            seen = zip(observations, action_masks, strict=True)
            chosen = [self.aim(int(self.act(self.see_in_play(o), m)), m) for o, m in seen]
            return np.array(chosen, dtype=np.int64)

        if values and hasattr(self, "q"):
            play.values = lambda observations, action_masks=None: np.array(
                [self.q(self.see_in_play(o)) for o in observations]
            )
        return play
