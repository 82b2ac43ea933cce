"""Q-learning from a player's turn to its next turn: the opponent is part of the environment."""

from __future__ import annotations

import numpy as np

from nim_envs.envs.versus import VersusEnv

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


class Mind:
    """Memory of one move that waits for its result."""

    def __init__(self):
        self.waiting = None
        self.clean = True  # the opponent has not explored since


class OwnTurnQ(Base):
    """PettingZoo's loop; both players share a table.

    Where the opponent has explored, a lower target is not believed and a higher one neither.
    """

    kind = "Q-learning from own turn to own turn, table"
    games_needed = 800
    defaults = {"alpha": 0.5, "eps": 0.4, "eps_end": 0.4, "gamma": 0.95, "greedy_replies": True}

    def prepare(self):
        self.values = {}

    def q(self, observation):
        return self.values.setdefault(str(np.asarray(observation).tolist()), np.zeros(self.n))

    def future(self, seen):
        q, mask = self.q(seen["observation"]), seen["action_mask"]
        return max((q[a] for a in range(self.n) if mask[a]), default=None)

    def learn(self, waiting, reward, over, cut, seen):
        seen_before, action = waiting
        future = 0 if over else self.future(seen)
        if future is None:  # cut while the opponent was to move
            return
        q = self.q(seen_before)
        q[action] += self.alpha * (reward + self.gamma * future - q[action])

    def choose(self, seen, game):
        legal = np.flatnonzero(seen["action_mask"])
        q = self.q(seen["observation"])
        best = legal[q[legal] == q[legal].max()]
        part = game / self.games
        if self.rng.random() < self.eps * (1 - part) + self.eps_end * part:
            action = int(self.rng.choice(legal))
            return action, action in best
        return int(self.rng.choice(best)), True

    def turn(self, agent, minds, game):
        seen, reward, over, cut, _ = self.env.last()
        mind, other = minds[agent], minds["player_1" if agent == "player_0" else "player_0"]
        if mind.waiting and (mind.clean or not self.greedy_replies):
            self.learn(mind.waiting, reward, over, cut, seen)
        if over or cut:
            mind.waiting = None
            self.env.step(None)
            return
        action, greedy = self.choose(seen, game)
        mind.waiting, mind.clean = (seen["observation"], action), True
        other.clean = greedy
        self.env.step(action)

    def train(self):
        for game in range(self.games):
            self.env.reset(seed=self.seed + game)
            minds = {"player_0": Mind(), "player_1": Mind()}
            for agent in self.env.agent_iter():
                self.turn(agent, minds, game)


right(OwnTurnQ)
right(OwnTurnQ, gamma=1.0)
right(OwnTurnQ, alpha=0.8, eps=0.6, gamma=0.9)
right(OwnTurnQ, alpha=0.3, eps=1.0, eps_end=0.2)
right(OwnTurnQ, alpha=0.6, eps=0.9, eps_end=0.3, gamma=0.99)
right(OwnTurnQ, alpha=0.4, eps=0.5, gamma=0.92)

