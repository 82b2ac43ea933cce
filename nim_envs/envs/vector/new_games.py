"""New games: seeds, starts and seats; start positions as arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled
from nim_envs.envs.vector.games import (
    AGENT,
    NEW_GAME,
    ONGOING,
    OPPONENT,
    Games,
    Settings,
    Starts,
    select,
)
from nim_envs.envs.vector.random_numbers import GAMMA, MIX_1, fraction, mixed
from nim_envs.envs.vector.tables import GameTables, packed_states
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.rules import Rules
from nim_envs.starts import Sampler
from nim_envs.typing import BoolArray, WordArray

U63 = np.uint64(63)


class StartStates:
    """The starts of one distribution, as the packed states of groups.

    Positions that can be listed are listed once, and games draw from the list. Otherwise one start
    is drawn in advance for every game, and replaced once the game has begun from it.

    Args:
        sampler: draws the starts.
        rules: rules of the game.
        tables: groups and packed states of the game.
        size: number of games.

    Attributes:
        arrays: arguments of the compiled functions.
    """

    def __init__(self, sampler: Sampler, rules: Rules, tables: GameTables, size: int) -> None:
        self._sampler, self._rules = sampler, rules
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
            packed_states(tables.arrays, tables.grouping.states(rules.positions_at(positions))),
            np.zeros(0) if equal else np.cumsum(probabilities),
            prepared=False,
            used=np.zeros(0, dtype=np.uint8),
        )

    def discard(self) -> None:
        """Discard the prepared starts: they were drawn before the generator was seeded."""
        self.arrays.used[:] = 1

    def prepare(self, rng: np.random.Generator, tables: GameTables) -> None:
        """Draw new starts for the games that have used theirs.

        The tables are an argument, as pickles hold the starts without them.
        """
        if self.arrays.prepared:
            used = np.flatnonzero(self.arrays.used)
            if len(used):
                positions = self._rules.positions_at(self._sampler.sample(rng, len(used)))
                states = tables.grouping.states(positions)
                self.arrays.states[:, used] = packed_states(tables.arrays, states)
                self.arrays.used[used] = 0


@compiled
def seed_games(
    game_rng: WordArray, action_rng: WordArray, seeds: WordArray, which: BoolArray
) -> None:
    """Seed the random numbers of the games in ``which``, each by its own entry of ``seeds``."""
    for i in range(len(seeds)):
        if which[i]:
            game_rng[i] = mixed(mixed(seeds[i] + GAMMA))
            action_rng[i] = mixed(game_rng[i] ^ MIX_1)


@compiled(inner=True)
def replace_finished(games: Games, first: int, last: int) -> None:
    """Mark finished games for replacement by new ones."""
    outcome, due = games.outcomes[first:last], games.due[first:last]
    for i in range(last - first):
        due[i] = select(np.uint8(outcome[i] != ONGOING), NEW_GAME, AGENT)
        outcome[i] = ONGOING


@compiled(inner=True)
def draw_start(cumulative: npt.NDArray[np.float64], count: int, bits: np.uint64) -> int:
    """Return the index of the start, out of ``count``, that random ``bits`` choose."""
    uniform = fraction(bits)
    if len(cumulative) == 0:
        return int(uniform * count)
    # The first cumulative sum above it; rounding may leave the last one slightly below 1.
    return min(int(np.searchsorted(cumulative, uniform, side="right")), count - 1)


@compiled(inner=True)
def begin(starts: Starts, games: Games, settings: Settings, first: int, last: int) -> None:
    """Begin the new games that are due, unless the prepared start is used already."""
    size = last - first
    new = np.empty(size, dtype=np.uint8)  # 1 where a game begins
    states, used, prepared = games.states, starts.used, starts.prepared
    rng, outcome = games.game_rng[first:last], games.outcomes[first:last]
    due, seats = games.due[first:last], games.seats[first:last]
    move_counts = games.move_counts[first:last]
    count = starts.states.shape[1]
    for i in range(size):
        new[i] = due[i] == NEW_GAME
    if count == 1 and not prepared and settings.agent_seat >= 0:
        # All begin at the same position and in the same seat: no branch is needed.
        for group in range(len(states)):
            packed, start = states[group, first:last], starts.states[group, 0]
            for i in range(size):
                packed[i] = start if new[i] else packed[i]
        agent_seat = np.uint8(settings.agent_seat)
        for i in range(size):
            seats[i] = np.int8(select(new[i], agent_seat, np.uint8(seats[i])))
    else:
        chosen = np.empty(size, dtype=np.uint32)  # indices of the games that begin
        length = 0
        for i in range(size):
            chosen[length] = i
            length += new[i]
        for j in range(length):
            at = np.uint64(chosen[j])
            game = np.uint64(first) + at
            column = np.int64(0)
            if prepared:
                if used[game]:
                    new[at] = 0
                    continue
                used[game] = 1
                column = np.int64(game)
            elif count > 1:
                rng[at] += GAMMA
                column = np.int64(draw_start(starts.cumulative, count, mixed(rng[at])))
            for group in range(len(states)):
                states[group, game] = starts.states[group, column]
            seat = np.int64(settings.agent_seat)
            if seat < 0:
                rng[at] += GAMMA
                seat = np.int64(mixed(rng[at]) >> U63)
            seats[at] = seat
    for i in range(size):
        move_counts[i] = np.int32(0) if new[i] else move_counts[i]
    for i in range(size):
        opponent_first = np.uint8(seats[i]) & np.uint8(settings.has_opponent)
        first_due = select(opponent_first, OPPONENT, AGENT)
        outcome[i] = select(new[i], ONGOING, outcome[i])
        due[i] = select(new[i], first_due, due[i])
