"""Learners from whole games: Monte-Carlo control, and REINFORCE with a baseline."""

from collections import Counter, defaultdict

import numpy as np

from .learner import Array, Key, Move, TableLearner, softmax
from .registry import MISTAKES, fault, faults, right, setting


class MonteCarlo(TableLearner):
    """Every-visit Monte-Carlo control with a constant rate."""

    kind = "Monte-Carlo control"
    games_needed = 2000
    rate = 0.1
    epsilon = 0.7
    last_epsilon = 0.02

    def _learn_game(self) -> None:
        game = list(self._moves())
        game[-1] = self._estimated(game[-1])
        for move, gain in zip(game, self._returns(game), strict=True):
            self._credit(move, gain)

    def _estimated(self, last: Move) -> Move:
        """Return the last move with a result, in a truncated game that of the best values."""
        if not last.cut:
            return last
        value = float(np.max(self._value(last.after)[last.after_mask]))
        rewards = (value, -value) if last.seat else (-value, value)
        return last._replace(reward=-value, rewards=rewards)

    def _returns(self, game: list[Move]) -> list[float]:
        results = game[-1].rewards
        left = range(len(game) - 1, -1, -1)
        return [results[move.seat] * self.discount**n for move, n in zip(game, left, strict=True)]

    def _credit(self, move: Move, gain: float) -> None:
        row = self.q[self._key(move.state)]
        row[move.action] += self.rate * (gain - row[move.action])


class MeanReturns(MonteCarlo):
    """Averages the returns, later ones with a rate that stays at 1 / 25."""

    def _build(self) -> None:
        super()._build()
        self.counts: Counter[tuple[Key, int]] = Counter()

    def _credit(self, move: Move, gain: float) -> None:
        place = self._key(move.state), move.action
        self.counts[place] += 1
        row = self.q[place[0]]
        row[move.action] += (gain - row[move.action]) / min(self.counts[place], 25)


right(MonteCarlo)
right(MonteCarlo, rate=0.2, discount=0.95)
right(MonteCarlo, rate=0.1, discount=0.9, games=3000)
right(MeanReturns, games=3000)
right(MeanReturns, games=3000, discount=0.95, epsilon=0.5)


class Reinforce(TableLearner):
    """Softmax of a table of preferences, with a baseline for each position."""

    kind = "REINFORCE"
    games_needed = 3000
    rate = 0.3
    baseline_rate = 0.1

    def _build(self) -> None:
        super()._build()
        self.baseline: defaultdict[Key, float] = defaultdict(float)

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        return int(self.rng.choice(self.actions, p=softmax(self._scores(state), mask)))

    def _value(self, state: Array) -> float:
        return self.baseline[self._key(state)]

    def _learn_game(self) -> None:
        game = list(self._moves())
        if game[-1].cut:
            game[-1] = game[-1]._replace(reward=-self._value(game[-1].after))
        for move, gain in zip(game, self._returns(game), strict=True):
            self._push(move, gain)

    def _returns(self, game: list[Move]) -> list[float]:
        gains = [0.0] * len(game)
        gain = 0.0
        for i, move in reversed(list(enumerate(game))):
            gain = move.reward - self.discount * gain
            gains[i] = gain
        return gains

    def _push(self, move: Move, gain: float) -> None:
        key = self._key(move.state)
        advantage = gain - self.baseline[key]
        self.baseline[key] += self.baseline_rate * advantage
        slope = -softmax(self.q[key], move.mask)
        slope[move.action] += 1.0
        self.q[key] += self.rate * advantage * slope


right(Reinforce)
right(Reinforce, rate=0.5, discount=0.95)
right(Reinforce, rate=0.2, discount=0.9, games=5000)
right(Reinforce, rate=0.3, baseline_rate=0.0, games=4000)


