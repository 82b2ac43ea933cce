"""The turn-based environment: one PettingZoo ``AECEnv`` for every game."""

from __future__ import annotations

from copy import deepcopy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from nim_envs.caches import LimitedCache
from nim_envs.encoding import Encoding, with_mask
from nim_envs.envs.arguments import (
    CACHED_STARTS,
    ResetStarts,
    checked_max_cycles,
    checked_options,
    checked_seed,
    game_with_start,
)
from nim_envs.envs.move_truth import move_truth, no_move_yet
from nim_envs.envs.walks import Walk, walk_from
from nim_envs.errors import (
    ClosedEnvironmentError,
    InvalidActionError,
    InvalidPositionError,
    ResetNeededError,
)
from nim_envs.game import PLAYERS, Game
from nim_envs.optional import installed
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.starts import Sampler
from nim_envs.typing import Array, IntArray, Position
from nim_envs.validation import (
    check_bytes,
    checked_boolean,
    checked_choice,
    checked_integer,
    checked_name,
)

if TYPE_CHECKING:
    from nim_envs.render.frame import Frame
    from nim_envs.render.renderer import LastMove, Renderer
    from nim_envs.render.scene import Scene

Observation = dict[str, Array]

FIRST, SECOND = PLAYERS
RENDER_MODES = ("human", "rgb_array", "ansi")

ILLEGAL_MOVE_RULES = ("forfeit", "raise")
"""Allowed values of ``illegal_move``."""

BYTES_OF_ACTION = 48
"""Bytes per action, upper bound, of masks, spaces and the table rows that a move reads."""


