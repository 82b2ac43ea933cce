"""The games of a batch as arrays, and the calls of the compiled functions that play them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.encoding import Encoding
from nim_envs.envs.vector import kernels
from nim_envs.envs.vector.grouping import UInt32Array
from nim_envs.envs.vector.start_states import StartStates
from nim_envs.envs.vector.tables import GameTables, WordArray, game_tables, unpacked_states
from nim_envs.envs.vector.winning import NOTHING, OptimalPlay, optimal_play
from nim_envs.game import Game
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.starts import Sampler, Start

Array = npt.NDArray[Any]
Results = tuple[npt.NDArray[np.float32], BoolArray, BoolArray, npt.NDArray[np.int8]]
"""Rewards, terminations, truncations, and the winning seats or -1, each ``(games,)``."""

CACHED_STARTS = 64


class Engine:
    """Many games in progress, played by compiled functions.

    Args:
        game: rules, convention and start.
        encoding: how positions are observed.
        size: number of games.
        has_opponent: whether there is an opponent; else it is self-play.
        replies_in_python: whether a Python player makes the opponent's moves.
        epsilon: probability of a random move of the compiled opponent; else it plays optimally.
        agent_seat: 0, 1, or -1 for one drawn for each game.
        max_cycles: most moves of each player; ``None``: no limit.

    Attributes:
        games: the games in progress.
        own_starts: starts of the game, unless ``reset`` names others.

    Raises:
        SearchTooLargeError: the tables would be too large; or the opponent plays optimally, no
            theorem solves the game, and it has too many positions.
    """

    def __init__(
        self,
        game: Game,
        encoding: Encoding,
        size: int,
        *,
        has_opponent: bool,
        replies_in_python: bool,
        epsilon: float,
        agent_seat: int,
        max_cycles: int | None,
    ) -> None:
        self._game = game
        self._encoding = encoding
        self._size = size
        self._has_opponent = has_opponent
        self._replies_in_python = replies_in_python
        self._epsilon = epsilon
        self._agent_seat = agent_seat
        self._max_cycles = max_cycles
        self._bind_tables()
        self.games = kernels.Games(
            states=np.zeros((len(self._tables.groups), size), dtype=np.uint32),
            outcomes=np.zeros(size, dtype=np.uint8),
            due=np.full(size, kernels.NEW_GAME),
            seats=np.zeros(size, dtype=np.int8),
            moves=np.zeros(size, dtype=np.int32),
            game_bits=np.zeros(size, dtype=np.uint64),
            action_bits=np.zeros(size, dtype=np.uint64),
        )
        self._own_sampler = game.start.sampler(game)
        self.own_starts = self._new_starts(self._own_sampler)
        self._other_starts: dict[Start, StartStates] = {}

    def _bind_tables(self) -> None:
        """Make tables and buffers, which follow from the arguments and are not pickled."""
        self._optimal_play: OptimalPlay | None = None
        if self._epsilon < 1.0:
            self._optimal_play = optimal_play(self._game, self._encoding)
            self._shared: GameTables = self._optimal_play.tables
        else:
            self._shared = game_tables(self._game.rules, self._encoding)
        self._tables, self._layout = self._shared.arrays, self._shared.layout
        self._rows = np.zeros((self._size, self._layout.words), dtype=np.uint64)
        self._settings = kernels.Settings(
            last_mover_reward=np.float32(
                1.0 if self._game.convention.winner(last_mover=0) == 0 else -1.0
            ),
            most_moves=np.int32(
                kernels.NO_LIMIT if self._max_cycles is None else 2 * self._max_cycles
            ),
            has_opponent=self._has_opponent,
            replies_in_python=self._replies_in_python,
            epsilon=self._epsilon,
            winning=NOTHING if self._optimal_play is None else self._optimal_play.winning,
            agent_seat=self._agent_seat,
        )
        self._no_actions = np.zeros(0, dtype=np.int64)
        self._no_results: Results = (
            np.zeros(0, dtype=np.float32),
            np.zeros(0, dtype=np.bool_),
            np.zeros(0, dtype=np.bool_),
            np.zeros(0, dtype=np.int8),
        )

    def compile(self, *, illegal_moves_raise: bool) -> None:
        """Compile every function, by calling it on no games."""
        nobody = np.zeros(self._size, dtype=np.bool_)
        self.seed_games(np.zeros(self._size, dtype=np.uint64), nobody)
        kernels.first_outside(self._no_actions, 0, 1)
        if illegal_moves_raise:
            self.first_illegal(self._no_actions, kernels.AGENT)
        self._sample(self._no_actions)
        self.play(0, self.own_starts)
        self.observe(self._rows[:0])

    def play(
        self,
        phases: int,
        starts: StartStates,
        actions: IntArray | None = None,
        results: Results | None = None,
        rows: WordArray | None = None,
    ) -> int:
        """Run phases of a step in all games.

        Args:
            phases: sum of phases of :mod:`nim_envs.envs.vector.kernels`.
            starts: start positions of new games.
            actions: int64 ``(games,)``; needed where a phase makes moves.
            results: written by the phase ``RESULTS``.
            rows: from :meth:`new_rows`, written by the phase ``OBSERVE``.

        Returns:
            Number of games where it is not the agent's turn yet; see
            :func:`nim_envs.envs.vector.kernels.play`.
        """
        return kernels.play(
            self._tables,
            starts.arrays,
            self.games,
            self._settings,
            phases,
            self._no_actions if actions is None else actions,
            *(self._no_results if results is None else results),
            self._layout.mask_column,
            self._rows if rows is None else rows,
        )

    def seed_games(self, seeds: WordArray, which: BoolArray) -> None:
        """Seed the random numbers of the games in ``which``, each by its entry of ``seeds``."""
        kernels.seed_games(self.games.game_bits, self.games.action_bits, seeds, which)

    def begin(self, which: BoolArray) -> None:
        """Mark the games in ``which`` to begin anew."""
        self.games.outcomes[which] = kernels.ONGOING
        self.games.due[which] = kernels.NEW_GAME

    def starts(self, start: Start) -> StartStates:
        """Return the starts of ``start``, from a cache: listing its positions takes time."""
        starts = self._other_starts.get(start)
        if starts is None:
            if len(self._other_starts) >= CACHED_STARTS:
                self._other_starts.clear()
            starts = self._new_starts(
                self._own_sampler
                if start == self._game.start
                else start.sampler(self._game, search=False)
            )
            self._other_starts[start] = starts
        return starts

    def _new_starts(self, sampler: Sampler) -> StartStates:
        return StartStates(sampler, self._shared, self._size)

    def prepare_starts(self, starts: StartStates, rng: np.random.Generator) -> None:
        """Draw with ``rng`` the starts that cannot be drawn from a list."""
        starts.prepare(rng, self._shared)

    def discard_starts(self) -> None:
        """Discard all starts that were drawn before the generator was seeded."""
        for starts in (self.own_starts, *self._other_starts.values()):
            starts.discard()

    def sample_actions(self) -> IntArray:
        """Return a legal action of every game, int64 ``(games,)``; any where none is."""
        actions = np.empty(self._size, dtype=np.int64)
        self._sample(actions)
        return actions

    def _sample(self, actions: IntArray) -> None:
        """Write legal actions of the first ``len(actions)`` games."""
        tables, games, number = self._tables, self.games, len(actions)
        kernels.sample(
            tables.groups,
            tables.legal_actions,
            games.states,
            games.action_bits[:number],
            actions,
            0,
            number,
        )

    def first_illegal(self, actions: IntArray, mover: np.uint8) -> int:
        """Return the first game where ``mover`` is due and its action is illegal, or -1."""
        return kernels.first_illegal(self._tables, self.games, actions, mover)

    def positions(self) -> IntArray:
        """Return the positions of all games, int64 ``(games, components)``."""
        return self._shared.grouping.positions(unpacked_states(self._tables, self.games.states))

    def position(self, index: int) -> IntArray:
        """Return the position of game ``index``, int64 ``(components,)``."""
        states = unpacked_states(self._tables, self.games.states[:, index : index + 1])
        position: IntArray = self._shared.grouping.positions(states)[0]
        return position

    def new_rows(self, *, copy: bool) -> WordArray:
        """Return an array for the observations of all games: a new one, or always the same."""
        return np.empty_like(self._rows) if copy else self._rows

    def observe(self, rows: WordArray) -> None:
        """Write the observations of the first ``len(rows)`` games."""
        self._observe_states(self.games.states, self.games.outcomes, rows)

    def _observe_states(self, states: UInt32Array, outcomes: Array, rows: WordArray) -> None:
        tables = self._tables
        kernels.write_observations(
            tables.groups,
            tables.words,
            tables.columns,
            tables.shared,
            states,
            outcomes,
            self._layout.mask_column,
            rows,
            0,
            len(rows),
        )

    def observations_in(self, rows: WordArray) -> dict[str, Array]:
        """Return the observations and action masks that ``rows`` hold; no copy."""
        return {
            "observation": self._layout.observations(rows),
            "action_mask": self._layout.action_masks(rows),
        }

    def observations_of(self, games: kernels.Games, which: IntArray) -> dict[str, Array]:
        """Return the observations and action masks of some of the games in ``games``."""
        rows = np.empty((len(which), self._layout.words), dtype=np.uint64)
        states = np.ascontiguousarray(games.states[:, which])
        self._observe_states(states, games.outcomes[which], rows)
        return self.observations_in(rows)

    def copied_games(self) -> kernels.Games:
        """Return a copy of the games in progress."""
        return kernels.Games._make(array.copy() for array in self.games)

    def __getstate__(self) -> dict[str, Any]:
        """Leave tables and buffers out of pickles and copies."""
        made = {"_optimal_play", "_shared", "_tables", "_layout", "_rows", "_settings"}
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the games in progress, and make the rest again."""
        self.__dict__.update(state)
        self._bind_tables()
