"""A Q-network in PyTorch, as in its tutorial, for two players."""

import random

import numpy as np
import torch
from torch import nn

from .base import Base
from .registry import right, wrong


class TorchDqn(Base):
    """Smooth L1 loss, soft updates of the target network, one optimiser step a move."""

    kind = "DQN in PyTorch"
    games_needed = 800
    needs = "torch"
    lr, tau, gamma, epsilon, width, sign = 3e-3, 0.05, 0.95, 0.6, 64, -1

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

    def follow(self):
        for slow, fast in zip(self.target.parameters(), self.net.parameters(), strict=True):
            slow.data.lerp_(fast.data, self.tau)

    def optimise(self):
        if len(self.replay) < 64:
            return
        x, a, r, after, mask, over = zip(*self.random.sample(self.replay[-4000:], 64), strict=True)
        with torch.no_grad():
            future = self.next_value(torch.stack(after), torch.from_numpy(np.array(mask)).bool())
            going_on = 1 - torch.tensor(over)
            expected = torch.tensor(r) + self.sign * self.gamma * future * going_on
        q = self.net(torch.stack(x)).gather(1, torch.tensor(a)[:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(q, expected)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.follow()

    def learn(self, mover, seen, action, reward, after, over, cut):
        x, y = self.tensor(seen["observation"]), self.tensor(after["observation"])
        self.replay.append((x, action, float(reward), y, after["action_mask"], float(over)))
        self.optimise()


right(TorchDqn)
right(TorchDqn, gamma=1.0, tau=0.1)
right(TorchDqn, width=128, epsilon=0.8, gamma=0.9)

# fmt: off
wrong(TorchDqn, "wrong sign", "sign of the tutorial for one player", sign=1)
wrong(TorchDqn, "target frozen", "tau 0", tau=0.0)
wrong(TorchDqn, "maximum over illegal actions", "max(dim=1) without the mask",
      next_value=lambda self, after, mask: self.target(after).max(dim=1).values)
wrong(TorchDqn, "illegal actions played", "net(x).argmax()",
      act=lambda self, o, mask: self.q(o).argmax())
# fmt: on
