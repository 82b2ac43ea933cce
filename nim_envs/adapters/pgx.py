"""pgx: every game as an environment of JAX, compiled, vectorised and on any device."""

from __future__ import annotations

from abc import ABCMeta
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from nim_envs.caches import SharedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.arguments import checked_game
from nim_envs.game import Game
from nim_envs.graph import Graph
from nim_envs.optional import imports_for
from nim_envs.registry import make_game
from nim_envs.render.text import render_text
from nim_envs.sums import Sum, board_of

with imports_for("the adapter for pgx", "jax"):
    import jax
    import jax.numpy as jnp
    from pgx import core
    from pgx._src.struct import dataclass, field

Array = Any
"""An array of JAX, or a traced one."""

LARGEST_GRAPH = 2**20
"""Most entries of the table of moves of a sum that is one graph, in the processor's cache."""

LARGEST_WORD = 2**32 - 1
SEATS = np.arange(2)


@dataclass
class PgxState(core.State):
    """A state of :class:`PgxEnv`: what any state of pgx has, and the position."""

    _row: Array
    # JAX keeps the structure of whatever it compiled for: with the environment itself in it, that
    # would never be freed.
    _made_of: tuple[Game, str] = field(pytree_node=False)

    @property
    def env(self) -> PgxEnv:
        """The environment of the state, constructed again if nothing else refers to it."""
        return PgxEnv(*self._made_of)

    @property
    def env_id(self) -> Any:
        """Id of the environment."""
        return self.env.id

    @property
    def position(self) -> Array:
        """The position, coordinates, int32 ``(fields,)``, whatever the encoding."""
        return self.env.tables.positions(self._row)

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """Return a picture: the positions as text, one below the other.

        Args:
            color_theme: ``"dark"``, or ``"light"``, which it is by default.
            scale: the size, 1 by default.
        """
        game = self.env.game
        positions = np.asarray(self.position).reshape(-1, len(game.fields))
        lines = "\n\n".join(render_text(game, each) for each in positions).split("\n")
        width, height, size = 10 * max(map(len, lines)) + 20, 20 * len(lines) + 20, scale or 1.0
        ink, paper = ("white", "black") if color_theme == "dark" else ("black", "white")
        spans = "".join(
            f'<tspan x="10" y="{20 * index + 25}">{escape(line)}</tspan>'
            for index, line in enumerate(lines)
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width * size:g}" height="{height * size:g}">'
            f'<rect width="100%" height="100%" fill="{paper}"/>'
            f'<text xml:space="preserve" font-family="monospace" font-size="16" fill="{ink}">'
            f"{spans}</text></svg>"
        )

    def save_svg(self, filename: Any, **arguments: Any) -> None:
        """Write the picture to a file; ``arguments`` are those of :meth:`to_svg`."""
        Path(filename).write_text(self.to_svg(**arguments), encoding="utf-8")


