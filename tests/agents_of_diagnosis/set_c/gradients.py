"""Policy gradients: an actor and a critic in tables, and one network for both."""

from __future__ import annotations

import numpy as np

from . import base
from .base import Base
from .dqn import Net, one_hot, raw
from .registry import NOT_LISTED, right, setting, wrong


def softmax(logits, mask):
    z = np.where(mask, logits, -np.inf)
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class TableActorCritic(Base):
    """Softmax of preferences; the critic's error is taken once the opponent's value is known."""

    kind = "actor-critic in tables (policy gradient)"
    games_needed = 1500
    defaults = {"actor": 0.5, "critic": 0.3, "gamma": 0.95, "mix": 0.4, "mix_end": 0.2}

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

    def learn(self, observation, mask, action, p, ratio, delta):
        key = self.key(observation)
        self.V[key] = self.V.get(key, 0.0) + self.critic * ratio * delta
        gradient = -p
        gradient[action] += 1
        self.preference(observation)[mask == 1] += self.actor * ratio * delta * gradient[mask == 1]

    def wanted(self, mover):
        return True

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            seen, done = self.env.last()[0], False
            mix = self.mix + (self.mix_end - self.mix) * game / self.games
            while not done:
                mover, (o, mask) = self.env.agent_selection, seen.values()
                p = softmax(self.preference(o), mask)
                b = (1 - mix) * p + mix * mask / mask.sum()
                action = int(self.rng.choice(self.n, p=b / b.sum()))
                self.env.step(action)
                seen, _, over, cut, _ = self.env.last()
                delta = self.error(self.env.rewards[mover], over, cut, o, seen)
                if self.wanted(mover):
                    self.learn(o, mask, action, p, p[action] / b[action], delta)
                done = over or cut


right(TableActorCritic)
right(TableActorCritic, gamma=1.0, actor=0.8)
right(TableActorCritic, critic=0.5, mix=0.6, gamma=0.9)
right(TableActorCritic, actor=1.0, critic=0.2, mix=0.5, mix_end=0.4)

setting(TableActorCritic, "discount 0", "gamma 0", gamma=0.0)
setting(TableActorCritic, "learning rate 0 or tiny", "both 0", actor=0.0, critic=0.0)
setting(TableActorCritic, "draws as wins", "paid 1", pay=base.draw_won)
setting(TableActorCritic, "draws as losses", "paid -1", pay=base.draw_lost)
setting(TableActorCritic, "players swapped", "advantage of the other player", pay=base.others)
setting(TableActorCritic, "normal for misère", "wins by the last move", pay=base.last_mover_wins)
setting(TableActorCritic, "observations halved", "o // 2", see=base.halves)
setting(TableActorCritic, "blind to the order of entries", "sorted", see=base.in_order)
setting(TableActorCritic, "actions reversed", "the list of legal is read backwards", aim=base.mirrored_legal)


@wrong(TableActorCritic, "error", "wrong sign")
def own_future(self, reward, over, cut, observation, after):
    """r + gamma V(s') - V(s), as in the textbook for one player."""
    return reward + (0 if over else self.gamma * self.value(after)) - self.value(observation)


@wrong(TableActorCritic, "error", "truncation as end")
def either_ends(self, reward, over, cut, observation, after):
    """No future when cut."""
    return TableActorCritic.error(self, reward, over or cut, cut, observation, after)


@wrong(TableActorCritic, "error", "next state not re-read")
def v_of_same(self, reward, over, cut, observation, after):
    """V of the position before the move, twice."""
    future = 0 if over else self.value(observation)
    return reward - self.gamma * future - self.value(observation)


@wrong(TableActorCritic, "error", "rewards clipped to 0..1")
def relu(self, reward, over, cut, observation, after):
    """max(r, 0)."""
    return TableActorCritic.error(self, max(reward, 0), over, cut, observation, after)


@wrong(TableActorCritic, "wanted", "one seat never learned", "harmless where starts are everywhere")
def only_first(self, mover):
    """if mover == env.agents[0]."""
    return mover == self.env.possible_agents[0]


@wrong(TableActorCritic, "act", "argmin")
def least_preferred(self, observation, mask):
    """The least preferred legal move."""
    return np.where(mask, self.preference(observation), np.inf).argmin()


@wrong(TableActorCritic, "act", "illegal actions played")
def preferred_of_all(self, observation, mask):
    """argmax of the preferences; illegal ones stay at 0."""
    return self.preference(observation).argmax()


@wrong(TableActorCritic, "learn", NOT_LISTED)
def critic_never_learns_the_actor(self, observation, mask, action, p, ratio, delta):
    """The actor's step goes down the gradient."""
    TableActorCritic.learn(self, observation, mask, action, p, ratio, delta)
    gradient = -p
    gradient[action] += 1
    self.preference(observation)[mask == 1] -= 2 * self.actor * ratio * delta * gradient[mask == 1]