setting(OwnTurnQ, "discount 0", "gamma 0", gamma=0.0)
setting(OwnTurnQ, "learning rate 0 or tiny", "1 // 2 is 0", alpha=1 // 2)
setting(OwnTurnQ, "rewards clipped to 0..1", "np.clip(r, 0, 1)", pay=base.clipped)
setting(OwnTurnQ, "draws as losses", "anything but a win is -1", pay=base.draw_lost)
setting(OwnTurnQ, "draws as wins", "anything but a loss is 1", pay=base.draw_won)
setting(OwnTurnQ, "players swapped", "-r in the wrapper", pay=base.others)
setting(OwnTurnQ, "loser rewarded", "abs(r) for both", pay=base.both_win)
setting(OwnTurnQ, "normal for misère", "own rule: last move wins", pay=base.last_mover_wins)
setting(OwnTurnQ, "observations cut", "minimum with 1", see=base.at_most_1)
setting(OwnTurnQ, "blind to the order of entries", "sum and maximum", see=base.total)
setting(OwnTurnQ, "actions reversed", "n - 1 - a in play", aim=base.mirrored)
setting(
    OwnTurnQ, "counts on the opponent's mistakes",
    "both explore always and a random reply is learned as any", eps=1.0, eps_end=1.0,
    alpha=0.05, greedy_replies=False,
)  # fmt: skip
setting(
    OwnTurnQ, "observations scaled otherwise in play", "plus 1 in play", see_in_play=lambda o: o + 1
)


@wrong(OwnTurnQ, "learn", "wrong sign")
def minus(self, waiting, reward, over, cut, seen):
    """Subtracts the value of the mover's own next turn, as if it were the opponent's."""
    q, future = self.q(waiting[0]), 0 if over else self.future(seen)
    if future is not None:
        q[waiting[1]] += self.alpha * (reward - self.gamma * future - q[waiting[1]])


@wrong(OwnTurnQ, "learn", "winners only")
def wins_alone(self, waiting, reward, over, cut, seen):
    """Transitions with reward -1 are skipped."""
    if reward >= 0:
        OwnTurnQ.learn(self, waiting, reward, over, cut, seen)


@wrong(OwnTurnQ, "learn", "truncation as end")
def no_bootstrap_when_cut(self, waiting, reward, over, cut, seen):
    """over or cut."""
    OwnTurnQ.learn(self, waiting, reward, over or cut, False, seen)


@wrong(OwnTurnQ, "learn", "next state not re-read")
def same_state(self, waiting, reward, over, cut, seen):
    """The observation of the own move is the next observation too, with the new mask."""
    old = {"observation": waiting[0], "action_mask": seen["action_mask"]}
    OwnTurnQ.learn(self, waiting, reward, over, cut, old)


@wrong(OwnTurnQ, "future", "maximum over illegal actions", "harmful where all legal are lost")
def row_max(self, seen):
    """q.max()."""
    return self.q(seen["observation"]).max()


@wrong(OwnTurnQ, "future", "minimum for maximum")
def row_min(self, seen):
    """The opponent's choice: min, but the turn is the mover's own."""
    legal = np.flatnonzero(seen["action_mask"])
    return self.q(seen["observation"])[legal].min() if len(legal) else None


@wrong(OwnTurnQ, "act", "illegal actions played")
def argmax_of_all(self, observation, mask):
    """argmax of all values: a lost position looks worse than an illegal move."""
    return self.q(observation).argmax()


@wrong(OwnTurnQ, "act", "argmin")
def min_key(self, observation, mask):
    """min() of the legal actions, by value."""
    return min(np.flatnonzero(mask), key=lambda a: self.q(observation)[a], default=0)


@wrong(OwnTurnQ, "turn", "result of the loser never learned")
def stops_at_the_end(self, agent, minds, game):
    """When the mover has won, the loop learns its move alone and forgets the other's."""
    ended = self.env.terminations[agent]
    if ended and self.env.rewards.get(agent, 0) < 0:
        minds[agent].waiting = None
    OwnTurnQ.turn(self, agent, minds, game)


@wrong(OwnTurnQ, "turn", "one seat never learned")
def only_player_1(self, agent, minds, game):
    """player_0 moves by the table and never learns."""
    if agent == "player_0":
        minds[agent].waiting = None
    OwnTurnQ.turn(self, agent, minds, game)


@wrong(OwnTurnQ, "turn", "first player's turns alone", "harmless if starts put it everywhere")
def second_by_an_old_table(self, agent, minds, game):
    """player_1 plays by a table of its own that is thrown away."""
    if agent == "player_1":
        self.values, self.old = vars(self).setdefault("old", {}), self.values
    OwnTurnQ.turn(self, agent, minds, game)
    if agent == "player_1":
        self.values, self.old = self.old, self.values


@wrong(OwnTurnQ, "turn", "end read one step early")
def reward_before_the_reply(self, agent, minds, game):
    """Reward and end are read right after the own step, before the opponent has replied."""
    seen, _, over, cut, _ = self.env.last()
    mind = minds[agent]
    if over or cut:
        self.env.step(None)
        return
    if mind.waiting and mind.clean:
        self.learn(mind.waiting, 0, False, False, seen)
    action, greedy = self.choose(seen, game)
    mind.waiting, mind.clean = (seen["observation"], action), True
    self.env.step(action)
    if self.env.terminations[agent]:
        self.learn(mind.waiting, self.env.rewards[agent], True, False, seen)
    for other in minds:
        minds[other].clean = greedy or other == agent


@wrong(OwnTurnQ, "choose", NOT_LISTED)
def same_seed(self, seen, game):
    """The generator is made anew for each move: exploration is always the same."""
    self.rng = np.random.default_rng(self.seed)
    return OwnTurnQ.choose(self, seen, game)


@wrong(OwnTurnQ, "turn", NOT_LISTED)
def one_memory(self, agent, minds, game):
    """Both players share one waiting move, so a move gets the reward of the other's turn."""
    minds["player_0"] = minds["player_1"]
    OwnTurnQ.turn(self, agent, minds, game)


class VersusQ(Base):
    """The learner of a Gymnasium tutorial, in an environment where the opponent replies."""

    kind = "Q-learning against an opponent, Gymnasium"
    games_needed = 800
    make_env = staticmethod(lambda game: VersusEnv(game, opponent="random", seat="random"))
    defaults = {"alpha": 0.1, "epsilon": 0.3, "gamma": 0.99}

    def prepare(self):
        self.table = {}

    def q(self, observation):
        return self.table.setdefault(tuple(np.asarray(observation).tolist()), np.zeros(self.n))

    def train(self):
        for game in range(self.games):
            seen, _ = self.env.reset(seed=self.seed + game)
            over = cut = False
            while not (over or cut):
                q, mask = self.q(seen["observation"]), seen["action_mask"]
                legal = np.flatnonzero(mask)
                action = self.act(seen["observation"], mask)
                if self.rng.random() < self.epsilon:
                    action = self.rng.choice(legal)
                seen, reward, over, cut, _ = self.env.step(int(action))
                legal = np.flatnonzero(seen["action_mask"])
                if over or len(legal):
                    future = 0 if over else self.q(seen["observation"])[legal].max()
                    q[action] += self.alpha * (reward + self.gamma * future - q[action])


setting(VersusQ, "counts on the opponent's mistakes", "learns against random replies")
setting(VersusQ, "counts on the opponent's mistakes", "slowly, all moves tried", epsilon=1.0)
setting(VersusQ, "counts on the opponent's mistakes", "discounted", alpha=0.05, gamma=0.9)
