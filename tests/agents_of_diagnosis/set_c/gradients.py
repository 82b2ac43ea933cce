"""Policy gradients: an actor and a critic in tables, and one network for both."""

import numpy as np

from .base import Base, aim, pay, see
from .dqn import FEATURES, Net
from .registry import NOT_LISTED, right, wrong


def softmax(logits, mask):
    z = np.where(mask, logits, -np.inf)
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class TableActorCritic(Base):
    """Softmax of preferences; the critic's error is taken once the opponent's value is known."""

    kind = "actor-critic in tables (policy gradient)"
    games_needed = 1500
    actor, critic, gamma, mix, mix_end = 0.5, 0.3, 0.95, 0.4, 0.2

    def prepare(self):
        self.preferences, self.V = {}, {}

    def key(self, observation):
        return tuple(np.asarray(observation, dtype=float).tolist())

    def preference(self, observation):
        return self.preferences.setdefault(self.key(observation), np.zeros(self.n))

    def value(self, observation):
        return self.V.get(self.key(observation), 0.0)

    def act(self, observation, mask):
        return np.where(mask, self.preference(observation), -np.inf).argmax()

    def error(self, reward, over, cut, observation, after):
        future = 0 if over else self.value(after["observation"])
        return reward - self.gamma * future - self.value(observation)

    def explore(self, seen):
        mask, mix = seen["action_mask"], self.mix * (1 - self.part) + self.mix_end * self.part
        self.p = softmax(self.preference(seen["observation"]), mask)
        self.b = (1 - mix) * self.p + mix * mask / mask.sum()
        return int(self.rng.choice(self.n, p=self.b / self.b.sum()))

    def learn(self, mover, seen, action, reward, after, over, cut):
        observation, legal = seen["observation"], seen["action_mask"] == 1
        step = self.error(reward, over, cut, observation, after) * self.p[action] / self.b[action]
        key = self.key(observation)
        self.V[key] = self.V.get(key, 0.0) + self.critic * step
        gradient = (np.arange(self.n) == action) - self.p
        self.preference(observation)[legal] += self.actor * step * gradient[legal]


right(TableActorCritic)
right(TableActorCritic, gamma=1.0, actor=0.8)
right(TableActorCritic, critic=0.5, mix=0.6, gamma=0.9)
right(TableActorCritic, actor=1.0, critic=0.2, mix=0.5, mix_end=0.4)

# fmt: off
wrong(TableActorCritic, "discount 0", "gamma 0", gamma=0.0)
wrong(TableActorCritic, "learning rate 0 or tiny", "both 0", actor=0.0, critic=0.0)
wrong(TableActorCritic, "players swapped", "advantage of the other player", pay=pay.swapped)
wrong(TableActorCritic, "actions reversed", "legal from the last", aim=aim.mirrored_legal)
wrong(TableActorCritic, "wrong sign", "r + gamma V(s') - V(s)",
      error=lambda self, r, over, cut, o, after:
      r + (0 if over else self.gamma * self.value(after["observation"])) - self.value(o))
wrong(TableActorCritic, "next state not re-read", "V of the position before the move, twice",
      error=lambda self, r, over, cut, o, after:
      TableActorCritic.error(self, r, over, cut, o, {"observation": o}))
wrong(TableActorCritic, "one seat never learned", "player_0's moves alone",
      learn=lambda self, mover, *move:
      TableActorCritic.learn(self, mover, *move) if mover == "player_0" else None)
wrong(TableActorCritic, "argmin", "the least preferred legal move",
      act=lambda self, o, mask: np.where(mask, self.preference(o), np.inf).argmin())
wrong(TableActorCritic, NOT_LISTED, "the actor's step has the wrong sign", actor=-0.5)
# fmt: on


