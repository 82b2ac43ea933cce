"""A Q-network in PyTorch, as in its tutorial, for two players."""

from __future__ import annotations

import random

import numpy as np
import torch
from torch import nn

from . import base
from .base import Base
from .registry import right, setting, wrong


class TorchDqn(Base):
    """Smooth L1 loss, soft updates of the target network, one optimiser step a move."""

    kind = "DQN in PyTorch"
    games_needed = 800
    needs = "torch"
    defaults = {"lr": 3e-3, "tau": 0.05, "gamma": 0.95, "eps": 0.6, "width": 64, "sign": -1}

    def prepare(self):
        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        self.random, self.replay, self.net = random.Random(self.seed), [], None

    def tensor(self, observation):
        o = torch.as_tensor(np.asarray(observation), dtype=torch.int64).clamp(0, 30)
        x = nn.functional.one_hot(o, 31)[:, : self.values_of_entry].flatten().float()
        if self.net is None:
            layers = lambda: nn.Sequential(  # noqa: E731
                nn.Linear(len(x), self.width), nn.ReLU(), nn.Linear(self.width, self.n)
            )
            self.net, self.target = layers(), layers()
            self.target.load_state_dict(self.net.state_dict())
            self.adam = torch.optim.AdamW(self.net.parameters(), lr=self.lr)
        return x

    @torch.no_grad()
    def q(self, observation):
        x = self.tensor(observation)
        return self.net(x).numpy()

    def next_value(self, after, mask):
        value = self.target(after).masked_fill(~mask, -1e9).max(dim=1).values
        return torch.where(mask.any(dim=1), value, 0.0)

    def expected(self, reward, over, after, mask):
        return reward + self.sign * self.gamma * self.next_value(after, mask) * (1 - over)

    def follow(self):
        for slow, fast in zip(self.target.parameters(), self.net.parameters(), strict=True):
            slow.data.lerp_(fast.data, self.tau)

    def optimise(self):
        if len(self.replay) < 64:
            return
        x, a, r, after, mask, over = zip(*self.random.sample(self.replay[-4000:], 64), strict=True)
        with torch.no_grad():
            expected = self.expected(
                torch.tensor(r), torch.tensor(over), torch.stack(after),
                torch.from_numpy(np.array(mask)).bool(),
            )  # fmt: skip
        q = self.net(torch.stack(x)).gather(1, torch.tensor(a)[:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(q, expected)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.follow()

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, done = self.env.last()[0], False
            while not done:
                o, mask = seen.values()
                me, action = self.env.agent_selection, int(self.act(o, mask))
                if self.random.random() < self.eps:
                    action = self.random.choice(np.flatnonzero(mask).tolist())
                self.env.step(action)
                seen, _, over, cut, _ = self.env.last()
                reward, after = float(self.env.rewards[me]), self.tensor(seen["observation"])
                self.replay.append(
                    (self.tensor(o), action, reward, after, seen["action_mask"], float(over))
                )
                self.optimise()
                done = over or cut


right(TorchDqn)
right(TorchDqn, gamma=1.0, tau=0.1)
right(TorchDqn, width=128, eps=0.8, gamma=0.9)

setting(TorchDqn, "wrong sign", "sign of the tutorial for one player", sign=1)
setting(TorchDqn, "target frozen", "tau 0", tau=0.0)
setting(TorchDqn, "discount 0", "gamma 0", gamma=0.0)
setting(TorchDqn, "learning rate 0 or tiny", "lr 1e-10", lr=1e-10)
setting(TorchDqn, "draws as losses", "draw -1", pay=base.draw_lost)
setting(TorchDqn, "blind to an entry", "input of o[:-1]", see=base.no_last_entry)


@wrong(TorchDqn, "next_value", "maximum over illegal actions")
def max_of_all(self, after, mask):
    """max(dim=1) without the mask."""
    return self.target(after).max(dim=1).values


@wrong(TorchDqn, "act", "illegal actions played")
def torch_argmax(self, observation, mask):
    """net(x).argmax()."""
    return self.q(observation).argmax()