class PolicyNetwork(TableActorCritic):
    """Actor that follows the softmax of its critic (as MPO does), two heads of one network."""

    kind = "policy gradient with a network in NumPy"
    games_needed = 1500
    defaults = {
        "rate": 3e-3, "gamma": 0.95, "temperature": 0.1, "hidden": (64,), "every": 2, "batch": 48,
        "features": one_hot, "mix": 0.6, "mix_end": 0.4,
    }  # fmt: skip

    def prepare(self):
        self.net, self.memory, self.moves = None, [], 0

    def x(self, observation):
        x = self.features(observation, self.values_of_entry)
        if self.net is None:
            self.net = Net((len(x), *self.hidden, 2 * self.n), self.rng, self.rate)
        return x

    def preference(self, observation):
        x = self.x(observation)
        return self.net(x[None])[0, : self.n]

    def value(self, inputs, masks):
        out = self.net(inputs)
        return (softmax(out[:, : self.n], masks | ~masks.any(axis=1, keepdims=True)) * out[:, self.n :]).sum(axis=1)

    def error(self, reward, over, cut, observation, after):
        return reward, over, self.x(after["observation"]), after["action_mask"] == 1

    def targets(self, rewards, overs, after, masks):
        return rewards - self.gamma * np.where(overs, 0, self.value(after, masks))

    def direction(self, p, q, masks):
        """Return minus the gradient of the cross-entropy from the critic's softmax, by logits."""
        return softmax(q / self.temperature, masks) - p

    def learn(self, observation, mask, action, p, ratio, delta):
        self.memory.append((self.x(observation), mask == 1, action, *delta))
        self.moves += 1
        if self.moves % self.every or self.moves < self.batch:
            return
        recent = self.memory[-3000:]
        rows = [recent[i] for i in self.rng.integers(len(recent), size=self.batch)]
        x, masks, actions, rewards, overs, after, next_masks = map(np.array, zip(*rows, strict=True))
        targets = self.targets(rewards, overs, after, next_masks)
        out, here = self.net(x), (np.arange(len(x)), actions)
        q, gradient = out[:, self.n :], np.zeros_like(out)
        gradient[:, : self.n] = -self.direction(softmax(out[:, : self.n], masks), q, masks)
        gradient[:, self.n :][here] = q[here] - targets
        self.net.descend(gradient / len(x))


right(PolicyNetwork)
right(PolicyNetwork, gamma=1.0, hidden=(64, 64))
right(PolicyNetwork, rate=6e-3, per_batch=12, epochs=4)
right(PolicyNetwork, entropy=0.05, mix=0.6, mix_end=0.3)

setting(PolicyNetwork, "learning rate 0 or tiny", "1e-8", rate=1e-8)
setting(PolicyNetwork, "zero reward", "returns of 0", pay=base.nothing)
setting(PolicyNetwork, "loser rewarded", "returns without sign", pay=base.both_win)
setting(PolicyNetwork, "observations cut", "half of the input", see=base.front)
setting(PolicyNetwork, "blind to an entry", "first input is 0", see=base.first_entry_0)
setting(PolicyNetwork, "actions off by one", "actions from 1 to n", aim=base.from_one)
setting(
    PolicyNetwork, "observations scaled otherwise in play", "o / high in training alone",
    features=raw, hidden=(64, 64), see_in_play=lambda o: np.asarray(o) * 8,
)  # fmt: skip


@wrong(PolicyNetwork, "targets", "wrong sign")
def for_one_player(self, rewards, after, overs):
    """Returns of one player: plus."""
    return rewards + self.gamma * np.where(overs, 0, self.net(after)[:, -1])


@wrong(PolicyNetwork, "targets", "bootstrap beyond the end")
def no_flag(self, rewards, after, overs):
    """The value of the last observation counts at an end, too."""
    return rewards - self.gamma * self.net(after)[:, -1]


@wrong(PolicyNetwork, "wanted", "first player's turns alone", "harmless if starts are everywhere")
def turns_of_player_0(self, mover):
    """Batches hold the turns of player_0 alone."""
    return mover == "player_0"


@wrong(PolicyNetwork, "error", "end read one step early")
def over_of_last_time(self, reward, over, cut, observation, after):
    """Flag and reward come from before the step, where the game was not over yet."""
    return 0.0, self.x(after), False


@wrong(PolicyNetwork, "direction", NOT_LISTED)
def entropy_punished(self, p, actions, advantages):
    """Minus the entropy: the policy is sure too early."""
    logs = np.log(p + 1e-9)
    bonus = -p * (logs - (p * logs).sum(axis=1, keepdims=True))
    return PolicyNetwork.direction(self, p, actions, advantages) - 1.5 * bonus
