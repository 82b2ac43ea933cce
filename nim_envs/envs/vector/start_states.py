"""Start positions as arrays for the compiled code."""

from __future__ import annotations

import numpy as np

from nim_envs.envs.vector.games import Starts
from nim_envs.envs.vector.tables import GameTables, packed_states
from nim_envs.errors import SearchTooLargeError
from nim_envs.starts import Sampler


class StartStates:
    """The starts of one distribution, as the packed states of groups.

    Positions that can be listed are listed once, and games draw from the list. Otherwise one start
    is drawn in advance for every game, and replaced once the game has begun from it.

    Args:
        sampler: draws the starts.
        tables: groups and packed states of the game.
        size: number of games.

    Attributes:
        arrays: arguments of the compiled functions.
    """

    def __init__(self, sampler: Sampler, tables: GameTables, size: int) -> None:
        self._sampler = sampler
        try:
            positions, probabilities = sampler.support()
        except SearchTooLargeError:
            states = np.zeros((len(tables.grouping.members), size), dtype=np.uint32)
            self.arrays = Starts(
                states, np.zeros(0), prepared=True, used=np.ones(size, dtype=np.uint8)
            )
            return
        equal = np.allclose(probabilities, 1 / len(probabilities), rtol=1e-9, atol=0.0)
        self.arrays = Starts(
            packed_states(tables.arrays, tables.grouping.states(positions)),
            np.zeros(0) if equal else np.cumsum(probabilities),
            prepared=False,
            used=np.zeros(0, dtype=np.uint8),
        )

    def discard(self) -> None:
        """Discard the prepared starts: they were drawn before the generator was seeded."""
        self.arrays.used[:] = 1

    def prepare(self, rng: np.random.Generator, tables: GameTables) -> None:
        """Draw new starts for the games that have used theirs."""
        if self.arrays.prepared:
            used = np.flatnonzero(self.arrays.used)
            if len(used):
                drawn = self._sampler.sample(rng, len(used))
                states = tables.grouping.states(drawn)
                self.arrays.states[:, used] = packed_states(tables.arrays, states)
                self.arrays.used[used] = 0