class PolicyNetwork(TableActorCritic):
    """Actor that follows the softmax of its critic (as MPO does), two heads of one network."""

    kind = "policy network in NumPy"
    games_needed = 1500
    rate, gamma, temperature, hidden, every = 3e-3, 0.95, 0.1, (64,), 2
    batch, features, mix, mix_end = 48, "one_hot", 0.6, 0.4

    def prepare(self):
        self.net, self.memory, self.moves = None, [], 0

    def x(self, observation):
        x = FEATURES[self.features](observation, self.values_of_entry)
        if self.net is None:
            self.net = Net((len(x), *self.hidden, 2 * self.n), self.rng, self.rate)
        return x

    def preference(self, observation):
        x = self.x(observation)
        return self.net(x[None])[0, : self.n]

    def value(self, inputs, masks):
        out = self.net(inputs)
        p = softmax(out[:, : self.n], masks | ~masks.any(axis=1, keepdims=True))
        return (p * out[:, self.n :]).sum(axis=1)

    def targets(self, rewards, overs, after, masks):
        return rewards - self.gamma * np.where(overs, 0, self.value(after, masks))

    def learn(self, mover, seen, action, reward, after, over, cut):
        x, y = self.x(seen["observation"]), self.x(after["observation"])
        mask, next_mask = seen["action_mask"] == 1, after["action_mask"] == 1
        self.memory.append((x, mask, action, reward, over, y, next_mask))
        self.moves += 1
        if self.moves % self.every or self.moves < self.batch:
            return
        recent = self.memory[-3000:]
        rows = [recent[i] for i in self.rng.integers(len(recent), size=self.batch)]
        x, masks, actions, rewards, overs, after, next_masks = map(
            np.array, zip(*rows, strict=True)
        )
        targets = self.targets(rewards, overs, after, next_masks)
        out, here = self.net(x), (np.arange(len(x)), actions)
        q, gradient = out[:, self.n :], np.zeros_like(out)
        wanted = softmax(q / self.temperature, masks)
        gradient[:, : self.n] = softmax(out[:, : self.n], masks) - wanted
        gradient[:, self.n :][here] = q[here] - targets
        self.net.descend(gradient / len(x))


right(PolicyNetwork)
right(PolicyNetwork, gamma=1.0, rate=5e-3)
right(PolicyNetwork, temperature=0.05, hidden=(64, 64), mix=0.8)
right(PolicyNetwork, gamma=0.9, every=1, features="bits", hidden=(96, 64))

# fmt: off
wrong(PolicyNetwork, "learning rate 0 or tiny", "1e-8", rate=1e-8)
wrong(PolicyNetwork, "zero reward", "returns of 0", pay=pay.nothing)
wrong(PolicyNetwork, "loser rewarded", "returns without sign", pay=pay.absolute)
wrong(PolicyNetwork, "observations cut", "half of the input", see=see.front)
wrong(PolicyNetwork, "blind to an entry", "first input is 0", see=see.first_0)
wrong(PolicyNetwork, "actions off by one", "actions from 1 to n", aim=aim.from_1)
wrong(PolicyNetwork, "wrong sign", "returns of one player: plus",
      targets=lambda self, r, overs, after, masks:
      r + self.gamma * np.where(overs, 0, self.value(after, masks)))
wrong(PolicyNetwork, "bootstrap beyond the end", "the value of the last observation, too",
      targets=lambda self, r, overs, after, masks: r - self.gamma * self.value(after, masks))
wrong(PolicyNetwork, "first player's turns alone", "batches of player_0",
      learn=lambda self, mover, *move:
      PolicyNetwork.learn(self, mover, *move) if mover == "player_0" else None)
wrong(PolicyNetwork, "end read one step early", "flag and reward of before the step",
      learn=lambda self, mover, seen, a, r, after, over, cut:
      PolicyNetwork.learn(self, mover, seen, a, 0.0, after, False, cut))
wrong(PolicyNetwork, "counts on the opponent's mistakes", "the opponent's mean value",
      value=lambda self, x, masks: (self.net(x)[:, self.n:] * masks).sum(axis=1)
      / np.maximum(masks.sum(axis=1), 1))
wrong(PolicyNetwork, NOT_LISTED, "the actor goes to the softmin of its critic", temperature=-0.1)
# fmt: on
