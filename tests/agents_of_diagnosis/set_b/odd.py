"""Agents with faults that are not in the list."""

from collections import defaultdict

import numpy as np

from .actor_critic import Ppo
from .dqn import Dqn, Memory
from .episodes import MeanReturns, MonteCarlo, Reinforce
from .learner import Array, Key, Move, best, softmax
from .q_learning import NegamaxQ
from .registry import NOT_LISTED, fault, faults, faulty, setting
from .sarsa import Sarsa


@faulty(NOT_LISTED)
class SharedArrays(Dqn):
    """Writes all positions into one array, of which the buffer holds references."""

    page: Array | None = None

    def _store(self, move: Move) -> None:
        here = self._features(move.state)
        self.page = here if self.page is None else self.page
        self.page[:] = here
        after = self._features(move.after)
        self._keep(Memory(self.page, move.action, move.reward, after, move.after_mask, move.ended))


@faulty(NOT_LISTED)
class SeatInKey(NegamaxQ):
    """Adds the seat to the key, and looks the next position up with the seat of the mover."""

    seat = 0

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        self.seat = seat
        return super()._act(state, mask, seat)

    def _key(self, state: Array) -> Key:
        return (*super()._key(state), self.seat)

    def _play(self, state: Array, mask: Array) -> int:
        self.seat = 0
        return super()._play(state, mask)


@faulty(NOT_LISTED)
class RemembersCalls(NegamaxQ):
    """Adds a trace of the positions of earlier calls to the values, as a hidden state not reset."""

    trace: Array | None = None

    def _play(self, state: Array, mask: Array) -> int:
        row = self._scores(state)
        self.trace = row if self.trace is None else 0.7 * self.trace + row
        return best(self.trace, mask)


@faults
class DqnFaults(Dqn):
    @fault(NOT_LISTED, "_keep")
    def overwritten_buffer(self, memory: Memory) -> None:
        """Never moves the index of its ring buffer: every batch is one move, many times."""
        self.buffer = [memory] * self.batch


@faults
class PpoFaults(Ppo):
    @fault(NOT_LISTED, "_fit")
    def normalized_away(self, moves: list[Move], gains: Array) -> None:
        """Normalizes advantages in batches of one move: all are 0."""
        for move, gain in zip(moves, gains, strict=True):
            batch = np.array([gain])
            super()._fit([move], (batch - batch.mean()) / (batch.std() + 1e-8))


@faults
class NegamaxQFaults(NegamaxQ):
    @fault(NOT_LISTED, "_update")
    def mask_of_before(self, move: Move) -> None:
        """Applies the mask of the position before the move to the replies after it."""
        super()._update(move._replace(after_mask=move.mask))

    @fault(NOT_LISTED, "_play")
    def explores_in_play(self, state: Array, mask: Array) -> int:
        """Plays with the epsilon of its first game, 1."""
        return int(self.rng.choice(np.flatnonzero(mask)))

    @fault(NOT_LISTED, "_play")
    def index_among_legal(self, state: Array, mask: Array) -> int:
        """Plays the index among the legal actions in place of the action."""
        return int(self._scores(state)[mask].argmax())

    @fault(NOT_LISTED, "_table")
    def one_row_for_all(self) -> defaultdict[Key, Array]:
        """Makes the table's default row once, so that all positions share it."""
        row = np.zeros(self.actions)
        return defaultdict(lambda: row)

    @fault(NOT_LISTED, "_play")
    def permuted_ties(self, state: Array, mask: Array) -> int:
        """Shuffles values to break ties, and returns the index in the shuffled row."""
        order = self.rng.permutation(self.actions)
        return best(self._scores(state)[order], mask[order])


@faults
class ReinforceFaults(Reinforce):
    @fault(NOT_LISTED, "_play")
    def samples_in_play(self, state: Array, mask: Array) -> int:
        """Samples from a softmax with a temperature of 5 in play."""
        return int(self.rng.choice(self.actions, p=softmax(self._scores(state) / 5, mask)))


@faults
class SarsaFaults(Sarsa):
    @fault(NOT_LISTED, "_key")
    def colliding_keys(self, state: Array) -> Key:
        """Hashes positions to three buckets."""
        return (sum((i + 1) * entry for i, entry in enumerate(super()._key(state))) % 3,)


@faults
class MeanReturnsFaults(MeanReturns):
    @fault(NOT_LISTED, "_credit")
    def global_mean(self, move: Move, gain: float) -> None:
        """Divides updates by the number of all games, not of this action."""
        row = self.q[self._key(move.state)]
        row[move.action] += gain / (self.played + 1)


@faults
class MonteCarloFaults(MonteCarlo):
    @fault(NOT_LISTED, "_returns")
    def returns_in_wrong_order(self, game: list[Move]) -> list[float]:
        """Computes returns from the end, and forgets to reverse the list."""
        return super()._returns(game)[::-1]


# Has its schedule the wrong way round: it ends with random moves, which SARSA values.
setting(Sarsa, NOT_LISTED, "EpsilonGrows", epsilon=0.02, last_epsilon=1.0)
# Has an epsilon of 0 and pessimistic first values: it repeats what did not lose.
setting(NegamaxQ, NOT_LISTED, "NeverExplores", epsilon=0.0, last_epsilon=0.0, start=-0.5)
