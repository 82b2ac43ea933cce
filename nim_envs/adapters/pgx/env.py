"""One environment of pgx for every game."""

from __future__ import annotations

from abc import ABCMeta
from copy import copy
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary
from xml.sax.saxutils import escape

import jax
import jax.numpy as jnp
import numpy as np
from pgx import core
from pgx._src.struct import dataclass, field

from nim_envs.adapters.pgx.layouts import Array, layout_of
from nim_envs.adapters.pgx.starts import below, start_of
from nim_envs.encoding import Encoding
from nim_envs.game import Game
from nim_envs.registry import make_game
from nim_envs.render.text import render_text
from nim_envs.rules.convention import Convention

SEATS = np.arange(2)


@dataclass
class PgxState(core.State):
    """A state of :class:`PgxEnv`: what any state of pgx has, and the position.

    Attributes:
        current_player: player to move, int32; drawn at random, so that it is not the seat.
        observation: the position in the encoding of the environment.
        rewards: rewards by player, float32 ``(2,)``.
        terminated: whether the game is over.
        truncated: false; wrappers may set it.
        legal_action_mask: boolean ``(actions,)``; all true where the game is over.
    """

    current_player: Array
    observation: Array
    rewards: Array
    terminated: Array
    truncated: Array
    legal_action_mask: Array
    _step_count: Array
    _place: Array
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
        """The position, state numbers, int32 ``(components,)``, whatever the encoding."""
        return self.env.layout.positions(self._place)

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """Return a picture: the positions as text, one below the other.

        Args:
            color_theme: ``"dark"``, or ``"light"``, which it is by default.
            scale: the size, 1 by default.
        """
        rules = self.env.game.rules
        positions = np.asarray(self.position).reshape(-1, len(rules.components))
        texts = (render_text(self.env.game, rules.coordinates(each)) for each in positions)
        lines = "\n\n".join(texts).split("\n")
        width, height = 10 * max(map(len, lines)) + 20, 20 * len(lines) + 20
        ink, paper = ("white", "black") if color_theme == "dark" else ("black", "white")
        size = scale or 1.0
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

    def save_svg(
        self, filename: Any, *, color_theme: str | None = None, scale: float | None = None
    ) -> None:
        """Write the picture to a file.

        Args:
            filename: path of the file.
            color_theme: as in :meth:`to_svg`.
            scale: as in :meth:`to_svg`.
        """
        Path(filename).write_text(
            self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8"
        )


class _OnePerGame(ABCMeta):
    """Makes one environment for each game and encoding, as JAX compiles anew for another object."""

    def __init__(cls, *arguments: Any) -> None:
        super().__init__(*arguments)
        cls._environments: WeakValueDictionary[tuple[Game, str], Any] = WeakValueDictionary()

    def __call__(cls, game: Game, encoding: str = "integer") -> Any:
        env = cls._environments.get((game, encoding))
        if env is None:
            # What is made while a function is traced must not be part of its trace.
            with jax.ensure_compile_time_eval():
                env = cls._environments[game, encoding] = super().__call__(game, encoding)
        return env


