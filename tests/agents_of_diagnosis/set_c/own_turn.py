"""Q-learning from a player's turn to its next turn: the opponent is part of the environment."""

import numpy as np

from .base import Base, aim, pay, see
from .registry import NOT_LISTED, right, wrong


class Mind:
    """Memory of one move that waits for its result."""

    def __init__(self):
        self.waiting = None
        self.clean = True  # the opponent has not explored since


class OwnTurnQ(Base):
    """PettingZoo's loop; both share a table; no update where the opponent's reply explored."""

    kind = "Q-learning from own turn to own turn, table"
    games_needed = 800
    alpha, gamma, eps, eps_end, greedy_replies = 0.5, 0.95, 0.4, 0.4, True

    def prepare(self):
        self.values = {}

    def q(self, observation):
        return self.values.setdefault(
            str(np.asarray(observation, dtype=float).tolist()), np.zeros(self.n)
        )

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

# fmt: off
wrong(OwnTurnQ, "wrong sign", "subtracts the value of its own next turn",
      future=lambda self, seen: None if not seen["action_mask"].any()
      else -self.q(seen["observation"])[seen["action_mask"] == 1].max())
wrong(OwnTurnQ, "discount 0", "gamma 0", gamma=0.0)
wrong(OwnTurnQ, "learning rate 0 or tiny", "1 // 2 is 0", alpha=1 // 2)
wrong(OwnTurnQ, "rewards clipped to 0..1", "np.clip(r, 0, 1)", pay=pay.clipped)
wrong(OwnTurnQ, "draws as losses", "anything but a win is -1", pay=pay.draw_lost)
wrong(OwnTurnQ, "draws as wins", "anything but a loss is 1", pay=pay.draw_won)
wrong(OwnTurnQ, "players swapped", "-r in the wrapper", pay=pay.swapped)
wrong(OwnTurnQ, "loser rewarded", "abs(r) for both", pay=pay.absolute)
wrong(OwnTurnQ, "normal for misère", "own rule: the last move wins", pay=pay.last_mover)
wrong(OwnTurnQ, "observations cut", "minimum with 1", see=see.at_most_1)
wrong(OwnTurnQ, "blind to the order of entries", "sum and maximum", see=see.total)
wrong(OwnTurnQ, "actions reversed", "n - 1 - a in play", aim=aim.mirrored)
wrong(OwnTurnQ, "observations scaled otherwise in play", "plus 1 in play", play=lambda o: o + 1)
wrong(OwnTurnQ, "counts on the opponent's mistakes", "learns from random replies as from any",
      eps=1.0, eps_end=1.0, alpha=0.05, greedy_replies=False)
wrong(OwnTurnQ, "winners only", "of ends only wins are learned",
      learn=lambda self, waiting, r, over, *rest:
      OwnTurnQ.learn(self, waiting, r, over, *rest) if r > 0 or not over else None)
wrong(OwnTurnQ, "result of the loser never learned", "the loop ends with the winner's move",
      learn=lambda self, waiting, r, over, *rest:
      None if over and r < 0 else OwnTurnQ.learn(self, waiting, r, over, *rest))
wrong(OwnTurnQ, "truncation as end", "over or cut",
      learn=lambda self, waiting, r, over, cut, seen:
      OwnTurnQ.learn(self, waiting, r, over or cut, cut, seen))
wrong(OwnTurnQ, "next state not re-read", "the waiting observation is the next one too",
      learn=lambda self, waiting, r, over, cut, seen: OwnTurnQ.learn(
          self, waiting, r, over, cut, {**seen, "observation": waiting[0]}))
wrong(OwnTurnQ, "end read one step early", "reward and flag of before the opponent's reply",
      learn=lambda self, waiting, r, *rest: OwnTurnQ.learn(
          self, waiting, r if self.env.mover == self.env.agent_selection else 0, *rest))
wrong(OwnTurnQ, "maximum over illegal actions", "q.max()",
      future=lambda self, seen: self.q(seen["observation"]).max())
wrong(OwnTurnQ, "minimum for maximum", "min, though the turn is the mover's own",
      future=lambda self, seen:
      min(self.q(seen["observation"])[seen["action_mask"] == 1], default=None))
wrong(OwnTurnQ, "illegal actions played", "an illegal 0 is better than a loss",
      act=lambda self, o, mask: self.q(o).argmax())
wrong(OwnTurnQ, "argmin", "min() by value",
      act=lambda self, o, mask: min(np.flatnonzero(mask), key=lambda a: self.q(o)[a], default=0))
# fmt: on


def player_0_never_learns(self, agent, minds, game):
    if agent == "player_0":
        minds[agent].waiting = None
    OwnTurnQ.turn(self, agent, minds, game)


def table_thrown_away(self, agent, minds, game):
    if agent == "player_1":
        self.values, self.old = vars(self).setdefault("old", {}), self.values
    OwnTurnQ.turn(self, agent, minds, game)
    if agent == "player_1":
        self.values, self.old = self.old, self.values


def one_waiting_move(self, agent, minds, game):
    minds["player_0"] = minds["player_1"]
    OwnTurnQ.turn(self, agent, minds, game)


wrong(OwnTurnQ, "one seat never learned", "player_0's", turn=player_0_never_learns)
wrong(OwnTurnQ, "first player's turns alone", "second table lost", turn=table_thrown_away)
wrong(OwnTurnQ, NOT_LISTED, "both players share one waiting move", turn=one_waiting_move)
