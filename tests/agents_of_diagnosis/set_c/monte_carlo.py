"""Monte-Carlo control: whole games, then the results of both players."""

import numpy as np

from .base import Base, pay, see
from .registry import NOT_LISTED, right, wrong


class MonteCarlo(Base):
    """Every visit; the return goes back until the last move that was not greedy, or all the way."""

    kind = "Monte-Carlo control in a table"
    games_needed = 800
    epsilon, final, gamma, least, all_the_way = 0.4, 0.4, 0.95, 0.2, False

    def prepare(self):
        self.Q, self.N = {}, {}

    def key(self, observation):
        return tuple(float(x) for x in observation)

    def q(self, observation):
        return self.Q.setdefault(self.key(observation), np.zeros(self.n))

    def behave(self, game):
        return self.epsilon + (self.final - self.epsilon) * game / self.games

    def move(self, seen, game):
        legal, q = np.flatnonzero(seen["action_mask"]), self.q(seen["observation"])
        best = [a for a in legal if q[a] == max(q[legal])]
        a = self.rng.choice(legal if self.rng.random() < self.behave(game) else best)
        return int(a), a in best

    def generate(self, game):
        """Return the moves of a game, and the value of its end to each player."""
        self.env.reset(seed=self.seed + game)
        episode, over, cut = [], False, False
        seen = self.env.last()[0]
        while not (over or cut):
            mover = self.env.agent_selection
            action, greedy = self.move(seen, game)
            episode.append((mover, seen["observation"], action, greedy))
            self.env.step(action)
            seen, _, over, cut, _ = self.env.last()
        result = dict(self.env.rewards)
        if cut and not over:
            best = max(self.q(seen["observation"])[seen["action_mask"] == 1])
            result = dict.fromkeys(result, -best)
            result[self.env.agent_selection] = best
        return episode, result

    def returns(self, episode, result):
        """Return the return of each move, ``None`` where it is not learned."""
        last = len(episode) - 1
        return [self.gamma ** (last - i) * result[mover] for i, (mover, *_) in enumerate(episode)]

    def train(self):
        for game in range(self.games):
            episode, result = self.generate(game)
            returns = self.returns(episode, result)
            moves = zip(episode[::-1], returns[::-1], strict=True)
            for (_, observation, action, greedy), value in moves:
                if value is not None:
                    self.average(observation, action, value)
                if not greedy and not self.all_the_way:
                    break

    def average(self, observation, action, value):
        pair = self.key(observation), action
        self.N[pair] = self.N.get(pair, 0) + 1
        q = self.q(observation)
        q[action] += max(1 / self.N[pair], self.least) * (value - q[action])


right(MonteCarlo)
right(MonteCarlo, gamma=1.0, least=0.3)
right(MonteCarlo, epsilon=0.6, final=0.3, least=0.15)
right(MonteCarlo, epsilon=0.9, final=0.2, least=0.25, gamma=0.9)
right(MonteCarlo, epsilon=0.5, final=0.5, least=0.4)

# fmt: off
wrong(MonteCarlo, "draws as losses", "no win, no point", pay=pay.draw_lost)
wrong(MonteCarlo, "draws as wins", "not lost is won", pay=pay.draw_won)
wrong(MonteCarlo, "rewards clipped to 0..1", "results clipped", pay=pay.clipped)
wrong(MonteCarlo, "players swapped", "the other's result", pay=pay.swapped)
wrong(MonteCarlo, "loser rewarded", "result without its sign", pay=pay.absolute)
wrong(MonteCarlo, "normal for misère", "a last move is a win", pay=pay.last_mover)
wrong(MonteCarlo, "blind to an entry", "entry 0 is 0", see=see.first_0)
wrong(MonteCarlo, "blind to the order of entries", "a histogram", see=see.histogram)
wrong(MonteCarlo, "counts on the opponent's mistakes", "mean over random games",
      epsilon=1.0, final=1.0, all_the_way=True, least=0.0)
wrong(MonteCarlo, "wrong sign", "the last mover's result for all moves, the opponent's too",
      returns=lambda self, episode, result: [
          self.gamma**i * result[episode[-1][0]] for i in range(len(episode))][::-1])
wrong(MonteCarlo, "result of the loser never learned", "moves of the loser are not stored",
      returns=lambda self, *game: [
          value if value >= 0 else None for value in MonteCarlo.returns(self, *game)])
wrong(MonteCarlo, "winners only", "moves of winners alone are averaged", all_the_way=True,
      returns=lambda self, *game: [
          value if value > 0 else None for value in MonteCarlo.returns(self, *game)])
wrong(MonteCarlo, "first player's turns alone", "episode[::2]",
      returns=lambda self, *game: [
          None if i % 2 else value for i, value in enumerate(MonteCarlo.returns(self, *game))])
wrong(MonteCarlo, "one seat never learned", "player_1's moves alone",
      returns=lambda self, episode, result: [
          value if move[0] == "player_1" else None
          for move, value in zip(episode, MonteCarlo.returns(self, episode, result), strict=True)])
wrong(MonteCarlo, "end read one step early", "the loop ends before the last move is stored",
      returns=lambda self, *game: MonteCarlo.returns(self, *game)[:-1] + [None])
wrong(MonteCarlo, "argmin", "takes returns for costs",
      act=lambda self, o, mask: (self.q(o) + 1e9 * (1 - mask)).argmin())
wrong(MonteCarlo, "illegal actions played", "0 of an illegal move beats a loss",
      act=lambda self, o, mask: int(np.argmax(self.q(o))))
wrong(MonteCarlo, NOT_LISTED, "returns are added and never divided",
      average=lambda self, o, a, value: self.q(o).__setitem__(a, self.q(o)[a] + value))
wrong(MonteCarlo, NOT_LISTED, "only the first move of a game is averaged", all_the_way=True,
      returns=lambda self, *game: [
          None if i else value for i, value in enumerate(MonteCarlo.returns(self, *game))])
# fmt: on


def cut_is_drawn(self, game):
    episode, result = MonteCarlo.generate(self, game)
    cut = any(self.env.truncations.values())
    return episode, {agent: 0 if cut else value for agent, value in result.items()}


def estimate_for_result(self, game):
    episode, result = MonteCarlo.generate(self, game)
    mover, observation, action, _ = episode[-1]
    value = self.q(observation)[action]
    return episode, {agent: value if agent == mover else -value for agent in result}


wrong(MonteCarlo, "truncation as end", "a game that is cut is drawn", generate=cut_is_drawn)
wrong(
    MonteCarlo, "end as truncation", "the last estimate replaces the result",
    generate=estimate_for_result,
)  # fmt: skip
