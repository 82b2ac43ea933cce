"""The games of a batch as arrays, and the calls of the compiled functions that play them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.reset_arguments import CACHED_STARTS, ResetStarts
from nim_envs.envs.vector.action_choice import sample
from nim_envs.envs.vector.checks import first_outside
from nim_envs.envs.vector.games import (
    NEW_GAME,
    NOBODY,
    ONGOING,
    Games,
    Results,
    Settings,
    new_results,
)
from nim_envs.envs.vector.kernels import play
from nim_envs.envs.vector.moves import first_illegal
from nim_envs.envs.vector.new_games import StartStates, seed_games
from nim_envs.envs.vector.outputs import RowMemory, write_observations, write_outcomes
from nim_envs.envs.vector.tables import GameTables, game_tables, unpacked_states
from nim_envs.envs.vector.winning import NO_WINNING_ACTIONS, OptimalPlay, optimal_play
from nim_envs.game import Game
from nim_envs.starts import Start
from nim_envs.typing import Array, BoolArray, IntArray, ValueArray, WordArray


class Engine:
    """Many games in progress: positions, moves, replies, starts and observations as arrays.

    The environment's arguments, spaces, infos and errors are handled by VectorGameEnv.

    Args:
        game: rules, convention and start.
        encoding: encoding of observations.
        size: number of games.
        settings: opponent, seats and limit on moves.

    Attributes:
        games: the games in progress.
        own_starts: starts of the game, unless ``reset`` names others.

    Raises:
        SearchTooLargeError: the tables would be too large; or the opponent plays optimally, no
            theorem solves the game, and it has too many positions.
    """

    def __init__(self, game: Game, encoding: Encoding, size: int, settings: Settings) -> None:
        self._game = game
        self._encoding = encoding
        self._size = size
        self._settings = settings
        self._make_tables()
        self.games = Games(
            states=np.zeros((len(self._tables.groups), size), dtype=np.uint32),
            outcomes=np.zeros(size, dtype=np.uint8),
            due=np.full(size, NEW_GAME),
            seats=np.zeros(size, dtype=np.int8),
            move_counts=np.zeros(size, dtype=np.int32),
            game_rng=np.zeros(size, dtype=np.uint64),
            action_rng=np.zeros(size, dtype=np.uint64),
        )
        self._samplers = ResetStarts(game)
        self.own_starts = self._start_states(None)
        self._other_starts: LimitedCache[Start, StartStates] = LimitedCache(CACHED_STARTS)

    def _make_tables(self) -> None:
        """Make tables and buffers, which follow from the arguments and are not pickled."""
        # Held, as the caches of tables keep only those in use.
        self._optimal_play: OptimalPlay | None = None
        if self._settings.epsilon < 1.0:
            self._optimal_play = optimal_play(self._game, self._encoding)
            self._game_tables: GameTables = self._optimal_play.tables
        else:
            self._game_tables = game_tables(self._game.rules, self._encoding)
        self._tables, self._layout = self._game_tables.arrays, self._game_tables.layout
        self._winning = (
            NO_WINNING_ACTIONS if self._optimal_play is None else self._optimal_play.winning
        )
        self._end_values: ValueArray | None = None
        if self._game.has_outcome:
            states = np.arange(self._game_tables.grouping.num_positions)[:, np.newaxis]
            self._end_values = self._game.convention.end_values(self._game.rules, states)
        self._rows = np.zeros((self._size, self._layout.words), dtype=np.uint64)
        self._row_memory = RowMemory(*self._rows.shape)
        # Empty arrays: the compiled functions take arrays, and write none of these.
        self._no_rows = self._rows[:0]
        self._no_actions = np.zeros(0, dtype=np.int64)
        self._no_results = new_results(0)

    def compile(self, *, illegal_moves_raise: bool) -> None:
        """Compile every function, by calling it on no games."""
        nobody = np.zeros(self._size, dtype=np.bool_)
        self.seed_games(np.zeros(self._size, dtype=np.uint64), nobody)
        first_outside(self._no_actions, 0, 1)
        if illegal_moves_raise:
            self.first_illegal(self._no_actions, NOBODY)
        self._sample(self._no_actions)
        self.play(self.own_starts, results=self._no_results)
        self.write_rows(self._no_rows)

    def play(
        self,
        starts: StartStates,
        *,
        mover: np.uint8 = NOBODY,
        actions: IntArray | None = None,
        begins: bool = False,
        results: Results | None = None,
        rows: WordArray | None = None,
    ) -> int:
        """Run the requested phases of a step, in all games.

        Args:
            starts: start positions of new games.
            mover: mover of ``actions``: ``AGENT``, ``OPPONENT`` or ``NOBODY``. Before the agent
                moves, finished games are marked for replacement.
            actions: int64 ``(games,)``.
            begins: whether new games begin where they are due and the compiled opponent replies.
            results: arrays of :func:`nim_envs.envs.vector.games.new_results`, written.
            rows: observations from :meth:`new_rows`, written.

        Returns:
            Number of games where it is not the agent's turn yet; see
            :func:`nim_envs.envs.vector.kernels.play`.
        """
        waiting = play(
            self._tables,
            self._winning,
            starts.arrays,
            self.games,
            self._settings,
            mover,
            self._no_actions if actions is None else actions,
            begins,
            self._no_results if results is None else results,
            self._no_rows if rows is None else rows,
        )
        if self._end_values is not None and results is not None:
            write_outcomes(self._tables, self.games, self._settings, self._end_values, results)
        return waiting

    def seed_games(self, seeds: WordArray, which: BoolArray) -> None:
        """Seed the random numbers of the games in ``which``, each by its entry of ``seeds``."""
        # Compiled for a writable array; the caller's may not be one.
        seed_games(self.games.game_rng, self.games.action_rng, seeds, which.copy())

    def mark_for_new_games(self, which: BoolArray) -> None:
        """Mark the games in ``which`` for replacement by new ones, which :meth:`play` begins."""
        self.games.outcomes[which] = ONGOING
        self.games.due[which] = NEW_GAME

    def starts(self, start: Start) -> StartStates:
        """Return the starts of ``start``, from a cache: listing its positions takes time."""
        return self._other_starts.get_or_create(start, lambda: self._start_states({"start": start}))

    def _start_states(self, options: dict[str, Start] | None) -> StartStates:
        return StartStates(
            self._samplers.sampler(options), self._game.rules, self._game_tables, self._size
        )

    def prepare_starts(self, starts: StartStates, rng: np.random.Generator) -> None:
        """Draw with ``rng`` the starts that cannot be drawn from a list."""
        starts.prepare(rng, self._game_tables)

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
        tables, games, size = self._tables, self.games, len(actions)
        sample(
            tables.groups,
            tables.legal_actions,
            games.states,
            games.action_rng[:size],
            actions,
            0,
            size,
        )

    def first_illegal(self, actions: IntArray, mover: np.uint8) -> int:
        """Return the first game where ``mover`` is due and its action is illegal, or -1."""
        return first_illegal(self._tables, self.games, actions, mover)

    def positions(self) -> IntArray:
        """Return the positions of all games, int64 ``(games, components)``."""
        return self._game_tables.grouping.positions(
            unpacked_states(self._tables, self.games.states)
        )

    def new_rows(self, *, copy: bool) -> WordArray:
        """Return an array for the observations of all games: a new one, or always the same."""
        return self._row_memory.new_rows() if copy else self._rows

    def write_rows(self, rows: WordArray) -> None:
        """Write the observations of the first ``len(rows)`` games."""
        games = self.games
        write_observations(self._tables, games.states, games.outcomes, rows, 0, len(rows))

    def observations_in(self, rows: WordArray) -> dict[str, Array]:
        """Return the observations and action masks that ``rows`` hold; no copy."""
        return {
            "observation": self._layout.observations(rows),
            "action_mask": self._layout.action_masks(rows),
        }

    def observations_of(self, games: Games, which: IntArray) -> dict[str, Array]:
        """Return the observations and action masks of some of the games in ``games``."""
        rows = np.empty((len(which), self._layout.words), dtype=np.uint64)
        states = np.ascontiguousarray(games.states[:, which])
        write_observations(self._tables, states, games.outcomes[which], rows, 0, len(rows))
        return self.observations_in(rows)

    def copied_games(self) -> Games:
        """Return a copy of the games in progress."""
        return Games._make(array.copy() for array in self.games)

    def __getstate__(self) -> dict[str, Any]:
        """Leave tables and buffers out of pickles and copies."""
        made_again = {"_optimal_play", "_winning", "_game_tables", "_tables", "_layout"}
        made_again |= {"_end_values", "_rows", "_no_rows", "_row_memory"}
        return {name: value for name, value in self.__dict__.items() if name not in made_again}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the games in progress, and make the rest again."""
        self.__dict__.update(state)
        self._make_tables()
