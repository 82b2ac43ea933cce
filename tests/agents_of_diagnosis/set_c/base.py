"""The frame of all learners, and preprocessing of observations and rewards, right and wrong."""

from types import SimpleNamespace

import numpy as np


class Preprocessed:
    """PettingZoo environment whose observations and rewards go through functions."""

    def __init__(self, env, see, pay):
        self.env, self.see, self.pay, self.mover = env, see, pay, None

    def __getattr__(self, name):
        return getattr(self.env, name)

    def last(self):
        seen, reward, over, cut, info = self.env.last()
        seen = {"observation": self.see(seen["observation"]), "action_mask": seen["action_mask"]}
        return seen, self.pay(self, self.agent_selection, reward), over, cut, info

    @property
    def rewards(self):
        return {agent: self.pay(self, agent, paid) for agent, paid in self.env.rewards.items()}

    def step(self, action):
        if action is not None:
            self.mover = self.env.agent_selection
        self.env.step(action)


pay = SimpleNamespace(
    right=lambda env, agent, reward: reward,
    clipped=lambda env, agent, reward: max(reward, 0),
    absolute=lambda env, agent, reward: abs(reward),
    nothing=lambda env, agent, reward: 0.0,
    swapped=lambda env, agent, reward: -reward,
    draw_lost=lambda env, agent, r: -1 if r == 0 and env.terminations[agent] else r,
    draw_won=lambda env, agent, r: 1 if r == 0 and env.terminations[agent] else r,
    last_mover=lambda env, agent, r: (1 - 2 * (agent != env.mover)) * env.terminations[agent],
)
"""Rewards by environment, agent and true reward."""

see = SimpleNamespace(
    all=lambda o: o,
    first_0=lambda o: np.concatenate([[0], o[1:]]),
    no_last=lambda o: o[:-1] if len(o) > 1 else 0 * o,
    no_middle=lambda o: np.delete(o, len(o) // 2) if len(o) > 1 else 0 * o,
    sorted=np.sort,
    histogram=lambda o: np.bincount(np.asarray(o, dtype=int), minlength=9)[:9],
    total=lambda o: np.array([np.sum(o), np.max(o)]),
    front=lambda o: o[: (len(o) + 1) // 2],
    at_most_1=lambda o: np.minimum(o, 1),
    halves=lambda o: np.asarray(o, dtype=int) // 2,
)
"""Preprocessing of observations."""

aim = SimpleNamespace(
    next=lambda self, action, mask: (action + 1) % len(mask),
    next_legal=lambda self, action, mask: _other_legal(action, mask, lambda i, n: (i + 1) % n),
    from_1=lambda self, action, mask: max(action - 1, 0),
    mirrored=lambda self, action, mask: len(mask) - 1 - action,
    mirrored_legal=lambda self, action, mask: _other_legal(action, mask, lambda i, n: n - 1 - i),
)
"""Actions in play, by the action that was chosen and the mask."""


def _other_legal(action, mask, place):
    legal = np.flatnonzero(mask)
    return int(legal[place(int(np.searchsorted(legal, action)), len(legal))])


class Base:
    """Frame of a learner whose settings are attributes.

    It plays against itself in PettingZoo's environment; a class has ``learn``, and ``q`` or
    ``act``.
    """

    kind, games_needed, needs, make_env = "", 500, None, None
    epsilon, final = 0.3, None  # exploration, and that of the last game

    def __init__(self, env, games, seed, see=see.all, pay=pay.right, play=None, **settings):
        self.games, self.seed, self.rng = games, seed, np.random.default_rng(seed)
        of_seat = (lambda space: space) if self.make_env else (lambda space: space("player_0"))
        self.n = int(of_seat(env.action_space).n)
        high = of_seat(env.observation_space)["observation"].high
        self.values_of_entry = int(min(np.max(high), 30)) + 1
        self.env = env if self.make_env else Preprocessed(env, see, pay)
        self.see, self.see_in_play = see, play or see
        vars(self).update(settings)
        self.prepare()

    def prepare(self):
        """Make tables or networks."""

    def explore(self, seen):
        final = self.epsilon if self.final is None else self.final
        mask = seen["action_mask"]
        if self.rng.random() < self.epsilon * (1 - self.part) + final * self.part:
            return int(self.rng.choice(np.flatnonzero(mask)))
        return int(Base.act(self, seen["observation"], mask))

    def train(self):
        for game in range(self.games):
            self.part = game / self.games
            self.env.reset(seed=self.seed + game)
            seen, over, cut = self.env.last()[0], False, False
            while not (over or cut):
                mover, action = self.env.agent_selection, self.explore(seen)
                self.env.step(action)
                after, _, over, cut, _ = self.env.last()
                self.learn(mover, seen, action, self.env.rewards[mover], after, over, cut)
                seen = after

    def act(self, observation, mask):
        return np.where(mask, self.q(observation), -np.inf).argmax()

    def aim(self, action, mask):
        return action

    def policy(self):
        def play(observations, action_masks):
            seen = zip(observations, action_masks, strict=True)
            actions = [self.aim(int(self.act(self.see_in_play(o), m)), m) for o, m in seen]
            return np.array(actions, dtype=np.int64)

        if hasattr(self, "q"):
            play.values = lambda observations, action_masks=None: np.array(
                [self.q(self.see_in_play(o)) for o in observations]
            )
        return play