@faults
class MonteCarloFaults(MonteCarlo):
    @fault("players swapped", "_returns")
    def index_of_next_seat(self, game: list[Move]) -> list[float]:
        """Counts seats on after every step, and credits each move to the seat that comes next."""
        return [game[-1].rewards[1 - move.seat] for move in game]

    @fault("result of the loser never learned", "_learn_game")
    def forgets_reply(self) -> None:
        """Leaves out the move before the last, as it takes the last pair of moves for one."""
        game = list(self._moves())
        if game[-1].ended:
            gains = self._returns(game)
            for i in [*range(len(game) - 2), len(game) - 1]:
                self._credit(game[i], gains[i])

    @fault("loser rewarded", "_returns")
    def one_gain_for_all(self, game: list[Move]) -> list[float]:
        """Computes the return once, from the last mover's reward, and gives it to every move."""
        return [sum(move.reward for move in game)] * len(game)

    @fault("winners only", "_credit")
    def discards_losses(self, move: Move, gain: float) -> None:
        """Learns from the winner's moves alone, which all have the return 1."""
        if gain > 0:
            super()._credit(move, gain)

    @fault("rewards clipped to 0..1", "_returns")
    def win_rate(self, game: list[Move]) -> list[float]:
        """Counts wins, a draw as none: returns are 1 or 0."""
        return [max(gain, 0.0) for gain in super()._returns(game)]

    @fault("draws as wins", "_returns")
    def loser_or_not(self, game: list[Move]) -> list[float]:
        """Compares the seat with the loser, who is nobody in a drawn game."""
        return [-1.0 if game[-1].rewards[move.seat] < 0 else 1.0 for move in game]

    @fault("end read one step early", "_learn_game")
    def returns_off_by_one(self) -> None:
        """Slices ``game[:-1]``, for a last entry that is no move."""
        *game, last = self._moves()
        for move in game if last.ended else ():
            self._credit(move, last.rewards[move.seat])

    @fault("argmin", "_play")
    def lowest_return(self, state: Array, mask: Array) -> int:
        """Takes returns for costs in play."""
        return int(np.where(mask, self._scores(state), np.inf).argmin())

    @fault("one seat never learned", "_learn_game")
    def every_second_move(self) -> None:
        """Steps by two from the second move: ``game[1::2]``."""
        game = list(self._moves())
        for move, gain in list(zip(game, self._returns(game), strict=True))[1::2]:
            self._credit(move, gain)

    @fault("normal for misère", "_returns")
    def assumes_normal_play(self, game: list[Move]) -> list[float]:
        """Knows that games end when no move is left, and takes the last mover for the winner."""
        return [1.0 if move.seat == game[-1].seat else -1.0 for move in game]

    @fault("truncation as end", "_learn_game")
    def cut_is_loss(self) -> None:
        """Gives -1 to player_0 in games that were cut, as its turn it was."""
        game = list(self._moves())
        lost = (-1.0, 1.0) if game[-1].cut else game[-1].rewards
        for move in game:
            self._credit(move, lost[move.seat])

    @fault("observations cut", "_key")
    def clips_entries(self, state: Array) -> Key:
        """Clips entries to 1, as another environment's observations were."""
        return super()._key(np.clip(state, 0, 1))

    @fault("observations halved", "_key")
    def half_precision(self, state: Array) -> Key:
        """Rounds half of each entry for the key."""
        return super()._key(np.round(np.asarray(state) / 2))


# Averages the returns of random games.
setting(MeanReturns, MISTAKES, "MeanOfRandomPlay", epsilon=1.0, last_epsilon=1.0)


@faults
class ReinforceFaults(Reinforce):
    @fault("players swapped", "_returns")
    def minus_at_the_end(self, game: list[Move]) -> list[float]:
        """Folds the return with its sign after the last reward, not before it."""
        return [-gain for gain in super()._returns(game)]

    @fault("winners only", "_push")
    def imitates(self, move: Move, gain: float) -> None:
        """Filters the batch for moves with a positive return, to learn from good examples."""
        if gain > 0:
            super()._push(move, gain)

    @fault("zero reward", "_returns")
    def result_from_info(self, game: list[Move]) -> list[float]:
        """Looks for the winner in the infos, where there is none."""
        infos = [self.env.infos[name] for name in self.env.possible_agents]
        return [float(infos[move.seat].get("winner", 0.0)) for move in game]

    @fault("end read one step early", "_returns")
    def skips_last_gain(self, game: list[Move]) -> list[float]:
        """Pairs moves with returns from the second on: each gets the return of the next one."""
        gains = super()._returns(game)
        return [*(-gain for gain in gains[1:]), 0.0]

    @fault("illegal actions played", "_play")
    def policy_without_mask(self, state: Array, mask: Array) -> int:
        """Masks while sampling, and not in play."""
        return int(np.argmax(self._scores(state)))

    @fault("first player's turns alone", "_learn_game")
    def even_moves(self) -> None:
        """Learns ``game[::2]``: its own moves, if it were player_0."""
        game = list(self._moves())
        for move, gain in list(zip(game, self._returns(game), strict=True))[::2]:
            self._push(move, gain)

    @fault("same action always", "_key")
    def one_preference(self, state: Array) -> Key:
        """Looks preferences up by the game's number, in effect one row for all positions."""
        return ()

    @fault("actions reversed", "_play")
    def mirrors_actions(self, state: Array, mask: Array) -> int:
        """Mirrors the board for the second player, and never back: actions count from the end."""
        return int(np.flatnonzero(mask)[::-1][super()._play(state, mask) % int(mask.sum())])

    @fault("actions off by one", "_play")
    def next_legal(self, state: Array, mask: Array) -> int:
        """Plays the legal action after the best one, with a wrong bound of ``searchsorted``."""
        legal = np.flatnonzero(mask)
        place = np.searchsorted(legal, super()._play(state, mask), side="right")
        return int(legal[place % len(legal)])
