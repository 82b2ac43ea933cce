"""Monte-Carlo control: whole games, then the results of both players."""

from __future__ import annotations

import numpy as np

from . import base
from .base import Base
from .registry import NOT_LISTED, right, setting, wrong


def step_size(count, self):
    return max(1 / count, self.least)


class MonteCarlo(Base):
    """Every visit; the return goes back until the last move that was not greedy, or all the way."""

    kind = "Monte-Carlo control in a table"
    games_needed = 800
    defaults = {
        "epsilon": 0.4, "end": 0.4, "gamma": 0.95, "least": 0.2, "all_the_way": False,
    }  # fmt: skip

    def prepare(self):
        self.Q, self.N = {}, {}

    def key(self, observation):
        return tuple(float(x) for x in observation)

    def q(self, observation):
        return self.Q.setdefault(self.key(observation), np.zeros(self.n))

    def behave(self, game):
        return self.epsilon + (self.end - self.epsilon) * game / self.games

    def move(self, seen, game):
        legal, q = np.flatnonzero(seen["action_mask"]), self.q(seen["observation"])
        best = [a for a in legal if q[a] == max(q[legal])]
        a = self.rng.choice(legal if self.rng.random() < self.behave(game) else best)
        return int(a), a in best

    def play(self, game):
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
            result = {agent: -best for agent in result}
            result[self.env.agent_selection] = best
        return episode, result

    def learn(self, episode, result):
        for back, (mover, observation, action, greedy) in enumerate(reversed(episode)):
            self.average(observation, action, self.gamma**back * result[mover])
            if not greedy and not self.all_the_way:
                break

    def average(self, observation, action, value):
        pair = self.key(observation), action
        self.N[pair] = self.N.get(pair, 0) + 1
        q = self.q(observation)
        q[action] += step_size(self.N[pair], self) * (value - q[action])

    def train(self):
        for game in range(self.games):
            self.learn(*self.play(game))


right(MonteCarlo)
right(MonteCarlo, gamma=1.0, least=0.3)
right(MonteCarlo, epsilon=0.6, end=0.3, least=0.15)
right(MonteCarlo, epsilon=0.9, end=0.2, least=0.25, gamma=0.9)
right(MonteCarlo, epsilon=0.5, end=0.5, least=0.4)

setting(MonteCarlo, "draws as losses", "no win, no point", pay=base.draw_lost)
setting(MonteCarlo, "draws as wins", "not lost is won", pay=base.draw_won)
setting(MonteCarlo, "rewards clipped to 0..1", "results clipped", pay=base.clipped)
setting(MonteCarlo, "zero reward", "results forgotten", pay=base.nothing)
setting(MonteCarlo, "players swapped", "the other's result", pay=base.others)
setting(MonteCarlo, "loser rewarded", "result without its sign", pay=base.both_win)
setting(MonteCarlo, "normal for misère", "a last move is a win", pay=base.last_mover_wins)
setting(MonteCarlo, "blind to an entry", "entry 0 is 0", see=base.first_entry_0)
setting(MonteCarlo, "blind to the order of entries", "a histogram", see=base.histogram)
setting(MonteCarlo, "observations halved", "o // 2", see=base.halves)
setting(MonteCarlo, "discount 0", "the last move alone has a return", gamma=0.0)
setting(
    MonteCarlo, "counts on the opponent's mistakes", "mean over random games", epsilon=1.0, end=1.0,
    all_the_way=True, least=0.0,
)  # fmt: skip
setting(
    MonteCarlo, "counts on the opponent's mistakes", "explores by 0.9, slow mean", epsilon=0.9,
    end=0.9, all_the_way=True, least=0.02,
)  # fmt: skip


@wrong(MonteCarlo, "learn", "wrong sign", all_the_way=True)
def one_result(self, episode, result):
    """The last mover's result is the return of all moves, the opponent's too."""
    value = result[episode[-1][0]]
    for back, (_, observation, action, greedy) in enumerate(reversed(episode)):
        self.average(observation, action, self.gamma**back * value)
        if not greedy:
            break


@wrong(MonteCarlo, "learn", "result of the loser never learned")
def without_the_loser(self, episode, result):
    """Moves of a player that has lost are not stored."""
    for back, (mover, observation, action, greedy) in enumerate(reversed(episode)):
        if result[mover] >= 0:
            self.average(observation, action, self.gamma**back * result[mover])
        if not greedy:
            break


@wrong(MonteCarlo, "learn", "winners only")
def moves_of_winners(self, episode, result):
    """Only a winner's moves are averaged, all the way."""
    for mover, observation, action, _ in episode:
        if result[mover] > 0:
            self.average(observation, action, 1.0)


@wrong(MonteCarlo, "learn", "first player's turns alone", "harmless where starts are everywhere")
def even_moves(self, episode, result):
    """episode[::2]: the first player's moves."""
    greedy = True
    for back, (mover, observation, action, best) in reversed(list(enumerate(episode))):
        if back % 2 == 0 and greedy:
            self.average(observation, action, self.gamma ** (len(episode) - back) * result[mover])
        greedy = greedy and best


@wrong(MonteCarlo, "learn", "one seat never learned", "harmless where starts are everywhere")
def seat_1(self, episode, result):
    """player_1's moves alone are averaged."""
    for back, (mover, observation, action, greedy) in enumerate(reversed(episode)):
        if mover == "player_1":
            self.average(observation, action, self.gamma**back * result[mover])
        if not greedy:
            break


@wrong(MonteCarlo, "learn", "end read one step early")
def without_the_last(self, episode, result):
    """The last move is missing: the loop ends before it is stored."""
    MonteCarlo.learn(self, episode[:-1], result)


@wrong(MonteCarlo, "play", "truncation as end")
def unfinished_is_drawn(self, game):
    """A game that is cut counts as a draw."""
    episode, result = MonteCarlo.play(self, game)
    cut = any(self.env.truncations.values())
    return episode, {agent: 0 if cut else value for agent, value in result.items()}


@wrong(MonteCarlo, "play", "end as truncation")
def estimate_at_the_end(self, game):
    """The end is taken for a cut: the return is the estimate of the last move, not the result."""
    episode, result = MonteCarlo.play(self, game)
    mover, observation, action, _ = episode[-1]
    value = 0.5 * result[mover] * (len(episode) == 1) + self.q(observation)[action]
    return episode, {agent: value if agent == mover else -value for agent in result}


@wrong(MonteCarlo, "act", "argmin")
def lowest_return(self, observation, mask):
    """Takes returns for costs."""
    return (self.q(observation) + 1e9 * (1 - mask)).argmin()


@wrong(MonteCarlo, "act", "illegal actions played")
def best_of_row(self, observation, mask):
    """Forgets the mask in play: 0 for an illegal move beats a loss."""
    return int(np.argmax(self.q(observation)))


@wrong(MonteCarlo, "act", "same action always")
def most_frequent(self, observation, mask):
    """The action that is legal and was taken most often in all games."""
    counts = np.bincount([a for _, a in self.N], weights=list(self.N.values()), minlength=self.n)
    return np.where(mask, counts, -1).argmax()


@wrong(MonteCarlo, "average", NOT_LISTED)
def sum_of_returns(self, observation, action, value):
    """Adds returns and never divides: frequent moves win."""
    self.q(observation)[action] += value


@wrong(MonteCarlo, "learn", NOT_LISTED)
def first_move_alone(self, episode, result):
    """Only the first move of each game is averaged."""
    mover, observation, action, _ = episode[0]
    self.average(observation, action, result[mover])
