"""Rows of tables: one for each position of a game, or for each observation that is met."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces

from agents.games import game_of
from nim_envs import Game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.graph import LARGEST_TABLE, Graph
from nim_envs.sums import board_of
from nim_envs.typing import Array, IntArray, ValueArray

FIRST_ROWS = 256
"""Rows of a table of observations at first; they are doubled whenever there are too few."""


class Moves(NamedTuple):
    """The legal actions of each row: ``legal[row, :counts[row]]``."""

    legal: Array  # (rows, actions): the legal ones first, ascending
    counts: Array  # (rows,): number of legal actions


def no_moves(rows: int, num_actions: int) -> Moves:
    """Return rows without a legal action, in as few bytes as ``num_actions`` allow."""
    small = np.min_scalar_type(-max(1, num_actions))
    return Moves(np.zeros((rows, num_actions), small), np.zeros(rows, np.int32))


class Rows:
    """The rows of tables: one for each observation, in the order in which they are met.

    Row 0 stands for the end of a game, and for observations that were never met.

    Attributes:
        num_actions: number of actions.
        moves: legal actions of each row.
        game: the game whose positions the rows are; ``None``: they are observations.
    """

    game: Game | None = None

    def __init__(self, num_actions: int, dtype: np.dtype[Any]) -> None:
        self.num_actions = num_actions
        self.dtype = dtype
        self._row_of: dict[bytes, int] = {}
        self.moves = no_moves(FIRST_ROWS, num_actions)

    def __len__(self) -> int:
        """Return the number of rows, some of which may not be used yet."""
        return len(self.moves.counts)

    def row(self, observation: Array, legal: Array) -> int:
        """Return the row of an observation, given its legal actions, ascending; none at an end."""
        if not len(legal):
            return 0
        key = np.asarray(observation, self.dtype).tobytes()
        row = self._row_of.get(key)
        if row is None:
            row = self._row_of[key] = len(self._row_of) + 1
            if row == len(self):
                grown = (np.concatenate([old, np.zeros_like(old)]) for old in self.moves)
                self.moves = Moves(*grown)
            self.moves.legal[row, : len(legal)] = legal
            self.moves.counts[row] = len(legal)
        return row

    def find(self, observations: Array) -> IntArray:
        """Return the rows of observations ``(n, ...)``, ``(n,)``; 0 for those never met."""
        keys = [each.tobytes() for each in np.asarray(observations, self.dtype)]
        return np.array([self._row_of.get(key, 0) for key in keys], dtype=np.int64)

    def saved(self) -> Any:
        """Return what a file has of them: the observations, as bytes, and the legal actions."""
        count, joined = len(self._row_of), b"".join(self._row_of)
        return {
            "dtype": self.dtype.str,
            "observed": np.frombuffer(joined, np.uint8).reshape(count, -1 if count else 0),
            "legal": self.moves.legal[: count + 1],
            "counts": self.moves.counts[: count + 1],
        }


def graph_of(game: Game) -> Graph:
    """Return the graph of a game's positions.

    Raises:
        SearchTooLargeError: a table with a row for each of them would be too large.
    """
    graph = board_of(game.parts, most=LARGEST_TABLE)
    if isinstance(graph, Graph):
        return graph
    raise SearchTooLargeError(
        f"a table for {game.summary} has {graph.num_positions} rows of {graph.num_actions} "
        f"actions; at most {LARGEST_TABLE} entries are allowed. Use smaller heaps, or a learner "
        "without a table, such as ColumnAutomatonLearner, --learner column-automaton"
    )


class GameRows(Rows):
    """A row for each position of a game: a row of its ``graph``, as :func:`graph_of` returns it."""

    def __init__(self, game: Game) -> None:
        self.game: Game = game
        self.graph = graph_of(game)
        self.num_actions = self.graph.num_actions
        is_legal = self.graph.after >= 0
        legal, _ = no_moves(*is_legal.shape)
        counts = is_legal.sum(axis=1, dtype=np.int32)
        actions = np.arange(self.num_actions, dtype=legal.dtype)
        legal[actions < counts[:, np.newaxis]] = np.broadcast_to(actions, legal.shape)[is_legal]
        self.moves = Moves(legal, counts)
        self._end = int(np.argmin(counts))
        self._row_of: dict[bytes, int] = {}

    def __reduce__(self) -> Any:
        """Return the game: the rows follow from it."""
        return GameRows, (self.game,)

    def __deepcopy__(self, memo: dict[int, Any]) -> GameRows:
        """Return the rows themselves: they do not change."""
        return self

    def saved(self) -> Game:
        """Return the game."""
        return self.game

    @property
    def end_values(self) -> ValueArray:
        """Value of each position without moves to the player to move, int8 ``(rows,)``."""
        return np.array(np.broadcast_to(self.game.final_values, len(self)))

    def row(self, observation: Array, legal: Array) -> int:
        """Return the row of a position; where a forfeit ended the game there, a row without moves.

        Raises:
            InvalidPositionError: it is not a position of the game.
        """
        key = observation.tobytes()
        row = self._row_of.get(key)
        if row is None:
            row = self._row_of[key] = int(self.find(observation[np.newaxis])[0])
        return row if len(legal) or not self.moves.counts[row] else self._end

    def find(self, observations: Array) -> IntArray:
        """Return the rows of positions ``(n, fields)``, ``(n,)``.

        Raises:
            InvalidPositionError: one of them is not a position of the game.
        """
        points = np.asarray(observations).reshape(len(observations), -1).astype(np.int64)
        fits = points.shape[1] == len(self.graph.fields)
        rows = self.graph.find(points) if fits else np.full(len(points), -1)
        if (rows < 0).any():
            point = points[int(np.argmax(rows < 0))].tolist()
            raise InvalidPositionError(
                f"{point} is no position of {self.game.summary}, which was learned"
            )
        return rows


def rows_from(saved: Any) -> Rows:
    """Return the rows from the result of :meth:`Rows.saved`."""
    if isinstance(saved, Game):
        return GameRows(saved)
    legal, counts = saved["legal"], saved["counts"]
    rows = Rows(legal.shape[1], np.dtype(saved["dtype"]))
    for observed, actions, count in zip(saved["observed"], legal[1:], counts[1:], strict=True):
        rows.row(observed.view(rows.dtype), actions[:count])
    return rows


def rows_for(env: Any, by_rules: bool = False) -> Rows:
    """Return rows for an environment: its positions if it observes them as they are.

    With ``by_rules`` they are its positions even where wrappers change observations.
    """
    game = game_of(env)
    if isinstance(env, gymnasium.Env):
        observations, actions = env.observation_space, env.action_space
    else:
        player = env.possible_agents[0]
        observations, actions = env.observation_space(player), env.action_space(player)
    box = observations["observation"] if isinstance(observations, spaces.Dict) else observations
    if not isinstance(actions, spaces.Discrete) or actions.start != 0:
        raise TypeError(f"a table needs a Discrete action space from 0, not {actions}")
    if game is not None:
        as_they_are = (
            isinstance(box, spaces.Box)
            and np.issubdtype(box.dtype, np.integer)
            and box.high.tolist() == [size - 1 for size in game.fields]
            and actions.n == game.num_actions
        )
        if by_rules or as_they_are:
            return GameRows(game)
    if box.dtype is None:
        raise TypeError(f"a table needs observations that are arrays, not {box}")
    return Rows(int(actions.n), box.dtype)
