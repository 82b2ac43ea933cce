"""Tabular Q-learning in self-play, negamax: the next position is the opponent's."""

from collections import Counter

import numpy as np

from .learner import Array, Key, Move, TableLearner, best
from .registry import fault, faults, faulty, right, setting


class NegamaxQ(TableLearner):
    """Learns after every move from the opponent's best reply."""

    kind = "negamax Q-learning"
    random_ties = False

    def _learn_game(self) -> None:
        for move in self._moves():
            self._update(move)

    def _update(self, move: Move) -> None:
        row = self.q[self._key(move.state)]
        row[move.action] += self.rate * (self._target(move) - row[move.action])

    def _target(self, move: Move) -> float:
        if move.ended:
            return move.reward
        reply = self.q[self._key(move.after)][move.after_mask].max()
        return float(move.reward - self.discount * reply)

    def _play(self, state: Array, mask: Array) -> int:
        if not self.random_ties:
            return super()._play(state, mask)
        scores = np.where(mask, self._scores(state), -np.inf)
        return int(self.rng.choice(np.flatnonzero(scores == scores.max())))


class BackwardQ(NegamaxQ):
    """Replays each game from its last move to its first."""

    def _learn_game(self) -> None:
        for move in reversed(list(self._moves())):
            self._update(move)


class TwoTables(NegamaxQ):
    """Keeps a table for each seat; plays by the one that knows the position better."""

    def _build(self) -> None:
        self.tables = [self._table(), self._table()]
        self.visits: list[Counter[Key]] = [Counter(), Counter()]
        self.seat = 0

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        self.seat = seat
        return super()._act(state, mask, seat)

    def _scores(self, state: Array) -> Array:
        return self.tables[self.seat][self._key(state)]

    def _value(self, state: Array) -> Array:
        key = self._key(state)
        return self.tables[int(self.visits[1][key] > self.visits[0][key])][key]

    def _play(self, state: Array, mask: Array) -> int:
        return best(self._value(state), mask)

    def _update(self, move: Move) -> None:
        key = self._key(move.state)
        self.visits[move.seat][key] += 1
        self.q = self.tables[1 - move.seat]
        row = self.tables[move.seat][key]
        row[move.action] += self.rate * (self._target(move) - row[move.action])


right(NegamaxQ, games=300)
right(NegamaxQ, games=300, rate=0.5, discount=0.9)
right(NegamaxQ, games=600, rate=0.1, epsilon=1.0)
right(NegamaxQ, games=300, rate=1.0, discount=0.95)
right(NegamaxQ, games=400, rate=0.3, epsilon=1.0, last_epsilon=1.0)
right(NegamaxQ, games=300, start=1.0, rate=0.4, random_ties=True)
right(NegamaxQ, games=400, start=-1.0, epsilon=0.9, last_epsilon=0.3)
right(BackwardQ, games=200, rate=0.5)
right(BackwardQ, games=200, rate=0.2, discount=0.9)
right(TwoTables, games=600)
right(TwoTables, games=600, rate=0.6, discount=0.98)


@faulty("bootstrap beyond the end")
class NextGamesStart(NegamaxQ):
    """Closes a game's last transition with the first position of the next game."""

    waiting: Move | None = None

    def _learn_game(self) -> None:
        for move in self._moves():
            if self.waiting is not None:
                end = self.waiting
                self._update(end._replace(after=move.state, after_mask=move.mask, ended=False))
            self.waiting = move