class GameEnv(AECEnv[str, Any, Any]):
    """PettingZoo's environment of an exactly solvable game: two players move in turn.

    ## Description
    A position is a tuple of integers, the coordinates of the parts of the game, one after the other
    (heaps, or a running total). The player to move picks one part and one of its options. The game
    ends when no move is left.

    ## Agents
    ``player_0`` moves first, then ``player_1``, in turn.

    ## Action Space
    ``Discrete(parts * options)``; ``action = part * options + option``. In Nim option ``j`` takes
    ``j + 1`` objects, in a subtraction game the ``j``-th smallest amount of the set; in the
    addition game it adds ``j + 1``; a token moves along the ``j``-th edge. For a heap that may
    split, an option is an amount to take and the size of the smaller part that is left.
    ``game.describe`` describes any action.

    ## Observation Space
    A ``Dict`` of ``"observation"``, the position as int64 ``(fields,)`` (with another
    ``encoding``, float32 features), and ``"action_mask"``, int8 ``(actions,)``: 1 where the action
    is legal; all zeros for the player who is not to move, and for both when the game has
    terminated. Both players observe the same position. If heaps can split, some of them are empty
    at first, for the heaps made by splitting.

    ## Starting State
    The game's start: the full heaps, or total 0, unless ``start`` says otherwise.
    ``reset(seed=..., options={"start": ...})`` chooses for one game: ``"fixed"``,
    ``"uniform"``, ``"n_position"``, ``"p_position"``, ``"balanced"``, in games with draws
    ``"draw_position"``, a :class:`nim_envs.starts.Start`, or a position. Other keys of ``options``
    are ignored, as PettingZoo's tests require; a misspelt ``"start"`` is an error.

    ## Rewards
    +1 to the winner and -1 to the loser at the end of the game, 0 to both for a draw; 0 before. An
    illegal move forfeits: -1 to the mover, +1 to the opponent. The sum is always 0.

    ## Episode End
    Both players terminate together when no legal move is left or after a forfeit. With
    ``max_cycles`` both are truncated, with reward 0, after that many moves each. The player who
    would move next then keeps its action mask, for a bootstrap from the last position.

    ## Information
    The infos are empty. With ``truth_in_info=True`` an agent's info has two ``bool`` on its last
    move in this game: ``"winning"``, whether the position was won for it before the move;
    ``"kept_win"``, whether it was, and still is after the move. In games with an outcome of their
    own it also has ``"value"``, int8, 1, 0 or -1, whether the position was won, drawn or lost for
    it before the move, and ``"kept_value"``, whether it is the same after the move. An illegal move
    keeps nothing; before an agent's first move all are ``False``, and the value is 0.

    Args:
        game: the game.
        name: name of the environment, shown by ``str(env)``.
        start: where games begin, as ``start`` of :func:`nim_envs.make_game`; ``None``: as the game
            says.
        render_mode: ``"human"``: a window shows every move, at ``metadata["render_fps"]`` moves
            a second, or nothing where there is no display; ``"rgb_array"``: :meth:`render` returns
            the same picture as an array; ``"ansi"``: it returns text; ``None``: nothing is
            rendered.
        encoding: ``"integer"``, ``"one_hot"``, ``"binary"`` or ``"unary"``; see
            :class:`nim_envs.encoding.Encoding`.
        illegal_move: ``"forfeit"``, or ``"raise"`` to raise ``IllegalMoveError`` and leave the
            position as it was.
        max_cycles: maximum number of moves of each player; ``None``: no limit, if every play ends.
        show_winning_moves: whether pictures mark the winning moves.
        truth_in_info: whether infos say which moves are right, as described above.

    Raises:
        InvalidGameError: an argument is not one of the values above.
        InvalidPositionError: ``start`` is no start of the game.
        SearchTooLargeError: the actions or features of the environment would take over a GiB; or
            the game is too large to solve, for ``show_winning_moves`` or ``truth_in_info``.
        ResetNeededError, ClosedEnvironmentError: of methods: no game is in progress, or the
            environment is closed.
        MissingPackageError: pictures are asked for and pygame is not installed.
    """

    def __init__(
        self,
        game: Game,
        *,
        name: str = "game",
        start: Any = None,
        render_mode: str | None = None,
        encoding: str = "integer",
        illegal_move: Literal["forfeit", "raise"] = "forfeit",
        max_cycles: int | None = None,
        show_winning_moves: bool = False,
        truth_in_info: bool = False,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.game = game = game_with_start(game, start)
        actions = game.num_actions
        check_bytes(f"environments with {actions} actions", actions * BYTES_OF_ACTION)
        self.render_mode = checked_choice("render_mode", render_mode, RENDER_MODES, or_none=True)
        self._show_winning_moves = checked_boolean("show_winning_moves", show_winning_moves)
        self.illegal_move = checked_choice("illegal_move", illegal_move, ILLEGAL_MOVE_RULES)
        self.truth_in_info = checked_boolean("truth_in_info", truth_in_info)
        self.max_cycles = checked_max_cycles(max_cycles, game)
        self._truncate_at = -1 if self.max_cycles is None else self.max_cycles * len(PLAYERS)
        self.metadata: dict[str, Any] = {
            "name": checked_name("name", name),
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        # Errors are raised now and not during an episode.
        if show_winning_moves or truth_in_info:
            game.solution.value(game.start)
        if render_mode is not None:
            _ = self._renderer
        self.encoding = Encoding(encoding, game.fields)
        self._observes_positions = encoding == "integer"
        self._is_told = self.truth_in_info or render_mode is not None
        self._num_actions = actions  # attribute chains cost time in every step
        self.possible_agents = list(PLAYERS)
        # Each agent has spaces of its own: sampling from one does not advance the other.
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in PLAYERS}
        self.observation_spaces = {
            agent: with_mask(deepcopy(self.encoding.space), actions) for agent in PLAYERS
        }
        high = np.array([*(values - 1 for values in game.fields), 1], dtype=np.int64)
        self.state_space = spaces.Box(low=np.zeros_like(high), high=high, dtype=np.int64)
        self.starts = ResetStarts(game)
        self._first_walks: LimitedCache[Position, Walk] = LimitedCache(CACHED_STARTS)
        self._rng: np.random.Generator | None = None

        # No game is in progress: there is no walk over its positions.
        self.agents = []
        self.agent_selection = FIRST
        self.rewards, self._cumulative_rewards, self.infos = {}, {}, {}
        self.terminations, self.truncations = {}, {}
        self._first_info: dict[str, Any] = no_move_yet(game) if self.truth_in_info else {}
        self._walk: Walk | None = None
        self._moves = 0
        self._over = self._closed = False
        # The agent to move if the game had not been truncated; ``agent_selection`` changes
        # as the agents step with ``None``.
        self._to_move_at_truncation: str | None = None
        # The move that pictures highlight; stored only with a render mode.
        self.last_move: LastMove | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of ``agent``, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of ``agent``, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: seeds the start positions of this game and of those after it; ``None`` keeps
                the current generator.
            options: ``{"start": ...}`` as described above.

        Raises:
            InvalidResetError: ``seed`` or ``options`` are not as described above.
            InvalidPositionError: the start is not a position of this game that leaves a move.
        """
        self.check_open()
        sampler = self.starts.sampler(checked_options(options, others_ignored=True))
        self.begin_from(sampler, checked_seed(seed))

    def begin_from(self, sampler: Sampler, seed: int | None = None) -> None:
        """Start a new game at a position drawn from a sampler of :attr:`starts`."""
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        position = tuple(sampler.draw(self._rng).tolist())
        walk = self._first_walks.get_or_create(position, partial(walk_from, self.game, position))
        self._begin(walk.copy(), FIRST)

    def next_starts(self, games: int, options: dict[str, Any] | None = None) -> IntArray:
        """Draw the starts of the next games, as calls of :meth:`reset` would draw them.

        Args:
            games: number of games, whose positions are returned, ``(games, fields)``. The game in
                progress is left as it is.
            options: as in :meth:`reset`, as are the errors.
        """
        self.check_open()
        if self._rng is None:
            raise ResetNeededError("there is no generator of starts yet: call reset() first")
        sampler = self.starts.sampler(checked_options(options, others_ignored=True))
        return sampler.sample(self._rng, checked_integer("games", games, 0))

    def _begin(self, walk: Walk, agent: str) -> None:
        """Begin a game with ``agent`` to move."""
        self.agents = [FIRST, SECOND]
        self.rewards = {FIRST: 0.0, SECOND: 0.0}
        self._cumulative_rewards = {FIRST: 0.0, SECOND: 0.0}
        self.terminations = {FIRST: False, SECOND: False}
        self.truncations = {FIRST: False, SECOND: False}
        self.infos = {FIRST: {**self._first_info}, SECOND: {**self._first_info}}
        self.agent_selection = agent
        self._walk = walk
        self._over = False
        self._moves = 0
        self._to_move_at_truncation = None
        self.last_move = None
        if self.render_mode == "human":
            self.render()

    def set_position(self, position: Any, agent: str | None = None) -> None:
        """Begin a new game at ``position``, for search and for analysis.

        Args:
            position: a position that leaves a legal move, ``(fields,)``.
            agent: the agent to move; by default the one whose turn it is now.

        Raises:
            InvalidPositionError: not a position of this game, or one where play ends.
            InvalidActionError: ``agent`` is not one of the two players.
        """
        self.check_open()
        mover = self.agent_selection if agent is None else agent
        if mover not in PLAYERS:
            raise InvalidActionError(f"agent must be one of {PLAYERS}, not {agent!r}")
        board: Any = self.game.board
        walk = walk_from(self.game, board.position(self.game.checked_state(position)))
        if walk.is_over:
            raise InvalidPositionError(
                "set_position takes one position that leaves a legal move, and "
                f"{walk.position().tolist()} is not one"
            )
        self._begin(walk, mover)

    @property
    def position(self) -> IntArray:
        """Copy of the current position, int64 ``(fields,)``."""
        return self.walk.position()

    @property
    def walk(self) -> Walk:
        """The walk of the game in progress, which must not be changed."""
        if self._walk is None:
            self.check_open()
            raise ResetNeededError("no game is in progress: call reset() first")
        return self._walk

    def check_open(self) -> None:
        """Raise ``ClosedEnvironmentError`` after :meth:`close`."""
        if self._closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def observe(self, agent: str) -> Observation:
        """Return the observation of ``agent``; the mask is all zeros unless it is to move.

        After a truncation the agent whose turn it would be keeps its mask, until the next reset.

        Raises:
            InvalidActionError: ``agent`` is not one of the two players.
        """
        walk = self._walk
        if walk is None:  # a call of ``walk`` takes time in every step
            walk = self.walk
        if agent not in PLAYERS:
            raise InvalidActionError(f"agent must be one of {PLAYERS}, not {agent!r}")
        position = walk.position()
        moves = agent == (self._to_move_at_truncation if self._over else self.agent_selection)
        return {
            "observation": (
                position if self._observes_positions else self.encoding.encode(position)
            ),
            "action_mask": walk.mask() if moves else np.zeros(self._num_actions, dtype=np.int8),
        }

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Return an iterator over the agents to move, until the game is over."""
        _ = self.walk
        return super().agent_iter(max_iter)

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the agent to move.

        The reward is the sum of its rewards since its last move.

        Raises:
            ResetNeededError: before the first :meth:`reset`, or when no agent is left.
        """
        agent = self.agent_selection
        if agent not in self.rewards:
            _ = self.walk
            raise ResetNeededError("the game is over and no agent is left: call reset()")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: Any) -> None:
        """Take ``action`` for the agent to move; when the game is over it must be ``None``.

        Args:
            action: an integer of the action space.

        Raises:
            InvalidActionError: not an integer, outside the action space, ``None`` while the
                game goes on, or anything but ``None`` when it is over.
            IllegalMoveError: an illegal move where ``illegal_move="raise"``.
        """
        if self._over:
            self._step_finished(action)
            return
        walk = self._walk
        if walk is None:
            walk = self.walk
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = self._checked_action(action)
        mover = self.agent_selection
        other = SECOND if mover == FIRST else FIRST
        before = (walk.state, walk.position()) if self._is_told else None
        if not walk.move(action):
            self._forfeit(walk, action)
            return
        if before is not None:
            self._tell(*before, action, is_legal=True)
        self._moves += 1
        self.agent_selection = other
        if walk.is_over:
            self._finish(mover, other, self._last_movers_reward())
        elif self._moves == self._truncate_at:
            self._over = True
            self._to_move_at_truncation = other
            self.truncations = {FIRST: True, SECOND: True}
        if self.render_mode == "human":
            self.render()

    def _checked_action(self, action: Any) -> int:
        """Return ``action`` as an ``int`` of the action space."""
        largest = self._num_actions - 1
        if action is None:
            raise InvalidActionError(
                f"action must be an integer from 0 to {largest}; None is allowed only when the "
                f"game is over, and {self.agent_selection} is to move"
            )
        return checked_integer("action", action, 0, largest, error=InvalidActionError)

    def forfeit(self) -> None:
        """End the game as an illegal move does, where the agent to move names no legal move.

        Raises:
            IllegalMoveError: where ``illegal_move="raise"``.
        """
        walk = self.walk
        if self._over:
            raise ResetNeededError("the game is over: call reset()")
        self._forfeit(walk, NO_LEGAL_MOVE)

    def _forfeit(self, walk: Walk, action: int) -> None:
        """Let the agent to move lose the game by an illegal action, or raise an error."""
        if self.illegal_move == "raise":
            raise self.game.illegal_move(walk.state, action)
        self._tell(walk.state, walk.position(), action, is_legal=False)
        mover = self.agent_selection
        self.agent_selection = SECOND if mover == FIRST else FIRST
        self._finish(mover, self.agent_selection, -1.0)
        if self.render_mode == "human":
            self.render()

    def _tell(self, state: Any, position: IntArray, action: int, *, is_legal: bool) -> None:
        """Store a move for the mover's info and for the next picture, where there are any."""
        mover = self.agent_selection
        if self.truth_in_info:
            self.infos[mover] = move_truth(self.game, state, action)
        if self.render_mode is not None:
            from nim_envs.render.renderer import LastMove

            does = "made an illegal move and forfeits"
            if is_legal:
                does = f"moved, {self.game.describe_move(action, position)}"
            self.last_move = LastMove(position, PLAYERS.index(mover), f"{mover} {does}")

    def _last_movers_reward(self) -> float:
        """Return the reward of the player who made the last move, minus ``Game.end_values``."""
        if not self.game.has_outcome:  # the same for all ends, without an array
            return -1.0 if self.game.misere else 1.0
        return 0.0 - float(self.game.end_values(np.asarray(self.walk.state)))  # a draw is not -0

    def _finish(self, mover: str, other: str, result: float) -> None:
        """End the game: ``result``, 1, 0 or -1, to the mover, its negative to the other."""
        self._over = True
        for agent, reward in ((mover, result), (other, 0.0 - result)):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
            self.terminations[agent] = True

    def _step_finished(self, action: Any) -> None:
        """Remove the agent to move, as PettingZoo requires at the end of a game."""
        if not self.agents:
            raise ResetNeededError("the game is over and no agent is left: call reset()")
        agent = self.agent_selection
        if action is not None:
            raise InvalidActionError(
                f"the game of {agent} is over: action must be None, not {action!r}"
            )
        for of_agents in (self.rewards, self._cumulative_rewards):
            del of_agents[agent]
        del self.terminations[agent], self.truncations[agent], self.infos[agent]
        self.agents.remove(agent)
        for other in self.agents:
            self.agent_selection = other
            self.rewards[other] = 0.0

    def state(self) -> IntArray:
        """Return the position followed by the seat to move, int64 ``(fields + 1,)``."""
        return np.append(self.position, PLAYERS.index(self.agent_selection))

    def render(self) -> Frame | str | None:
        """Render the position in the environment's ``render_mode``.

        Returns:
            The picture, ``(height, width, 3)``, uint8; text; or ``None``, as a window shows it.
        """
        if self.render_mode is None:
            logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}; it is None")
            return None
        return self._renderer.show(self._scene(), self.metadata["render_fps"])

    def __repr__(self) -> str:
        """Return the game in short, the position and whose turn it is."""
        now = "not reset"
        if self._walk is not None:
            now = f"at {tuple(self.position.tolist())}, {self._scene().status}"
        return f"{type(self).__name__}({self.game.summary}; {now})"

    def _repr_png_(self) -> bytes | None:
        """Return the picture of the position, which a notebook shows, where pygame is installed."""
        if self._walk is None or not installed("pygame"):
            return None
        return self._renderer.picture.frame(self._scene())._repr_png_()

    @cached_property
    def _renderer(self) -> Renderer:
        from nim_envs.render.renderer import Renderer

        return Renderer(
            self.game,
            self.render_mode,
            title=self.metadata["name"],
            show_winning_moves=self._show_winning_moves,
        )

    def _scene(self) -> Scene:
        """Return the contents of a picture of the position."""
        mover = None if self._over else PLAYERS.index(self.agent_selection)
        winners = (PLAYERS.index(agent) for agent, reward in self.rewards.items() if reward > 0)
        return self._renderer.scene(self.position, mover, next(winners, None), self.last_move)

    def close(self) -> None:
        """Close the window, if there is one; later resets and steps raise an error."""
        if self.render_mode is not None:
            self._renderer.close()
        self._closed = True
        # Without a walk every step raises.
        self._walk = None
        self._over = False