class PgxEnv(core.Env, metaclass=_OnePerGame):
    """Two players move in turn in an exactly solvable game, in JAX.

    Rules, conventions, actions, encodings and starts are those of :class:`nim_envs.GameEnv`; the
    rest is as in any game of pgx, and so works with ``jax.jit``, ``jax.vmap``, ``jax.lax.scan``
    and ``pgx.experimental.auto_reset``:

    * ``state.current_player`` is drawn when a game begins, and so is not the seat;
      ``state.rewards`` is by player, +1 for the winner and -1 for the loser, 0 for a draw.
    * An illegal action ends the game: -1 for the player, +1 for the other. The position stays.
    * In a finished game a step changes nothing, rewards are 0 and all actions are in the mask.

    Both players observe the same position: int32 ``(components,)``, or its coordinates where the
    game has them; with another ``encoding`` float32 features. Starts are drawn on the device
    from a list; see :func:`nim_envs.adapters.pgx.starts.start_of`. The same game in the same
    encoding is the same environment, so that it is compiled once. :func:`nim_envs.optimality`
    takes it, and functions of JAX.

    Args:
        game: rules, convention and start.
        encoding: ``"integer"``, ``"one_hot"``, ``"binary"`` or ``"unary"``; see
            :class:`nim_envs.encoding.Encoding`.

    Raises:
        InvalidGameError: an unknown encoding.
        InvalidPositionError: the game has no such start.
        SearchTooLargeError: the tables would take over a GiB, or the starts are too many to be
            counted.

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

    def __init__(self, game: Game, encoding: str = "integer") -> None:
        super().__init__()
        self.game = game
        self._made_of = copy(game), encoding  # the copy has no solution
        self.encoding = Encoding(encoding, game.fields, np.int32)
        self.layout = layout_of(game.rules, self.encoding)
        self._start = start_of(game.starts.sampler(game), game.rules, self.layout)
        self._end_rewards = None
        convention = game.convention
        if isinstance(convention, Convention):
            self._last_movers_reward = convention.last_movers_reward
        else:
            states = np.arange(game.rules.shape[0])[:, np.newaxis]
            # Negated as integers, so that the reward of a draw is 0 and not -0.
            self._end_rewards = jnp.asarray(-convention.end_values(game.rules, states))
        # JAX traces once for each object, and a bound method is a new one each time.
        compiled: Any = self
        compiled.init, compiled.step = jax.jit(self.init), jax.jit(self.step)

    @property
    def id(self) -> Any:
        """The name of the rules, such as ``"nim_envs/nim"``."""
        return f"nim_envs/{self.game.rules.name}"

    @property
    def version(self) -> str:
        """Its version; raised where its behaviour changes in a way that could change results."""
        return "v0"

    @property
    def num_players(self) -> int:
        """Two."""
        return len(SEATS)

    @property
    def num_actions(self) -> int:
        """Number of actions, legal or not."""
        return self.game.rules.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of an observation."""
        return tuple(self.encoding.space.shape)

    def state_at(self, position: Array, current_player: Array = 0) -> PgxState:
        """Return the state at a position, for search and for analysis.

        Args:
            position: ``(components,)``, or its coordinates; where it is traced, as under
                ``jax.vmap``, it is not checked and must be state numbers.
            current_player: player to move.

        Raises:
            InvalidPositionError: not a position of this game.
        """
        if not isinstance(position, jax.core.Tracer):
            position = self.game.rules.checked_positions(np.asarray(position))
        place = self.layout.places(jnp.asarray(position))
        return self._begun(place, jnp.asarray(current_player, jnp.int32))

    def _begun(self, place: Array, current_player: Array) -> PgxState:
        """Return the first state of a game at a place."""
        legal = self.layout.legal(place)
        terminated = ~legal.any()
        return PgxState(
            current_player=current_player,
            observation=self.layout.observe(place),
            rewards=jnp.zeros(2, jnp.float32),
            terminated=terminated,
            truncated=jnp.bool_(False),
            legal_action_mask=self.layout.mask(_or_all(legal, terminated)),
            _step_count=jnp.int32(0),
            _place=place,
            _made_of=self._made_of,
        )

    def _init(self, key: Array) -> PgxState:
        """Draw who begins, and where."""
        # All random words in one call: half of the time of random play goes into them.
        words = jax.random.bits(key, (1 + self._start.words,), jnp.uint32)
        return self._begun(self._start.place(words[1:]), below(2, words[0]))

    def _step(self, state: PgxState, action: Array, key: Array | None) -> PgxState:
        """Make a legal move in a game that goes on."""
        return self._moved(state, action, finished=jnp.bool_(False), illegal=jnp.bool_(False))

    def step(self, state: PgxState, action: Array, key: Array | None = None) -> PgxState:
        """Make a move.

        What the base class does, in one pass: it would choose between whole states three times,
        masks and all, which takes a tenth of the time of random play.

        Args:
            state: any state.
            action: ``component * options + option``; an illegal one loses.
            key: not used, as moves draw nothing.
        """
        finished = state.terminated | state.truncated
        counted = state.replace(_step_count=state._step_count + jnp.where(finished, 0, 1))
        known = (action >= 0) & (action < self.num_actions)
        illegal = ~(known & state.legal_action_mask[action]) & ~state.terminated
        return self._moved(counted, action, finished, illegal)

    def _moved(self, state: PgxState, action: Array, finished: Array, illegal: Array) -> PgxState:
        """Return the state after an action, unless the game is finished or the action illegal."""
        place = jnp.where(finished | illegal, state._place, self.layout.step(state._place, action))
        legal = self.layout.legal(place)
        ended = ~legal.any() & ~finished
        terminated = state.terminated | illegal | ended
        # In a game with an outcome of its own, the one component's state is the place.
        of_last_mover = (
            self._last_movers_reward
            if self._end_rewards is None
            else self._end_rewards[place.reshape(())].astype(jnp.float32)
        )
        gets = jnp.where(ended, of_last_mover, 0.0)
        gets = jnp.where(illegal, self._illegal_action_penalty, gets)
        after: PgxState = state.replace(
            current_player=jnp.where(finished, state.current_player, 1 - state.current_player),
            observation=self.layout.observe(place),
            rewards=_rewards(state.current_player, gets),
            terminated=terminated,
            legal_action_mask=self.layout.mask(_or_all(legal, terminated)),
            _place=place,
        )
        return after

    def _observe(self, state: PgxState, player_id: Array) -> Array:
        """Observe the position; it is the same for both players."""
        return self.layout.observe(state._place)

    def __repr__(self) -> str:
        """Return the game in short, and the encoding."""
        return f"{type(self).__name__}({self.game.summary}, encoding {self.encoding.name!r})"

    def __reduce__(self) -> Any:
        """Pickle the game and the encoding: the tables are made again."""
        return type(self), (self.game, self.encoding.name)


def make_pgx(game: str, *, encoding: str = "integer", **game_arguments: Any) -> PgxEnv:
    """Return the environment of a registered game.

    Args:
        game: a key of :data:`nim_envs.registry.GAMES`.
        encoding: encoding of observations.
        game_arguments: see :func:`nim_envs.make_game`.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        UnknownArgumentError: an unknown argument.
        InvalidPositionError: an unknown or impossible start.
        SearchTooLargeError: the game is too large for tables, or its starts cannot be counted.

    Example:
        >>> env = make_pgx("kayles", heaps=(7,), start="uniform", misere=True)
        >>> env.num_actions, env.observation_shape
        (28, (4,))
        >>> env is make_pgx("kayles", heaps=(7,), start="uniform", misere=True)
        True
    """
    return PgxEnv(make_game(game, **game_arguments), encoding)


def _or_all(legal: Array, everything: Array) -> Array:
    """Return words of bits, or all bits where ``everything`` is true."""
    return jnp.where(everything, jnp.uint32(0xFFFFFFFF), legal)


def _rewards(player: Array, gets: Array) -> Array:
    """Return the rewards by player: ``gets`` to ``player``, its opposite to the other."""
    return jnp.where(player == SEATS, gets, 0.0 - gets).astype(jnp.float32)