@faults
class NegamaxQFaults(NegamaxQ):
    @fault("one seat never learned", "_update")
    def learns_second_seat(self, move: Move) -> None:
        """Learns if ``agents.index(agent)`` is true, which 0 is not."""
        if self.env.possible_agents.index(f"player_{move.seat}"):
            super()._update(move)

    @fault("wrong sign", "_target")
    def adds_best_reply(self, move: Move) -> float:
        """Adds the best value of the next position, as the formula of a text book has it."""
        following = self.q[self._key(move.after)][move.after_mask]
        return move.reward + self.discount * float(following.max() if following.size else 0.0)

    @fault("players swapped", "_update")
    def reward_of_next_agent(self, move: Move) -> None:
        """Reads the reward with ``env.last()`` after the step, which is the opponent's by then."""
        super()._update(move._replace(reward=move.rewards[1 - move.seat]))

    @fault("draws as losses", "_target")
    def not_won_is_lost(self, move: Move) -> float:
        """Takes every finished game that was not won for a loss."""
        return (1.0 if move.reward > 0 else -1.0) if move.ended else super()._target(move)

    @fault("end read one step early", "_target")
    def one_reply_is_the_end(self, move: Move) -> float:
        """Tests ``mask.sum() <= 1`` for the end, so that a forced reply is never looked at."""
        if move.after_mask.sum() <= 1:
            return move.reward
        return super()._target(move)

    @fault("next state not re-read", "_target")
    def stale_observation(self, move: Move) -> float:
        """Observes once before the step, and takes this for the next observation, too."""
        if move.ended:
            return move.reward
        return float(move.reward - self.discount * self._scores(move.state)[move.mask].max())

    @fault("maximum over illegal actions", "_target")
    def maximum_of_row(self, move: Move) -> float:
        """Takes the maximum of the whole row, where illegal actions keep their first value."""
        if move.ended:
            return move.reward
        return float(move.reward - self.discount * np.max(self.q[self._key(move.after)]))

    @fault("illegal actions played", "_play")
    def argmax_of_row(self, state: Array, mask: Array) -> int:
        """Explores legal actions, but plays ``argmax`` of the whole row at the end."""
        return int(np.argmax(self._scores(state)))

    @fault("minimum for maximum", "_target")
    def worst_reply(self, move: Move) -> float:
        """Negates the minimum of the opponent's values for their maximum."""
        if move.ended:
            return move.reward
        return float(move.reward - self.discount * self._scores(move.after)[move.after_mask].min())

    @fault("argmin", "_play")
    def sorts_upwards(self, state: Array, mask: Array) -> int:
        """Sorts legal actions by value and plays the first."""
        row = self._scores(state)
        return int(min(np.flatnonzero(mask), key=lambda action: float(row[action])))

    @fault("first player's turns alone", "_update")
    def only_first_seat(self, move: Move) -> None:
        """Skips the turns of player_1, as in an environment with one agent."""
        if self.env.possible_agents[move.seat].endswith("_0"):
            super()._update(move)

    @fault("normal for misère", "_target")
    def last_mover_wins(self, move: Move) -> float:
        """Ignores rewards: whoever leaves no move has won."""
        if not move.after_mask.any():
            return 1.0
        return super()._target(move._replace(reward=0.0))

    @fault("same action always", "_play")
    def column_argmax(self, state: Array, mask: Array) -> int:
        """Takes the argmax of the mean row: ``axis=0`` where ``axis=1`` was meant."""
        return best(np.mean(list(self.q.values()), axis=0), mask)

    @fault("blind to an entry", "_key")
    def drops_first_entry(self, state: Array) -> Key:
        """Takes ``observation[1:]`` for the key, as if the first entry were the player."""
        return super()._key(np.ravel(state)[1:])

    @fault("blind to the order of entries", "_key")
    def sorted_key(self, state: Array) -> Key:
        """Sorts the entries for a smaller table, as if all were heaps."""
        return tuple(sorted(super()._key(state)))

    @fault("observations cut", "_key")
    def binary_key(self, state: Array) -> Key:
        """Keeps only whether each entry is over 0."""
        return super()._key(np.ravel(state) > 0)

    @fault("observations halved", "_key")
    def halved_key(self, state: Array) -> Key:
        """Divides the entries by 2, as integers, for a coarser table."""
        return super()._key(np.ravel(state) // 2)

    @fault("observations scaled otherwise in play", "_play")
    def normalized_in_play(self, state: Array, mask: Array) -> int:
        """Learns from raw observations, and divides by the largest value in play."""
        return super()._play(np.asarray(state) / max(1, np.max(self.space.high)), mask)

    @fault("actions off by one", "_play")
    def counts_from_one(self, state: Array, mask: Array) -> int:
        """Numbers actions from 1 in its table, and forgets to subtract in play."""
        return (super()._play(state, mask) + 1) % self.actions

    @fault("truncation as end", "_target")
    def cut_is_lost(self, move: Move) -> float:
        """Treats a truncation as the end, lost by the player who ran out of moves."""
        return 1.0 if move.cut else super()._target(move)

    @fault("end as truncation", "_target", start=0.5)
    def endless_q(self, move: Move) -> float:
        """Mixes up the two flags: bootstraps at an end, with no reward, and not at a cut."""
        if move.cut:
            return move.reward
        legal = move.after_mask if move.after_mask.any() else np.ones(self.actions, dtype=bool)
        return float(-self.discount * self._scores(move.after)[legal].max())


# Sets gamma to 0 for a first test, and never changes it.
setting(NegamaxQ, "discount 0", "Shortsighted", discount=0.0)


# Divides as integers: 3 // 10.
setting(NegamaxQ, "learning rate 0 or tiny", "IntegerRate", rate=3 // 10)