class Tables:
    """The moves of a graph, or of the parts of a sum: a state is the row of each part."""

    def __init__(self, board: Graph | Sum) -> None:
        self._board, self._second = board, None
        if isinstance(board, Graph):
            parts, options, first = [board], board.num_actions, [0]
        else:
            parts, options, first = [*board.parts], board.options, board.first_rows
            if board.second is not None:
                self._second = jnp.asarray(board.second.reshape(-1))
                # The first slot of the group of each part.
                group = [board.group_of.get(i, range(-1, 0)).start for i in range(len(parts))]
                self._group = jnp.asarray(group, jnp.int32)
        tables = {part: jnp.asarray(part.coordinates, jnp.int32) for part in {*parts}}
        self._coordinates = [tables[part] for part in parts]
        self._options, self._first = options, jnp.asarray(first, jnp.int32)
        self._numbers = np.arange(len(parts), dtype=np.int32)
        # An illegal option leads to the same row.
        own = np.concatenate([np.arange(part.num_positions) for part in dict.fromkeys(parts)])
        after = np.where(board.after < 0, own[:, np.newaxis], board.after)
        self._after = jnp.asarray(after.reshape(-1), jnp.int32)
        # Bits are several times smaller than booleans, and looked up in less time.
        self._legal = jnp.asarray(np.packbits(board.after >= 0, axis=1, bitorder="little"))

    def find(self, positions: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the states at positions, ``(..., parts)``, on the host and without a check."""
        states = self._board.find(np.asarray(positions)).astype(np.int32)
        return states.reshape(*np.shape(positions)[:-1], -1)

    def positions(self, rows: Array) -> Array:
        """Return the coordinates of states, int32 ``(..., fields)``."""
        columns = [table[rows[..., i]] for i, table in enumerate(self._coordinates)]
        return jnp.concatenate(columns, axis=-1)

    def step(self, rows: Array, action: Array) -> Array:
        """Return the state after an action, its second part in the first empty slot."""
        if len(self._numbers) == 1:  # nothing to choose, which takes a tenth of a step
            return self._after[rows * self._options + action]
        part, option = action // self._options, action % self._options
        entry = (self._first[part] + rows[part]) * self._options + option
        moved = jnp.where(self._numbers == part, self._after[entry], rows)
        if self._second is None:
            return moved
        second = self._second[entry]
        empty = (moved == 0) & (self._group == self._group[part])
        filled = (self._numbers == jnp.argmax(empty)) & (second > 0)
        return jnp.where(filled, second, moved)

    def legal(self, rows: Array) -> Array:
        """Return the legal options of each part as bits, uint8 ``(parts, bytes)``."""
        return self._legal[self._first + rows]

    def mask(self, bits: Array) -> Array:
        """Return bits as a mask, boolean ``(actions,)``."""
        legal = jnp.unpackbits(bits, axis=-1, count=self._options, bitorder="little")
        return legal.reshape(-1).astype(jnp.bool_)


_environments: SharedCache[tuple[Any, Game, str], Any] = SharedCache()


class _OnePerGame(ABCMeta):
    """Makes one environment for each game and encoding, as JAX compiles anew for another object."""

    def __call__(cls, game: Game, encoding: str = "integer") -> Any:
        make = partial(super().__call__, game, encoding)
        # What is made while a function is traced must not be part of its trace.
        with jax.ensure_compile_time_eval():
            return _environments.get_or_create((cls, game, encoding), make)


class PgxEnv(core.Env, metaclass=_OnePerGame):
    """Two players move in turn in an exactly solvable game, in JAX.

    Actions, encodings and starts are those of :class:`nim_envs.GameEnv`; the rest is as in any game
    of pgx, and so works with ``jax.jit``, ``jax.vmap``, ``jax.lax.scan`` and
    ``pgx.experimental.auto_reset``:

    * ``state.current_player`` is drawn when a game begins, and so is not the seat;
      ``state.rewards`` is by player, +1 for the winner and -1 for the loser, 0 for a draw.
    * An illegal action ends the game: -1 for the player, +1 for the other. The position stays.
    * In a finished game a step changes nothing, rewards are 0 and all actions are in the mask.

    Both players observe the same position: its coordinates, int32 ``(fields,)``; with another
    ``encoding`` float32 features. Starts are drawn on the device. The same game in the same
    encoding is the same environment, so that it is compiled once. :func:`nim_envs.optimality`
    takes it, and functions of JAX.

    Args:
        game: the game.
        encoding: ``"integer"``, ``"one_hot"``, ``"binary"`` or ``"unary"``; see
            :class:`nim_envs.encoding.Encoding`.

    Raises:
        InvalidGameError: an unknown encoding; or play of the game may never end.
        InvalidPositionError: the game has no such start.
        SearchTooLargeError: there are too many starts to list.

    Example:
        A thousand games from the full board to their ends, by random legal moves:

        >>> import jax
        >>> env = make_pgx("nim", heaps=(3, 4, 5))
        >>> def play(key):
        ...     key, first = jax.random.split(key)
        ...     def move(carry):
        ...         state, key = carry
        ...         key, draw = jax.random.split(key)
        ...         logits = jax.numpy.log(state.legal_action_mask)
        ...         return env.step(state, jax.random.categorical(draw, logits)), key
        ...     going_on = lambda carry: ~carry[0].terminated
        ...     return jax.lax.while_loop(going_on, move, (env.init(first), key))[0]
        >>> ends = jax.jit(jax.vmap(play))(jax.random.split(jax.random.PRNGKey(0), 1000))
        >>> ends.position.max(), ends.rewards.sum()
        (Array(0, dtype=int32), Array(0., dtype=float32))
    """

    version = "v0"
    """Raised where its behaviour changes in a way that could change results."""
    num_players = 2

    def __init__(self, game: Game, encoding: str = "integer") -> None:
        super().__init__()
        checked_game(game).check_ends("PgxEnv, which truncates no game,")
        self.game = game
        self._made_of = copy(game), encoding  # the copy has no solution
        self.encoding = Encoding(encoding, game.fields, np.int32)
        self.tables = Tables(board_of(game.parts, most=LARGEST_GRAPH))
        positions, probabilities = game.starts.sampler(game).support()
        self._starts = jnp.asarray(self.tables.find(positions))
        self._are_alike = (probabilities == probabilities[0]).all()
        # Where their sums are on a scale of 32 bits.
        sums = probabilities.cumsum()
        self._cuts = np.rint(sums[:-1] / sums[-1] * LARGEST_WORD).astype(np.uint32)
        # The rewards of who moved to a position without moves; integers, so that none is -0.
        self._end_rewards = jnp.asarray(-np.atleast_1d(game.final_values))
        # JAX traces once for each object, and a bound method is a new one each time.
        compiled: Any = self
        compiled.init, compiled.step = jax.jit(self.init), jax.jit(self.step)

    @property
    def id(self) -> Any:
        """The name of the game, such as ``"nim_envs/nim"``."""
        return f"nim_envs/{self.game.name}"

    def state_at(self, position: Array, current_player: Array = 0) -> PgxState:
        """Return the state at a position, for search and for analysis.

        Args:
            position: coordinates, ``(fields,)``; where it is traced, as under ``jax.vmap``, it is
                not checked.
            current_player: player to move.

        Raises:
            InvalidPositionError: not a position of this game.
        """
        if isinstance(position, jax.core.Tracer):
            found = jax.eval_shape(lambda: self._starts[0])
            row = jax.pure_callback(self.tables.find, found, position, vmap_method="broadcast_all")
        else:
            self.game.checked_state(position)
            row = jnp.asarray(self.tables.find(position))
        return self._begun(row, jnp.asarray(current_player, jnp.int32))

    def _init(self, key: Array) -> PgxState:
        """Draw who begins, and where: by a random word modulo, or between cuts, each to 2**-32."""
        count, index = len(self._starts), jnp.zeros((), jnp.int32)
        # All random words in one call: half of the time of random play goes into them.
        words = jax.random.bits(key, (1 + (count > 1),), jnp.uint32)
        if count > 1 and self._are_alike:
            index = words[1] % jnp.uint32(count)
        elif count > 1:
            word = jnp.minimum(words[1], jnp.uint32(LARGEST_WORD - 1))
            index = jnp.searchsorted(self._cuts, word, side="right")
        return self._begun(self._starts[index], (words[0] % jnp.uint32(2)).astype(jnp.int32))

    def _begun(self, row: Array, current_player: Array) -> PgxState:
        """Return the first state of a game."""
        return PgxState(
            current_player=current_player,
            rewards=jnp.zeros(2, jnp.float32),
            truncated=jnp.bool_(False),
            _step_count=jnp.int32(0),
            _made_of=self._made_of,
            **self._facts(row, jnp.bool_(False)),
        )

    def _facts(self, row: Array, terminated: Array) -> dict[str, Array]:
        """Return what a state has by its row; without a move the game is terminated, too."""
        legal = self.tables.legal(row)
        terminated = terminated | ~legal.any()
        return {
            "observation": self.encoding.encode(self.tables.positions(row)),
            "terminated": terminated,
            "legal_action_mask": self.tables.mask(jnp.where(terminated, jnp.uint8(255), legal)),
            "_row": row,
        }

    def _step(self, state: PgxState, action: Array, key: Array | None) -> PgxState:
        """Make a legal move in a game that goes on: ``step`` itself, which does all."""
        return self.step(state, action)

    def step(self, state: PgxState, action: Array, key: Array | None = None) -> PgxState:
        """Make a move.

        What the base class does, in one pass: it would choose between whole states three times,
        masks and all, which takes a tenth of the time of random play.

        Args:
            state: any state.
            action: ``part * options + option``; an illegal one loses.
            key: not used, as moves draw nothing.
        """
        finished = state.terminated | state.truncated
        known = (action >= 0) & (action < self.game.num_actions)
        illegal = ~(known & state.legal_action_mask[action]) & ~state.terminated
        row = jnp.where(finished | illegal, state._row, self.tables.step(state._row, action))
        facts = self._facts(row, state.terminated | illegal)
        won = self._end_rewards[row if len(self._end_rewards) > 1 else 0].astype(jnp.float32)
        gets = jnp.where(facts["terminated"] & ~finished, won, 0.0)
        gets = jnp.where(illegal, self._illegal_action_penalty, gets)
        after: PgxState = state.replace(
            current_player=jnp.where(finished, state.current_player, 1 - state.current_player),
            rewards=jnp.where(state.current_player == SEATS, gets, 0.0 - gets).astype(jnp.float32),
            _step_count=state._step_count + jnp.where(finished, 0, 1),
            **facts,
        )
        return after

    def _observe(self, state: PgxState, player_id: Array) -> Array:
        """Observe the position; it is the same for both players."""
        return self.encoding.encode(self.tables.positions(state._row))

    def __repr__(self) -> str:
        """Return the game in short, and the encoding."""
        return f"{type(self).__name__}({self.game.summary}, encoding {self.encoding.name!r})"

    def __reduce__(self) -> Any:
        """Pickle the game and the encoding: the tables are made again."""
        return type(self), (self.game, self.encoding.name)


def make_pgx(game: str | Game, *, encoding: str = "integer", **game_arguments: Any) -> PgxEnv:
    """Return the environment of a game.

    Args:
        game: a game, or a key of :data:`nim_envs.registry.GAMES`.
        encoding: encoding of observations.
        game_arguments: of a game by name, see :func:`nim_envs.make_game`.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an unknown argument.
        InvalidPositionError: an unknown or impossible start.
        SearchTooLargeError: the game is too large for tables, or its starts cannot be listed.

    Example:
        >>> env = make_pgx("kayles", heaps=(7,), start="uniform", misere=True)
        >>> env.num_actions, env.observation_shape
        (28, (4,))
        >>> env is make_pgx("kayles", heaps=(7,), start="uniform", misere=True)
        True
    """
    if isinstance(game, Game) and not game_arguments:
        return PgxEnv(game, encoding)
    return PgxEnv(make_game(game, **game_arguments), encoding)  # type: ignore[arg-type]
